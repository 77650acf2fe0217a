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
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/bits/split_mix.hpp"
#include "core/features/weights.hpp"

namespace simhash
{

inline constexpr int kSignatureBitsMin = kBits;

// The words of a signature; the last may be used in part.
constexpr std::size_t signature_word_count(int bits)
{
    return (static_cast<std::size_t>(bits) + kBits - 1) / kBits;
}

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
