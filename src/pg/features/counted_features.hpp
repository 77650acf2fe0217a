// Counts how often each feature of a document occurs, or adds its weights, in memory that grows.
#pragma once

#include "core/features/feature_counts.hpp"
#include "pg/server/compat.hpp"
#include "pg/types/vector_type.hpp"

extern "C" {
#include "miscadmin.h"
}

#include <algorithm>

namespace simhash
{

// Those of this backend.
inline TableSalts *table_salts()
{
    static TableSalts salts(0);
    static bool begun = false;
    std::uint64_t secret;
    if (!begun && pg_strong_random(&secret, sizeof(secret)))
        salts = TableSalts(secret);
    begun = true;
    return &salts;
}

// Features and their counts. Those of a short document fit on the stack.
class CountedFeatures
{
public:
    CountedFeatures() { counts_.init(few_, kFew, table_salts()); }
    CountedFeatures(const CountedFeatures &) = delete;
    CountedFeatures &operator=(const CountedFeatures &) = delete;

    // Allocates memory for about this many features. There are none yet.
    void expect(std::size_t features)
    {
        Assert(counts_.size() == 0);
        std::size_t capacity = kFew;
        while (capacity < features)
            capacity *= 2;
        if (capacity > counts_.capacity())
            counts_.init(allocate_counts(capacity), capacity, table_salts());
    }

    void add(std::uint64_t hash, std::uint64_t times)
    {
        if (counts_.full())
            grow();
        counts_.add(hash, times);
    }

    // Adds to the weight of a feature, in a table of weights. Returns false if the sum is out of range.
    [[nodiscard]] bool add_weight(std::uint64_t hash, Weight weight)
    {
        if (counts_.full())
            grow();
        return counts_.add_weight(hash, weight);
    }

    // The hash table, including its empty slots.
    const FeatureCounts &counts() const { return counts_; }

    // Computes the sums and frees the memory. Returns false if there were no features.
    bool finish(SignatureSums out)
    {
        bool any = counts_.size() > 0;
        clear_sums(out);
        if (any)
            in_pieces([&](std::size_t from, std::size_t to) { counts_.add_logarithmic(from, to, out); });
        release();
        return any;
    }

    // A value of type feature_vector, without features whose weights cancel. Frees the memory.
    Datum vector(bool weighted)
    {
        const std::uint64_t none = weighted ? kWeightZero : 0;
        FeatureCount *features = counts_.slots();
        std::size_t used = 0;
        in_pieces([&](std::size_t from, std::size_t to) {
            for (std::size_t slot = from; slot < to; slot++) {
                features[used] = features[slot]; // a branch on whether it is free would be mispredicted
                used += (features[slot].count != 0) & (features[slot].count != none);
            }
        });
        Datum value = vector_datum(features, used, weighted);
        release();
        return value;
    }

    // Calls work(from, to) for one range of slots after the other, and handles interrupts in between.
    template <typename Work> void in_pieces(Work work) const { in_pieces(counts_.capacity(), work); }

    void release()
    {
        if (counts_.slots() != few_)
            pfree(counts_.slots());
    }

private:
    static constexpr std::size_t kFew = 256;

    template <typename Work> static void in_pieces(std::size_t slots, Work work)
    {
        constexpr std::size_t kPiece = 65536;
        for (std::size_t from = 0; from < slots; from += kPiece) {
            CHECK_FOR_INTERRUPTS();
            work(from, std::min(slots, from + kPiece));
        }
    }

    void grow()
    {
        std::size_t capacity = counts_.capacity();
        FeatureCount *slots = counts_.slots();
        if (slots == few_) {
            slots = allocate_counts(2 * capacity);
            std::memcpy(slots, few_, sizeof(few_));
        } else {
            slots = static_cast<FeatureCount *>(repalloc_huge(slots, 2 * capacity * sizeof(FeatureCount)));
        }
        std::size_t first = counts_.begin_growth(slots);
        in_pieces(capacity,
                  [&](std::size_t from, std::size_t to) { counts_.grow(first + from, first + to); });
    }

    FeatureCounts counts_;
    FeatureCount few_[kFew];
};

} // namespace simhash
