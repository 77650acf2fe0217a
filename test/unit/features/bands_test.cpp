#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "core/features/minhash_sketch.hpp"

namespace simhash
{
namespace
{

// Keys are stored: they never change.
TEST(Bands, Keys)
{
    const std::uint64_t minima[] = {1, 2, 3, 4, 5, 6};
    EXPECT_EQ(band_key(0, minima, 1), 627405149472732430u);
    EXPECT_EQ(band_key(0, minima, 6), 112674454198488111u);
    EXPECT_EQ(band_key(1, minima + 3, 3), 9080658820528145499u);
    std::set<std::uint64_t> keys;
    for (std::uint64_t band = 0; band < 4096; band++)
        for (int rows = 1; rows <= 6; rows++)
            EXPECT_TRUE(keys.insert(band_key(band, minima, rows)).second);
}

} // namespace
} // namespace simhash
