// Which bits of a wide signature form the keys of an index's trees.
//
// A signature is a string of n bits, 65 to 4096; bit j is byte j / 8, mask 0x80 >> j % 8, as in PostgreSQL's
// type bit. The bits are dealt to T *windows*, one for each tree, so that every bit is in exactly one window.
// A tree's *key* is 64 bits of the signature: its own window first, then bits borrowed from the following
// windows. A key may have a second word of 64 more bits, which tells apart what a tree's order need not: with it a
// search rejects nearly all entries of a leaf that are not within its radius. No bit is twice in a key. The *sketch*
// of a signature is 128 of its bits, or all of them if there are fewer.
//
// Rows that differ in at most r bits differ in at most e_t bits of window t for some t whenever
// sum (e_t + 1) >= r + 1, since windows do not overlap.
#pragma once

#include "core/bits/fingerprint.hpp"
#include "core/layout/tree_design.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace simhash
{

inline constexpr int kFewestSignatureBits = 65;
inline constexpr int kKeyBits = 64; // of a word of a key
inline constexpr int kMostKeyWords = 2;
inline constexpr int kSketchBits = 128;
inline constexpr std::uint16_t kNoBit = 0xFFFF; // in a sketch of fewer than 128 bits

// Also the form on the metapage, where it is cut after the last tree, as in the relation cache. So a copy takes size()
// bytes: there may be no more to read. DO NOT CHANGE without a new version.
struct SignatureLayout {
    std::uint16_t bits;
    std::uint8_t trees;                // may be 0
    std::uint8_t words;                // of a key
    std::uint16_t sketch[kSketchBits]; // the bits of the sketch, the first word's highest bit first
    std::uint16_t key[kMaxTrees * kMostKeyWords * kKeyBits]; // key_bits() of one tree after the other

    SignatureLayout() = default;
    SignatureLayout(const SignatureLayout &other) { *this = other; }
    SignatureLayout &operator=(const SignatureLayout &other)
    {
        if (this != &other)
            std::memcpy(static_cast<void *>(this), static_cast<const void *>(&other), other.size());
        return *this;
    }

    std::size_t size() const
    {
        return offsetof(SignatureLayout, key) +
               sizeof(key[0]) * static_cast<std::size_t>(trees * key_length());
    }
    int bytes() const { return (bits + 7) / 8; }
    // The number of bits in a key, and which bits of the signature they are, the first word's highest bit first.
    int key_length() const { return words * kKeyBits; }
    const std::uint16_t *key_bits(int tree) const { return key + tree * key_length(); }
    // The number of bits in a tree's window, and of those at the beginning of its key.
    int window(int tree) const { return bits / trees + (tree < bits % trees ? 1 : 0); }
    int header_bits(int tree) const { return window(tree) < kKeyBits ? window(tree) : kKeyBits; }
};
static_assert(sizeof(SignatureLayout) == 4 + 2 * kSketchBits + 2 * kMaxTrees * kMostKeyWords * kKeyBits);

// The number of words of the keys in an index on signatures of this many bits. In longer signatures near-duplicates
// differ in so many bits that the second word rejects too few entries to be worth its space.
inline int default_key_words(int bits) { return bits >= 128 && bits <= 512 ? 2 : 1; }

inline bool signature_bit(const std::uint8_t *signature, int bit)
{
    return signature[bit / 8] >> (7 - bit % 8) & 1;
}

// The first word of a tree's key of a signature, which decides the place in the tree.
std::uint64_t signature_key(const SignatureLayout &layout, int tree, const std::uint8_t *signature);
// Both words; the second is 0 if keys have one word.
void signature_key(const SignatureLayout &layout, int tree, const std::uint8_t *signature,
                   std::uint64_t key[kMostKeyWords]);

void signature_sketch(const SignatureLayout &layout, const std::uint8_t *signature, std::uint64_t sketch[2]);

// The number of rows from which a layout is chosen at most, and of words for their columns, see below.
inline constexpr int kLayoutSample = 4096;
inline constexpr std::size_t kColumnWords = kLayoutSample / 64;

// Deals the bits to the trees by a sample of signatures, `stride` bytes apart: bits that are set in about half of the
// rows come first, and bits of one window depend on each other as little as possible. So leaves are divided evenly,
// and unrelated rows seldom agree in a window. Without a sample bits are dealt in turn. `columns` is memory for bits
// * kColumnWords words. `pause` is called after each step, which takes microseconds; it need not return. `words` is 2
// only if bits >= 128. The sample has at most kLayoutSample rows.
void choose_layout(
    int bits, int trees, int words, const std::uint8_t *sample, std::size_t stride, int rows,
    std::uint64_t *columns, SignatureLayout *layout, void (*pause)() = [] {});

// Whether a layout can be used: windows are disjoint and begin the keys, no bit is twice in a key, and all bit
// numbers are in range.
// Reads only the first `size` bytes.
bool is_signature_layout(const SignatureLayout &layout, std::size_t size);

} // namespace simhash
