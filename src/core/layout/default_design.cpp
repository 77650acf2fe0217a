#include "core/layout/default_design.hpp"

#include "core/bits/contract.hpp"
#include "core/layout/table_design.hpp"

#include <algorithm>
#include <cmath>

namespace simhash
{

namespace
{

constexpr int kMostDistance = 3;

// The bits of the shortest header; 0 if there is no such design.
int shortest_header(int distance, int tables)
{
    TableDesign design;
    if (!make_design(distance, tables, &design))
        return 0;
    int bits = design.table[0].header_bits;
    for (int i = 1; i < tables; i++)
        bits = std::min<int>(bits, design.table[i].header_bits);
    return bits;
}

} // namespace

int default_tables(int distance, double rows)
{
    SIMHASH_ASSERT(distance >= kMinDistance && distance <= kMaxDistance);
    const int fewest = default_tables(distance);
    if (distance > kMostDistance)
        return fewest;
    int best = fewest, longest = shortest_header(distance, fewest);
    for (int tables = fewest + 1; tables <= 2 * fewest && rows > std::ldexp(kMostRowsOfHeader, longest);
         tables++) {
        int header = shortest_header(distance, tables);
        if (header > longest) {
            best = tables;
            longest = header;
        }
    }
    return best;
}

} // namespace simhash
