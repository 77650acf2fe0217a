#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/features/random_projection.hpp"

namespace simhash
{
namespace
{

#include "core/features/gaussian_table.inc"

Weights project(const std::vector<float> &vector, std::uint64_t seed = 0, std::size_t piece = SIZE_MAX,
                std::uint64_t block = 0)
{
    RandomProjection projection(seed, block);
    for (std::size_t from = 0; from < vector.size(); from += std::min(piece, vector.size() - from))
        projection.add(vector.data() + from, std::min(piece, vector.size() - from));
    Weights weights;
    EXPECT_TRUE(projection.finish(&weights));
    return weights;
}

Fingerprint fingerprint(const std::vector<float> &vector, std::uint64_t seed = 0)
{
    return weights_fingerprint(project(vector, seed));
}

// Every number of the table is the quantile it is documented to be, rounded.
TEST(RandomProjection, Gaussian)
{
    for (int k = 0; k < 2048; k++) {
        double rank = (4096 + 2 * k + 1) / 8192.0;
        auto below = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
        EXPECT_LE(below((kGaussian[k] - 0.5) / 4096), rank) << k;
        EXPECT_GE(below((kGaussian[k] + 0.5) / 4096), rank) << k;
    }
}

// A second implementation of the generator, from the description in the header.
TEST(RandomProjection, Definition)
{
    auto mixed = [](std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    };
    EXPECT_EQ(mixed(0x9E3779B97F4A7C15), 0xE220A8397B1DCDAFu) << "SplitMix64's first number of seed 0";
    std::mt19937_64 random(5);
    struct {
        std::uint64_t seed, block;
    } const cases[] = {{0, 0}, {1, 0}, {~std::uint64_t{0}, 0}, {0, 1}, {0, 2}, {9, 63}};
    for (auto [seed, block] : cases) {
        std::uint64_t key = mixed(seed);
        if (block > 0)
            key = mixed(key - block * 0x9E3779B97F4A7C15);
        std::vector<float> vector(300);
        for (float &x : vector)
            x = static_cast<float>(random() % 1000) / 7 - 60;
        double sums[kBits] = {};
        double squares = 0;
        for (std::size_t i = 0; i < vector.size(); i++) {
            squares += static_cast<double>(vector[i]) * static_cast<double>(vector[i]);
            for (std::size_t j = 0; j < kBits; j++) {
                std::uint64_t word = mixed(key + (16 * i + j / 4 + 1) * 0x9E3779B97F4A7C15);
                auto piece = static_cast<unsigned>(word >> (16 * (j % 4)) & 0xFFFF);
                double g = kGaussian[piece % 2048] / 4096.0;
                sums[j] += static_cast<double>(vector[i]) * ((piece & 2048) != 0 ? -g : g);
            }
        }
        Weights weights = project(vector, seed, SIZE_MAX, block);
        for (int j = 0; j < kBits; j++) {
            Weight expected;
            ASSERT_TRUE(weight_from_double(sums[j] / std::sqrt(squares), &expected));
            EXPECT_EQ(weights.sum[j], expected);
        }
        for (std::size_t piece : {1, 7, 299})
            for (int j = 0; j < kBits; j++)
                EXPECT_EQ(project(vector, seed, piece, block).sum[j], weights.sum[j]);
    }
}

// These values are stored in users' tables and must never change.
TEST(RandomProjection, FrozenFingerprints)
{
    EXPECT_EQ(fingerprint({1}), 0xBA4EE8B2C1B33B38u);
    EXPECT_EQ(fingerprint({1, 2, 3}), 0xE34BC8E734323F96u);
    EXPECT_EQ(fingerprint({-1, -2, -3}), ~Fingerprint{0xE34BC8E734323F96u});
    EXPECT_EQ(fingerprint({1, 2, 3}, 1), 0x91EF07077231B821u);
    std::vector<float> vector(1536);
    for (int i = 0; i < 1536; i++)
        vector[static_cast<std::size_t>(i)] = static_cast<float>((i + 1) * 7919 % 1009 - 500);
    EXPECT_EQ(fingerprint(vector), 0xB8903A337E7B98EFu);
    EXPECT_EQ(weights_fingerprint(project({1, 2, 3}, 0, 3, 1)), 0xC52659AE6DEE0A58u);
    EXPECT_EQ(weights_fingerprint(project({1, 2, 3}, 1, 3, 3)), 0x303CD77F2F4B49BCu);
}

TEST(RandomProjection, NoDirection)
{
    Weights weights;
    RandomProjection projection(0);
    EXPECT_FALSE(projection.finish(&weights));
    const float zeros[] = {0, -0.0f};
    projection.add(zeros, 2);
    EXPECT_FALSE(projection.finish(&weights));
    const float last[] = {1};
    projection.add(last, 1);
    ASSERT_TRUE(projection.finish(&weights));
    EXPECT_NE(weights_fingerprint(weights), fingerprint({1})) << "it is the third dimension";
}

TEST(RandomProjection, Extremes)
{
    float largest = std::numeric_limits<float>::max();
    float smallest = std::numeric_limits<float>::denorm_min();
    EXPECT_EQ(fingerprint({largest, -largest}), fingerprint({1, -1}));
    EXPECT_EQ(fingerprint({smallest, -smallest}), fingerprint({1, -1}));
    EXPECT_EQ(fingerprint(std::vector<float>(kDimensionsMax, largest)),
              fingerprint(std::vector<float>(kDimensionsMax, 1.0f)));
}

// The share of differing bits is proportional to the angle (Charikar 2002).
TEST(RandomProjection, Angles)
{
    for (int degrees : {0, 10, 30, 60, 90, 150}) {
        double angle = degrees * 3.14159265358979 / 180;
        double differ = 0;
        constexpr int kSeeds = 500;
        for (std::uint64_t seed = 0; seed < kSeeds; seed++)
            differ += hamming_distance(
                fingerprint({1, 0}, seed),
                fingerprint({static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))},
                            seed));
        EXPECT_NEAR(differ / kSeeds, 64.0 * degrees / 180, 0.6) << degrees;
    }
}

} // namespace
} // namespace simhash
