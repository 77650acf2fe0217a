// Counts how often each feature of a document occurs, or adds its weights, in memory that grows.
#pragma once

#include "core/features/feature_counts.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "miscadmin.h"
}

#include <algorithm>

namespace simhash
{

// Random and fixed within a backend; see FeatureCounts::init.
inline std::uint64_t table_salt()
{
    static std::uint64_t salt = 0;
    if (salt == 0 && !pg_strong_random(&salt, sizeof(salt)))
        salt = 0x9E3779B97F4A7C15;
    return salt;
}

// Features and their counts. Those of a short document fit on the stack.
class CountedFeatures
{
public:
    CountedFeatures() { counts_.init(few_, kFew, table_salt()); }
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
            counts_.init(allocate(capacity), capacity, table_salt());
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

    // Turns a table of counts into one of weights 1 + ln count.
    void make_logarithmic()
    {
        in_pieces([this](std::size_t from, std::size_t to) { counts_.make_logarithmic(from, to); });
    }

    // The same by 1 + ln count times the rarity.
    void make_rare(const FeatureFrequencies &frequencies)
    {
        in_pieces([&](std::size_t from, std::size_t to) { counts_.make_rare(from, to, frequencies); });
    }

    // Computes the sums and frees the memory. Weighs by rarity, too, if `frequencies` is not null. Returns false if
    // there were no features.
    bool finish(const FeatureFrequencies *frequencies, SignatureSums out)
    {
        bool any = counts_.size() > 0;
        clear_sums(out);
        if (any && frequencies != nullptr)
            in_pieces(
                [&](std::size_t from, std::size_t to) { counts_.add_rare(from, to, *frequencies, out); });
        else if (any)
            in_pieces([&](std::size_t from, std::size_t to) { counts_.add_logarithmic(from, to, out); });
        release();
        return any;
    }

    // Calls work(from, to) for one range of slots after the other, and handles interrupts in between.
    template <typename Work> void in_pieces(Work work) const
    {
        constexpr std::size_t kPiece = 65536;
        for (std::size_t from = 0; from < counts_.capacity(); from += kPiece) {
            CHECK_FOR_INTERRUPTS();
            work(from, std::min(counts_.capacity(), from + kPiece));
        }
    }

    void release()
    {
        if (counts_.slots() != few_)
            pfree(counts_.slots());
    }

private:
    static constexpr std::size_t kFew = 256;

    static FeatureCount *allocate(std::size_t capacity)
    {
        return static_cast<FeatureCount *>(palloc_extended(capacity * sizeof(FeatureCount), MCXT_ALLOC_HUGE));
    }

    void grow()
    {
        FeatureCounts larger;
        std::size_t capacity = counts_.capacity() * 2;
        larger.init(allocate(capacity), capacity, table_salt());
        larger.move_from(counts_);
        release();
        counts_ = larger;
    }

    FeatureCounts counts_;
    FeatureCount few_[kFew];
};

} // namespace simhash
