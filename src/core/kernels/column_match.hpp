// The kernel of packed leaves: which rows of a leaf's columns may be near a key.
#pragma once

#include "core/kernels/simd_level.hpp"

#include <cstdint>

namespace simhash
{

// Parts of keys: 32 bits, and 16 more if `second` is not null. Nothing is aligned.
struct KeyColumns {
    const char *first;
    const char *second;
    std::uint32_t query;
    std::uint16_t second_query;
    int radius;
};

// Writes the positions i < count whose parts differ from the query's in at most radius bits to matches, ascending, and
// returns how many there are. Reads nothing outside the columns; may overwrite all of matches.
// Requires: matches has room for count; 0 <= radius <= 64.
using ColumnMatch = int (*)(const KeyColumns &columns, int count, std::uint16_t *matches);

// The kernel of a level. All give the same answers. Requires: has_simd_level(level).
ColumnMatch column_match(SimdLevel level);

} // namespace simhash
