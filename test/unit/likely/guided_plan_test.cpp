#include "core/likely/guided_plan.hpp"

#include "core/layout/key_ball.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace simhash
{
namespace
{

class GuidedPlanTest : public testing::Test
{
protected:
    void set_trees(int distance, int trees)
    {
        TreeDesign design;
        ASSERT_TRUE(make_design(distance, trees, &design));
        std::uint8_t bit_order[kBits];
        for (int i = 0; i < kBits; i++)
            bit_order[i] = static_cast<std::uint8_t>(i);
        std::shuffle(bit_order, bit_order + kBits, random_);
        order_->set(design, bit_order);
    }

    Weights draw_weights()
    {
        std::normal_distribution<> normal;
        Weights weights;
        for (Weight &weight : weights.sum)
            weight = static_cast<Weight>(normal(random_) * 50 * kWeightOne);
        return weights;
    }

    // A near-duplicate of a document with these weights, drawn from the model.
    Fingerprint draw_partner(const Weights &weights)
    {
        double left = std::uniform_real_distribution<>(0, 1)(random_);
        int level = 0;
        for (; level + 1 < kVolatilityLevels && left >= kDefaultVolatility.share[level]; level++)
            left -= kDefaultVolatility.share[level];
        return draw_partner(weights, kVolatilityScale[level]);
    }

    // One that is this similar.
    Fingerprint draw_partner(const Weights &weights, double scale)
    {
        std::uniform_real_distribution<> uniform(0, 1);
        double sizes[kBits];
        double norm = flip_sizes(weights, sizes);
        Fingerprint flips = 0;
        for (int j = 0; j < kBits; j++)
            if (uniform(random_) < flip_probability(sizes[j], norm, scale))
                flips |= Fingerprint{1} << j;
        return weights_fingerprint(weights) ^ flips;
    }

    void begin(const Weights &weights, int radius, int prefix_bits, double target, bool even_out = false)
    {
        plan_->set_trees(order_.get(), prefix_bits);
        plan_->begin({&weights, &kDefaultVolatility, radius, target, even_out}, nodes_.data(), nodes_.size(),
                     ranges_.data(), ranges_.size());
    }

    std::mt19937_64 random_{1};
    std::unique_ptr<KeyOrder> order_ = std::make_unique<KeyOrder>();
    std::unique_ptr<GuidedPlan> plan_ = std::make_unique<GuidedPlan>();
    std::vector<VoshNode> nodes_ = std::vector<VoshNode>(40000);
    std::vector<GuidedRange> ranges_ = std::vector<GuidedRange>(4000);
};

// The leaves of a tree: equal ranges of keys, not aligned to any prefix.
struct EqualLeaves {
    std::uint64_t size;
    explicit EqualLeaves(std::uint64_t count) : size(~std::uint64_t{0} / count + 1) {}
    std::uint64_t of(std::uint64_t key) const { return key / size; }
    std::uint64_t first_key(std::uint64_t leaf) const { return leaf * size; }
    std::uint64_t last_key(std::uint64_t leaf) const
    {
        return leaf == of(~std::uint64_t{0}) ? ~std::uint64_t{0} : (leaf + 1) * size - 1;
    }
};

TEST_F(GuidedPlanTest, ProbesArePrefixesOfTheQuerysFlips)
{
    for (int trees : {1, 2, 4, 6, 10, 20}) {
        set_trees(3, trees);
        for (int prefix_bits : {1, 5, 14, 17, 64}) {
            Weights weights = draw_weights();
            Fingerprint query = weights_fingerprint(weights);
            begin(weights, 5, prefix_bits, 0.9);
            ASSERT_GE(plan_->trees(), 1);
            GuidedProbe probe;
            std::set<std::pair<int, std::uint64_t>> prefixes;
            double recall = 0;
            while (prefixes.size() < 500 && plan_->next(&probe)) {
                std::uint64_t key = order_->key(probe.tree, query ^ probe.flips);
                EXPECT_EQ(probe.first_key, key & leading_bits(prefix_bits));
                EXPECT_EQ(probe.last_key, key | ~leading_bits(prefix_bits));
                EXPECT_EQ(order_->key(probe.tree, probe.flips) & ~leading_bits(prefix_bits), 0u);
                EXPECT_LE(std::popcount(probe.flips), 5);
                EXPECT_TRUE(prefixes.insert({probe.tree, probe.first_key}).second) << "probed twice";
                if (prefixes.size() == 1) {
                    EXPECT_EQ(probe.flips, 0u) << "the query's own place comes first";
                }
                EXPECT_NEAR(probe.recall, recall + probe.gain, 1e-12);
                recall = plan_->recall();
                EXPECT_EQ(probe.recall, recall);
            }
            if (plan_->reached()) {
                EXPECT_GE(recall, 0.9);
            }
        }
    }
}

TEST_F(GuidedPlanTest, GainsFall)
{
    set_trees(3, 4);
    for (int radius : {3, 8}) {
        int probes = 0, rises = 0;
        for (int round = 0; round < 50; round++) {
            begin(draw_weights(), radius, 14, 0.99);
            GuidedProbe probe;
            for (double last = 1; plan_->next(&probe); last = probe.gain) {
                probes++;
                rises += probe.gain > last;
            }
            EXPECT_TRUE(plan_->reached());
        }
        // Merged by gain. Only the order within a tree, by the gains of that tree alone, can put a larger one
        // later, if many flips are allowed.
        EXPECT_LE(rises, radius == 3 ? 0 : probes / 20) << radius;
    }
}

TEST_F(GuidedPlanTest, TakesTheBestPrefixFirst)
{
    constexpr int kPrefixBits = 15, kRadius = 3;
    set_trees(3, 4);
    auto volatility = std::make_unique<Volatility>();
    auto coverage = std::make_unique<FlipCoverage>();
    std::set<int> trees;
    for (int round = 0; round < 50; round++) {
        Weights weights = draw_weights();
        begin(weights, kRadius, kPrefixBits, 0.9);
        std::uint64_t prefix[4];
        for (int i = 0; i < 4; i++) {
            std::uint8_t source[kBits];
            order_->sources(plan_->tree(i), source);
            prefix[i] = 0;
            for (int bit = 0; bit < kPrefixBits; bit++)
                prefix[i] |= std::uint64_t{1} << source[bit];
        }
        set_volatility(kDefaultVolatility, weights, kRadius, volatility.get());
        coverage->begin(volatility.get(), prefix, 4);
        GuidedProbe probe;
        ASSERT_TRUE(plan_->next(&probe));
        trees.insert(probe.tree);
        for (int i = 0; i < 4; i++)
            EXPECT_GE(probe.gain, coverage->gain(i, 0) - 1e-15);
    }
    EXPECT_EQ(trees.size(), 4u);
}

// The same probes on every machine: their trees, flips and gains to the last bit. A change of the arithmetic
// changes the number.
TEST_F(GuidedPlanTest, IsTheSameEverywhere)
{
    std::uint64_t hash = 0;
    auto mix = [&hash](std::uint64_t value) { hash = (std::rotl(hash, 23) ^ value) * 0x9E3779B97F4A7C15; };
    TreeDesign design;
    std::uint8_t bit_order[kBits];
    for (int i = 0; i < kBits; i++)
        bit_order[i] = static_cast<std::uint8_t>(63 - i);
    for (int trees : {1, 4, 10}) {
        ASSERT_TRUE(make_design(3, trees, &design));
        order_->set(design, bit_order);
        for (int radius : {0, 2, 3, 5, 8, 13}) {
            for (int query = 0; query < 20; query++) {
                Weights weights;
                for (Weight &weight : weights.sum)
                    weight = static_cast<Weight>(random_() >> 30) - static_cast<Weight>(random_() >> 30);
                begin(weights, radius, 18, 0.95, true);
                GuidedProbe probe;
                while (plan_->probes() < 30 && plan_->next(&probe)) {
                    mix(static_cast<std::uint64_t>(probe.tree));
                    mix(probe.flips);
                    mix(std::bit_cast<std::uint64_t>(probe.gain));
                    plan_->cover(probe.first_key & leading_bits(14), probe.last_key | ~leading_bits(14));
                    mix(std::bit_cast<std::uint64_t>(plan_->recall()));
                }
            }
        }
    }
    EXPECT_EQ(hash, 2201369031663260099u);
}

TEST_F(GuidedPlanTest, UsesTablesWhosePrefixesHardlyOverlap)
{
    set_trees(3, 4);
    begin(draw_weights(), 3, 16, 0.9);
    EXPECT_EQ(plan_->trees(), 4);
    begin(draw_weights(), 3, 17, 0.9);
    EXPECT_EQ(plan_->trees(), 4) << "some shared bits do";
    set_trees(3, 10);
    begin(draw_weights(), 3, 28, 0.9);
    EXPECT_GE(plan_->trees(), 2);
    EXPECT_LT(plan_->trees(), 4);
    set_trees(3, 1);
    begin(draw_weights(), 3, 20, 0.9);
    EXPECT_EQ(plan_->trees(), 1);
}

// Partners drawn from the model, leaves not aligned to prefixes: the leaves read hold as many partners as the
// plan promised, and each row is found once.
TEST_F(GuidedPlanTest, FindsWhatItPromises)
{
    const struct {
        int trees, radius, prefix_bits;
        std::uint64_t leaves;
        double target;
    } cases[] = {
        {1, 3, 14, 10000, 0.9},   {1, 3, 14, 10000, 0.99}, {4, 3, 15, 10000, 0.95}, {4, 8, 16, 10000, 0.9},
        {4, 8, 16, 10000, 0.95},  {4, 3, 19, 99000, 0.95}, {6, 5, 12, 3000, 0.95},  {4, 5, 9, 100, 0.95},
        {10, 5, 20, 99000, 0.95}, {4, 5, 20, 99000, 0.99},
    };
    for (const auto &c : cases) {
        set_trees(3, c.trees);
        EqualLeaves leaves(c.leaves);
        double promised = 0, found = 0, partners = 0;
        for (int query = 0; query < 250; query++) {
            Weights weights = draw_weights();
            std::vector<Fingerprint> rows;
            for (int i = 0; i < 40; i++) {
                Fingerprint row = draw_partner(weights);
                if (hamming_distance(row, weights_fingerprint(weights)) <= c.radius)
                    rows.push_back(row);
            }
            std::vector<int> emitted(rows.size());
            begin(weights, c.radius, c.prefix_bits, c.target, true);
            GuidedProbe probe;
            while (plan_->next(&probe)) {
                std::uint64_t first = leaves.of(probe.first_key), last = leaves.of(probe.last_key);
                for (std::size_t i = 0; i < rows.size(); i++) {
                    std::uint64_t leaf = leaves.of(order_->key(probe.tree, rows[i]));
                    if (leaf >= first && leaf <= last && !plan_->seen(rows[i]))
                        emitted[i]++;
                }
                double before = plan_->recall();
                plan_->cover(leaves.first_key(first), leaves.last_key(last));
                EXPECT_GE(plan_->recall(), before);
            }
            EXPECT_TRUE(plan_->reached());
            for (int times : emitted) {
                EXPECT_LE(times, 1);
                found += times;
            }
            partners += static_cast<double>(rows.size());
            promised += plan_->recall() * static_cast<double>(rows.size());
        }
        EXPECT_NEAR(found / partners, promised / partners, 0.015) << c.trees << " " << c.radius;
        EXPECT_GT(found / partners, c.target - 0.02) << c.trees << " " << c.radius;
    }
}

// The default model must not rely on near-duplicates that are more similar than these, in which about one word in
// twenty has changed.
TEST_F(GuidedPlanTest, MeetsTargetsWhenNoNearDuplicateIsVerySimilar)
{
    constexpr int kPrefixBits = 14;
    for (int trees : {1, 4}) {
        set_trees(3, trees);
        for (int radius : {3, 8}) {
            for (double target : {0.9, 0.95, 0.99}) {
                double found = 0, partners = 0;
                for (int query = 0; query < 400; query++) {
                    Weights weights = draw_weights();
                    begin(weights, radius, kPrefixBits, target, true);
                    GuidedProbe probe;
                    while (plan_->next(&probe))
                        plan_->cover(probe.first_key, probe.last_key);
                    for (int i = 0; i < 10; i++) {
                        Fingerprint row = draw_partner(weights, 0.19);
                        if (hamming_distance(row, weights_fingerprint(weights)) > radius)
                            continue;
                        partners++;
                        found += plan_->seen(row);
                    }
                }
                EXPECT_GT(found / partners, target - 0.02) << trees << " " << radius;
            }
        }
    }
}

TEST_F(GuidedPlanTest, LeavesReadAreNotProbedAgain)
{
    set_trees(3, 4);
    EqualLeaves leaves(10000);
    for (int round = 0; round < 20; round++) {
        begin(draw_weights(), 5, 16, 0.95);
        GuidedProbe probe;
        std::vector<std::pair<int, std::pair<std::uint64_t, std::uint64_t>>> read;
        while (plan_->next(&probe)) {
            for (const auto &[tree, keys] : read)
                EXPECT_FALSE(tree == probe.tree && keys.first <= probe.first_key &&
                             probe.last_key <= keys.second);
            std::uint64_t first = leaves.first_key(leaves.of(probe.first_key));
            std::uint64_t last = leaves.last_key(leaves.of(probe.last_key));
            plan_->cover(first, last);
            read.push_back({probe.tree, {first, last}});
        }
    }
}

// Each whole prefix within a range that was read counts as covered, once.
TEST_F(GuidedPlanTest, CountsWholePrefixesOnce)
{
    constexpr int kPrefixBits = 12, kRadius = 5;
    set_trees(3, 1);
    std::uint8_t source[kBits];
    order_->sources(0, source);
    std::uint64_t prefix = 0;
    for (int i = 0; i < kPrefixBits; i++)
        prefix |= std::uint64_t{1} << source[i];
    auto volatility = std::make_unique<Volatility>();
    auto coverage = std::make_unique<FlipCoverage>();
    for (int round = 0; round < 30; round++) {
        EqualLeaves leaves(300 + random_() % 700);
        Weights weights = draw_weights();
        set_volatility(kDefaultVolatility, weights, kRadius, volatility.get());
        coverage->begin(volatility.get(), &prefix, 1);
        std::uint64_t center = order_->key(0, weights_fingerprint(weights));
        begin(weights, kRadius, kPrefixBits, 0.99);
        GuidedProbe probe;
        std::set<std::uint64_t> prefixes;
        while (plan_->next(&probe)) {
            std::uint64_t first = leaves.first_key(leaves.of(probe.first_key));
            std::uint64_t last = leaves.last_key(leaves.of(probe.last_key));
            plan_->cover(first, last);
            for (std::uint64_t number = 0; number < 1u << kPrefixBits; number++) {
                std::uint64_t key = number << (kBits - kPrefixBits);
                if (key < first || (key | ~leading_bits(kPrefixBits)) > last ||
                    !prefixes.insert(number).second)
                    continue;
                std::uint64_t flips = 0;
                for (int i = 0; i < kPrefixBits; i++)
                    if (((key ^ center) >> (63 - i) & 1) != 0)
                        flips |= std::uint64_t{1} << source[i];
                if (std::popcount(flips) <= kRadius)
                    coverage->cover(0, flips);
            }
            ASSERT_NEAR(plan_->recall(), coverage->covered(), 1e-9);
        }
        EXPECT_TRUE(plan_->reached());
    }
}

// One leaf that holds all keys, and leaves far wider than prefixes.
TEST_F(GuidedPlanTest, WideLeavesAreHarmless)
{
    set_trees(3, 4);
    begin(draw_weights(), 3, 3, 0.95);
    GuidedProbe probe;
    ASSERT_TRUE(plan_->next(&probe));
    plan_->cover(0, ~std::uint64_t{0});
    EXPECT_NEAR(plan_->recall(), 1, 1e-9);
    EXPECT_FALSE(plan_->next(&probe));
    EXPECT_TRUE(plan_->reached());

    begin(draw_weights(), 8, 64, 0.5);
    ASSERT_TRUE(plan_->next(&probe));
    plan_->cover(0, ~std::uint64_t{0});
    EXPECT_LE(plan_->recall(), 1);
}

TEST_F(GuidedPlanTest, HigherTargetsReadMore)
{
    set_trees(3, 4);
    double all[3] = {};
    for (int round = 0; round < 50; round++) {
        Weights weights = draw_weights();
        std::size_t last = 0;
        int i = 0;
        for (double target : {0.9, 0.95, 0.99}) {
            begin(weights, 8, 14, target, true);
            GuidedProbe probe;
            while (plan_->next(&probe))
                ;
            EXPECT_GE(plan_->probes(), last);
            EXPECT_GE(plan_->probes(), 1u);
            last = plan_->probes();
            all[i++] += plan_->recall();
        }
    }
    EXPECT_NEAR(all[0] / 50, 0.9, 0.02);
    EXPECT_NEAR(all[1] / 50, 0.95, 0.01);
    EXPECT_NEAR(all[2] / 50, 0.99, 0.003);
}

TEST_F(GuidedPlanTest, EndsWhenRoomIsShort)
{
    set_trees(3, 1);
    Weights weights = draw_weights();
    GuidedProbe probe;
    plan_->set_trees(order_.get(), 17);
    for (std::size_t room : {0, 1, 7}) {
        plan_->begin({&weights, &kDefaultVolatility, 8, 0.999, false}, nodes_.data(), nodes_.size(),
                     ranges_.data(), room);
        std::size_t count = 0;
        while (plan_->next(&probe))
            count++;
        EXPECT_EQ(count, room);
        EXPECT_FALSE(plan_->reached());
    }
    plan_->begin({&weights, &kDefaultVolatility, 8, 0.999, false}, nodes_.data(), 20, ranges_.data(),
                 ranges_.size());
    while (plan_->next(&probe))
        ;
    EXPECT_FALSE(plan_->reached());
}

// A radius of 0, a radius of all bits, and weights that are all alike.
TEST_F(GuidedPlanTest, ExtremesHold)
{
    set_trees(3, 4);
    for (int radius : {0, 64}) {
        for (Weight weight : {Weight{0}, Weight{1}, INT64_MIN}) {
            Weights weights;
            for (Weight &one : weights.sum)
                one = weight;
            begin(weights, radius, 12, 0.9, true);
            GuidedProbe probe;
            int count = 0;
            while (count < 100 && plan_->next(&probe)) {
                EXPECT_GE(probe.gain, 0);
                EXPECT_LE(probe.recall, 1);
                count++;
            }
            EXPECT_GE(count, 1);
            if (radius == 0) {
                EXPECT_EQ(count, 1);
                EXPECT_NEAR(plan_->recall(), 1, 1e-9);
            }
        }
    }
}

} // namespace
} // namespace simhash
