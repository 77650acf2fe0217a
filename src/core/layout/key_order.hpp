// Fingerprints to keys, by which the trees of an index are ordered.
//
// A fingerprint's bits are first put in the index's bit order (chosen from the data by choose_bit_order); the
// design's blocks are consecutive bits of that word. A tree's key is the word with its blocks in the tree's
// order. The mapping is bijective and preserves Hamming distances.
#pragma once

#include "core/bits/fingerprint.hpp"
#include "core/layout/tree_design.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace simhash
{

// Any permutation of 64 bits, with a table for every four bits: 2 KB.
class BitPermutation
{
public:
    // Bit 63 - i of the result is bit source[i] of the argument.
    void set(const std::uint8_t source[kBits]);

    // The inverse of set(source).
    void set_inverse(const std::uint8_t source[kBits]);

    // Permutes by `first`, then by `second`. `second` is not this object.
    void compose(const BitPermutation &first, const BitPermutation &second);

    std::uint64_t operator()(std::uint64_t x) const
    {
        std::uint64_t result = 0;
        for (int i = 0; i < 16; i++)
            result |= part_[i][x >> (4 * i) & 15];
        return result;
    }

private:
    std::uint64_t part_[16][16];
};

struct TreeOrder {
    int header_bits;
    Fingerprint header_mask; // the header's bits in the fingerprint itself
    int moves;
    struct {
        std::uint64_t mask; // of the key
        int rotate;         // of the word, to the left
    } move[kMaxBlocks];
};

// With fewer trees the tail of the last member is unused: a copy of size() bytes suffices.
struct KeyOrder {
    TreeDesign design;
    std::uint8_t bit_order[kBits]; // bit_order[i]: which bit of the fingerprint is bit 63 - i of the word
    BitPermutation permutation;
    BitPermutation inverse;
    TreeOrder tree[kMaxTrees];

    void set(const TreeDesign &design, const std::uint8_t bit_order[kBits]);

    std::size_t size() const { return offsetof(KeyOrder, tree) + design.trees * sizeof(TreeOrder); }

    std::uint64_t key(int tree_number, Fingerprint fingerprint) const
    {
        const TreeOrder &order = tree[tree_number];
        std::uint64_t word = permutation(fingerprint), result = 0;
        for (int i = 0; i < order.moves; i++)
            result |= std::rotl(word, order.move[i].rotate) & order.move[i].mask;
        return result;
    }

    // The fingerprint with this key.
    Fingerprint fingerprint(int tree_number, std::uint64_t key) const
    {
        const TreeOrder &order = tree[tree_number];
        std::uint64_t word = 0;
        for (int i = 0; i < order.moves; i++)
            word |= std::rotr(key & order.move[i].mask, order.move[i].rotate);
        return inverse(word);
    }

    // The key as one permutation: the key's bit 63 - i is bit source[i] of the fingerprint.
    void sources(int tree_number, std::uint8_t source[kBits]) const;
};

// The sources of the permutation that moves no bit.
void identity_sources(std::uint8_t source[kBits]);

// Whether bit_order names each of the 64 bits once.
bool is_bit_order(const std::uint8_t bit_order[kBits]);

// A permutation of 64 bits by a table for each byte: 16 KB, for loops that permute millions of values. There
// it takes a quarter of BitPermutation's time; elsewhere the tables would only evict other data from the
// cache.
class BytePermutation
{
public:
    void set(const BitPermutation &permutation)
    {
        for (int i = 0; i < 8; i++) {
            for (std::uint64_t value = 0; value < 256; value++)
                part_[i][value] = permutation(value << (8 * i));
        }
    }

    std::uint64_t operator()(std::uint64_t x) const
    {
        return part_[0][x & 255] | part_[1][x >> 8 & 255] | part_[2][x >> 16 & 255] |
               part_[3][x >> 24 & 255] | part_[4][x >> 32 & 255] | part_[5][x >> 40 & 255] |
               part_[6][x >> 48 & 255] | part_[7][x >> 56];
    }

private:
    std::uint64_t part_[8][256];
};

// The order of the fingerprint's bits in an index, chosen from a sample.
//
// Real fingerprints can be skewed: some bits are constant, or set in nearly every row. A block of such bits
// does not tell rows apart, and searches of its tree would read long ranges. So the informative bits are
// spread evenly over the blocks and come first in each.
//
// Fills order[i], the bit of the fingerprint that is bit 63 - i of the word that the design's blocks cut. An
// empty sample counts as uniform. Sorts `sample` in place. Duplicates count once, since copies of a row say
// nothing about the bits. Deterministic.
void choose_bit_order(const TreeDesign &design, Fingerprint *sample, std::size_t count,
                      std::uint8_t order[kBits]);

} // namespace simhash
