// The votes of many features at once: most features of a document occur once, twice or a few times, so many have the same
// weight, and their votes can be combined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/features/feature_frequencies.hpp"
#include "core/features/term_frequency.hpp"
#include "core/features/weights.hpp"

namespace simhash
{

struct Vote {
    std::uint64_t hash;
    std::uint32_t weight; // in units of 2^-8, or with a rarity, of 2^-16
};

// Three votes of one weight are worth two: one of that weight, for the bits that an odd number of them has, and
// one of twice that weight, for the bits that most of them have. This leaves at most two votes of a weight and
// of each of its doubles. Returns the end of the votes written; overwrites the hashes.
inline Vote *combine(std::uint64_t *hashes, std::size_t count, std::uint32_t weight, Vote *to)
{
    for (; count >= 3; weight *= 2) {
        std::uint64_t odd = hashes[0];
        std::size_t most = 0;
        for (std::size_t i = 1; i + 1 < count; i += 2) {
            std::uint64_t a = hashes[i];
            std::uint64_t b = hashes[i + 1];
            hashes[most++] = (a & b) | ((a ^ b) & odd);
            odd ^= a ^ b;
        }
        *to++ = {odd, weight};
        if (count % 2 == 0)
            *to++ = {hashes[count - 1], weight};
        count = most;
    }
    for (std::size_t i = 0; i < count; i++)
        *to++ = {hashes[i], weight};
    return to;
}

// Sums are kept in small integers, several to a register.
using Lanes = std::uint32_t __attribute__((vector_size(16)));

inline constexpr NibbleMasks<std::uint32_t, 0xFFFFFFFF, 0> kCounted;

// Half of the bits at a time: its eight accumulators stay in registers. Sums the weights of the ones; the zeros'
// follow from the total. `shift` leads from the votes' units to those of the sums.
inline void add_half(const Vote *votes, const Vote *end, std::uint32_t total, int shift, int first_bit,
                     Weight *sums)
{
    constexpr int kHalf = kBits / 2;
    Lanes lanes[kHalf / 4] = {};
    for (const Vote *vote = votes; vote < end; vote++) {
        std::uint32_t bits = static_cast<std::uint32_t>(vote->hash >> first_bit);
        const Lanes weight = {vote->weight, vote->weight, vote->weight, vote->weight};
#pragma GCC unroll 8
        for (int i = 0; i < kHalf / 4; i++) {
            Lanes mask;
            std::memcpy(&mask, kCounted.mask[bits >> (4 * i) & 15], sizeof(mask));
            lanes[i] += weight & mask;
        }
    }
    std::uint32_t ones[kHalf];
    std::memcpy(ones, lanes, sizeof(ones));
    for (int j = 0; j < kHalf; j++)
        sums[first_bit + j] += (2 * Weight{ones[j]} - total) * (Weight{1} << shift);
}

// Features to be added at once. Most features of a document occur once, twice or a few times, so many have the
// same weight, and their votes are combined.
class FeatureBatch
{
public:
    // An absent feature is written but not kept: a branch on whether a slot is free would be mispredicted.
    void put_if(bool there, std::uint64_t hash, std::uint32_t tf)
    {
        given_[size_] = {hash, tf};
        size_ += static_cast<std::size_t>(there);
    }

    bool full() const { return size_ == kSize; }

    void add_to(SignatureSums sums)
    {
        sort();
        for (std::size_t word = 0; word < sums.words; word++)
            add_to_word(word, &sums.word[word]);
        size_ = 0;
    }

private:
    static constexpr std::size_t kSize = 512;
    static_assert(kSize * std::uint64_t{kLogarithmicMax} <= 0xFFFFFFFF);
    // Features that occur less often are put into groups; the others follow these.
    static constexpr std::size_t kFrequent = 32;

    struct Given {
        std::uint64_t hash;
        std::uint32_t tf;
    };

    static std::size_t group(std::uint32_t tf) { return tf < kFrequent ? tf : kFrequent; }

    void sort()
    {
        std::size_t counts[kFrequent + 1] = {};
        for (std::size_t i = 0; i < size_; i++)
            counts[group(given_[i].tf)]++;
        std::size_t next[kFrequent + 1];
        std::size_t at = 0;
        for (std::size_t g = 0; g <= kFrequent; g++) {
            next[g] = at;
            at += counts[g];
            ends_[g] = at;
        }
        total_ = 0;
        for (std::size_t i = 0; i < size_; i++) {
            std::uint32_t weight = logarithmic_weight(given_[i].tf);
            sorted_[next[group(given_[i].tf)]++] = {given_[i].hash, weight};
            total_ += weight;
        }
    }

    void add_to_word(std::size_t word, Weights *sums) const
    {
        std::uint64_t hashes[kSize];
        for (std::size_t i = 0; i < size_; i++)
            hashes[i] = hash_word(sorted_[i].hash, word);
        Vote votes[kSize];
        Vote *end = votes;
        std::size_t start = 0;
        for (std::size_t g = 1; g < kFrequent; start = ends_[g++])
            if (start < ends_[g])
                end = combine(hashes + start, ends_[g] - start, sorted_[start].weight, end);
        for (std::size_t i = start; i < size_; i++)
            *end++ = {hashes[i], sorted_[i].weight};
        add_half(votes, end, total_, kLogarithmicShift, 0, sums->sum);
        add_half(votes, end, total_, kLogarithmicShift, kBits / 2, sums->sum);
    }

    Given given_[kSize];
    Vote sorted_[kSize];
    std::size_t ends_[kFrequent + 1]; // of the groups in sorted_
    std::size_t size_ = 0;
    std::uint32_t total_;
};

inline std::uint32_t term_frequency(std::uint64_t count)
{
    return count > 0xFFFFFFFF ? 0xFFFFFFFF : static_cast<std::uint32_t>(count);
}

// The same for weights that hardly repeat.
class WeightBatch
{
public:
    // Positive multiples of 2^-16, not larger than a frequency's weight times a rarity.
    static bool fits(Weight weight)
    {
        return weight > 0 && weight >> kRareShift <= kMost && weight % (1 << kRareShift) == 0;
    }

    void put(std::uint64_t hash, Weight weight)
    {
        const auto units = static_cast<std::uint32_t>(weight >> kRareShift);
        votes_[size_++] = {hash, units};
        total_ += units;
    }

    bool full() const { return size_ == kSize || total_ > 0xFFFFFFFF - kMost; }

    void add_to(SignatureSums sums)
    {
        for (std::size_t word = 0; word < sums.words; word++) {
            Vote votes[kSize];
            for (std::size_t i = 0; i < size_; i++)
                votes[i] = {hash_word(votes_[i].hash, word), votes_[i].weight};
            add_half(votes, votes + size_, total_, kRareShift, 0, sums.word[word].sum);
            add_half(votes, votes + size_, total_, kRareShift, kBits / 2, sums.word[word].sum);
        }
        size_ = 0;
        total_ = 0;
    }

private:
    static constexpr std::size_t kSize = 256;
    static constexpr std::uint32_t kMost = kLogarithmicMax * kRarityMax;

    Vote votes_[kSize];
    std::size_t size_ = 0;
    std::uint32_t total_ = 0;
};

} // namespace simhash
