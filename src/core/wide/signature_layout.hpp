// Which bits of a wide signature form the keys of an index's trees.
//
// A signature is a string of n bits, 65 to 4096; bit j is byte j / 8, mask 0x80 >> j % 8, as in PostgreSQL's
// type bit. The bits are dealt to T *windows*, one for each tree, so that every bit is in exactly one window.
// A tree's *key* is 64 bits of the signature: its own window first, then bits borrowed from the following
// windows. The *sketch* of a signature is 128 of its bits, or all of them if there are fewer.
//
// Rows that differ in at most r bits differ in at most e_t bits of window t for some t whenever
// sum (e_t + 1) >= r + 1, since windows do not overlap.
#pragma once

#include "core/tables/table_design.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace simhash
{

inline constexpr int kFewestSignatureBits = 65;
inline constexpr int kMostSignatureBits = 4096;
inline constexpr int kKeyBits = 64;
inline constexpr int kSketchBits = 128;
inline constexpr std::uint16_t kNoBit = 0xFFFF; // in a sketch of fewer than 128 bits

// Also the form on the metapage, where it is cut after the last table. DO NOT CHANGE without a new version.
struct SignatureLayout {
    std::uint16_t bits;
    std::uint8_t tables;
    std::uint8_t zero;
    std::uint16_t sketch[kSketchBits];       // the bits of the sketch, the first word's highest bit first
    std::uint16_t key[kMaxTables][kKeyBits]; // key[t][i]: which bit of the signature is bit 63 - i of key t

    std::size_t size() const { return offsetof(SignatureLayout, key) + tables * sizeof(key[0]); }
    int bytes() const { return (bits + 7) / 8; }
    // The number of bits in a tree's window, and of those at the beginning of its key.
    int window(int table) const { return bits / tables + (table < bits % tables ? 1 : 0); }
    int header_bits(int table) const { return window(table) < kKeyBits ? window(table) : kKeyBits; }
};
static_assert(sizeof(SignatureLayout) == 4 + 2 * kSketchBits + 2 * kMaxTables * kKeyBits);

inline bool signature_bit(const std::uint8_t *signature, int bit)
{
    return signature[bit / 8] >> (7 - bit % 8) & 1;
}

// A tree's key of a signature.
std::uint64_t signature_key(const SignatureLayout &layout, int table, const std::uint8_t *signature);

void signature_sketch(const SignatureLayout &layout, const std::uint8_t *signature, std::uint64_t sketch[2]);

// The number of rows from which a layout is chosen at most, and of words for their columns, see below.
inline constexpr int kLayoutSample = 4096;
inline constexpr std::size_t kColumnWords = kLayoutSample / 64;

// Deals the bits to the trees by a sample of signatures, `stride` bytes apart: bits that are set in about half
// of the rows come first, and bits of one window depend on each other as little as possible. So leaves are
// divided evenly, and unrelated rows seldom agree in a window. Without a sample bits are dealt in turn.
// `columns` is memory for bits * kColumnWords words.
// Requires: kFewestSignatureBits <= bits <= kMostSignatureBits; 1 <= tables <= kMaxTables;
// 0 <= rows <= kLayoutSample.
void choose_layout(int bits, int tables, const std::uint8_t *sample, std::size_t stride, int rows,
                   std::uint64_t *columns, SignatureLayout *layout);

// Whether a layout can be used: windows are disjoint and begin the keys, and all bit numbers are in range.
// Reads only the first `size` bytes.
bool is_signature_layout(const SignatureLayout &layout, std::size_t size);

} // namespace simhash
