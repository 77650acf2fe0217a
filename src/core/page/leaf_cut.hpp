// Where leaves are cut, with rows sorted only as far as cutting needs.
//
// A leaf is a bag: it matters which leaf an entry is in, but not where in the leaf. So a build does not sort
// its rows, it divides them into *runs*: every row of a run comes before every row of the next, and within a
// run, of at most kRunRows rows, there is no order. Leaves are cut between runs; where none begins at a good
// place, one run is sorted. The leaves are those that a full sort would give.
//
// A row is a Position, or a PairRow if keys have two words; leaf_cut.cpp instantiates the templates for both.
#pragma once

#include "core/page/page.hpp"

#include <cstddef>
#include <cstdint>

namespace simhash
{

// A row of a tree whose leaves have kPairKeys. The second word does not decide its place.
struct PairRow : Position {
    std::uint64_t second;
};

inline LeafKey leaf_key_of(std::uint64_t key, const Position &) { return {{key, 0}}; }
inline LeafKey leaf_key_of(std::uint64_t key, const PairRow &row) { return {{key, row.second}}; }
template <typename Row> inline constexpr int kRowWords = 1;
template <> inline constexpr int kRowWords<PairRow> = 2;

// Where to cut sorted positions: the index in [low, high] whose neighbors differ in the highest bit, so that
// no bucket of equal leading bits is cut unnecessarily. Sets *bound to the shortest position between the two.
// The cut is from `low` to `high`, and low >= 1.
template <typename Row> int choose_cut(const Row *sorted, int low, int high, Position *bound);

// The same for rows in runs, which it may sort: run i begins at start[i], and the last one ends at `count`.
template <typename Row>
int choose_cut(Row *row, int count, const int *start, int runs, int low, int high, Position *bound);

// The number of bits of a position: 64 of the key, then 48 of the tid.
inline constexpr int kPositionBits = 64 + 48;

// The number of the first bit that is set, from the highest; kPositionBits if none is.
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

// `width` bits from bit `first` on, or fewer at the end of the key or the tid.
Digit make_digit(int first, int width);

inline constexpr std::size_t kRunRows = 128;

// The width of the digit that divides `count` rows into buckets of about `rows` each, if they are spread
// evenly.
int digit_width(std::size_t count, std::size_t rows, int widest);

// Divides rows into runs and hands them to the sink in order. The runs lie in either array.
// Requires: `other` has room for as many rows.
template <typename Row> using RunSink = void (*)(const Row *run, int count, void *context);
template <typename Row>
void divide_into_runs(Row *row, Row *other, std::size_t count, RunSink<Row> sink, void *context);

} // namespace simhash
