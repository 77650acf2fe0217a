#include "core/report/report_figures.hpp"

#include <algorithm>
#include <cmath>
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

BitRows fingerprints(const std::vector<Fingerprint> &rows) { return {rows.data(), rows.size(), kBits}; }

DistanceCounts count_all(const std::vector<Fingerprint> &rows)
{
    DistanceCounts counts = {};
    for (std::size_t i = 0; i < rows.size(); i++)
        add_distances(fingerprints(rows), i, &counts);
    return counts;
}

void fit(const std::vector<Fingerprint> &rows, double within[kBits + 1])
{
    double ones[kBits];
    measure_ones(fingerprints(rows), ones);
    fit_chance(count_all(rows), ones, kBits, within);
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
    measure_ones(fingerprints(rows), ones);
    EXPECT_NEAR(informative_bits(ones, kBits), 64, 0.1);
    for (Fingerprint &row : rows)
        row = (row & 0xffff) | 0xff00000000000000;
    measure_ones(fingerprints(rows), ones);
    EXPECT_NEAR(informative_bits(ones, kBits), 16, 0.1);
    EXPECT_EQ(ones[63], 1);
    EXPECT_EQ(ones[40], 0);
    measure_ones({nullptr, 0, kBits}, ones);
    EXPECT_EQ(informative_bits(ones, kBits), 0);
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

TEST(CollectionReport, Signatures)
{
    constexpr int kSignature = 200; // 150 of them uniform
    std::mt19937_64 random(2);
    std::vector<std::uint64_t> word;
    for (int i = 0; i < 2000; i++) {
        for (std::uint64_t mask :
             {~std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{0x3fffff}, std::uint64_t{0}})
            word.push_back(random() & mask);
    }
    BitRows rows = {word.data(), 2000, kSignature};
    double ones[kSignature], within[kSignature + 1];
    measure_ones(rows, ones);
    EXPECT_NEAR(informative_bits(ones, kSignature), 150, 0.2);
    EXPECT_NEAR(ones[127], 0.5, 0.1);
    EXPECT_NEAR(ones[149], 0.5, 0.1);
    EXPECT_EQ(ones[150], 0);
    DistanceCounts counts = {};
    for (std::size_t i = 0; i < rows.count; i++)
        add_distances(rows, i, &counts);
    EXPECT_EQ(counts.pairs, 2000.0 * 1999 / 2);
    double mean = 0, binomial = 0, choose = std::exp2(-150);
    for (int d = 0; d <= kSignature; d++)
        mean += d * counts.at[d] / counts.pairs;
    EXPECT_NEAR(mean, 75, 0.1);
    fit_chance(counts, ones, kSignature, within);
    for (int d = 0; d <= 75; d++) {
        binomial += choose;
        choose *= (150.0 - d) / (d + 1);
        EXPECT_NEAR(within[d] / binomial, 1, 0.5) << d;
    }
    EXPECT_NEAR(within[kSignature], 1, 1e-6);
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

TEST(CollectionReport, CountedPairsRaiseTheModel)
{
    DistanceCounts counts = {};
    counts.pairs = 1e6;
    const double at[] = {500, 0, 90, 80, 20, 30, 60, 40, 0};
    std::copy(std::begin(at), std::end(at), counts.at);
    double within[kBits + 1] = {}, pairs[kBits + 1] = {};
    within[8] = within[9] = 300e-6; // more than counted
    raise_chance(counts, kBits, 3, within, pairs);
    // Within the distance at most as many as at the next greater one.
    const double counted[] = {0, 0, 20, 40, 60, 90, 150, 190, 0};
    for (int r = 0; r < 9; r++) {
        EXPECT_EQ(pairs[r], counted[r]) << r;
        EXPECT_DOUBLE_EQ(within[r], r == 8 ? 300e-6 : counted[r] * 1e-6) << r;
    }
    EXPECT_DOUBLE_EQ(within[10], 300e-6);
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
