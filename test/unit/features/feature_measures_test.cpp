#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "stored_vector.hpp"

namespace simhash
{
namespace
{

constexpr Weight kLargest = INT64_MAX;

class Table
{
public:
    explicit Table(std::size_t capacity = 1024, std::uint64_t salt = 1) : slots_(capacity)
    {
        TableSalts salts(salt);
        counts_.init(slots_.data(), capacity, &salts);
    }
    FeatureCounts &operator*() { return counts_; }
    FeatureCounts *operator->() { return &counts_; }

    void grow()
    {
        slots_.resize(2 * slots_.size());
        std::size_t first = counts_.begin_growth(slots_.data());
        counts_.grow(first, first + slots_.size() / 2);
    }

private:
    std::vector<FeatureCount> slots_;
    FeatureCounts counts_;
};

// The features of a table, in its order.
StoredVector stored(const FeatureCounts &counts, bool weighted)
{
    std::vector<FeatureCount> rows;
    for (const FeatureCount *slot = counts.slots(); slot < counts.slots() + counts.capacity(); slot++)
        if (slot->count != 0)
            rows.push_back(*slot);
    return StoredVector(weighted, rows);
}

ProductSum products(const FeatureCounts &a, const FeatureCounts &b)
{
    return sum_products(stored(a, true).vector, stored(b, true).vector);
}

double cosine_of(const FeatureCounts &a, const FeatureCounts &b)
{
    double value = NAN;
    EXPECT_TRUE(cosine(products(a, b), products(a, a), products(b, b), &value));
    return value;
}

TEST(Measures, CommonFeatures)
{
    std::mt19937_64 random(5);
    for (std::size_t shared : {0u, 1u, 100u, 300u}) {
        Table a(1024, random());
        Table b(2048, random()); // another salt: the tables have nothing in common but features
        a->add(0, 3);
        b->add(shared == 0 ? 1 : 0, 1); // 0 is a hash like any other
        for (std::size_t i = 1; i < shared; i++) {
            std::uint64_t hash = random();
            a->add(hash, 1 + i % 3);
            b->add(hash, 1 + i % 2);
        }
        for (std::size_t i = 0; i < 300; i++) {
            a->add(random(), 1);
            b->add(random(), 1);
        }
        EXPECT_EQ(count_common(stored(*a, false).vector, stored(*b, false).vector), shared);
        EXPECT_EQ(count_common(stored(*b, false).vector, stored(*a, true).vector), shared);
    }
}

TEST(Measures, WeightsAreAdded)
{
    std::mt19937_64 random(6);
    Table table;
    std::map<std::uint64_t, Weight> expected;
    for (int i = 0; i < 2000; i++) {
        std::uint64_t hash = random() % 500;
        Weight weight = static_cast<Weight>(random()) >> 8;
        expected[hash] += weight;
        ASSERT_TRUE(table->add_weight(hash, weight));
    }
    EXPECT_EQ(table->size(), expected.size());
    for (auto [hash, weight] : expected)
        EXPECT_EQ(slot_weight(table->find(hash)), weight);
    EXPECT_EQ(table->find(500).count, 0u);
    table.grow();
    for (auto [hash, weight] : expected)
        EXPECT_EQ(slot_weight(table->find(hash)), weight);
}

TEST(Measures, WeightsOutOfRange)
{
    struct {
        Weight first, second;
        bool fits;
    } const cases[] = {
        {kLargest, 0, true},   {kLargest, 1, false},          {kLargest, -kLargest, true},
        {-kLargest, 0, true},  {-kLargest, -1, false},        {-kLargest, -2, false},
        {INT64_MIN, 0, false}, {-kLargest, -kLargest, false}, {1 - kLargest, -1, true},
    };
    for (const auto &c : cases) {
        Table table(8);
        bool fits = table->add_weight(1, c.first) && table->add_weight(1, c.second);
        EXPECT_EQ(fits, c.fits) << c.first << ' ' << c.second;
        if (fits) {
            EXPECT_EQ(slot_weight(table->find(1)), c.first + c.second);
        }
    }
}

TEST(ProductSum, IsExact)
{
    std::mt19937_64 random(7);
    for (int bits : {1, 20, 31, 52, 60}) {
        ProductSum sum;
        ProductSum opposite;
        __extension__ __int128 expected = 0;
        for (int i = 0; i < 100; i++) {
            Weight a = static_cast<Weight>(random()) >> (63 - bits);
            Weight b = static_cast<Weight>(random()) >> (63 - bits);
            sum.add(a, b);
            opposite.add(-a, b);
            expected += static_cast<__int128>(a) * b;
            ASSERT_LE(std::abs(sum.value() - static_cast<double>(expected)),
                      0x1p-52 * std::abs(static_cast<double>(expected)));
            ASSERT_EQ(opposite.value(), -sum.value());
        }
    }
}

TEST(ProductSum, DigitsCancelOut)
{
    ProductSum sum;
    sum.add(1, -1);
    EXPECT_EQ(sum.value(), -1); // -2^64 and 2^64 - 1
    sum.add(kLargest, kLargest);
    sum.add(kLargest, kLargest);
    sum.add(kLargest, kLargest); // more than 2^127
    EXPECT_EQ(sum.value(), 3 * 0x1p126);
    sum.add(-kLargest, kLargest);
    sum.add(kLargest, -kLargest);
    sum.add(kLargest, -kLargest);
    EXPECT_EQ(sum.value(), -1);
    sum.add(1, 1);
    EXPECT_EQ(sum.value(), 0);
    for (int i = 0; i < 1000; i++)
        sum.add(-kLargest, kLargest);
    EXPECT_EQ(sum.value(), -1000 * 0x1p126);
    ProductSum multiple;
    multiple.add(-(Weight{1} << 62), 4); // -2^64, with nothing below
    EXPECT_EQ(multiple.value(), -0x1p64);
}

TEST(Cosine, OfConstructedVectors)
{
    Table a;
    Table b;
    double value = 0;
    EXPECT_FALSE(cosine(products(*a, *b), products(*a, *a), products(*b, *b), &value));
    ASSERT_TRUE(a->add_weight(1, 3) && a->add_weight(2, 4));
    EXPECT_FALSE(cosine(products(*a, *b), products(*a, *a), products(*b, *b), &value));
    EXPECT_FALSE(cosine(products(*b, *a), products(*b, *b), products(*a, *a), &value));
    ASSERT_TRUE(b->add_weight(2, 4) && b->add_weight(1, -3));
    EXPECT_EQ(cosine_of(*a, *b), 7 / 25.0);
    ASSERT_TRUE(b->add_weight(1, 3)); // a weight of 0
    EXPECT_EQ(cosine_of(*a, *b), 4 / 5.0);
    ASSERT_TRUE(a->add_weight(0, 12)); // b does not have it
    EXPECT_EQ(cosine_of(*a, *b), 4 / 13.0);
    ASSERT_TRUE(b->add_weight(7, 3)); // a does not have it
    EXPECT_EQ(cosine_of(*a, *b), 16 / (5 * 13.0));
    ASSERT_TRUE(b->add_weight(2, -4) && b->add_weight(7, -3));
    EXPECT_FALSE(cosine(products(*a, *b), products(*a, *a), products(*b, *b), &value));
}

TEST(Cosine, IsSymmetricAndKeepsItsRange)
{
    std::mt19937_64 random(8);
    for (int round = 0; round < 1000; round++) {
        Table a(64, random());
        Table b(128, random());
        Table negative(128, random());
        Weight scale = 1 + static_cast<Weight>(random() % 1000);
        int shift = static_cast<int>(random() % 50);
        for (std::uint64_t hash = 0; hash < 20; hash++) {
            Weight weight = static_cast<Weight>(random()) >> (13 + shift);
            Weight other = round % 2 == 0 ? weight * scale : static_cast<Weight>(random()) >> 20;
            ASSERT_TRUE(a->add_weight(hash, weight) && b->add_weight(hash, other) &&
                        negative->add_weight(hash, -other));
        }
        double value = cosine_of(*a, *b);
        EXPECT_EQ(value, cosine_of(*b, *a));
        EXPECT_EQ(value, -cosine_of(*a, *negative));
        EXPECT_EQ(cosine_of(*a, *a), 1);
        EXPECT_LE(std::abs(value), 1);
        if (round % 2 == 0) {
            EXPECT_NEAR(value, 1, 1e-15);
        }
    }
}

// On every platform.
TEST(Cosine, KnownAnswer)
{
    std::mt19937_64 random(9);
    Table a;
    Table b;
    for (int i = 0; i < 500; i++) {
        std::uint64_t hash = random() % 300;
        ASSERT_TRUE(a->add_weight(hash, static_cast<Weight>(random()) >> 10));
        ASSERT_TRUE(b->add_weight(hash ^ (i & 1), static_cast<Weight>(random()) >> 30));
        ASSERT_TRUE(b->add_weight(hash, 1 << 30));
    }
    EXPECT_EQ(cosine_of(*a, *b), -0x1.8fcc04b7982a8p-7);
}

TEST(Cosine, OfSums)
{
    Weights a = {}, b = {};
    double value = 0;
    EXPECT_FALSE(weights_cosine(a, b, &value));
    EXPECT_FALSE(weights_cosine(a, Fingerprint{5}, &value));
    a.sum[0] = 3, a.sum[63] = -4;
    EXPECT_FALSE(weights_cosine(a, b, &value));
    b.sum[0] = 8, b.sum[63] = 6;
    ASSERT_TRUE(weights_cosine(a, b, &value));
    EXPECT_EQ(value, 0);
    b.sum[63] = 0, b.sum[5] = -6;
    ASSERT_TRUE(weights_cosine(a, b, &value));
    EXPECT_EQ(value, 24 / 50.0);
    // Bits of sums that are 0 do not count.
    const Fingerprint bits = weights_fingerprint(a);
    ASSERT_TRUE(weights_cosine(a, bits, &value));
    EXPECT_EQ(value, 1);
    ASSERT_TRUE(weights_cosine(a, bits ^ 2, &value));
    EXPECT_EQ(value, 1);
    ASSERT_TRUE(weights_cosine(a, bits ^ 1, &value));
    EXPECT_DOUBLE_EQ(value, (16 - 9) / 25.0);
    ASSERT_TRUE(weights_cosine(a, ~bits, &value));
    EXPECT_EQ(value, -1);
    a.sum[7] = std::numeric_limits<Weight>::min();
    ASSERT_TRUE(weights_cosine(a, weights_fingerprint(a) ^ 128, &value));
    EXPECT_EQ(value, -1);
}

} // namespace
} // namespace simhash
