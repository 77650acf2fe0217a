#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/layout/tree_design.hpp"

namespace simhash
{
namespace
{

int shortest_header(int distance, int trees)
{
    TreeDesign design;
    EXPECT_TRUE(make_design(distance, trees, &design)) << distance << ", " << trees;
    int bits = kMaxBlocks * 64;
    for (int i = 0; i < design.trees; i++)
        bits = std::min<int>(bits, design.tree[i].header_bits);
    return bits;
}

TEST(DefaultDesignTest, DistanceThree)
{
    EXPECT_EQ(default_trees(3, 0), 4);
    EXPECT_EQ(default_trees(3, 50e6), 4);
    EXPECT_EQ(default_trees(3, 768.0 * (1 << 16)), 4);
    EXPECT_EQ(default_trees(3, 768.0 * (1 << 16) + 1), 5);
    EXPECT_EQ(default_trees(3, 201e6), 5);
    EXPECT_EQ(default_trees(3, 202e6), 6);
    EXPECT_EQ(default_trees(3, 1.6e9), 6);
    EXPECT_EQ(default_trees(3, 1.7e9), 7);
    EXPECT_EQ(default_trees(3, 3.2e9), 7);
    EXPECT_EQ(default_trees(3, 3.3e9), 8);
    EXPECT_EQ(default_trees(3, 1e15), 8);
}

// At any distance and size there is such a design; up to distance 3 its headers are long enough, and one of fewer trees
// would have shorter ones.
TEST(DefaultDesignTest, EveryDistance)
{
    for (int distance = kMinDistance; distance <= kMaxDistance; distance++) {
        int last = default_trees(distance, 0);
        EXPECT_EQ(last, distance + 1);
        for (double rows = 1; rows < 1e15; rows *= 1.5) {
            int trees = default_trees(distance, rows), header = shortest_header(distance, trees);
            EXPECT_GE(trees, last);
            EXPECT_LE(trees, 2 * (distance + 1));
            if (trees > distance + 1) {
                EXPECT_GT(rows, std::ldexp(kMostRowsOfHeader, shortest_header(distance, trees - 1)));
                EXPECT_LT(shortest_header(distance, trees - 1), header);
            }
            if (distance <= 3 && trees < 2 * (distance + 1)) {
                EXPECT_LE(rows, std::ldexp(kMostRowsOfHeader, header));
            }
            if (distance > 3) {
                EXPECT_EQ(trees, distance + 1);
            }
            last = trees;
        }
    }
}

} // namespace
} // namespace simhash
