// How often each feature of a document occurs: a hash table in memory that the caller supplies.
//
// A feature is identified by its hash: two features with the same hash cast the same votes, so they count as
// one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/fingerprint/signature_sums.hpp"

namespace simhash
{

struct FeatureCount {
    std::uint64_t hash;
    std::uint64_t count; // 0 in a free slot
};

// Open addressing with linear probing. The caller keeps it at most three quarters full:
//
//   if (counts.full()) { allocate 2 * capacity slots; FeatureCounts larger; larger.init(slots, …);
//                        larger.move_from(counts); … }
class FeatureCounts
{
public:
    // Takes memory for `capacity` slots and clears it. The salt decides where features are placed: a secret
    // one keeps an author of documents from making them collide. It does not affect results.
    // Requires: capacity is a power of two, at least 4.
    void init(FeatureCount *slots, std::size_t capacity, std::uint64_t salt);

    std::size_t capacity() const { return mask_ + 1; }
    std::size_t size() const { return size_; }
    FeatureCount *slots() const { return slots_; }
    bool full() const { return size_ * 4 >= capacity() * 3; }

    // Counts a feature. Requires: !full().
    void add(std::uint64_t hash, std::uint64_t times)
    {
        for (std::size_t at = home(hash);; at = (at + 1) & mask_) {
            FeatureCount &slot = slots_[at];
            if (slot.count == 0) {
                slot = {hash, times};
                size_++;
                return;
            }
            if (slot.hash == hash) {
                slot.count += times;
                return;
            }
        }
    }

    // Adds the counts of another table. Requires: that one has fewer slots.
    void move_from(const FeatureCounts &smaller);

    // Adds the features in a range of slots, each weighted by 1 + ln count. Counts from 2^32 on weigh as
    // 2^32 - 1.
    void add_logarithmic(std::size_t from, std::size_t to, SignatureSums sums) const;

private:
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
