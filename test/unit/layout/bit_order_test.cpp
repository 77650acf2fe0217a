#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/layout/key_order.hpp"

#include "../seed.hpp"

namespace simhash
{
namespace
{

using BitOrder = std::vector<std::uint8_t>;

class BitOrderTest : public SeededTest<32>
{
protected:
    // Rows whose bit j is set with probability p[j], all different if that is likely.
    std::vector<Fingerprint> sample(int rows, const std::vector<double> &p)
    {
        std::vector<Fingerprint> rows_made;
        for (int i = 0; i < rows; i++) {
            Fingerprint row = 0;
            for (int bit = 0; bit < kBits; bit++) {
                double at = static_cast<double>(random() >> 11) * 0x1p-53;
                row |= Fingerprint{at < p[static_cast<std::size_t>(bit)]} << bit;
            }
            rows_made.push_back(row);
        }
        return rows_made;
    }
};

BitOrder bit_order(const TreeDesign &design, std::vector<Fingerprint> sample)
{
    std::unique_ptr<Fingerprint[]> exact(new Fingerprint[sample.size()]);
    std::copy(sample.begin(), sample.end(), exact.get());
    BitOrder order(kBits, 255);
    choose_bit_order(design, exact.get(), sample.size(), order.data());
    return order;
}

std::vector<TreeDesign> some_designs()
{
    std::vector<TreeDesign> designs;
    for (int distance : {1, 2, 3, 5, 8, 15}) {
        for (int trees = 1; trees <= kMaxTrees; trees++) {
            TreeDesign design;
            if (make_design(distance, trees, &design))
                designs.push_back(design);
        }
    }
    return designs;
}

TreeDesign four_blocks()
{
    TreeDesign design;
    EXPECT_TRUE(make_design(3, 4, &design));
    return design;
}

TEST_F(BitOrderTest, IsAlwaysAPermutation)
{
    for (const TreeDesign &design : some_designs()) {
        for (int rows : {0, 1, 2, 3, 50}) {
            std::vector<double> p;
            for (int bit = 0; bit < kBits; bit++)
                p.push_back(below(3) / 2.0 * below(2) + below(2) * 0.1);
            ASSERT_TRUE(is_bit_order(bit_order(design, sample(rows, p)).data())) << rows << " rows";
        }
    }
}

TEST_F(BitOrderTest, IsDeterministicWhateverTheOrderOfRows)
{
    for (const TreeDesign &design : some_designs()) {
        std::vector<double> p;
        for (int bit = 0; bit < kBits; bit++)
            p.push_back(below(11) / 10.0);
        std::vector<Fingerprint> rows = sample(100, p);
        BitOrder order = bit_order(design, rows);
        std::shuffle(rows.begin(), rows.end(), random);
        ASSERT_EQ(bit_order(design, rows), order);
    }
}

TEST_F(BitOrderTest, CopiesOfARowCountOnce)
{
    for (const TreeDesign &design : some_designs()) {
        std::vector<double> p;
        for (int bit = 0; bit < kBits; bit++)
            p.push_back(below(11) / 10.0);
        std::vector<Fingerprint> rows = sample(60, p);
        BitOrder order = bit_order(design, rows);
        for (int i = 0; i < 300; i++)
            rows.push_back(rows[static_cast<std::size_t>(below(3))]);
        ASSERT_EQ(bit_order(design, rows), order);
    }
}

TEST_F(BitOrderTest, NoRowsAreTakenForUniformOnes)
{
    std::vector<Fingerprint> uniform = sample(20000, std::vector<double>(kBits, 0.5));
    for (const TreeDesign &design : some_designs()) {
        if (design.distance == 3) {
            ASSERT_EQ(bit_order(design, {}), bit_order(design, uniform)) << int{design.trees};
        }
    }
}

// 32 constant bits, half of them set: 8 varying bits in each block of 16, and those first.
TEST_F(BitOrderTest, SpreadsDeadBits)
{
    for (int pattern = 0; pattern < 50; pattern++) {
        std::vector<int> bits(kBits);
        for (int i = 0; i < kBits; i++)
            bits[static_cast<std::size_t>(i)] = i;
        if (pattern > 0) // first the low half
            std::shuffle(bits.begin(), bits.end(), random);
        std::vector<double> p(kBits, 0.5);
        for (std::size_t i = 0; i < 32; i++)
            p[static_cast<std::size_t>(bits[i])] = i % 2;
        BitOrder order = bit_order(four_blocks(), sample(1000, p));
        for (std::size_t i = 0; i < kBits; i++)
            ASSERT_EQ(p[order[i]] == 0.5, i % 16 < 8) << "place " << i << ", pattern " << pattern;
    }
}

// Any number of varying bits: they come first in each block, and blocks of equal width have equal numbers of
// them, give or take one.
TEST_F(BitOrderTest, EveryBlockHasItsShareOfLiveBits)
{
    for (const TreeDesign &design : some_designs()) {
        int live = below(kBits + 1);
        std::vector<double> p(kBits, 0.0);
        std::fill(p.begin(), p.begin() + live, 0.5);
        std::shuffle(p.begin(), p.end(), random);
        BitOrder order = bit_order(design, sample(600, p));
        auto [narrowest, widest] = std::minmax_element(design.width, design.width + design.blocks);
        std::size_t at = 0;
        for (int i = 0; i < design.blocks; i++) {
            int here = 0;
            for (int j = 0; j < design.width[i]; j++, at++) {
                if (p[order[at]] == 0.5) {
                    ASSERT_EQ(here, j) << "a dead bit before a live one";
                    here++;
                }
            }
            double share = live * design.width[i] / 64.0;
            if (*widest - *narrowest > 1) {
                continue;
            }
            ASSERT_LT(std::abs(here - share), 1.5)
                << "distance " << int{design.distance} << ", trees " << int{design.trees} << ", block " << i;
        }
    }
}

// Three kinds of bits: the more informative a bit is, the nearer it is to the front of its block.
TEST_F(BitOrderTest, InformativeBitsLead)
{
    for (const TreeDesign &design : some_designs()) {
        std::vector<double> p, kinds = {0.5, 0.85, 0.97, 1.0, 0.0};
        for (int bit = 0; bit < kBits; bit++)
            p.push_back(kinds[static_cast<std::size_t>(below(5))]);
        auto rank = [&p](std::uint8_t bit) { return p[bit] == 0 ? 1.0 : p[bit]; };
        BitOrder order = bit_order(design, sample(1500, p));
        std::size_t at = 0;
        for (int i = 0; i < design.blocks; i++) {
            for (int j = 0; j < design.width[i]; j++, at++) {
                if (j > 0) {
                    ASSERT_LE(rank(order[at - 1]), rank(order[at]));
                }
            }
        }
    }
}

TEST_F(BitOrderTest, SortsTheSample)
{
    std::vector<Fingerprint> rows = sample(500, std::vector<double>(kBits, 0.5)), expected = rows;
    std::uint8_t order[kBits];
    choose_bit_order(four_blocks(), rows.data(), rows.size(), order);
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(rows, expected);
}

} // namespace
} // namespace simhash
