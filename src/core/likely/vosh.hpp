// VOSH: the sets of flipped bits in the order of their probability (Sood and Loguinov 2011, sections 5.2 and
// 6.1; the lemma, algorithm and equation below are theirs).
//
// Bit i flips with probability p_i, so exactly the bits S flip with (equation 6)
//
//     p(S) = prod_{i in S} p_i * prod_{i not in S} (1 - p_i) = p(nothing) * prod_{i in S} p_i / (1 - p_i).
//
// Among sets of one size, replacing a bit by a less volatile one never raises p(S) (Lemma 1). With the bits
// ranked by volatility the sets of each size form a tree in which no child is likelier than its parent
// (Algorithm 2):
//
//  - the root is (1 .. size);
//  - the left child moves the last bit up by one;
//  - the right child moves the bit left of the rightmost gap up by one if that closes the gap, so that every
//    set has one parent.
//
// A heap over the trees yields k sets in O(k log k) time and O(k) memory, which the caller supplies.
//
// The same holds for a sum of such products as long as all rank the bits alike, and for any factor that
// depends on the size of the set alone. So the chance that a near-duplicate flips S may be averaged over
// several degrees of similarity, and may count only near-duplicates whose other flips stay within a radius.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/likely/levels.hpp"

namespace simhash
{

inline constexpr int kVoshBits = 64;

// The value of a set of flips: the sum over levels of weight[size] * prod odds[rank]. Requires: odds are not
// negative and, in every level, do not rise from rank to rank. An unused level has weight 0.
struct FlipValue {
    int bits;                         // 0 to kVoshBits
    int most;                         // the most flips in a set
    std::uint8_t position[kVoshBits]; // by rank: which bit of a set's mask stands for it
    Levels odds[kVoshBits];           // by rank
    Levels weight[kVoshBits + 1];     // by size
};

struct VoshNode {
    double value;
    std::uint64_t ranks;
};

// Sets of equal value are ordered by size, then by their masks of ranks (rank 0 is the lowest bit) as
// integers. Zero-valued sets are not returned.
//
// The order is exact for the values as computed: products are taken rank by rank, and rounding is monotone in
// each factor, so no child exceeds its parent here either.
class Vosh
{
public:
    // Keeps both pointers. k sets take at most k + most + 1 nodes.
    void begin(const FlipValue *flip_value, VoshNode *nodes, std::size_t capacity);

    // The next set, possibly the empty one. Returns false at the end, or when there were too few nodes to
    // know the next set.
    bool next(std::uint64_t *flips, double *value);

private:
    double value_of(std::uint64_t ranks) const;
    void push(std::uint64_t ranks);
    VoshNode pop();

    const FlipValue *flip_value_;
    VoshNode *nodes_; // a heap, the next set first
    std::size_t capacity_;
    std::size_t size_;
    double lost_; // the greatest value dropped for lack of a node
};

} // namespace simhash
