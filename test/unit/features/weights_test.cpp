#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/features/weights.hpp"

namespace simhash
{
namespace
{

TEST(Weights, AddsOneFeature)
{
    Weights weights = {};
    ASSERT_TRUE(add_feature(&weights, 0x8000000000000005, 3));
    for (int j = 0; j < kBits; j++)
        EXPECT_EQ(weights.sum[j], j == 0 || j == 2 || j == 63 ? 3 : -3) << j;
    EXPECT_EQ(weights_fingerprint(weights), 0x8000000000000005u);
    ASSERT_TRUE(add_feature(&weights, 0x8000000000000005, -3));
    EXPECT_EQ(weights_fingerprint(weights), ~Fingerprint{0}) << "a sum of 0 is a one";
}

TEST(Weights, SumsDoNotDependOnOrder)
{
    const std::uint64_t hashes[] = {0x0123456789ABCDEF, 0xDEADBEEFDEADBEEF, 0x2152411021524110, 42, ~0ull};
    Weights forward = {};
    Weights backward = {};
    for (int i = 0; i < 5; i++) {
        ASSERT_TRUE(add_feature(&forward, hashes[i], (i + 1) * 1000001));
        ASSERT_TRUE(add_feature(&backward, hashes[4 - i], (5 - i) * 1000001));
    }
    for (int j = 0; j < kBits; j++)
        EXPECT_EQ(forward.sum[j], backward.sum[j]);
    Weights twice = forward;
    ASSERT_TRUE(add_weights(&twice, backward));
    EXPECT_EQ(twice.sum[17], 2 * forward.sum[17]);
}

TEST(Weights, OverflowIsNoticedInEveryLane)
{
    constexpr Weight kMost = std::numeric_limits<Weight>::max();
    for (int j = 0; j < kBits; j++) {
        Weights weights = {};
        weights.sum[j] = kMost;
        Weights other = {};
        other.sum[j] = 1;
        Weights sum = weights;
        EXPECT_FALSE(add_weights(&sum, other)) << j;
        EXPECT_FALSE(add_feature(&(sum = weights), std::uint64_t{1} << j, 1)) << j;
        EXPECT_TRUE(add_feature(&(sum = weights), 0, 1)) << j;
        weights.sum[j] = -kMost - 1;
        EXPECT_FALSE(add_feature(&(sum = weights), 0, 1)) << j;
        EXPECT_TRUE(add_weights(&(sum = weights), other)) << j;
        other.sum[j] = -1;
        EXPECT_FALSE(add_weights(&(sum = weights), other)) << j;
    }
    Weights weights = {};
    EXPECT_FALSE(add_feature(&weights, 0, -kMost - 1));
    EXPECT_TRUE(add_feature(&weights, 0, -kMost));
    EXPECT_TRUE(add_feature(&weights, 0, kMost));
}

TEST(Weights, FromDoubleRoundsToTheNearest)
{
    const double unit = 0x1p-24;
    struct {
        double number;
        Weight weight;
    } const cases[] = {
        {0, 0},          {1, kWeightOne},  {-1, -kWeightOne},   {0.5 * unit, 0},         {1.5 * unit, 2},
        {2.5 * unit, 2}, {-0.5 * unit, 0}, {-1.5 * unit, -2},   {0.51 * unit, 1},        {-0.51 * unit, -1},
        {0.1, 1677722},  {1e-30, 0},       {0x1p38, 1ll << 62}, {-0x1p38, -(1ll << 62)},
    };
    for (const auto &c : cases) {
        Weight weight = 7;
        EXPECT_TRUE(weight_from_double(c.number, &weight)) << c.number;
        EXPECT_EQ(weight, c.weight) << c.number;
    }
    for (double number : {0x1p39, -0x1.0000000000001p39, 1e300, HUGE_VAL, -HUGE_VAL, std::nan("")}) {
        Weight weight = 7;
        EXPECT_FALSE(weight_from_double(number, &weight)) << number;
        EXPECT_EQ(weight, 7);
    }
}

} // namespace
} // namespace simhash
