// Where leaves are cut, and rows put into order only as far as that needs.
//
// A leaf is a bag: which leaf an entry is in matters, its place in there does not. So a build does not sort
// its rows, it divides them into *runs*: every row of a run comes before every row of the next, and within a
// run, of at most kRunRows rows, there is no order. Leaves are cut between runs; where none begins at a good
// place, one run is sorted. The leaves are those that a full sort would give.
#pragma once

#include "core/page/page.hpp"

#include <cstddef>
#include <cstdint>

namespace simhash
{

// Where to cut sorted positions: an index in [low, high], low >= 1, at which the neighbours differ in the
// highest bit, so that a bucket of equal leading bits is not cut without need. *bound is set to the shortest
// position between the two.
int choose_cut(const Position *sorted, int low, int high, Position *bound);

// The same for rows in runs, which it may sort: run i begins at start[i], start[0] being 0, and the last one
// ends at `count`, which is greater than high.
int choose_cut(Position *row, int count, const int *start, int runs, int low, int high, Position *bound);

// The bits of a position in one number: 64 of the key, then 48 of the tid.
inline constexpr int kPositionBits = 64 + 48;

// The first bit that is set, kPositionBits if none is.
int first_bit(Position position);

// Some consecutive bits of a position as a number.
struct Digit {
    bool of_tid;
    int shift;
    int width;

    std::size_t operator()(Position position) const
    {
        std::uint64_t word = of_tid ? position.tid : position.key;
        return static_cast<std::size_t>(word >> shift & ((std::uint64_t{1} << width) - 1));
    }
};

// Up to `width` bits, less than 64, from number `first` on: fewer at the end of the key or the tid.
Digit make_digit(int first, int width);

inline constexpr std::size_t kRunRows = 128;

// How wide a digit divides `count` rows, if it divides them evenly, into buckets of `rows` each.
int digit_width(std::size_t count, std::size_t rows, int widest);

// Divides rows into runs, which are handed to the sink in order. `other` has room for as many rows; the runs
// are in either array.
using RunSink = void (*)(const Position *run, int count, void *context);
void divide_into_runs(Position *row, Position *other, std::size_t count, RunSink sink, void *context);

} // namespace simhash
