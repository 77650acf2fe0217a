#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "core/likely/probe_model.hpp"

#include "../seed.hpp"

namespace simhash
{
namespace
{

class ProbeModelTest : public SeededTest<12>
{
protected:
    double uniform() { return static_cast<double>(random() >> 11) * 0x1p-53; }

    void layout_of(int bits, int trees) { choose_layout(bits, trees, 1, nullptr, 0, 0, nullptr, &layout_); }

    SignatureLayout layout_;
    FlipModel flips_;
};

TEST_F(ProbeModelTest, TheWholeTreeHoldsEveryRow)
{
    layout_of(256, 4);
    flips_.set_uniform();
    std::uint64_t key[kMaxTrees] = {random(), random(), random(), random()};
    ProbeModel model;
    model.begin(&layout_, &flips_, key);
    EXPECT_NEAR(model.found(0.2), 0, 1e-6);
    model.read_leaf(1, 0, ~std::uint64_t{0}, 64);
    EXPECT_NEAR(model.found(0.2), 1, 1e-4);
}

TEST_F(ProbeModelTest, RangesAddUp)
{
    layout_of(256, 4);
    flips_.set_uniform();
    std::uint64_t key[kMaxTrees] = {random(), random(), random(), random()};
    for (int round = 0; round < 200; round++) {
        ProbeModel parts, whole;
        parts.begin(&layout_, &flips_, key);
        whole.begin(&layout_, &flips_, key);
        std::vector<std::uint64_t> cut;
        for (int i = 0; i < 5; i++)
            cut.push_back(round % 3 == 0   ? random()
                          : round % 3 == 1 ? random() << 50
                                           : key[0] ^ random() >> 44);
        std::sort(cut.begin(), cut.end());
        for (std::size_t i = 0; i + 1 < cut.size(); i++) {
            if (cut[i] < cut[i + 1])
                parts.read_leaf(0, cut[i], cut[i + 1] - 1, 128);
        }
        whole.read_leaf(0, cut.front(), cut.back() - 1, 128);
        for (double f : {0.03, 0.1, 0.25, 0.4})
            ASSERT_NEAR(parts.found(f), whole.found(f), 1e-3);
    }
}

// The estimate against rows that are made as the model assumes.
TEST_F(ProbeModelTest, AgreesWithRandomRows)
{
    layout_of(512, 8);
    for (bool weighted : {false, true}) {
        std::vector<float> weights;
        for (int j = 0; j < 512; j++)
            weights.push_back(static_cast<float>((uniform() + uniform() + uniform() - 1.5) * 40));
        flips_.set_uniform();
        if (weighted)
            flips_.set_weights(weights.data(), 512);
        std::uint8_t query[64];
        for (std::uint8_t &byte : query)
            byte = static_cast<std::uint8_t>(random());
        std::uint64_t key[kMaxTrees];
        for (int t = 0; t < 8; t++)
            key[t] = signature_key(layout_, t, query);

        struct Leaf {
            int tree, radius;
            std::uint64_t low, high;
        };
        std::vector<Leaf> leaves;
        ProbeModel model;
        model.begin(&layout_, &flips_, key);
        for (int t = 0; t < 8; t++) {
            for (int flip = -1; flip < 4; flip++) {
                std::uint64_t prefix = key[t] >> 52;
                if (flip >= 0)
                    prefix ^= std::uint64_t{1} << flip;
                Leaf leaf = {t, 14 + (flip >= 0), prefix << 52, prefix << 52 | ~std::uint64_t{0} >> 12};
                leaves.push_back(leaf);
                model.read_leaf(leaf.tree, leaf.low, leaf.high, leaf.radius);
            }
        }
        for (int g : {2, 5, 8, 11}) {
            constexpr int kRows = 4000;
            int found = 0;
            for (int row = 0; row < kRows; row++) {
                std::uint8_t signature[64];
                std::copy(query, query + 64, signature);
                for (int j = 0; j < 512; j++) {
                    if (uniform() < static_cast<double>(flips_.of_bit(j).at[g]))
                        signature[j / 8] = static_cast<std::uint8_t>(signature[j / 8] ^ 0x80 >> j % 8);
                }
                found += std::any_of(leaves.begin(), leaves.end(), [&](const Leaf &leaf) {
                    std::uint64_t row_key = signature_key(layout_, leaf.tree, signature);
                    return row_key >= leaf.low && row_key <= leaf.high &&
                           std::popcount(row_key ^ key[leaf.tree]) <= leaf.radius;
                });
            }
            double expected = model.found(static_cast<double>(flip_rate(g)));
            // Without weights, 4 standard deviations. With weights, the rest of the key counts as if its bits were
            // alike.
            double deviation = weighted ? 0.05 : 4 * std::sqrt(0.25 / kRows);
            EXPECT_NEAR(static_cast<double>(found) / kRows, expected, deviation) << g << weighted;
        }
    }
}

TEST_F(ProbeModelTest, WeightsKeepTheMean)
{
    std::vector<float> weights;
    for (int j = 0; j < 256; j++)
        weights.push_back(static_cast<float>(j - 128));
    flips_.set_weights(weights.data(), 256);
    for (int g = 1; g < kFlipRates; g++) {
        double mean = 0;
        for (int j = 0; j < 256; j++)
            mean += static_cast<double>(flips_.of_bit(j).at[g]) / 256;
        EXPECT_NEAR(mean, static_cast<double>(flip_rate(g)), 4e-3);
    }
    EXPECT_GT(flips_.of_bit(127).at[5], flips_.of_bit(0).at[5]);

    // Weights that say nothing.
    std::fill(weights.begin(), weights.end(), 0.0F);
    flips_.set_weights(weights.data(), 256);
    EXPECT_TRUE(flips_.uniform());
}

TEST_F(ProbeModelTest, CandidatesByChance)
{
    // Of 400 unrelated keys of 50 free bits, about 2 are within the radius.
    int radius = candidate_radius(64, 14, 3, 2, 400);
    int within = 0;
    for (int i = 0; i < 400000; i++)
        within += std::popcount(random() >> 14) <= radius - 3;
    EXPECT_LE(within, 2000);
    EXPECT_GT(within, 500);
    EXPECT_EQ(candidate_radius(64, 64, 5, 2, 400), 5);
}

} // namespace
} // namespace simhash
