#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/features/feature_counts.hpp"
#include "core/features/term_frequency.hpp"
#include "core/hash/feature_hash.hpp"

namespace simhash
{
namespace
{

// The vectors of XXH3's own specification and tools.
TEST(FeatureHash, KnownAnswers)
{
    EXPECT_EQ(feature_hash("", 0), 0x2D06800538D394C2u);
    EXPECT_EQ(feature_hash("a", 1), 0xE6C632B61E964E1Fu);
    EXPECT_EQ(feature_hash("abc", 3), 0x78AF5F94892F3950u);
    EXPECT_EQ(feature_hash("\xE6\x9D\xB1\xE4\xBA\xAC", 6), 0x469B7AB5870CF9B6u);
}

TEST(FeatureHash, OfANumberIsThatOfItsDigits)
{
    for (std::int64_t number : {std::int64_t{0}, std::int64_t{7}, std::int64_t{-1}, INT64_MIN, INT64_MAX}) {
        std::string digits = std::to_string(number);
        EXPECT_EQ(number_hash(number), feature_hash(digits.data(), digits.size())) << number;
    }
}

TEST(TermFrequency, IsOnePlusItsLogarithm)
{
    // round(256 * (1 + ln tf))
    struct {
        std::uint32_t tf, weight;
    } const cases[] = {
        {1, 256},
        {2, 433},
        {3, 537},
        {4, 611},
        {10, 845},
        {63, 1317},
        {64, 1321},
        {100, 1435},
        {1000, 2024},
        {65535, 3095},
        {65536, 3095},
        {1000000, 3793},
        {4294967295u, 5934},
    };
    for (const auto &c : cases)
        EXPECT_EQ(logarithmic_weight(c.tf), c.weight) << c.tf;
    for (std::uint32_t tf = 2; tf < 100000; tf++)
        ASSERT_GE(logarithmic_weight(tf), logarithmic_weight(tf - 1));
}

TEST(FeatureCounts, SumsEqualOneByOneAddition)
{
    std::mt19937_64 random(3);
    for (std::size_t distinct : {1u, 2u, 127u, 128u, 129u, 1000u, 70000u}) {
        std::vector<FeatureCount> slots(1 << 18);
        FeatureCounts counts;
        counts.init(slots.data(), slots.size(), random());
        Weights expected = {};
        for (std::size_t i = 0; i < distinct; i++) {
            std::uint64_t hash = i == 0 ? 0 : random(); // 0 is a hash like any other
            std::uint32_t tf = 1 + static_cast<std::uint32_t>(random() % 5);
            for (std::uint32_t k = 0; k < tf; k++)
                counts.add(hash, 1);
            Weight weight = Weight{logarithmic_weight(tf)} << kLogarithmicShift;
            ASSERT_TRUE(add_feature(&expected, hash, weight));
        }
        EXPECT_EQ(counts.size(), distinct);
        Weights sum = {};
        counts.add_logarithmic(0, counts.capacity(), {&sum, 1});
        for (int j = 0; j < kBits; j++)
            ASSERT_EQ(sum.sum[j], expected.sum[j]) << distinct;
    }
}

TEST(FeatureCounts, GrowsAndSaturates)
{
    std::vector<FeatureCount> few(4);
    std::vector<FeatureCount> many(8);
    FeatureCounts small;
    small.init(few.data(), few.size(), 9);
    small.add(1, 1);
    small.add(2, 5);
    EXPECT_FALSE(small.full());
    small.add(3, std::uint64_t{1} << 40);
    EXPECT_TRUE(small.full());
    FeatureCounts large;
    large.init(many.data(), many.size(), 9);
    large.move_from(small);
    EXPECT_EQ(large.size(), 3u);
    Weights a = {};
    Weights b = {};
    small.add_logarithmic(0, small.capacity(), {&a, 1});
    large.add_logarithmic(0, large.capacity(), {&b, 1});
    for (int j = 0; j < kBits; j++)
        EXPECT_EQ(a.sum[j], b.sum[j]);
    EXPECT_EQ(-a.sum[63], Weight{256 + 668 + 5934} << kLogarithmicShift);
}

} // namespace
} // namespace simhash
