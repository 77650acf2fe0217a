// The keys of a tree in the order in which a search reads the likeliest first: in balls of growing cost around the
// query's key, where each bit that differs costs something. If all bits are equally likely to differ, each costs 1.
// With weights, the costs are proportional to -log(p / (1 - p)), so that keys of lower cost are likelier to be those
// of a near-duplicate (Sood and Loguinov 2011, equation 6).
//
// Like core/layout/key_ball.hpp, this finds the leaves that contain such keys by seeking, so bits that do not lead to
// other leaves cost nothing.
#pragma once

#include "core/bits/fingerprint.hpp"

namespace simhash
{

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
