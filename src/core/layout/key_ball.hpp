// The keys of a tree that an exact search has to read, visited in ascending order by seeking.
//
// A step of a search plan asks one tree for the keys with at most `header_budget` errors among the leading
// `header_bits` bits and at most `radius` errors in all. next_key() jumps to the first such key at or after a
// given one. Called with the upper bound of the leaf just read, it yields the next leaf worth reading. So a
// search visits exactly the leaves whose ranges contain such a key: flips of bits that do not lead to another
// leaf cost nothing, and long runs of equal or skewed keys are skipped, whatever the data.
#pragma once

#include "core/bits/fingerprint.hpp"

namespace simhash
{

struct KeyBall {
    std::uint64_t center; // the query's key in this tree
    int header_bits;      // 0 to 64
    int header_budget;    // at least 0
    int radius;           // at least 0
};

// Sets *key to the smallest key >= from that lies in the ball; false if there is none.
bool next_key(const KeyBall &ball, std::uint64_t from, std::uint64_t *key);

// The keys of a tree in the order in which a search reads the likeliest first: in balls of growing cost around the
// query's key, where each bit that differs costs something. If all bits are equally likely to differ, each costs 1.
// With weights, the costs are proportional to -log(p / (1 - p)), so that keys of lower cost are likelier to be those
// of a near-duplicate (Sood and Loguinov 2011, equation 6).
//
// The leaves that contain such keys are found by seeking, too.
struct ProbeBall {
    std::uint64_t center;
    int budget;
    const std::uint8_t *cost; // of each bit, the highest bit first
    int bits = 64;            // that cost anything
};

// How many leading bits lead to other leaves, in a tree that has so many, and to eighths of them: keys with the same
// leading bits that straddle two leaves cost both. Eighths of a leaf seldom do, and finer parts only add work.
int prefix_bits_for(double leaves);

// Sets *key to the smallest key >= from whose bits that differ from the center cost at most the budget. Returns false
// if there is none. A negative budget has none.
bool next_key(const ProbeBall &ball, std::uint64_t from, std::uint64_t *key);

// Whether [low, high] contains such a key.
inline bool reaches(const ProbeBall &ball, std::uint64_t low, std::uint64_t high)
{
    std::uint64_t key;
    return next_key(ball, low, &key) && key <= high;
}

} // namespace simhash
