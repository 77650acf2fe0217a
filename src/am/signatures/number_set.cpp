#include "am/signatures/number_set.hpp"

namespace simhash
{

void clear_set(NumberSet *set)
{
    if (set->slot != nullptr)
        pfree(set->slot);
    *set = {set->context, nullptr, 0, 0};
}

void grow_set(NumberSet *set)
{
    constexpr Size kFirst = 256;
    NumberSet larger = {set->context, nullptr, Max(set->capacity * 2, kFirst), 0};
    larger.slot = allocate_huge<uint64>(larger.capacity, set->context, MCXT_ALLOC_ZERO);
    for (Size i = 0; i < set->capacity; i++) {
        if (set->slot[i] != 0)
            insert(&larger, set->slot[i]);
    }
    clear_set(set);
    *set = larger;
}

} // namespace simhash
