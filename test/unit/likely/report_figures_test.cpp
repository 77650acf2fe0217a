#include "core/bits/split_mix.hpp"
#include "core/likely/report_figures.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
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

// The chances, and how many pairs show them.
struct Chances {
    double within[kMostSignatureBits + 1];
    double pairs[kMostSignatureBits + 1];
};

Chances chances(const BitRows &rows)
{
    auto all = std::make_unique<Neighborhoods>();
    std::vector<std::uint16_t> distance(rows.count);
    for (std::size_t i = 0; i < rows.count; i++)
        add_neighborhood(rows, i, distance.data(), all.get());
    Chances chances;
    estimate_chance(*all, rows.bits, chances.within, chances.pairs);
    return chances;
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
    const Chances found = chances(fingerprints(uniform(3000)));
    double binomial = 0, choose = 1;
    for (int d = 0; d <= 32; d++) {
        binomial += choose * std::exp2(-64);
        choose *= (64.0 - d) / (d + 1);
        EXPECT_NEAR(std::log2(found.within[d] / binomial), 0, 1) << d;
        EXPECT_EQ(found.pairs[d] > 0, d > 20) << d;
    }
    EXPECT_NEAR(found.within[64], 1, 1e-6);
}

TEST(CollectionReport, DeadBitsAreNoBits)
{
    std::vector<Fingerprint> rows = uniform(3000);
    for (Fingerprint &row : rows)
        row &= 0xffff;
    const Chances found = chances(fingerprints(rows));
    double binomial = 0, choose = 1;
    for (int d = 0; d <= 16; d++) {
        binomial += choose * std::exp2(-16);
        choose *= (16.0 - d) / (d + 1);
        EXPECT_NEAR(found.within[d] / binomial, 1, 0.3) << d;
    }
}

TEST(CollectionReport, BitsThatGoTogetherMakeNearnessLikelier)
{
    // Every bit twice: distances are even.
    std::vector<Fingerprint> rows = uniform(3000);
    for (Fingerprint &row : rows)
        row = (row & 0xffffffff) * 0x0000000100000001;
    const Chances found = chances(fingerprints(rows));
    double exact = 0, choose = 1;
    for (int d = 0; d <= 32; d += 2) {
        exact += choose * std::exp2(-32);
        choose *= (32.0 - d / 2) / (d / 2 + 1);
        if (d >= 8) {
            EXPECT_NEAR(std::log2(found.within[d] / exact), 0, 1) << d;
        }
    }
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
    double ones[kSignature];
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
    const Chances found = chances(rows);
    for (int d = 0; d <= 75; d++) {
        binomial += choose;
        choose *= (150.0 - d) / (d + 1);
        if (d >= 40) {
            EXPECT_NEAR(std::log2(found.within[d] / binomial), 0, 1) << d;
        }
    }
    EXPECT_NEAR(found.within[kSignature], 1, 1e-6);
}

TEST(CollectionReport, DegenerateSamples)
{
    EXPECT_EQ(chances(fingerprints({})).within[0], 1);
    EXPECT_EQ(chances(fingerprints({7})).within[0], 1);
    EXPECT_EQ(chances(fingerprints(std::vector<Fingerprint>(100, 7))).within[0], 1);
    const Chances two = chances(fingerprints({0, ~Fingerprint{0}}));
    EXPECT_NEAR(two.within[63], 0, 1e-5);
    EXPECT_EQ(two.within[64], 1);
}

// Documents of words of a frame, words of their own, and copies of which some words are replaced.
struct Framed {
    int bits;
    int frames;
    int frame_words;
    int fewest_words, most_words;
    int copies; // of each document
};

std::ostream &operator<<(std::ostream &out, const Framed &kind)
{
    return out << kind.bits << " bits, " << kind.frames << " frames of " << kind.frame_words << " words, "
               << kind.fewest_words << " to " << kind.most_words << " words, " << kind.copies << " copies";
}

class FramedTexts : public testing::TestWithParam<Framed>
{
protected:
    void vote(std::vector<int> *sums, std::uint64_t word, int weight)
    {
        for (std::size_t bit = 0; bit < sums->size(); bit++) {
            const std::uint64_t hash = split_mix_number(word, 1 + bit / 64);
            (*sums)[bit] += hash >> bit % 64 & 1 ? weight : -weight;
        }
    }

