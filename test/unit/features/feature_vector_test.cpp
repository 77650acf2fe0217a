#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/features/feature_batch.hpp"
#include "stored_vector.hpp"

namespace simhash
{
namespace
{

FeatureCount weighed(std::uint64_t hash, Weight weight)
{
    return {hash, static_cast<std::uint64_t>(weight) + kWeightZero};
}

// Evenly distributed hashes, and hashes that somebody chose: small ones, with the same upper half, with equal first bits.
std::uint64_t some_hash(int kind, std::uint64_t random)
{
    switch (kind) {
    case 0:
        return random;
    case 1:
        return random % 100000;
    case 2:
        return std::uint64_t{7} << 61 | random >> 40;
    default:
        return random % 16 == 0 ? random : random >> 50;
    }
}

TEST(FeatureVector, IsSorted)
{
    std::mt19937_64 random(1);
    for (int kind = 0; kind < 4; kind++)
        for (std::size_t size : {0, 1, 2, 3, 16, 17, 100, 1000, 5000, 70000}) {
            std::vector<FeatureCount> rows;
            for (std::size_t i = 0; i < size; i++)
                rows.push_back({some_hash(kind, random()), 1 + random() % 5});
            auto lower = [](const FeatureCount &a, const FeatureCount &b) { return a.hash < b.hash; };
            std::sort(rows.begin(), rows.end(), lower);
            rows.erase(
                std::unique(rows.begin(), rows.end(),
                            [](const FeatureCount &a, const FeatureCount &b) { return a.hash == b.hash; }),
                rows.end());
            std::vector<FeatureCount> shuffled = rows;
            std::shuffle(shuffled.begin(), shuffled.end(), random);
            StoredVector counts(false, shuffled);
            StoredVector weights(true, shuffled);
            ASSERT_EQ(counts.vector.size(), rows.size());
            ASSERT_EQ(weights.vector.size(), rows.size());
            for (std::size_t i = 0; i < rows.size(); i++) {
                ASSERT_EQ(counts.vector.hash(i), rows[i].hash) << kind << ' ' << size << ' ' << i;
                ASSERT_EQ(counts.vector.count(i), rows[i].count);
                ASSERT_EQ(counts.vector.weight(i),
                          Weight{logarithmic_weight(static_cast<std::uint32_t>(rows[i].count))} << 16);
                ASSERT_EQ(weights.vector.hash(i), rows[i].hash);
                ASSERT_EQ(weights.vector.weight(i), slot_weight(rows[i]));
            }
        }
}

TEST(FeatureVector, CountsHaveALimit)
{
    StoredVector counts(false, {{1, UINT64_MAX}, {2, UINT32_MAX}});
    EXPECT_EQ(counts.vector.count(0), UINT32_MAX);
    EXPECT_EQ(counts.vector.count(1), UINT32_MAX);
}

TEST(FeatureVector, OtherFormsAreRefused)
{
    for (bool weighted : {false, true}) {
        StoredVector value(weighted, {{1, 1}, {2, 2}});
        FeatureVector vector;
        for (std::size_t cut = 1; cut <= value.size(); cut++)
            if (cut % (weighted ? 16 : 12) != 0) {
                EXPECT_FALSE(vector.open(value.bytes(), value.size() - cut)) << cut;
            }
        for (std::size_t byte : {0, 1, 2, 3}) {
            value.bytes()[byte] += 2;
            EXPECT_FALSE(vector.open(value.bytes(), value.size())) << byte;
            value.bytes()[byte] -= 2;
        }
        EXPECT_TRUE(vector.open(value.bytes(), value.size()));
    }
}

// The sums of batches, against one feature at a time.
TEST(FeatureVector, SumsOfFeatures)
{
    constexpr Weight kUnit = Weight{1} << kRareShift;
    constexpr Weight kMost = Weight{kLogarithmicMax} * kRarityMax * kUnit;
    std::mt19937_64 random(4);
    for (int kind = 0; kind < 5; kind++)
        for (std::size_t size : {1, 255, 256, 257, 511, 512, 513, 3000}) {
            std::vector<FeatureCount> rows;
            for (std::size_t i = 0; i < size; i++) {
                std::uint64_t number = random();
                switch (kind) {
                case 0: // counts, some large
                    rows.push_back({random(), number % 8 != 0 ? 1 + number % 40 : number >> 32 | 1});
                    break;
                case 1: // weights by rarity, some so large that the sum of a batch would not fit
                    rows.push_back(weighed(
                        random(), number % 2 == 0 ? kMost : static_cast<Weight>(number % 100 + 1) * kUnit));
                    break;
                case 2: // one that is no such weight: too large, not a multiple, negative
                    rows.push_back(weighed(random(), i == size / 2 ? kMost + kUnit : kUnit));
                    break;
                case 3:
                    rows.push_back(weighed(random(), i == size / 2 ? kUnit + 1 : kUnit));
                    break;
                default:
                    rows.push_back(weighed(random(), i == size / 2 ? -kUnit : kUnit));
                }
            }
            StoredVector value(kind != 0, rows);
            bool small = value.vector.weighted() && small_weights(value.vector);
            EXPECT_EQ(small, kind == 1);
            Weights words[3] = {}, expected[3] = {};
            ASSERT_TRUE(add_features(value.vector, 0, size / 2, small, {words, 3}));
            ASSERT_TRUE(add_features(value.vector, size / 2, size, small, {words, 3}));
            for (std::size_t i = 0; i < size; i++)
                ASSERT_TRUE(
                    add_feature(SignatureSums{expected, 3}, value.vector.hash(i), value.vector.weight(i)));
            for (int word = 0; word < 3; word++)
                for (int bit = 0; bit < kBits; bit++)
                    ASSERT_EQ(words[word].sum[bit], expected[word].sum[bit]) << kind << ' ' << size;
        }
}

TEST(FeatureVector, SumsOutOfRange)
{
    StoredVector value(true, {weighed(1, INT64_MAX), weighed(3, INT64_MAX)});
    Weights sums[1] = {};
    EXPECT_FALSE(add_features(value.vector, 0, 2, small_weights(value.vector), {sums, 1}));
}

TEST(FeatureVector, WeightsTimesRarity)
{
    Weight weight = 0;
    EXPECT_TRUE(rare_weight(kWeightOne, 256, &weight));
    EXPECT_EQ(weight, kWeightOne);
    EXPECT_TRUE(rare_weight(Weight{logarithmic_weight(2)} << 16, 700, &weight));
    EXPECT_EQ(weight, Weight{logarithmic_weight(2)} * 700 << kRareShift);
    EXPECT_TRUE(rare_weight(-kWeightOne, 1, &weight));
    EXPECT_EQ(weight, -kWeightOne / 256);
    EXPECT_TRUE(rare_weight(INT64_MAX, 255, &weight));
    EXPECT_FALSE(rare_weight(INT64_MAX, 257, &weight));
    EXPECT_FALSE(rare_weight(-INT64_MAX, 257, &weight));
}

} // namespace
} // namespace simhash
