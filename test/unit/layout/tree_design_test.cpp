#include <algorithm>
#include <bit>
#include <climits>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/layout/tree_design.hpp"

#include "../seed.hpp"
#include "every_design.hpp"

namespace simhash
{
namespace
{

using TreeDesignTest = SeededTest<2007>;

std::string name(const TreeDesign &design)
{
    return "distance " + std::to_string(design.distance) + ", trees " + std::to_string(design.trees);
}

std::vector<int> sorted_headers(const TreeDesign &design)
{
    std::vector<int> bits;
    for (int t = 0; t < design.trees; t++)
        bits.push_back(design.tree[t].header_bits);
    std::sort(bits.begin(), bits.end());
    return bits;
}

int shortest_header(const TreeDesign &design) { return sorted_headers(design)[0]; }

// The most errors that must miss a header.
int promise(const TreeDesign &design) { return std::min<int>(design.distance, design.trees - 1); }

// The bits of each header, from orders and widths alone.
std::vector<std::uint64_t> header_masks(const TreeDesign &design)
{
    std::vector<std::uint64_t> block;
    for (int i = 0, at = 0; i < design.blocks; i++) {
        std::uint64_t mask = 0;
        for (int j = 0; j < design.width[i]; j++)
            mask |= std::uint64_t{1} << (63 - at++);
        block.push_back(mask);
    }
    std::vector<std::uint64_t> masks;
    for (int t = 0; t < design.trees; t++) {
        std::uint64_t mask = 0;
        for (int i = 0; i < design.tree[t].header_blocks; i++)
            mask |= block[design.tree[t].order[i]];
        masks.push_back(mask);
    }
    return masks;
}

bool misses_one(const std::vector<std::uint64_t> &headers, std::uint64_t errors)
{
    return std::any_of(headers.begin(), headers.end(),
                       [errors](std::uint64_t header) { return (header & errors) == 0; });
}

// By brute force: no set of blocks of the promised size, and so no smaller one, meets all headers.
bool keeps_promise(const TreeDesign &design)
{
    std::vector<std::uint32_t> headers;
    for (int t = 0; t < design.trees; t++) {
        std::uint32_t set = 0;
        for (int i = 0; i < design.tree[t].header_blocks; i++)
            set |= 1u << design.tree[t].order[i];
        headers.push_back(set);
    }
    int size = std::min<int>(promise(design), design.blocks);
    for (std::uint32_t errors = 0; errors < 1u << design.blocks; errors++) {
        if (std::popcount(errors) == size &&
            std::none_of(headers.begin(), headers.end(),
                         [errors](auto header) { return (header & errors) == 0; }))
            return false;
    }
    return true;
}

// The properties that users of a design rely on.
bool can_be_used(const TreeDesign &design)
{
    int bits = 0;
    for (int i = 0; i < design.blocks; i++)
        bits += design.width[i];
    if (bits != 64 || std::count(design.width, design.width + design.blocks, 0) > 0)
        return false;
    for (int t = 0; t < design.trees; t++) {
        const DesignTree &tree = design.tree[t];
        std::vector<int> order(tree.order, tree.order + design.blocks);
        std::sort(order.begin(), order.end());
        for (int i = 0; i < design.blocks; i++) {
            if (order[static_cast<std::size_t>(i)] != i)
                return false;
        }
        int header = 0;
        for (int i = 0; i < tree.header_blocks; i++)
            header += design.width[tree.order[i]];
        if (tree.header_blocks > design.blocks || header != tree.header_bits)
            return false;
    }
    int block = 0, tree = 0;
    for (int i = 0; i < design.regions; i++) {
        const DesignRegion &region = design.region[i];
        if (region.first_block != block || region.first_tree != tree)
            return false;
        block += region.blocks;
        tree += region.trees;
    }
    return block == design.blocks && tree == design.trees && keeps_promise(design);
}

long choose(int n, int k)
{
    long result = 1;
    for (int i = 0; i < k; i++)
        result = result * (n - i) / (i + 1);
    return result;
}

// A region of b blocks that spares c needs length * b / (b - c) bits if each header is to have `length` of
// them, all blocks being equally wide. least[units][trees] is the least sum of b / (b - c) over the regions,
// of any design with that many: 64 / least is the length of the best design's headers, up to rounding.
struct LeastSums {
    double least[kMaxDistance + 2][kMaxTrees + 1];

