// The rows that have equal ones, for other files than groups.cpp.
#pragma once

#include "pg/server/postgres.hpp"

namespace simhash
{

// The rows that have equal ones.
struct EqualRows {
    uint32 count;
    int64 *number; // ascending
    uint32 *first; // of each, the place of the first of its group
};

// Finds them in one side that is open.
EqualRows find_equal_rows(struct PairOutput *output);

} // namespace simhash
