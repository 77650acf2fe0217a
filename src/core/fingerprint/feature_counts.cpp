#include "core/fingerprint/feature_counts.hpp"

#include <bit>
#include <cstring>

#include "core/fingerprint/nibble_masks.hpp"
#include "core/fingerprint/term_frequency.hpp"

namespace simhash
{

namespace
{

// Every feature and bit takes the same few instructions, so sums are kept in small integers, several to a
// register: 32 bits hold the votes of some hundred thousand features, in units of 2^-8.
using Lanes = std::uint32_t __attribute__((vector_size(16)));

constexpr NibbleMasks<std::uint32_t, 0xFFFFFFFF, 0> kCounted;

struct Vote {
    std::uint64_t hash;
    std::uint32_t weight;
};

// Half of the bits at a time: its eight accumulators stay in registers.
constexpr int kHalf = kBits / 2;

void add_half(const Vote *votes, std::size_t count, int first_bit, std::uint32_t *sums)
{
    Lanes lanes[kHalf / 4];
    std::memcpy(lanes, sums, sizeof(lanes));
    for (const Vote *vote = votes; vote < votes + count; vote++) {
        std::uint32_t bits = static_cast<std::uint32_t>(vote->hash >> first_bit);
        const Lanes weight = {vote->weight, vote->weight, vote->weight, vote->weight};
#pragma GCC unroll 8
        for (int i = 0; i < kHalf / 4; i++) {
            Lanes mask;
            std::memcpy(&mask, kCounted.mask[bits >> (4 * i) & 15], sizeof(mask));
            lanes[i] += weight & mask;
        }
    }
    std::memcpy(sums, lanes, sizeof(lanes));
}

// Sums the weights of the ones; the zeros' follow from the total.
class VoteSums
{
public:
    // An absent feature is written but not kept: a branch on whether a slot is free would be mispredicted.
    void add_if(bool there, std::uint64_t hash, std::uint32_t weight)
    {
        votes_[pending_] = {hash, weight};
        pending_ += static_cast<std::size_t>(there);
        if (pending_ == kBatch)
            add_pending();
    }

    void finish(Weights *out)
    {
        add_pending();
        flush();
        for (int j = 0; j < kBits; j++) {
            std::int64_t sum = static_cast<std::int64_t>(2 * ones_[j] - total_);
            out->sum[j] = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) << kLogarithmicShift);
        }
    }

private:
    static constexpr std::size_t kBatch = 128;
    static constexpr std::size_t kFlush = 65536;
    static_assert((kFlush + kBatch) * std::uint64_t{kLogarithmicMax} <= 0xFFFFFFFF);

    void add_pending()
    {
        add_half(votes_, pending_, 0, recent_);
        add_half(votes_, pending_, kHalf, recent_ + kHalf);
        for (std::size_t i = 0; i < pending_; i++)
            total_ += votes_[i].weight;
        since_flush_ += pending_;
        pending_ = 0;
        if (since_flush_ >= kFlush)
            flush();
    }

    void flush()
    {
        for (int j = 0; j < kBits; j++)
            ones_[j] += recent_[j];
        std::memset(recent_, 0, sizeof(recent_));
        since_flush_ = 0;
    }

    Vote votes_[kBatch];
    std::size_t pending_ = 0;
    std::size_t since_flush_ = 0;
    std::uint64_t total_ = 0;
    std::uint32_t recent_[kBits] = {};
    std::uint64_t ones_[kBits] = {};
};

} // namespace

void FeatureCounts::init(FeatureCount *slots, std::size_t capacity, std::uint64_t salt)
{
    slots_ = slots;
    mask_ = capacity - 1;
    salt_ = salt;
    shift_ = 64 - std::countr_zero(capacity);
    size_ = 0;
    std::memset(slots_, 0, capacity * sizeof(FeatureCount));
}

void FeatureCounts::move_from(const FeatureCounts &smaller)
{
    for (std::size_t i = 0; i < smaller.capacity(); i++)
        if (smaller.slots_[i].count != 0)
            add(smaller.slots_[i].hash, smaller.slots_[i].count);
}

void FeatureCounts::sum_logarithmic(Weights *out) const
{
    VoteSums sums;
    for (std::size_t i = 0; i < capacity(); i++) {
        const FeatureCount &slot = slots_[i];
        std::uint32_t tf = slot.count > 0xFFFFFFFF ? 0xFFFFFFFF : static_cast<std::uint32_t>(slot.count);
        sums.add_if(slot.count != 0, slot.hash, logarithmic_weight(tf));
    }
    sums.finish(out);
}

} // namespace simhash