    LeastSums()
    {
        static double best[kMaxDistance + 2][kMaxTrees + 1][kMaxBlocks + 1];
        std::fill(&best[0][0][0], &best[0][0][0] + sizeof(best) / sizeof(double), HUGE_VAL);
        best[0][0][0] = 0;
        for (int b = 1; b <= kMaxBlocks; b++) {
            for (int c = 0; c < b; c++) {
                // Repeatedly: with none, one, two of these regions.
                for (int u = c + 1; u <= kMaxDistance + 1; u++) {
                    for (long t = choose(b, c); t <= kMaxTrees; t++) {
                        for (int n = b; n <= kMaxBlocks; n++) {
                            double with = best[u - c - 1][t - choose(b, c)][n - b] + 1.0 * b / (b - c);
                            best[u][t][n] = std::min(best[u][t][n], with);
                        }
                    }
                }
            }
        }
        for (int u = 0; u <= kMaxDistance + 1; u++) {
            for (int t = 0; t <= kMaxTrees; t++)
                least[u][t] = *std::min_element(best[u][t], best[u][t] + kMaxBlocks + 1);
        }
    }
};

double sum_of(const TreeDesign &design)
{
    double sum = 0;
    for (int i = 0; i < design.regions; i++)
        sum += 1.0 * design.region[i].blocks / (design.region[i].blocks - design.region[i].spared);
    return sum;
}

// The greatest possible length of the shortest header in the regions of this design, in whole bits: the bits
// of each region are divided evenly.
int longest_possible(const TreeDesign &design)
{
    for (int length = 64;; length--) {
        int used = 0;
        for (int i = 0; i < design.regions; i++) {
            int b = design.region[i].blocks, c = design.region[i].spared, bits = b;
            while ((b - c) * (bits / b) + std::max(0, bits % b - c) < length)
                bits++;
            used += bits;
        }
        if (used <= 64)
            return length;
    }
}

TEST_F(TreeDesignTest, HeaderLengthsForDistanceThree)
{
    const struct {
        int trees, shortest;
    } cases[] = {{1, 64}, {2, 32}, {3, 21}, {4, 16}, {5, 18}, {6, 21}, {7, 22}, {8, 24}, {10, 25}, {20, 31}};
    for (const auto &c : cases) {
        TreeDesign design;
        ASSERT_TRUE(make_design(3, c.trees, &design)) << c.trees;
        EXPECT_EQ(design.trees, c.trees);
        EXPECT_EQ(design.distance, 3);
        EXPECT_EQ(shortest_header(design), c.shortest) << c.trees << " trees";
    }
    TreeDesign design;
    ASSERT_TRUE(make_design(3, 4, &design));
    EXPECT_EQ(design.blocks, 4);
    EXPECT_EQ(sorted_headers(design), std::vector<int>(4, 16));
    for (int i = 0; i < 4; i++)
        EXPECT_EQ(design.width[i], 16);
}

TEST_F(TreeDesignTest, EveryDesignPassesItsCheck)
{
    EXPECT_GE(every_design().size(), 402u);
    for (const TreeDesign &design : every_design()) {
        ASSERT_TRUE(check_design(design)) << name(design);
        ASSERT_TRUE(can_be_used(design)) << name(design);
    }
}

TEST_F(TreeDesignTest, FindsTheBestRegions)
{
    const LeastSums best;
    for (int distance = kMinDistance; distance <= kMaxDistance; distance++) {
        for (int trees = 1; trees <= kMaxTrees; trees++) {
            double least = best.least[trees <= distance ? trees : distance + 1][trees];
            TreeDesign design;
            bool made = make_design(distance, trees, &design);
            EXPECT_EQ(made, std::isfinite(least)) << "distance " << distance << ", trees " << trees;
            if (made) {
                EXPECT_NEAR(sum_of(design), least, 1e-9) << name(design);
            }
        }
    }
}

TEST_F(TreeDesignTest, RoundingLosesNoBits)
{
    for (const TreeDesign &design : every_design())
        EXPECT_EQ(shortest_header(design), longest_possible(design)) << name(design);
}

// Every block should come first in some tree if possible: the first bits of each tree are looked up in
// full.
TEST_F(TreeDesignTest, BlocksTakeTurnsToLead)
{
    for (int trees : {4, 5, 6, 7, 8, 10, 20}) {
        TreeDesign design;
        ASSERT_TRUE(make_design(3, trees, &design));
        std::uint32_t lead = 0;
        for (int t = 0; t < design.trees; t++)
            lead |= 1u << design.tree[t].order[0];
        EXPECT_EQ(std::popcount(lead), std::min<int>(design.blocks, trees)) << trees;
    }
}

TEST_F(TreeDesignTest, EverySetOfFewBitsMissesAHeader)
{
    for (const TreeDesign &design : every_design()) {
        std::vector<std::uint64_t> headers = header_masks(design);
        for (int t = 0; t < design.trees; t++)
            ASSERT_EQ(std::popcount(headers[static_cast<std::size_t>(t)]), design.tree[t].header_bits);

        int most = promise(design);
        if (most <= 3) {
            // Fewer bits than `most` are the same bit twice.
            for (int a = 0; a < 64; a++) {
                for (int b = most < 2 ? a : 0; b <= a; b++) {
                    for (int c = most < 3 ? b : 0; c <= b; c++) {
                        std::uint64_t errors = most == 0 ? 0 : 1ull << a | 1ull << b | 1ull << c;
                        ASSERT_TRUE(misses_one(headers, errors)) << name(design) << std::hex << errors;
                    }
                }
            }
            continue;
        }
        for (int i = 0; i < 1000; i++) {
            std::uint64_t errors = 0;
            while (std::popcount(errors) < most) {
                // Half of the time anywhere, otherwise into a header that is still missed.
                std::uint64_t where = headers[static_cast<std::size_t>(below(design.trees))];
                if (i % 2 == 0 || (where & errors) != 0)
                    where = ~std::uint64_t{0};
                std::uint64_t bit = std::uint64_t{1} << below(64);
                if (where & bit)
                    errors |= bit;
            }
            ASSERT_TRUE(misses_one(headers, errors)) << name(design) << std::hex << errors;
        }
    }
}

TEST_F(TreeDesignTest, MoreErrorsThanPromisedMeetEveryHeader)
{
    for (const TreeDesign &design : every_design()) {
        TreeDesign more = design;
        more.distance++;
        // With few enough trees for disjoint headers any distance is possible.
        bool disjoint = design.trees <= more.distance;
        EXPECT_TRUE(disjoint || !keeps_promise(more)) << name(design);
    }
}

TEST_F(TreeDesignTest, RefusesWhatDoesNotExist)
{
    TreeDesign design;
    for (int distance : {INT_MIN, -1, 0, 16, 17, 255, 256, INT_MAX}) {
        for (int trees : {INT_MIN, -1, 0, 1, 4, 32, 33, INT_MAX})
            EXPECT_FALSE(make_design(distance, trees, &design)) << distance << ' ' << trees;
    }
    for (int distance = kMinDistance; distance <= kMaxDistance; distance++) {
        for (int trees : {INT_MIN, -1, 0, 33, 64, 256, 257, INT_MAX})
            EXPECT_FALSE(make_design(distance, trees, &design)) << distance << ' ' << trees;
        for (int trees = 1; trees <= default_trees(distance); trees++)
            EXPECT_TRUE(make_design(distance, trees, &design)) << distance << ' ' << trees;
    }
    for (int trees = 17; trees <= kMaxTrees; trees++) { // one region of at most 16 blocks
        EXPECT_FALSE(make_design(1, trees, &design)) << trees;
        EXPECT_FALSE(make_design(15, trees, &design)) << trees;
    }
}

// The metapage holds a design as it is.
TEST_F(TreeDesignTest, EveryByteIsSet)
{
    for (const TreeDesign &design : every_design()) {
        TreeDesign again;
        std::memset(&again, 0xAA, sizeof(again));
        ASSERT_TRUE(make_design(design.distance, design.trees, &again));
        ASSERT_EQ(std::memcmp(&design, &again, sizeof(design)), 0) << name(design);
    }
}

TEST_F(TreeDesignTest, AlteredDesignsFail)
{
    for (const TreeDesign &design : every_design()) {
        // Two distances may have the same design of few trees.
        for (std::size_t at = offsetof(TreeDesign, trees); at < sizeof(design); at++) {
            TreeDesign bad = design;
            auto *byte = reinterpret_cast<unsigned char *>(&bad) + at;
            *byte = static_cast<unsigned char>(*byte ^ 1 << below(8));
            ASSERT_FALSE(check_design(bad)) << name(design) << ", byte " << at;
        }
    }
    TreeDesign zero = {};
    EXPECT_FALSE(check_design(zero));
}

} // namespace
} // namespace simhash
