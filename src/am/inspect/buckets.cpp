#include "am/inspect/buckets.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/memutils.h"
}

#include <bit>

namespace simhash
{

int bucket_bits(int64 entries)
{
    const Size most = static_cast<Size>(maintenance_work_mem) * 1024 / 4 / (sizeof(uint64) + sizeof(bool));
    return static_cast<int>(std::bit_width(Min(static_cast<Size>(entries) * 2 + 2, most))) - 1;
}

SumBuckets make_buckets(int bits)
{
    SumBuckets buckets = {bits, nullptr, nullptr};
    auto *memory = static_cast<char *>(
        MemoryContextAllocExtended(CurrentMemoryContext, buckets.count() * (sizeof(uint64) + sizeof(bool)),
                                   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO));
    buckets.sum = reinterpret_cast<uint64 *>(memory);
    buckets.differs = reinterpret_cast<bool *>(buckets.sum + buckets.count());
    return buckets;
}

void free_buckets(const SumBuckets &buckets) { pfree(buckets.sum); }

} // namespace simhash
