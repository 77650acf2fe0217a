#include "am/signatures/number_set.hpp"

extern "C" {
#include "utils/memutils.h"
}

namespace simhash
{

void begin_set(NumberSet *set, MemoryContext context)
{
    constexpr Size kFirst = 1024;
    free_set(set);
    *set = {static_cast<uint64 *>(MemoryContextAllocZero(context, sizeof(uint64) * kFirst)), kFirst, 0,
            context};
}

void free_set(NumberSet *set)
{
    if (set->slot != nullptr)
        pfree(set->slot);
    set->slot = nullptr;
}

void grow_set(NumberSet *set)
{
    NumberSet larger = *set;
    larger.capacity *= 2;
    larger.count = 0;
    larger.slot = static_cast<uint64 *>(MemoryContextAllocExtended(
        set->context, sizeof(uint64) * larger.capacity, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO));
    for (Size i = 0; i < set->capacity; i++) {
        if (set->slot[i] != 0)
            insert(&larger, set->slot[i]);
    }
    pfree(set->slot);
    *set = larger;
}

} // namespace simhash
