// A signature: a string of bits of any length, in the layout of PostgreSQL's type bit, and the Hamming
// distance between two of the same length.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "core/bits/contract.hpp"
#include "core/bits/split_mix.hpp"

namespace simhash
{

// Bit j is the mask 0x80 >> j % 8 of the byte j / 8. The unused bits of the last byte are zero.
struct SignatureView {
    int bits;
    int bytes; // signature_bytes(bits)
    const std::uint8_t *data;
};

inline int signature_bytes(int bits) { return bits / 8 + (bits % 8 != 0 ? 1 : 0); }

inline int signature_words(int bits) { return bits / 64 + (bits % 64 != 0 ? 1 : 0); }

// Returns the 1 to 8 bytes at `data`, followed by zeros, as a word in the byte order of the machine.
inline std::uint64_t signature_word(const std::uint8_t *data, int bytes)
{
    std::uint64_t word = 0;
    std::memcpy(&word, data, static_cast<std::size_t>(bytes));
    return word;
}

// The number of bits in which two signatures of `bytes` bytes differ. They need not be aligned.
inline int signature_distance(const std::uint8_t *a, const std::uint8_t *b, int bytes)
{
    int distance = 0, i = 0;

    for (; i + 8 <= bytes; i += 8)
        distance += std::popcount(signature_word(a + i, 8) ^ signature_word(b + i, 8));
    if (i < bytes)
        distance += std::popcount(signature_word(a + i, bytes - i) ^ signature_word(b + i, bytes - i));
    return distance;
}

// XORs a signature with random bits that are made of a mask, unless that is 0.
inline void mask_signature(std::uint8_t *data, int bits, std::uint64_t mask)
{
    const int bytes = mask == 0 ? 0 : signature_bytes(bits);
    std::uint64_t word = 0;
    for (int i = 0; i < bytes; i++) {
        word = i % 8 == 0 ? split_mix_number(mask, static_cast<std::uint64_t>(i) / 8 + 1) : word >> 8;
        data[i] ^= static_cast<std::uint8_t>(word);
    }
    if (bytes > 0 && bits % 8 != 0)
        data[bytes - 1] &= static_cast<std::uint8_t>(0xFF << (8 - bits % 8));
}

// Word w of a signature of `bytes` bytes, see pair_plan.hpp. The last one may have fewer than 64 bits.
inline std::uint64_t signature_word_at(const std::uint8_t *signature, int bytes, int w)
{
    return signature_word(signature + 8 * w, bytes - 8 * w < 8 ? bytes - 8 * w : 8);
}

inline int signature_distance(const SignatureView &a, const SignatureView &b)
{
    SIMHASH_ASSERT(a.bits == b.bits);
    return signature_distance(a.data, b.data, a.bytes);
}

} // namespace simhash
