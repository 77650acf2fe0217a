// Where two sets of entries differ: sums of hashes for each of many parts of the tids. Only the entries of parts whose
// sums differ need to be looked at.
#pragma once

#include "am/inspect/check.hpp"

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
int bucket_bits(int64 entries);
// All are 0, and none differs.
SumBuckets make_buckets(int bits);
void free_buckets(const SumBuckets &buckets);

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
