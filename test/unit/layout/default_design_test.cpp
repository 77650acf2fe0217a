#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/layout/tree_design.hpp"

namespace simhash
{
namespace
{

int shortest_header(int distance, int tables)
{
    TableDesign design;
    EXPECT_TRUE(make_design(distance, tables, &design)) << distance << ", " << tables;
    int bits = kMaxBlocks * 64;
    for (int i = 0; i < design.tables; i++)
        bits = std::min<int>(bits, design.table[i].header_bits);
    return bits;
}

TEST(DefaultDesignTest, DistanceThree)
{
    EXPECT_EQ(default_tables(3, 0), 4);
    EXPECT_EQ(default_tables(3, 50e6), 4);
    EXPECT_EQ(default_tables(3, 768.0 * (1 << 16)), 4);
    EXPECT_EQ(default_tables(3, 768.0 * (1 << 16) + 1), 5);
    EXPECT_EQ(default_tables(3, 201e6), 5);
    EXPECT_EQ(default_tables(3, 202e6), 6);
    EXPECT_EQ(default_tables(3, 1.6e9), 6);
    EXPECT_EQ(default_tables(3, 1.7e9), 7);
    EXPECT_EQ(default_tables(3, 3.2e9), 7);
    EXPECT_EQ(default_tables(3, 3.3e9), 8);
    EXPECT_EQ(default_tables(3, 1e15), 8);
}

// At any distance and size there is such a design; up to distance 3 its headers are long enough, and one of fewer tables
// would have shorter ones.
TEST(DefaultDesignTest, EveryDistance)
{
    for (int distance = kMinDistance; distance <= kMaxDistance; distance++) {
        int last = default_tables(distance, 0);
        EXPECT_EQ(last, distance + 1);
        for (double rows = 1; rows < 1e15; rows *= 1.5) {
            int tables = default_tables(distance, rows), header = shortest_header(distance, tables);
            EXPECT_GE(tables, last);
            EXPECT_LE(tables, 2 * (distance + 1));
            if (tables > distance + 1) {
                EXPECT_GT(rows, std::ldexp(kMostRowsOfHeader, shortest_header(distance, tables - 1)));
                EXPECT_LT(shortest_header(distance, tables - 1), header);
            }
            if (distance <= 3 && tables < 2 * (distance + 1)) {
                EXPECT_LE(rows, std::ldexp(kMostRowsOfHeader, header));
            }
            if (distance > 3) {
                EXPECT_EQ(tables, distance + 1);
            }
            last = tables;
        }
    }
}

} // namespace
} // namespace simhash
