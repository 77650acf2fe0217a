#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/bits/feature_hash.hpp"
#include "core/features/feature_counts.hpp"
#include "core/features/term_frequency.hpp"

namespace simhash
{
namespace
{

// The vectors of XXH3's own specification and tools.
TEST(FeatureHash, KnownAnswers)
{
    EXPECT_EQ(feature_hash("", 0), 0x2D06800538D394C2u);
    EXPECT_EQ(feature_hash("a", 1), 0xE6C632B61E964E1Fu);
    EXPECT_EQ(feature_hash("abc", 3), 0x78AF5F94892F3950u);
    EXPECT_EQ(feature_hash("\xE6\x9D\xB1\xE4\xBA\xAC", 6), 0x469B7AB5870CF9B6u);
}

TEST(FeatureHash, OfANumberIsThatOfItsDigits)
{
    for (std::int64_t number : {std::int64_t{0}, std::int64_t{7}, std::int64_t{-1}, INT64_MIN, INT64_MAX}) {
        std::string digits = std::to_string(number);
        EXPECT_EQ(number_hash(number), feature_hash(digits.data(), digits.size())) << number;
    }
}

TEST(TermFrequency, IsOnePlusItsLogarithm)
{
    // round(256 * (1 + ln tf))
    struct {
        std::uint32_t tf, weight;
    } const cases[] = {
        {1, 256},
        {2, 433},
        {3, 537},
        {4, 611},
        {10, 845},
        {63, 1317},
        {64, 1321},
        {100, 1435},
        {1000, 2024},
        {65535, 3095},
        {65536, 3095},
        {1000000, 3793},
        {4294967295u, 5934},
    };
    for (const auto &c : cases)
        EXPECT_EQ(logarithmic_weight(c.tf), c.weight) << c.tf;
    for (std::uint32_t tf = 2; tf < 100000; tf++)
        ASSERT_GE(logarithmic_weight(tf), logarithmic_weight(tf - 1));
}

TEST(FeatureCounts, SumsEqualOneByOneAddition)
{
    std::mt19937_64 random(3);
    for (std::size_t distinct : {1u, 2u, 127u, 128u, 129u, 1000u, 70000u}) {
        std::vector<FeatureCount> slots(1 << 18);
        FeatureCounts counts;
        TableSalts salts(random());
        counts.init(slots.data(), slots.size(), &salts);
        Weights expected = {};
        for (std::size_t i = 0; i < distinct; i++) {
            std::uint64_t hash = i == 0 ? 0 : random(); // 0 is a hash like any other
            std::uint32_t tf = 1 + static_cast<std::uint32_t>(random() % 5);
            for (std::uint32_t k = 0; k < tf; k++)
                counts.add(hash, 1);
            Weight weight = Weight{logarithmic_weight(tf)} << kLogarithmicShift;
            ASSERT_TRUE(add_feature(&expected, hash, weight));
        }
        EXPECT_EQ(counts.size(), distinct);
        Weights sum = {};
        counts.add_logarithmic(0, counts.capacity(), {&sum, 1});
        for (int j = 0; j < kBits; j++)
            ASSERT_EQ(sum.sum[j], expected.sum[j]) << distinct;
    }
}

// A table that grows, and how many slots its additions have passed.
class GrowingTable
{
public:
    explicit GrowingTable(TableSalts *salts, std::size_t capacity = 4) : slots_(capacity)
    {
        counts_.init(slots_.data(), capacity, salts);
    }

    void add(std::uint64_t hash, std::uint64_t times = 1)
    {
        if (counts_.full())
            grow();
        counts_.add(hash, times);
        passed_ += counts_.displacement(hash);
        added_++;
    }

    void add_from(const GrowingTable &other)
    {
        for (const FeatureCount &slot : other.slots_)
            if (slot.count != 0)
                add(slot.hash, slot.count);
    }

