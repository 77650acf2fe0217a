#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/likely/step_order.hpp"

#include "../seed.hpp"

namespace simhash
{
namespace
{

class StepOrderTest : public SeededTest<11>
{
protected:
    KeyOrder order;
    SearchPlan plan;

    void plan_for(int trees, int radius)
    {
        TreeDesign design;
        ASSERT_TRUE(make_design(3, trees, &design));
        std::uint8_t bits[kBits];
        identity_sources(bits);
        order.set(design, bits);
        plan_search(design, radius, 20000, &plan);
    }

    Fingerprint header(int step) const { return order.tree[plan.step[step].tree].header_mask; }
};

TEST_F(StepOrderTest, HeadersWithoutSmallWeightsComeFirst)
{
    plan_for(4, 3);
    ASSERT_EQ(plan.steps, 4);
    // Of each step in turn, no weight is small; of the others, more and more are.
    const SearchPlan planned = plan;
    for (int first = 0; first < 4; first++) {
        plan = planned;
        Weights weights;
        for (int j = 0; j < kBits; j++)
            weights.sum[j] = (j % 2 == 0 ? -100 : 100) * kWeightOne;
        for (int i = 0; i < 4; i++) {
            int small = (i - first + 4) % 4;
            for (Fingerprint rest = header(i); rest != 0 && small > 0; rest &= rest - 1, small--)
                weights.sum[std::countr_zero(rest)] = 1;
        }
        order_steps(weights, order, &plan);
        for (int i = 0; i < 4; i++)
            EXPECT_EQ(plan.step[i].tree, planned.step[(first + i) % 4].tree);
    }
}

TEST_F(StepOrderTest, KeepsAllSteps)
{
    for (int round = 0; round < 100; round++) {
        plan_for(round % 2 == 0 ? 4 : 10, static_cast<int>(below(9)));
        SearchPlan planned = plan;
        Weights weights;
        for (Weight &sum : weights.sum)
            sum = round < 3 ? 0 : static_cast<Weight>(random()) >> below(64);
        order_steps(weights, order, &plan);
        ASSERT_EQ(plan.steps, planned.steps);
        for (int i = 0; i < planned.steps; i++) {
            int found = 0;
            for (int k = 0; k < plan.steps; k++)
                found += plan.step[k].tree == planned.step[i].tree &&
                         plan.step[k].budget == planned.step[i].budget &&
                         plan.step[k].header_bits == planned.step[i].header_bits;
            EXPECT_EQ(found, 1);
        }
    }
}

TEST_F(StepOrderTest, FlipsCostTheirLogarithmicOdds)
{
    for (float z = 0; z < 4; z += 0.01F) {
        const double p = std::erfc(z / std::sqrt(2.0)) / 2;
        EXPECT_NEAR(flip_cost(z), 1 + kFlipCost * std::log((1 - p) / p), 0.1 * kFlipCost * z + 2);
    }
    EXPECT_EQ(flip_cost(1000), 255);
}

TEST_F(StepOrderTest, LargerWeightsCostMore)
{
    for (int round = 0; round < 100; round++) {
        Weights weights;
        for (Weight &sum : weights.sum)
            sum = static_cast<Weight>(random()) >> (8 + round % 50);
        std::uint8_t cost[kBits], scaled[kBits];
        flip_costs(weights, cost);
        for (int i = 0; i < kBits; i++) {
            for (int j = 0; j < kBits; j++) {
                if (std::abs(weights.sum[i]) < std::abs(weights.sum[j])) {
                    EXPECT_LE(cost[i], cost[j]);
                }
            }
        }
        for (Weight &sum : weights.sum)
            sum *= 16;
        flip_costs(weights, scaled);
        EXPECT_TRUE(std::equal(cost, cost + kBits, scaled));
    }
    std::uint8_t cost[kBits];
    flip_costs(Weights{}, cost);
    EXPECT_LE(cost[0], kFlipCost); // a pass reaches one flip
    EXPECT_TRUE(std::all_of(cost, cost + kBits, [&](std::uint8_t c) { return c == cost[0]; }));
}

TEST_F(StepOrderTest, LargestWeightsCostWhatSmallOnesDo)
{
    Weights large, small;
    for (int j = 0; j < kBits; j++) {
        large.sum[j] = static_cast<Weight>(j + 1) << 56;
        small.sum[j] = static_cast<Weight>(j + 1) << 20;
    }
    std::uint8_t cost[kBits], expected[kBits];
    flip_costs(large, cost);
    flip_costs(small, expected);
    EXPECT_TRUE(std::equal(cost, cost + kBits, expected));
    EXPECT_GT(cost[kBits - 1], cost[0]);
}

} // namespace
} // namespace simhash
