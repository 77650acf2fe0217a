// How often each feature of a document occurs: a hash table in memory that the caller supplies.
//
// A feature is identified by its hash: two features with the same hash cast the same votes, so they count as
// one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/bits/contract.hpp"
#include "core/bits/split_mix.hpp"
#include "core/features/weights.hpp"

namespace simhash
{

struct FeatureCount {
    std::uint64_t hash;
    std::uint64_t count; // 0 in a free slot
};

// A weight in a count's place. The smallest integer, which stands for a free slot, is not a weight.
inline constexpr std::uint64_t kWeightZero = std::uint64_t{1} << 63;
inline Weight slot_weight(const FeatureCount &slot) { return static_cast<Weight>(slot.count - kWeightZero); }

// Numbers that decide where tables place features. The secret keeps an author of documents from making them collide. No
// two tables have the same: the features of one come in the order of their places there, and would all collide at the
// beginning of another that has the same order and is smaller. They do not affect results.
class TableSalts
{
public:
    explicit constexpr TableSalts(std::uint64_t secret) : state_(secret) {}
    std::uint64_t next() { return split_mix(state_ += kSplitMixStep) | std::uint64_t{1} << 63 | 1; }

private:
    std::uint64_t state_;
};

// Open addressing with linear probing. The caller keeps it at most three quarters full:
//
//   if (counts.full()) {
//       reallocate twice as many slots;
//       first = counts.begin_growth(slots); counts.grow(first, first + half of the capacity); }
class FeatureCounts
{
public:
    // Takes memory for `capacity` slots, a power of two, and clears it.
    void init(FeatureCount *slots, std::size_t capacity, TableSalts *salts);

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

    // Growth, in the same memory: a larger table beside the old one would take half as much again. begin_growth takes
    // twice as many slots, the first half of which are the old ones, and returns the number of one; grow moves the
    // features of a range of slots to their places. Nothing else may be done before it has been called for all ranges,
    // in ascending order, from this number on, as many as there were slots.
    std::size_t begin_growth(FeatureCount *slots);
    void grow(std::size_t from, std::size_t to);

    // How many slots of other features a look-up of this one passes.
    std::size_t displacement(std::uint64_t hash) const
    {
        return static_cast<std::size_t>(&place(hash) - slots_ - static_cast<std::ptrdiff_t>(home(hash))) &
               mask_;
    }

    // Adds the features in a range of slots, each weighted by 1 + ln count. Counts from 2^32 on weigh as
    // 2^32 - 1.
    void add_logarithmic(std::size_t from, std::size_t to, SignatureSums sums) const;

    // A table can hold weights instead: see slot_weight.

    // Adds to a feature's weight. Returns false if the sum is out of range, leaving the table undefined.
    [[nodiscard]] bool add_weight(std::uint64_t hash, Weight weight);

private:
    FeatureCount &place(std::uint64_t hash) const
    {
        std::size_t at = home(hash);
        while (slots_[at].count != 0 && slots_[at].hash != hash)
            at = (at + 1) & mask_;
        return slots_[at];
    }

    // Both halves of a product: the lower bits of one half alone would be those of the hash, which an author may choose.
    // When the table doubles, it stays or becomes larger by the old capacity.
    std::size_t home(std::uint64_t hash) const
    {
        __extension__ typedef unsigned __int128 Product;
        Product product = static_cast<Product>(hash) * salt_;
        return static_cast<std::size_t>(product ^ product >> 64) & mask_;
    }

    FeatureCount *slots_;
    std::size_t mask_;
    std::size_t size_;
    std::uint64_t salt_;
};

} // namespace simhash
