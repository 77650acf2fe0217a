#include <random>

#include <gtest/gtest.h>

#include "profiles/numpy_random.hpp"

namespace simhash
{
namespace
{

constexpr std::uint64_t kMost = (std::uint64_t{1} << 61) - 2;

TEST(NumpyRandom, MersenneTwister)
{
    for (std::uint32_t seed : {0u, 1u, 42u, UINT32_MAX}) {
        MersenneTwister twister(seed);
        std::mt19937 same(seed);
        for (int i = 0; i < 2000; i++)
            EXPECT_EQ(twister(), same());
    }
}

// The values are those of NumPy 1.24.
TEST(NumpyRandom, Words64)
{
    NumpyRandom random(1);
    EXPECT_EQ(random.below64(kMost), 775169054918279403u);
    EXPECT_EQ(random.below64(kMost), 1758426461858698312u);
    EXPECT_EQ(random.below64(kMost), 2109959069025161u);
    NumpyRandom last(UINT32_MAX);
    EXPECT_EQ(last.below64(kMost), 1800993050274709794u);
    for (int i = 0; i < 1998; i++)
        last.below64(kMost);
    EXPECT_EQ(last.below64(kMost), 1004799817006146743u);
}

TEST(NumpyRandom, Words32)
{
    NumpyRandom random(1);
    for (std::uint32_t expected : {1791095845u, 4282876139u, 3093770124u})
        EXPECT_EQ(random.below32(UINT32_MAX - 5), expected);
    NumpyRandom rejects(1);
    for (std::uint32_t expected : {5u, 3u, 4u, 0u, 1u, 3u, 5u, 0u, 0u})
        EXPECT_EQ(rejects.below32(5), expected);
}

// An array of five leaves half a draw over, which the next array does not use.
TEST(NumpyRandom, Words16)
{
    NumpyRandom random(1);
    for (unsigned expected : {62501u, 27329u, 33003u, 65351u, 12172u})
        EXPECT_EQ(random.below16(UINT16_MAX - 15), expected);
    random.start_array();
    for (unsigned expected : {5192u, 61116u, 32511u})
        EXPECT_EQ(random.below16(UINT16_MAX - 15), expected);
    NumpyRandom rejects(1);
    for (unsigned expected : {5u, 1u, 3u, 4u, 0u, 4u, 1u, 4u, 3u})
        EXPECT_EQ(rejects.below16(5), expected);
}

} // namespace
} // namespace simhash
