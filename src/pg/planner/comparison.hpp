// The comparison operators between a hamming_distance and integers: their names in SQL, and how each can be expressed
// by hamming_within or hamming_at.
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
    const char *function;
    const char *op;
    Rewrite distance_first; // distance op r
    Rewrite distance_last;  // r op distance
};

inline constexpr Comparison kComparisons[] = {
    {"hamming_distance_eq", "=", Rewrite::at, Rewrite::at},
    {"hamming_distance_lt", "<", Rewrite::within_below, Rewrite::not_within},
    {"hamming_distance_le", "<=", Rewrite::within, Rewrite::not_within_below},
    {"hamming_distance_gt", ">", Rewrite::not_within, Rewrite::within_below},
    {"hamming_distance_ge", ">=", Rewrite::not_within_below, Rewrite::within},
};

} // namespace simhash