    // A third of the words are among the commonest hundred.
    std::uint64_t any_word() { return random_() % 3 == 0 ? random_() % 100 : random_() % 20000; }

    void add_row(const std::vector<int> &sums, int document)
    {
        for (std::size_t bit = 0; bit < sums.size(); bit++) {
            if (bit % 64 == 0)
                word_.push_back(0);
            word_.back() |= static_cast<std::uint64_t>(sums[bit] >= 0) << bit % 64;
        }
        document_.push_back(document);
    }

    void make_rows(const Framed &kind)
    {
        for (int document = 0; document_.size() < 3000; document++) {
            std::vector<int> sums(static_cast<std::size_t>(kind.bits));
            const std::uint64_t frame = random_() % static_cast<std::uint64_t>(kind.frames);
            for (int i = 0; i < kind.frame_words; i++)
                vote(&sums, 1000000 + frame * 1000 + static_cast<std::uint64_t>(i), 1);
            std::vector<std::uint64_t> words(std::uniform_int_distribution<std::size_t>(
                static_cast<std::size_t>(kind.fewest_words),
                static_cast<std::size_t>(kind.most_words))(random_));
            for (std::uint64_t &word : words)
                vote(&sums, word = any_word(), 1);
            add_row(sums, document);
            for (int copy = 0; copy < kind.copies; copy++) {
                std::vector<int> edited = sums;
                for (int edits = 1 + copy % 5; edits > 0; edits--) {
                    vote(&edited, words[static_cast<std::size_t>(edits)], -1);
                    vote(&edited, any_word(), 1);
                }
                add_row(edited, document);
            }
        }
    }

    std::mt19937_64 random_{3};
    std::vector<std::uint64_t> word_;
    std::vector<int> document_;
};

TEST_P(FramedTexts, ChanceIsThatOfOtherDocuments)
{
    make_rows(GetParam());
    const BitRows ordered = {word_.data(), document_.size(), GetParam().bits};
    std::vector<std::size_t> order(ordered.count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random_);
    std::vector<std::uint64_t> word;
    for (std::size_t i : order)
        word.insert(word.end(), ordered.row(i), ordered.row(i) + ordered.words());
    const Chances found = chances({word.data(), ordered.count, ordered.bits});

    std::vector<double> others(static_cast<std::size_t>(ordered.bits) + 1);
    double pairs = 0;
    for (std::size_t a = 0; a < ordered.count; a++) {
        for (std::size_t b = 0; b < a; b++) {
            int distance = 0;
            for (std::size_t i = 0; i < ordered.words(); i++)
                distance += std::popcount(ordered.row(a)[i] ^ ordered.row(b)[i]);
            others[static_cast<std::size_t>(distance)] += document_[a] != document_[b];
            pairs++;
        }
    }
    double sum = 0;
    int compared = 0;
    for (int r = 0; r <= ordered.bits; r++) {
        sum += others[static_cast<std::size_t>(r)];
        if (sum >= 50 * (1 + GetParam().copies)) {
            EXPECT_NEAR(std::log2(found.within[r] / (sum / pairs)), 0, 1) << r;
            compared += sum < 0.001 * pairs;
        }
    }
    EXPECT_GE(compared, 3);
}

INSTANTIATE_TEST_SUITE_P(CollectionReport, FramedTexts,
                         testing::Values(Framed{64, 1, 120, 60, 60, 1}, Framed{64, 1, 120, 60, 60, 0},
                                         Framed{64, 1, 150, 20, 200, 1}, Framed{64, 5, 120, 40, 100, 4},
                                         Framed{256, 1, 120, 60, 60, 1}, Framed{256, 3, 200, 40, 100, 4}));

TEST(CollectionReport, Buckets)
{
    TreeDesign design;
    ASSERT_TRUE(make_design(3, 4, &design));
    std::uint8_t bit_order[kBits];
    for (int i = 0; i < kBits; i++)
        bit_order[i] = static_cast<std::uint8_t>(63 - i);
    KeyOrder order;
    order.set(design, bit_order);
    // The first tree's header is the highest 16 bits.
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
