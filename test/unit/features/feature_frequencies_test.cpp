#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/features/feature_counts.hpp"
#include "core/features/feature_frequencies.hpp"
#include "core/features/term_frequency.hpp"

namespace simhash
{
namespace
{

std::vector<FeatureFrequency> random_features(std::size_t count, std::uint32_t most, std::mt19937_64 *random)
{
    std::vector<FeatureFrequency> features(count);
    for (FeatureFrequency &feature : features)
        feature = {(*random)(), static_cast<std::uint32_t>(1 + (*random)() % most)};
    return features;
}

bool ascending(const FeatureFrequency &a, const FeatureFrequency &b) { return a.hash < b.hash; }

std::vector<char> stored(FrequenciesHeader header, const std::vector<FeatureFrequency> &features)
{
    auto count = static_cast<std::uint32_t>(features.size());
    std::vector<char> bytes(frequencies_size(count));
    write_frequencies(header, features.data(), count, bytes.data());
    return bytes;
}

TEST(Rarity, IsADifferenceOfLogarithms)
{
    for (std::uint32_t all : {1U, 2U, 100U, 65535U, 1000000U, kDocumentsMax})
        for (std::uint32_t some : {1U, 2U, 7U, 1000U, kDocumentsMax})
            if (some <= all) {
                double exact = 256 * (std::log(all + 1.0) - std::log(some));
                EXPECT_NEAR(rarity(all, some), std::max(exact, 1.0), 1.0) << all << ' ' << some;
            }
    EXPECT_EQ(rarity(0, 1), rarity(1, 1));
    EXPECT_EQ(rarity(kDocumentsMax, 1), kRarityMax);
    EXPECT_EQ(rarity(1000000, 1000000), 1U);
}

TEST(FeatureFrequencies, FindsWhatWasWritten)
{
    std::mt19937_64 random(1);
    for (std::size_t count : {0, 1, 7, 8, 9, 100, 5000, 65536}) {
        std::vector<FeatureFrequency> features = random_features(count, 900, &random);
        if (count > 1) {
            features[0].hash = 0;
            features[1].hash = UINT64_MAX;
        }
        std::sort(features.begin(), features.end(), ascending);
        FrequenciesHeader header = {};
        header.size = 1;
        header.documents = 1000;
        header.missed = 3;
        std::vector<char> bytes = stored(header, features);
        // The value need not be aligned.
        bytes.insert(bytes.begin(), 'x');
        FeatureFrequencies read;
        ASSERT_TRUE(read.open(bytes.data() + 1, bytes.size() - 1));
        ASSERT_EQ(read.header().count, count);
        for (std::uint32_t i = 0; i < count; i++) {
            EXPECT_EQ(read.find(features[i].hash), i);
            EXPECT_EQ(read.at(i).documents, features[i].documents);
            EXPECT_EQ(read.rarity_of(features[i].hash), rarity(1000, std::max(features[i].documents, 3U)));
        }
        for (int i = 0; i < 1000; i++) {
            std::uint64_t other = random();
            EXPECT_EQ(read.find(other), -1);
            EXPECT_EQ(read.rarity_of(other), rarity(1000, 3));
        }
        EXPECT_FALSE(read.open(bytes.data() + 1, bytes.size() - 2));
        bytes[1] = 2;
        EXPECT_FALSE(read.open(bytes.data() + 1, bytes.size() - 1));
    }
}

TEST(FeatureFrequencies, SurvivesDamage)
{
    std::mt19937_64 random(2);
    std::vector<FeatureFrequency> features = random_features(1000, 900, &random);
    std::sort(features.begin(), features.end(), ascending);
    FrequenciesHeader header = {};
    header.size = 1;
    header.documents = 1000;
    for (int round = 0; round < 200; round++) {
        std::vector<char> bytes = stored(header, features);
        for (std::size_t i = sizeof(header); i < bytes.size(); i++)
            bytes[i] = static_cast<char>(random());
        FeatureFrequencies read;
        ASSERT_TRUE(read.open(bytes.data(), bytes.size()));
        for (int i = 0; i < 100; i++)
            (void)read.rarity_of(random());
    }
}

TEST(KeepFrequent, StatesWhatItMisses)
{
    std::mt19937_64 random(3);
    for (std::uint32_t most : {0U, 1U, 10U, 99U, 100U, 200U}) {
        std::vector<FeatureFrequency> all = random_features(100, 20, &random);
        std::vector<FeatureFrequency> features = all;
        std::uint32_t missed = 5;
        std::uint32_t kept = keep_frequent(features.data(), features.size(), most, &missed);
        ASSERT_EQ(kept, std::min(most, 100U));
        EXPECT_TRUE(std::is_sorted(features.begin(), features.begin() + kept, ascending));
        std::uint32_t least = 20;
        for (std::uint32_t i = 0; i < kept; i++)
            least = std::min(least, features[i].documents);
        std::uint32_t dropped = 0;
        for (std::size_t i = kept; i < features.size(); i++)
            dropped = std::max(dropped, features[i].documents);
        EXPECT_EQ(missed, 5 + dropped);
        EXPECT_TRUE(kept == 0 || dropped <= least);
    }
}

} // namespace
} // namespace simhash
