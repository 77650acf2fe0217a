// How often each feature of a document occurs: a hash table in memory that the caller supplies.
//
// A feature is identified by its hash: two features with the same hash cast the same votes, so they count as
// one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/contract/contract.hpp"
#include "core/features/feature_frequencies.hpp"
#include "core/signature/signature_sums.hpp"

namespace simhash
{

struct FeatureCount {
    std::uint64_t hash;
    std::uint64_t count; // 0 in a free slot
};

// A weight in a count's place. The smallest integer, which stands for a free slot, is not a weight.
inline constexpr std::uint64_t kWeightZero = std::uint64_t{1} << 63;
inline Weight slot_weight(const FeatureCount &slot) { return static_cast<Weight>(slot.count - kWeightZero); }

// Open addressing with linear probing. The caller keeps it at most three quarters full:
//
//   if (counts.full()) { allocate 2 * capacity slots; FeatureCounts larger; larger.init(slots, …);
//                        larger.move_from(counts); … }
class FeatureCounts
{
public:
    // Takes memory for `capacity` slots and clears it. The salt decides where features are placed: a secret
    // one keeps an author of documents from making them collide. It does not affect results.
    // The capacity is a power of two.
    void init(FeatureCount *slots, std::size_t capacity, std::uint64_t salt);

    std::size_t capacity() const { return mask_ + 1; }
    std::size_t size() const { return size_; }
    FeatureCount *slots() const { return slots_; }
    bool full() const { return size_ * 4 >= capacity() * 3; }

    // Counts a feature.
    void add(std::uint64_t hash, std::uint64_t times)
    {
        SIMHASH_ASSERT(!full());
        FeatureCount &slot = place(hash);
        if (slot.count == 0) {
            slot = {hash, times};
            size_++;
        } else {
            slot.count += times;
        }
    }

    // The slot of a feature: a free one if it is absent.
    const FeatureCount &find(std::uint64_t hash) const { return place(hash); }

    // Adds the counts of another table. That one has fewer slots.
    void move_from(const FeatureCounts &smaller);

    // Adds the features in a range of slots, each weighted by 1 + ln count. Counts from 2^32 on weigh as
    // 2^32 - 1.
    void add_logarithmic(std::size_t from, std::size_t to, SignatureSums sums) const;

    // The same with the weight (1 + ln count) times the feature's rarity.
    void add_rare(std::size_t from, std::size_t to, const FeatureFrequencies &frequencies,
                  SignatureSums sums) const;

    // A table can hold weights instead: see slot_weight.

    // Adds to a feature's weight. Returns false if the sum is out of range, leaving the table undefined.
    [[nodiscard]] bool add_weight(std::uint64_t hash, Weight weight);

    // Replaces the counts in a range of slots by weights 1 + ln count, in units of 2^-8.
    void make_logarithmic(std::size_t from, std::size_t to);

    // The same by (1 + ln count) times the rarity, in units of 2^-16.
    void make_rare(std::size_t from, std::size_t to, const FeatureFrequencies &frequencies);

private:
    FeatureCount &place(std::uint64_t hash) const
    {
        std::size_t at = home(hash);
        while (slots_[at].count != 0 && slots_[at].hash != hash)
            at = (at + 1) & mask_;
        return slots_[at];
    }

    std::size_t home(std::uint64_t hash) const
    {
        return static_cast<std::size_t>((hash * (salt_ | 1)) >> shift_);
    }

    FeatureCount *slots_;
    std::size_t mask_;
    std::size_t size_;
    std::uint64_t salt_;
    int shift_;
};

} // namespace simhash
