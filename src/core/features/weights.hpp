// The 64 sums of a document's weighted features, whose signs are the fingerprint.
//
// Every weight is exact fixed point, an integer count of 2^-24, so adding is exact and independent of order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/bits/fingerprint.hpp"
#include "core/bits/split_mix.hpp"

namespace simhash
{

// In units of 2^-24: the range is about +-549 billion.
using Weight = std::int64_t;

inline constexpr int kWeightFractionBits = 24;
inline constexpr Weight kWeightOne = Weight{1} << kWeightFractionBits;

// sum[j] is W_j, which decides the bit with the value 1 << j.
struct Weights {
    Weight sum[kBits];
};

// Adds one feature: +weight where its hash has a 1, -weight where it has a 0. A weight may be negative.
// Returns false if a sum overflowed, leaving *to undefined; the smallest integer always overflows.
[[nodiscard]] bool add_feature(Weights *to, std::uint64_t hash, Weight weight);

// The sums of two sets of features. Returns false on overflow, leaving *to undefined.
[[nodiscard]] bool add_weights(Weights *to, const Weights &from);

// Bit j is 1 where W_j >= 0: Algorithm 1 of Sood and Loguinov.
Fingerprint weights_fingerprint(const Weights &weights);

// The multiple of 2^-24 nearest to a number, ties to even. Returns false, and does not change *out, for NaN,
// an infinity or a number out of range.
bool weight_from_double(double number, Weight *out);

// The nearest double.
inline double weight_to_double(Weight weight) { return static_cast<double>(weight) / kWeightOne; }

// Masks for the bits of a hash, four at a time. With the baseline instruction set, a lookup is the cheapest
// way to get from bits to the lanes of a vector.
//
// mask[nibble][bit] is kOne where the bit is 1, and kZero where it is 0.
template <typename Lane, Lane kOne, Lane kZero> struct NibbleMasks {
    alignas(4 * sizeof(Lane)) Lane mask[16][4] = {};

    constexpr NibbleMasks()
    {
        for (unsigned nibble = 0; nibble < 16; nibble++)
            for (unsigned bit = 0; bit < 4; bit++)
                mask[nibble][bit] = (nibble >> bit & 1) != 0 ? kOne : kZero;
    }
};

// Signatures: fingerprints of 64 to 4096 bits. They are bit strings, whose bits are numbered from the left, from 0.
//
// Each 64 bits of a signature are a word, and a feature's hash has as many words as the signature:
//
//   word 0   is the hash itself, so the first 64 bits are the document's 64-bit fingerprint
//   word i   is number i of SplitMix64 with the hash as its seed
//
// The features vote on the bits of a word as they do on those of a fingerprint. Bit 64 i + j of the signature is
// the bit 1 << (63 - j) of word i. A signature of fewer bits is the beginning of a longer one.
//
// Stored signatures depend on this: it never changes.

inline constexpr int kSignatureBitsMin = kBits;

inline std::uint64_t hash_word(std::uint64_t hash, std::size_t word)
{
    return word == 0 ? hash : split_mix_number(hash, word);
}

// The sums of a signature's bits: a set of weights for each word, in memory that the caller supplies.
struct SignatureSums {
    Weights *word;
    std::size_t words;
};

void clear_sums(SignatureSums sums);

// Adds one feature, whose weight may be negative, to all words. Returns false if a sum overflowed, leaving
// the sums undefined.
[[nodiscard]] bool add_feature(SignatureSums sums, std::uint64_t hash, Weight weight);

// The sum that decides a bit: the bit is 1 if it is at least 0.
inline Weight signature_sum(SignatureSums sums, int bit)
{
    return sums.word[bit / kBits].sum[kBits - 1 - bit % kBits];
}

// Writes the signature: eight bits a byte, the first bit being the most significant one, and zeros behind the last
// bit.
void write_signature(SignatureSums sums, int bits, std::uint8_t *to);

} // namespace simhash
