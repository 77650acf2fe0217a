// The kernels of leaves: which of the fingerprints of a leaf lie within a distance, and which rows of the columns of a
// packed leaf may.
#pragma once

#include "core/bits/fingerprint.hpp"
#include "core/kernels/simd_level.hpp"

#include <cstdint>

namespace simhash
{

// Writes the positions i < count with hamming_distance(fingerprints[i], query) <= radius to matches,
// ascending, and returns how many there are. Reads nothing outside the fingerprints; may overwrite all of
// matches.
// Requires: matches has room for count; 0 <= radius <= 64; fingerprints is aligned to 8 bytes.
using LeafMatch = int (*)(const Fingerprint *fingerprints, int count, Fingerprint query, int radius,
                          std::uint16_t *matches);

// Parts of keys: 32 bits, and 16 more if `second` is not null. Nothing is aligned.
struct KeyColumns {
    const char *first;
    const char *second;
    std::uint32_t query;
    std::uint16_t second_query;
    int radius;
};

// Writes the positions i < count whose parts differ from the query's in at most radius bits to matches, ascending, and
// returns how many there are. Reads nothing outside the columns; may overwrite all of matches.
// Requires: matches has room for count; 0 <= radius <= 64.
using ColumnMatch = int (*)(const KeyColumns &columns, int count, std::uint16_t *matches);

// The kernels of a level. All give the same answers. Requires: has_simd_level(level).
LeafMatch leaf_match(SimdLevel level);
ColumnMatch column_match(SimdLevel level);

} // namespace simhash
