// The comparison operators between a type of ours and numbers: their names in SQL, and how each comparison of
// a hamming_distance can be expressed by hamming_within or hamming_at. A similarity grows where a distance
// falls, so a comparison of a jaccard_estimate is that of a distance with its operands exchanged.
#pragma once

#include "pg/server/postgres.hpp"

namespace simhash
{

enum class Rewrite {
    within,           // distance <= r
    within_below,     // distance < r
    not_within,       // distance > r
    not_within_below, // distance >= r
    at,               // distance = r
};

struct Comparison {
    const char *suffix; // of the function's name, after that of the type and _
    const char *op;
    Rewrite distance_first; // distance op r
    Rewrite distance_last;  // r op distance
};

inline constexpr Comparison kComparisons[] = {
    {"eq", "=", Rewrite::at, Rewrite::at},
    {"lt", "<", Rewrite::within_below, Rewrite::not_within},
    {"le", "<=", Rewrite::within, Rewrite::not_within_below},
    {"gt", ">", Rewrite::not_within, Rewrite::within_below},
    {"ge", ">=", Rewrite::not_within_below, Rewrite::within},
};

} // namespace simhash
