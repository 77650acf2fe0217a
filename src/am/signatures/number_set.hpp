// A set of store positions or tids. Approximate searches rely on it to verify each candidate once. PostgreSQL's
// dynahash takes up to an eighth more time in long searches.
#pragma once

#include "pg/server/postgres.hpp"

namespace simhash
{

struct NumberSet {
    MemoryContext context; // of the slots
    uint64 *slot;          // 0 if free; null while there are none
    Size capacity;
    Size count;
};

inline void clear_set(NumberSet *set)
{
    if (set->slot != nullptr)
        pfree(set->slot);
    *set = {set->context, nullptr, 0, 0};
}

// The slot with the number, or the free one where it belongs.
inline Size slot_of(const NumberSet &set, uint64 number)
{
    Size at = static_cast<Size>(number * UINT64CONST(0x9E3779B97F4A7C15) >> 20) & (set.capacity - 1);
    while (set.slot[at] != 0 && set.slot[at] != number)
        at = (at + 1) & (set.capacity - 1);
    return at;
}

inline bool contains(const NumberSet &set, uint64 number)
{
    return set.count > 0 && set.slot[slot_of(set, number)] != 0;
}

// Doubles the capacity.
inline void grow_set(NumberSet *set)
{
    constexpr Size kFirst = 256;
    NumberSet larger = {set->context, nullptr, Max(set->capacity * 2, kFirst), 0};
    larger.slot = allocate_huge<uint64>(larger.capacity, set->context, MCXT_ALLOC_ZERO);
    for (Size i = 0; i < set->capacity; i++) {
        if (set->slot[i] == 0)
            continue;
        larger.slot[slot_of(larger, set->slot[i])] = set->slot[i];
        larger.count++;
    }
    clear_set(set);
    *set = larger;
}

// Adds a number, and returns whether it is new. 0, which only a damaged leaf refers to, always is.
inline bool insert(NumberSet *set, uint64 number)
{
    if (set->count * 2 >= set->capacity)
        grow_set(set);
    Size at = slot_of(*set, number);
    if (set->slot[at] != 0)
        return false;
    set->slot[at] = number;
    set->count++;
    return true;
}

} // namespace simhash
