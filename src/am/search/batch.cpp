#include "am/search/batch.hpp"

#include "core/bits/digit_sort.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/memutils.h"
}

#include <algorithm>
#include <utility>

namespace simhash
{

namespace
{

constexpr Size kFirstCapacity = 1024;
constexpr Size kFewRows = 256; // for so few rows, clearing the counters takes longer than comparing rows

// In a packed tid the block number is above the 16 bits of the offset. Rows are sorted by the digits of the
// block number.
constexpr int kBlockShift = 16;

Hit *resized(const Batch &batch, Hit *hit, Size capacity)
{
    const Size size = capacity * sizeof(Hit);
    return static_cast<Hit *>(hit == nullptr ? MemoryContextAllocHuge(batch.context, size)
                                             : repalloc_huge(hit, size));
}

} // namespace

Size batch_limit() { return static_cast<Size>(work_mem) * 1024 / (2 * sizeof(Hit)); }

void add_to_batch(Batch *batch, Size count, const Results &rows)
{
    if (count + rows.hits > batch->capacity) {
        const Size capacity = Max(Max(kFirstCapacity, 2 * batch->capacity), count + rows.hits);
        batch->capacity = 0;
        batch->hit = resized(*batch, batch->hit, capacity);
        batch->spare = resized(*batch, batch->spare, capacity);
        batch->capacity = capacity;
    }
    std::copy(rows.hit, rows.hit + rows.hits, batch->hit + count);
}

void sort_batch(Batch *batch, Size count)
{
    if (count < kFewRows) {
        std::sort(batch->hit, batch->hit + count,
                  [](const Hit &a, const Hit &b) { return a.tid() < b.tid(); });
        return;
    }
    Hit *sorted = sort_by_digits(batch->hit, batch->spare, count, kBlockShift, Hit::kTidBits,
                                 [](const Hit &hit) { return hit.rank; });
    if (sorted != batch->hit)
        std::swap(batch->hit, batch->spare);
}

} // namespace simhash
