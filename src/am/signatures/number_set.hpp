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

void clear_set(NumberSet *set);
// Doubles the capacity.
void grow_set(NumberSet *set);

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
