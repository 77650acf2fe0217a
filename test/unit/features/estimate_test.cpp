#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "core/features/minhash_sketch.hpp"

namespace simhash
{
namespace
{

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(EstimateTest, DecreasesFromOneToMinusOne)
{
    for (int bits : {1, 2, 3, 64, 100, 255, 256, 1000, 1024, 4095, 4096}) {
        EXPECT_EQ(similarity_estimate(0, bits), 1);
        EXPECT_EQ(similarity_estimate(bits, bits), -1);
        for (int h = 1; h <= bits; h++)
            ASSERT_LT(similarity_estimate(h, bits), similarity_estimate(h - 1, bits)) << h << " of " << bits;
    }
}

// The nearest number to the exact value, as a literal is.
TEST(EstimateTest, IsRoundedOnce)
{
    EXPECT_EQ(similarity_estimate(100, 1000), 0.8);
    EXPECT_EQ(similarity_estimate(350, 1000), 0.3);
    EXPECT_EQ(similarity_estimate(35, 100), 0.3);
    EXPECT_EQ(similarity_estimate(1365, 4095), 1 / 3.0);
}

// The largest distance whose estimate is at least the threshold, by trying all.
int tried_radius(double similarity, int bits)
{
    int radius = -1;
    for (int h = 0; h <= bits; h++)
        if (similarity_estimate(h, bits) >= similarity)
            radius = h;
    return radius;
}

TEST(RadiusTest, AgreesWithTheEstimateAtEveryBoundary)
{
    for (int bits : {1, 2, 3, 64, 65, 100, 256, 300, 1000}) {
        for (int h = 0; h <= bits; h++) {
            const double at = similarity_estimate(h, bits);
            ASSERT_EQ(similarity_radius(at, bits), h);
            ASSERT_EQ(similarity_radius(std::nextafter(at, 2), bits), h - 1);
            ASSERT_EQ(similarity_radius(std::nextafter(at, -2), bits), h);
            ASSERT_EQ(similarity_radius(static_cast<double>(static_cast<float>(at)), bits),
                      tried_radius(static_cast<double>(static_cast<float>(at)), bits));
        }
        for (int i = -300; i <= 300; i++)
            ASSERT_EQ(similarity_radius(i / 250.0, bits), tried_radius(i / 250.0, bits));
    }
}

TEST(RadiusTest, TakesEveryNumber)
{
    EXPECT_EQ(similarity_radius(kNan, 256), -1);
    EXPECT_EQ(similarity_radius(kInfinity, 256), -1);
    EXPECT_EQ(similarity_radius(-kInfinity, 256), 256);
    EXPECT_EQ(similarity_radius(1.0000001, 256), -1);
    EXPECT_EQ(similarity_radius(-1, 256), 256);
    EXPECT_EQ(similarity_radius(-0.0, 256), 128);
}

// Probabilities of the numbers of bits that differ, by adding one bit at a time.
std::vector<long double> binomial(int bits, long double p)
{
    std::vector<long double> shares = {1};
    for (int n = 1; n <= bits; n++) {
        shares.push_back(0);
        for (std::size_t k = shares.size(); k-- > 0;)
            shares[k] = shares[k] * (1 - p) + (k > 0 ? shares[k - 1] * p : 0);
    }
    return shares;
}

// The probability that at most `radius` bits differ, and that more do.
struct Tails {
    long double inside = 0, outside = 0;
};

Tails tails(const std::vector<long double> &shares, int radius)
{
    Tails sums;
    for (std::size_t k = 0; k < shares.size(); k++)
        (static_cast<int>(k) <= radius ? sums.inside : sums.outside) += shares[k];
    return sums;
}

TEST(RecallRadiusTest, IsTheSmallestThatReachesTheRecall)
{
    for (int bits : {1, 2, 7, 64, 255, 256, 1024, 4096})
        for (double similarity : {0.0, 0.3, 0.5, 0.8, 0.9, 0.99, 0.999999}) {
            const auto shares = binomial(bits, (1 - similarity) / 2.0L);
            for (double recall : {1e-200, 0.001, 0.1, 0.49, 0.51, 0.8, 0.9, 0.95, 0.99, 0.999999, 1 - 1e-9}) {
                const int radius = recall_radius(similarity, bits, recall);
                const Tails at = tails(shares, radius), before = tails(shares, radius - 1);
                ASSERT_GE(radius, 0);
                ASSERT_LE(radius, bits);
                EXPECT_TRUE(at.inside >= recall * (1 - 1e-11L) && at.outside <= (1 - recall) * (1 + 1e-11L) &&
                            (recall < 0.5 ? before.inside < recall * (1 + 1e-11L)
                                          : before.outside > (1 - recall) * (1 - 1e-11L)))
                    << bits << " bits, similarity " << similarity << ", recall " << recall;
            }
        }
}

TEST(RecallRadiusTest, ReachesRecallsThatAreExact)
{
    EXPECT_EQ(recall_radius(0, 255, 0.5), 127); // by symmetry
    EXPECT_EQ(recall_radius(0, 1, 0.5), 0);
    EXPECT_EQ(recall_radius(0.5, 1, 0.75), 0);
    EXPECT_EQ(recall_radius(0.5, 2, 0.5625), 0);
    EXPECT_EQ(recall_radius(0.5, 2, 0.9375), 1);
}

TEST(RecallRadiusTest, Ends)
{
    EXPECT_EQ(recall_radius(1, 256, 1), 0);
    EXPECT_EQ(recall_radius(1, 256, 0.5), 0);
    EXPECT_EQ(recall_radius(0.8, 256, 1), 256);
    EXPECT_EQ(recall_radius(0.8, 256, 0), 0);
}

} // namespace
} // namespace simhash