    double passed() const { return static_cast<double>(passed_) / static_cast<double>(added_); }
    const FeatureCounts &operator*() const { return counts_; }
    const FeatureCounts *operator->() const { return &counts_; }

private:
    void grow()
    {
        std::size_t before = counts_.capacity();
        slots_.resize(2 * before, {1, 1}); // growth clears what is new
        std::size_t first = counts_.begin_growth(slots_.data());
        counts_.grow(first, first + before / 3);
        counts_.grow(first + before / 3, first + before);
    }

    std::vector<FeatureCount> slots_;
    FeatureCounts counts_;
    std::size_t passed_ = 0, added_ = 0;
};

TEST(FeatureCounts, Grow)
{
    std::mt19937_64 random(5);
    for (int round = 0; round < 200; round++) {
        TableSalts salts(random());
        GrowingTable table(&salts);
        std::map<std::uint64_t, std::uint64_t> expected;
        for (std::size_t i = 0; i < (round == 0 ? 100000u : 400u); i++) {
            std::uint64_t hash = random() % 8 == 0 && !expected.empty() ? expected.begin()->first : random();
            std::uint64_t times = 1 + random() % 3;
            table.add(hash, times);
            expected[hash] += times;
        }
        ASSERT_EQ(table->size(), expected.size());
        for (const auto &[hash, times] : expected)
            ASSERT_EQ(table->find(hash).count, times);
    }
}

// The features of a table come in the order of their slots. Wherever they are added, each passes a few slots: with
// random places, at most 2.5 on average in a table that is three quarters full, and less in one that grows.
TEST(FeatureCounts, MergingIsLinear)
{
    constexpr double kMost = 3;
    std::mt19937_64 random(6);
    TableSalts salts(random());
    auto random_table = [&](std::size_t features) {
        GrowingTable table(&salts);
        for (std::size_t i = 0; i < features; i++)
            table.add(random());
        EXPECT_LT(table.passed(), kMost);
        return table;
    };
    for (std::size_t features : {90000u, 100000u, 190000u}) {
        GrowingTable document = random_table(features);
        GrowingTable sum(&salts);
        sum.add_from(document);
        EXPECT_LT(sum.passed(), kMost) << "into an empty table";
        sum.add_from(random_table(features));
        sum.add_from(document);
        EXPECT_LT(sum.passed(), kMost) << "into one that grows again, and features that are there";
        GrowingTable half = random_table(document->capacity() * 2 / 5);
        half.add_from(document);
        EXPECT_LT(half.passed(), kMost) << "into one of the same capacity";
        GrowingTable copy(&salts, document->capacity());
        copy.add_from(sum);
        EXPECT_LT(copy.passed(), kMost) << "into one with room for some";
    }
}

// Hashes may be given by the user, who does not know the salt. Multiples of a number pass more slots than random ones with
// some salts, but not a part of all.
TEST(FeatureCounts, ChosenHashes)
{
    constexpr double kMost = 200;
    std::mt19937_64 random(7);
    TableSalts salts(random());
    for (int shift = 0; shift <= 48; shift++) {
        GrowingTable low(&salts), high(&salts);
        for (std::uint64_t i = 0; i < 1 << 16; i++) {
            low.add(i << shift);
            high.add(~(i << shift));
        }
        EXPECT_LT(low.passed(), kMost) << shift;
        EXPECT_LT(high.passed(), kMost) << shift;
    }
}

TEST(FeatureCounts, Saturate)
{
    TableSalts salts(9);
    GrowingTable table(&salts);
    table.add(1, 1);
    table.add(2, 5);
    EXPECT_FALSE(table->full());
    table.add(3, std::uint64_t{1} << 40);
    EXPECT_TRUE(table->full());
    Weights sum = {};
    table->add_logarithmic(0, table->capacity(), {&sum, 1});
    EXPECT_EQ(-sum.sum[63], Weight{256 + 668 + 5934} << kLogarithmicShift);
}

} // namespace
} // namespace simhash
