#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "core/bits/ball_volume.hpp"

namespace simhash
{
namespace
{

// Pascal's triangle, divided by 2 in each row.
double summed_volume(int bits, int radius)
{
    std::vector<double> shells = {1};
    for (int n = 1; n <= bits; n++) {
        shells.push_back(0);
        for (int i = n; i >= 0; i--)
            shells[static_cast<std::size_t>(i)] = (shells[static_cast<std::size_t>(i)] +
                                                   (i > 0 ? shells[static_cast<std::size_t>(i) - 1] : 0)) /
                                                  2;
    }
    double sum = 0;
    for (int i = 0; i <= radius; i++)
        sum += shells[static_cast<std::size_t>(i)];
    return sum;
}

TEST(BallVolumeTest, EqualsTheSumOfTheShells)
{
    for (int bits : {0, 1, 2, 3, 64, 65, 256, 300})
        for (int radius = 0; radius <= bits; radius++)
            EXPECT_NEAR(ball_volume(bits, radius) / summed_volume(bits, radius), 1, 1e-9)
                << radius << " of " << bits;
}

TEST(BallVolumeTest, EndsAndHalf)
{
    for (int bits : {1, 65, 4095, 2147483639}) {
        EXPECT_EQ(ball_volume(bits, -1), 0);
        EXPECT_EQ(ball_volume(bits, bits), 1);
    }
    // Of an odd number of bits, half of the strings have at most half of them set.
    EXPECT_NEAR(ball_volume(65, 32), 0.5, 1e-9);
    EXPECT_NEAR(ball_volume(4095, 2047), 0.5, 1e-6);
}

TEST(BallVolumeTest, LongStringsDoNotUnderflow)
{
    // Computed with integers.
    EXPECT_NEAR(ball_volume(1024, 300) / 2.3647300265157554e-41, 1, 1e-9);
    EXPECT_NEAR(ball_volume(4096, 1024) / 4.3295092964758454e-235, 1, 1e-9);
    EXPECT_NEAR(ball_volume(4096, 1888) / 3.069405184683343e-07, 1, 1e-9);
    EXPECT_NEAR(ball_volume(4096, 2200), 0.999999068453562, 1e-12);
    EXPECT_EQ(ball_volume(4096, 0), 0);
}

TEST(BallVolumeTest, RadiusIsTheLeastOfThatVolume)
{
    for (int bits : {1, 64, 65, 4096}) {
        EXPECT_EQ(ball_radius(bits, 2), bits);
        for (double fraction : {0.0, 1e-18, 1e-3, 0.5, 0.75, 1.0}) {
            const int radius = ball_radius(bits, fraction);
            EXPECT_GE(ball_volume(bits, radius), fraction);
            if (radius > 0) {
                EXPECT_LT(ball_volume(bits, radius - 1), fraction);
            }
        }
    }
}

} // namespace
} // namespace simhash
