// Groups of rows with known numbers.
#pragma once

#include "am/pairs/pair_spool.hpp"

#include "core/bits/components.hpp"

namespace simhash
{

// Whether the kind of groups is "star". It is a name, not a boolean, so that there can be others.
bool wants_stars(const text *kind);

// Groups of the rows with numbers below `count`, found from pairs that come in any order. For stars pairs wait, within
// some memory and beyond it in temporary files. Besides, a row takes 4 bytes of memory, or 8 for stars.
struct Groups {
    bool star;
    uint32 *parent;
    Components
        components;   // stars: of equal rows, which have the same neighbors and count as one row, their first
    PairSpool *pairs; // stars: of rows that are not equal
    uint32 count;
};
inline constexpr uint64 kMostGrouped = 0x7FFFFFFF;

Groups begin_groups(uint64 count, bool star, Size bytes);
void add_link(Groups *groups, uint64 a, uint64 b, bool equal);
// Returns the number of each row's leader, which is the first row of the group: its own if it is in none.
uint32 *end_groups(Groups *groups);

// The rows that have equal ones.
struct EqualRows {
    uint32 count;
    int64 *number; // ascending
    uint32 *first; // of each, the place of the first of its group
};

// Finds them in one side that is open.
EqualRows find_equal_rows(struct PairOutput *output);

} // namespace simhash
