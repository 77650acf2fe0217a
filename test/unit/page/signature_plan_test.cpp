#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/layout/key_ball.hpp"
#include "core/page/signature_plan.hpp"

#include "../seed.hpp"

namespace simhash
{
namespace
{

class SignaturePlanTest : public SeededTest<13>
{
protected:
    SignatureLayout layout_;
};

TEST_F(SignaturePlanTest, FindsEveryRowWithinTheRadius)
{
    for (int bits : {65, 128, 256, 300, 1024, 4096}) {
        for (int trees : {1, 3, 8, 16, 32}) {
            choose_layout(bits, trees, 1, nullptr, 0, 0, nullptr, &layout_);
            for (int radius : {0, 1, 2, trees - 1, trees, 2 * trees, 31}) {
                SearchPlan plan;
                double cost = plan_trees(layout_, radius, {1e6, 2500, 2000}, &plan);
                if (std::isinf(cost))
                    continue;
                for (int round = 0; round < 200; round++) {
                    std::uint8_t row[kMostSignatureBits / 8] = {}; // the query is zero
                    for (int i = 0; i < radius; i++) {
                        // Any bits, or the bits of one window.
                        int bit = static_cast<int>(below(static_cast<std::uint64_t>(bits)));
                        if (round % 2 == 0) {
                            auto tree = static_cast<std::size_t>(i % trees);
                            bit = layout_.key_bits(
                                static_cast<int>(tree))[(i / trees) % layout_.header_bits(i % trees)];
                        }
                        row[bit / 8] = static_cast<std::uint8_t>(row[bit / 8] | 0x80 >> bit % 8);
                    }
                    bool found = false;
                    for (int i = 0; i < plan.steps; i++) {
                        const SearchStep &step = plan.step[i];
                        std::uint64_t errors =
                            signature_key(layout_, step.tree, row) & leading_bits(step.header_bits);
                        found = found || std::popcount(errors) <= static_cast<int>(step.budget);
                    }
                    ASSERT_TRUE(found) << bits << " bits, " << trees << " trees, radius " << radius;
                }
            }
        }
    }
}

TEST_F(SignaturePlanTest, LargeRadiiAreScanned)
{
    choose_layout(1024, 8, 1, nullptr, 0, 0, nullptr, &layout_);
    StoreShape shape = store_shape(layout_.bytes(), 8192);
    SignatureIndexSize size = {1e6, 2500, 2084};
    SearchPlan plan;
    EXPECT_LT(plan_trees(layout_, 15, size, &plan), scan_cost(layout_, shape, 15, size));
    EXPECT_GT(plan_trees(layout_, 300, size, &plan), scan_cost(layout_, shape, 300, size));
    EXPECT_TRUE(std::isinf(plan_trees(layout_, 1024, size, &plan)));
    EXPECT_TRUE(plane_helps(layout_, shape, 20));
    EXPECT_FALSE(plane_helps(layout_, shape, 64));
}

TEST_F(SignaturePlanTest, WithoutTablesEverySearchIsAScan)
{
    choose_layout(1024, 0, 1, nullptr, 0, 0, nullptr, &layout_);
    StoreShape shape = store_shape(layout_.bytes(), 8192);
    SignatureIndexSize size = signature_index_size(layout_, shape, 8192, 1e6);
    SearchPlan plan;
    EXPECT_TRUE(std::isinf(plan_trees(layout_, 0, size, &plan)));
    EXPECT_TRUE(std::isinf(plan_probes(layout_, 0.1, 0.5, size, &plan)));
    EXPECT_EQ(next_ring_end(layout_, -1, scan_cost(layout_, shape, 1024, size), size), 1024);
}

} // namespace
} // namespace simhash
