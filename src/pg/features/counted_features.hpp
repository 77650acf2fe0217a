// Counts how often each feature of a document occurs, in memory that grows.
#pragma once

#include "core/fingerprint/feature_counts.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "miscadmin.h"
}

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

    // Allocates memory for about this many features. Requires: there are none yet.
    void expect(std::size_t features)
    {
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

    // The hash table, including its empty slots.
    const FeatureCounts &counts() const { return counts_; }

    // Computes the sums and frees the memory. Returns false if there were no features.
    bool finish(SignatureSums out)
    {
        constexpr std::size_t kPiece = 65536;
        bool any = counts_.size() > 0;
        clear_sums(out);
        for (std::size_t from = 0; any && from < counts_.capacity(); from += kPiece) {
            CHECK_FOR_INTERRUPTS();
            counts_.add_logarithmic(from, std::min(counts_.capacity(), from + kPiece), out);
        }
        release();
        return any;
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
