// Where two sets of entries differ: sums of hashes for each of many parts of the tids. Only the entries of parts whose
// sums differ need to be looked at.
#pragma once

#include "am/inspect/check.hpp"

extern "C" {
#include "miscadmin.h"
}

#include <bit>

namespace simhash
{

struct SumBuckets {
    int bits;
    uint64 *sum;
    bool *differs;

    Size count() const { return Size{1} << bits; }
    Size at(std::uint64_t tid) const { return tid * kSplitMixStep >> (64 - bits); }
    bool any() const
    {
        bool any = false;
        for (Size i = 0; i < count(); i++)
            any |= differs[i];
        return any;
    }
    // Marks the buckets whose sums are not 0, and sets these to 0.
    void mark()
    {
        for (Size i = 0; i < count(); i++) {
            differs[i] |= sum[i] != 0;
            sum[i] = 0;
        }
    }
};

// The bits of as many buckets as pay for this number of entries, but no more than fit into a quarter of
// maintenance_work_mem.
inline int bucket_bits(int64 entries)
{
    const Size most = static_cast<Size>(maintenance_work_mem) * 1024 / 4 / (sizeof(uint64) + sizeof(bool));
    return static_cast<int>(std::bit_width(Min(static_cast<Size>(entries) * 2 + 2, most))) - 1;
}

// All are 0, and none differs.
inline SumBuckets make_buckets(int bits)
{
    SumBuckets buckets = {bits, nullptr, nullptr};
    auto *memory = static_cast<char *>(
        MemoryContextAllocExtended(CurrentMemoryContext, buckets.count() * (sizeof(uint64) + sizeof(bool)),
                                   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO));
    buckets.sum = reinterpret_cast<uint64 *>(memory);
    buckets.differs = reinterpret_cast<bool *>(buckets.sum + buckets.count());
    return buckets;
}

inline void free_buckets(const SumBuckets &buckets) { pfree(buckets.sum); }

// Calls visit(block, entry) for each entry of a tree. If others write meanwhile, an entry may be passed twice, or not
// at all.
template <typename Visit> void visit_entries(const Check &check, int tree, Visit visit)
{
    visit_leaves(
        check, tree,
        [](BlockNumber block, const char *page, void *context) {
            visit_leaf(page,
                       [&](int, const LeafEntry &entry) { (*static_cast<Visit *>(context))(block, entry); });
        },
        &visit);
}

} // namespace simhash
