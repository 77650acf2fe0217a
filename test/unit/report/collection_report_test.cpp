#include "core/report/collection_report.hpp"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace
{

using namespace simhash;

std::vector<Fingerprint> uniform(int count)
{
    std::mt19937_64 random(1);
    std::vector<Fingerprint> rows(static_cast<std::size_t>(count));
    for (Fingerprint &row : rows)
        row = random();
    return rows;
}

DistanceCounts count_all(const std::vector<Fingerprint> &rows)
{
    DistanceCounts counts = {};
    for (std::size_t i = 0; i < rows.size(); i++)
        add_distances(rows.data(), i, &counts);
    return counts;
}

void fit(const std::vector<Fingerprint> &rows, double within[kBits + 1])
{
    double ones[kBits];
    measure_ones(rows.data(), rows.size(), ones);
    fit_chance(count_all(rows), ones, within);
}

TEST(CollectionReport, CountsEachPairOnce)
{
    DistanceCounts counts = count_all({0, 1, 3, 0, ~Fingerprint{0}});
    EXPECT_EQ(counts.pairs, 10);
    EXPECT_EQ(counts.at[0], 1);
    EXPECT_EQ(counts.at[1], 3);
    EXPECT_EQ(counts.at[2], 2);
    EXPECT_EQ(counts.at[62], 1);
    EXPECT_EQ(counts.at[63], 1);
    EXPECT_EQ(counts.at[64], 2);
}

TEST(CollectionReport, InformativeBits)
{
    double ones[kBits];
    std::vector<Fingerprint> rows = uniform(10000);
    measure_ones(rows.data(), rows.size(), ones);
    EXPECT_NEAR(informative_bits(ones), 64, 0.1);
    for (Fingerprint &row : rows)
        row = (row & 0xffff) | 0xff00000000000000;
    measure_ones(rows.data(), rows.size(), ones);
    EXPECT_NEAR(informative_bits(ones), 16, 0.1);
    EXPECT_EQ(ones[63], 1);
    EXPECT_EQ(ones[40], 0);
    measure_ones(nullptr, 0, ones);
    EXPECT_EQ(informative_bits(ones), 0);
}

TEST(CollectionReport, ChanceOfUniformRowsIsBinomial)
{
    double within[kBits + 1];
    fit(uniform(3000), within);
    double binomial = 0, choose = 1;
    for (int d = 0; d <= 32; d++) {
        binomial += choose * std::exp2(-64);
        choose *= (64.0 - d) / (d + 1);
        EXPECT_NEAR(within[d] / binomial, 1, 0.5) << d;
    }
    EXPECT_NEAR(within[64], 1, 1e-6);
}

TEST(CollectionReport, DeadBitsAreNoBits)
{
    std::vector<Fingerprint> rows = uniform(3000);
    for (Fingerprint &row : rows)
        row &= 0xffff;
    double within[kBits + 1], binomial = 0, choose = 1;
    fit(rows, within);
    for (int d = 0; d <= 16; d++) {
        binomial += choose * std::exp2(-16);
        choose *= (16.0 - d) / (d + 1);
        EXPECT_NEAR(within[d] / binomial, 1, 0.3) << d;
    }
}

TEST(CollectionReport, BitsThatGoTogetherMakeNearnessLikelier)
{
    // Every bit four times: distances are multiples of 4.
    std::vector<Fingerprint> rows = uniform(3000);
    for (Fingerprint &row : rows)
        row = (row & 0xffff) * 0x0001000100010001;
    double within[kBits + 1];
    fit(rows, within);
    double exact = 0, choose = 1; // P(at most 3 of 16 bits differ)
    for (int d = 0; d <= 3; d++) {
        exact += choose * std::exp2(-16);
        choose *= (16.0 - d) / (d + 1);
    }
    EXPECT_GT(within[12], exact / 3);
    EXPECT_LT(within[12], exact * 3);
}

TEST(CollectionReport, DegenerateSamples)
{
    double within[kBits + 1];
    fit({}, within);
    EXPECT_NEAR(within[0], 1, 1e-5);
    fit(std::vector<Fingerprint>(100, 7), within);
    EXPECT_NEAR(within[0], 1, 1e-5);
    fit({0, ~Fingerprint{0}}, within);
    EXPECT_NEAR(within[63], 0, 1e-5);
    EXPECT_NEAR(within[64], 1, 1e-5);
}

TEST(CollectionReport, Buckets)
{
    TableDesign design;
    ASSERT_TRUE(make_design(3, 4, &design));
    std::uint8_t bit_order[kBits];
    for (int i = 0; i < kBits; i++)
        bit_order[i] = static_cast<std::uint8_t>(63 - i);
    KeyOrder order;
    order.set(design, bit_order);
    // The first table's header is the highest 16 bits.
    std::vector<Fingerprint> rows = {1, 2, 3, Fingerprint{1} << 48, Fingerprint{5} << 60};
    std::vector<std::uint64_t> key(rows.size());
    Buckets buckets = measure_buckets(order, 0, rows.data(), rows.size(), key.data());
    EXPECT_DOUBLE_EQ(buckets.largest, 0.6);
    EXPECT_DOUBLE_EQ(buckets.shared, 0.3);
    buckets = measure_buckets(order, 3, rows.data(), rows.size(), key.data());
    EXPECT_DOUBLE_EQ(buckets.largest, 0.4);
    EXPECT_DOUBLE_EQ(buckets.shared, 0.1);
    buckets = measure_buckets(order, 0, rows.data(), 1, key.data());
    EXPECT_DOUBLE_EQ(buckets.shared, 0);
    buckets = measure_buckets(order, 0, rows.data(), 0, key.data());
    EXPECT_DOUBLE_EQ(buckets.largest, 0);
}

} // namespace
