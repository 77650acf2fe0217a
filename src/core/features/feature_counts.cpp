#include "core/features/feature_counts.hpp"

#include <cstring>

#include "core/bits/contract.hpp"
#include "core/features/feature_batch.hpp"

namespace simhash
{

void FeatureCounts::init(FeatureCount *slots, std::size_t capacity, TableSalts *salts)
{
    SIMHASH_ASSERT(capacity >= 4 && std::has_single_bit(capacity));
    slots_ = slots;
    mask_ = capacity - 1;
    salt_ = salts->next();
    size_ = 0;
    std::memset(slots_, 0, capacity * sizeof(FeatureCount));
}

std::size_t FeatureCounts::begin_growth(FeatureCount *slots)
{
    slots_ = slots;
    std::memset(slots_ + capacity(), 0, capacity() * sizeof(FeatureCount));
    std::size_t free = 0;
    while (slots_[free].count != 0)
        free++;
    mask_ = 2 * mask_ + 1;
    return free;
}

// In each half, features keep the order that they have from a free slot on. So none gets farther than it was, to where
// others have not been moved.
void FeatureCounts::grow(std::size_t from, std::size_t to)
{
    for (std::size_t i = from; i < to; i++) {
        FeatureCount &slot = slots_[i & (mask_ >> 1)];
        if (slot.count == 0)
            continue;
        FeatureCount feature = slot;
        slot.count = 0;
        place(feature.hash) = feature;
    }
}

void FeatureCounts::add_logarithmic(std::size_t from, std::size_t to, SignatureSums sums) const
{
    FeatureBatch batch;
    for (const FeatureCount *slot = slots_ + from; slot < slots_ + to; slot++) {
        batch.put_if(slot->count != 0, slot->hash, term_frequency(slot->count));
        if (batch.full())
            batch.add_to(sums);
    }
    batch.add_to(sums);
}

bool FeatureCounts::add_weight(std::uint64_t hash, Weight weight)
{
    SIMHASH_ASSERT(!full());
    FeatureCount &slot = place(hash);
    bool absent = slot.count == 0;
    Weight sum;
    bool overflow = __builtin_add_overflow(absent ? 0 : slot_weight(slot), weight, &sum);
    slot = {hash, static_cast<std::uint64_t>(sum) + kWeightZero};
    size_ += absent;
    return !overflow && slot.count != 0;
}

} // namespace simhash
