#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "core/features/weights_format.hpp"

namespace simhash
{
namespace
{

using Bytes = std::uint8_t[kStoredWeightsMax];

void expect_round_trip(const Weights &weights, std::size_t size, int shift, int width)
{
    Bytes bytes;
    ASSERT_EQ(pack_weights(weights, bytes), size);
    EXPECT_EQ(bytes[0], 1);
    EXPECT_EQ(bytes[1], shift);
    EXPECT_EQ(bytes[2], width);
    EXPECT_EQ(bytes[3], 0);
    Weights read = {};
    ASSERT_TRUE(unpack_weights(bytes, size, &read));
    EXPECT_EQ(std::memcmp(&read, &weights, sizeof(read)), 0);

    std::uint8_t external[kExternalWeightsSize];
    write_external_weights(weights, external);
    Weights received = {};
    ASSERT_TRUE(read_external_weights(external, &received));
    EXPECT_EQ(std::memcmp(&received, &weights, sizeof(received)), 0);
}

TEST(WeightsFormat, PacksIntoTheLeastWidth)
{
    Weights weights = {};
    expect_round_trip(weights, 4 + 64, 0, 1);
    weights.sum[63] = kWeightOne;
    expect_round_trip(weights, 4 + 64, 24, 1);
    weights.sum[0] = -128 * kWeightOne;
    expect_round_trip(weights, 4 + 64, 24, 1);
    weights.sum[0] = 128 * kWeightOne;
    expect_round_trip(weights, 4 + 128, 24, 2);
    weights.sum[5] = kWeightOne / 256;
    expect_round_trip(weights, 4 + 256, 16, 4);
    weights.sum[0] = 127 * kWeightOne;
    expect_round_trip(weights, 4 + 128, 16, 2);
    weights.sum[1] = 1;
    expect_round_trip(weights, 4 + 256, 0, 4);
    weights.sum[2] = std::numeric_limits<Weight>::max();
    expect_round_trip(weights, 4 + 512, 0, 8);
    for (Weight &weight : weights.sum)
        weight = std::numeric_limits<Weight>::min();
    expect_round_trip(weights, 4 + 64, 63, 1);
}

// What is stored in tables stays readable.
TEST(WeightsFormat, KnownBytes)
{
    Weights weights = {};
    for (int j = 0; j < kBits; j++)
        weights.sum[j] = (j - 32) * kWeightOne / 2;
    Bytes bytes;
    ASSERT_EQ(pack_weights(weights, bytes), 68u);
    EXPECT_EQ(bytes[1], 23);
    EXPECT_EQ(bytes[4], 0xE0);
    EXPECT_EQ(bytes[4 + 31], 0xFF);
    EXPECT_EQ(bytes[4 + 32], 0x00);
    EXPECT_EQ(bytes[4 + 63], 0x1F);

    std::uint8_t external[kExternalWeightsSize];
    write_external_weights(weights, external);
    const std::uint8_t first[] = {1,    0xFF, 0xFF, 0xFF, 0xFF, 0xF0, 0, 0, 0,
                                  0xFF, 0xFF, 0xFF, 0xFF, 0xF0, 0x80, 0, 0};
    EXPECT_EQ(std::memcmp(external, first, sizeof(first)), 0);
}

TEST(WeightsFormat, RefusesWhatIsNone)
{
    Weights weights = {};
    weights.sum[3] = 3;
    Bytes good;
    std::size_t size = pack_weights(weights, good);
    Weights read;
    for (std::size_t other :
         {std::size_t{0}, std::size_t{3}, std::size_t{4}, size - 1, size + 1, kStoredWeightsMax})
        EXPECT_FALSE(unpack_weights(good, other, &read)) << other;
    struct {
        int at;
        std::uint8_t value;
    } const changes[] = {{0, 0}, {0, 2}, {1, 64}, {2, 0}, {2, 2}, {2, 3}, {2, 16}, {3, 1}};
    for (const auto &change : changes) {
        Bytes bad;
        std::memcpy(bad, good, size);
        bad[change.at] = change.value;
        EXPECT_FALSE(unpack_weights(bad, size, &read)) << change.at << ' ' << int{change.value};
    }
    good[1] = 63; // 3 << 63 is not a weight
    EXPECT_FALSE(unpack_weights(good, size, &read));
    std::uint8_t external[kExternalWeightsSize] = {2};
    EXPECT_FALSE(read_external_weights(external, &read));
}

} // namespace
} // namespace simhash
