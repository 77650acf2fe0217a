// The kernels of the join: which pairs of rows, of a list of short runs, lie within a distance.
#pragma once

#include "core/bits/fingerprint.hpp"
#include "core/kernels/simd_level.hpp"

#include <cstddef>
#include <cstdint>

namespace simhash
{

// The rows begin <= i < end of an array of fingerprints.
struct RowRun {
    std::uint32_t begin;
    std::uint32_t end;
};

struct RunPair {
    RowRun x;
    RowRun y;
};

struct RowPair {
    std::uint32_t x;
    std::uint32_t y;
};

// How far a list of runs has been compared; all zeros at the start.
struct MatchCursor {
    std::size_t run; // the end of the list when all is done
    std::uint32_t x;
    std::uint32_t y;
    bool inside; // x and y say where in the run
};

// Both write the pairs within the radius to `found`, each once, in no particular order, and return how many.
// They continue from the cursor until the list is done or `found` may be full. Call them again while
// cursor->run is less than the number of runs. Requires: 0 <= radius <= 64 and room >= kLeastRoom.
struct PairMatch {
    // Pairs x < y of rows of the same run.
    std::size_t (*within)(const Fingerprint *row, const RowRun *run, std::size_t runs, int radius,
                          MatchCursor *cursor, RowPair *found, std::size_t room);
    // Pairs of a row of run.x in the first array and one of run.y in the second.
    std::size_t (*between)(const Fingerprint *x, const Fingerprint *y, const RunPair *run, std::size_t runs,
                           int radius, MatchCursor *cursor, RowPair *found, std::size_t room);
    double nanoseconds; // approximate, to compare two rows of a long run
};

inline constexpr std::size_t kLeastRoom = 64;

// The kernels of a level. All give the same pairs. Requires: has_simd_level(level).
const PairMatch &pair_match(SimdLevel level);

} // namespace simhash
