#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "core/features/bands.hpp"

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

TEST(Bands, Probability)
{
    EXPECT_DOUBLE_EQ(band_probability(0.5, 1, 1), 0.5);
    EXPECT_DOUBLE_EQ(band_probability(0.5, 2, 2), 1 - 0.75 * 0.75);
    EXPECT_EQ(band_probability(0, 10, 3), 0);
    EXPECT_EQ(band_probability(1, 1, 4096), 1);
    EXPECT_NEAR(band_probability(1e-10, 1, 20) / 1e-200, 1, 1e-12);
    EXPECT_NEAR(band_probability(1e-10, 4, 2) / 4e-20, 1, 1e-12);
}

// Against trying every number of rows.
TEST(Bands, Rows)
{
    for (double similarity : {0.0, 0.1, 0.5, 0.8, 0.99, 1.0})
        for (int size : {1, 2, 3, 10, 127, 128, 1000})
            for (double recall : {0.0, 0.01, 0.5, 0.9, 0.999, 1.0}) {
                int most = 0;
                for (int rows = 1; rows <= size; rows++)
                    if (band_probability(similarity, size / rows, rows) >= recall)
                        most = rows;
                EXPECT_EQ(band_rows(similarity, size, recall), most)
                    << similarity << ' ' << size << ' ' << recall;
            }
}

} // namespace
} // namespace simhash
