#include "core/likely/volatility_model.hpp"

#include "core/likely/flip_coverage.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace simhash
{
namespace
{

Weights normal_weights(std::mt19937_64 &random, double norm = 1000)
{
    std::normal_distribution<> normal;
    Weights weights;
    for (Weight &weight : weights.sum)
        weight = static_cast<Weight>(normal(random) * norm * kWeightOne);
    return weights;
}

std::unique_ptr<Volatility> volatility_of(const Weights &weights, int radius,
                                          const VolatilityModel &model = kDefaultVolatility)
{
    auto volatility = std::make_unique<Volatility>();
    set_volatility(model, weights, radius, volatility.get());
    return volatility;
}

// A volatility with flips in the lowest `bits` bits only, of several levels.
std::unique_ptr<Volatility> narrow_volatility(std::mt19937_64 &random, int bits, int levels, int radius)
{
    auto volatility = std::make_unique<Volatility>();
    *volatility = {};
    volatility->radius = radius;
    std::uniform_real_distribution<> uniform(0, 1);
    double all = 0;
    for (int level = 0; level < levels; level++) {
        volatility->share.set(level, uniform(random) + 0.1);
        all += volatility->share[level];
        // All levels rank the bits alike.
        std::vector<double> odds;
        for (int j = 0; j < bits; j++)
            odds.push_back(uniform(random));
        std::sort(odds.begin(), odds.end(), std::greater<>());
        for (int j = 0; j < bits; j++)
            volatility->odds[j].set(level, odds[static_cast<std::size_t>(j)]);
    }
    volatility->share = volatility->share * levels_of(1 / all);
    for (int j = 0; j < kBits; j++)
        volatility->stability[j] = j;
    return volatility;
}

double pattern_probability(const Volatility &volatility, int level, std::uint64_t flips)
{
    double product = 1;
    for (int j = 0; j < kBits; j++) {
        double p = volatility.odds[j][level] / (1 + volatility.odds[j][level]);
        product *= (flips >> j & 1) != 0 ? p : 1 - p;
    }
    return product;
}

TEST(Volatility, FlipProbabilityIsTheNormalTail)
{
    for (double z = 0; z < 8; z += 0.0137) {
        double exact = std::erfc(z / std::sqrt(2.0)) / 2;
        double p = flip_probability(z, 1, 1);
        EXPECT_NEAR(p, exact, exact * 1e-2) << z;
        EXPECT_NEAR(p, exact, 1e-4) << z;
        EXPECT_LE(p, 0.5);
    }
    EXPECT_EQ(flip_probability(0, 5, 0.1), 0.5);
    EXPECT_EQ(flip_probability(0x1p63, 5, 0.1), 0);
    EXPECT_EQ(flip_probability(0, 0, 0.1), 0.5) << "no weights, no knowledge";
}

TEST(Volatility, DoesNotDependOnTheUnitOfWeights)
{
    std::mt19937_64 random(1);
    Weights weights = normal_weights(random);
    Weights larger = weights;
    for (Weight &weight : larger.sum)
        weight *= 256;
    auto a = volatility_of(weights, 5), b = volatility_of(larger, 5);
    for (int j = 0; j < kBits; j++) {
        EXPECT_EQ(a->stability[j], b->stability[j]);
        for (int level = 0; level < kVolatilityLevels; level++)
            EXPECT_EQ(a->odds[j][level], b->odds[j][level]);
    }
}

// Sums of 20 words are even, and one of 0 sets its bit: -2 is as near to its flip as 0, and 2 is not.
TEST(Volatility, SumsFlipInTheMiddleOfTheirSteps)
{
    const auto sizes = [](std::vector<int> sums, int unit) {
        Weights weights;
        for (std::size_t j = 0; j < kBits; j++)
            weights.sum[j] = Weight{sums[j % sums.size()]} * unit;
        std::vector<double> size(kBits);
        flip_sizes(weights, size.data());
        size.resize(sums.size());
        return size;
    };
    using Sizes = std::vector<double>;
    EXPECT_EQ(sizes({-4, -2, 0, 2}, 1), (Sizes{3, 1, 1, 3})) << "even";
    EXPECT_EQ(sizes({-3, -1, 1, 3}, 1), (Sizes{3, 1, 1, 3})) << "odd";
    EXPECT_EQ(sizes({-3, 3, 9}, 100), (Sizes{300, 300, 900})) << "one feature three times";
    EXPECT_EQ(sizes({-2, 1, 7}, 1), (Sizes{1.5, 1.5, 7.5})) << "-2 and 1 on the two sides";
    EXPECT_EQ(sizes({-5, -5}, 1), (Sizes{5, 5})) << "equal";
    EXPECT_EQ(sizes({-7, 100, 3}, 1), (Sizes{7, 100, 3})) << "no common step";
}

// Odds and ranks come from the same rounded number: a bit that ranks higher never has lower odds, not even
// where two cells of the table meet.
TEST(Volatility, OddsFallAsWeightsGrow)
{
    std::mt19937_64 random(9);
    for (int round = 0; round < 2000; round++) {
        // Half of the bits have |W| / s near a place where cells meet.
        int near = round % kVolatilityLevels;
        double meeting = (static_cast<double>(random() % 200) + 0.5) / 32 * kVolatilityScale[near];
        Weights weights = normal_weights(random, 1000);
        double sum = 0;
        for (int j = 32; j < kBits; j++)
            sum += std::pow(weight_to_double(weights.sum[j]), 2);
        double size = meeting * std::sqrt(sum / std::max(64 - 32 * meeting * meeting, 1.0));
        for (int j = 0; j < 32; j++)
            weights.sum[j] = static_cast<Weight>(size * (1 + (j - 16) * 1e-5) * kWeightOne);
        auto volatility = volatility_of(weights, 3);
        std::vector<int> bits(kBits);
        std::iota(bits.begin(), bits.end(), 0);
        std::sort(bits.begin(), bits.end(),
                  [&](int a, int b) { return volatility->stability[a] < volatility->stability[b]; });
        for (std::size_t i = 0; i < kBits; i++) {
            const Levels &odds = volatility->odds[bits[i]];
            for (int level = 0; level < kVolatilityLevels; level++) {
                ASSERT_GE(odds[level], 0);
                ASSERT_LE(odds[level], 1);
                if (i > 0) {
                    ASSERT_LE(odds[level], volatility->odds[bits[i - 1]][level]) << round << " " << i;
                }
            }
        }
        double sizes[kBits];
        double norm = flip_sizes(weights, sizes);
        for (int level = 0; level < kVolatilityLevels; level++) {
            double p = flip_probability(sizes[7], norm, kVolatilityScale[level]);
            EXPECT_NEAR(volatility->odds[7][level], p / (1 - p), 1e-15);
        }
    }
}

TEST(Volatility, HoldsForEveryWeights)
{
    Weights zeros = {};
    Weights extreme;
    for (int j = 0; j < kBits; j++)
        extreme.sum[j] = j % 2 == 0 ? INT64_MIN : INT64_MAX;
    Weights one = {};
    one.sum[17] = 1;
    for (const Weights &weights : {zeros, extreme, one}) {
        for (int radius : {0, 3, 64}) {
            auto volatility = volatility_of(weights, radius);
            for (const Levels &odds : volatility->odds) {
                for (int level = 0; level < kVolatilityLevels; level++) {
                    EXPECT_GE(odds[level], 0);
                    EXPECT_LE(odds[level], 1);
                }
            }
            std::uint64_t prefix = 0xFF0;
            auto coverage = std::make_unique<FlipCoverage>();
            coverage->begin(volatility.get(), &prefix, 1);
            for (std::uint64_t flips = 0; flips <= prefix; flips += 0x10)
                coverage->cover(0, flips);
            EXPECT_NEAR(coverage->covered(), 1, 1e-9);
        }
    }
}

TEST(Volatility, ModelsAreChecked)
{
    EXPECT_TRUE(is_volatility_model(kDefaultVolatility));
    VolatilityModel model = kDefaultVolatility;
    model.share[0] += 0.1;
    EXPECT_FALSE(is_volatility_model(model));
    model = {};
    EXPECT_FALSE(is_volatility_model(model));
    model.share[1] = 1;
    EXPECT_TRUE(is_volatility_model(model));
    model.share[1] = std::nan("");
    EXPECT_FALSE(is_volatility_model(model));
    model = {{2, -1}};
    EXPECT_FALSE(is_volatility_model(model));
}

TEST(Volatility, SumsFlipsAsEnumerationDoes)
{
    std::mt19937_64 random(2);
    auto volatility = narrow_volatility(random, 64, kVolatilityLevels, 64);
    std::uint64_t mask = 0x8000000100050A03;
    double expected[kBits + 1][kVolatilityLevels] = {};
    for (std::uint64_t set = mask;; set = (set - 1) & mask) {
        for (int level = 0; level < kVolatilityLevels; level++) {
            double product = 1;
            for (int j = 0; j < kBits; j++)
                if ((set >> j & 1) != 0)
                    product *= volatility->odds[j][level];
            expected[std::popcount(set)][level] += product;
        }
        if (set == 0)
            break;
    }
    for (int most : {0, 1, 2, 3, 5, 8, 9, 64}) {
        Levels sums[kBits + 1];
        Levels all = sum_flips(volatility->odds, mask, most, sums);
        Levels none = inverse_of_no_flip(volatility->odds, mask);
        for (int level = 0; level < kVolatilityLevels; level++) {
            double total = 0;
            for (int n = 0; n <= kBits; n++)
                total += expected[n][level];
            EXPECT_NEAR(all[level], total, 1e-12 * total);
            EXPECT_EQ(all[level], none[level]);
            for (int n = 0; n <= most; n++)
                EXPECT_NEAR(sums[n][level], expected[n][level], 1e-12) << n;
        }
    }
}

// Levels computed side by side give the same bits as computed one by one.
TEST(Volatility, SumsAreTheSameInEveryWay)
{
    std::mt19937_64 random(8);
    for (int round = 0; round < 20; round++) {
        auto volatility = volatility_of(normal_weights(random), 3);
        std::uint64_t mask = random();
        for (int most : {1, 3, 5, 8, 10}) {
            Levels sums[kBits + 1];
            Levels all = sum_flips(volatility->odds, mask, most, sums);
            for (int level = 0; level < kVolatilityLevels; level++) {
                double sum[kBits + 1] = {1}, product = 1;
                for (int j = 0; j < kBits; j++) {
                    if ((mask >> j & 1) == 0)
                        continue;
                    double odds = volatility->odds[j][level];
                    product *= odds + 1;
                    for (int n = most; n > 0; n--)
                        sum[n] += sum[n - 1] * odds;
                }
                EXPECT_EQ(all[level], product);
                for (int n = 0; n <= most; n++)
                    EXPECT_EQ(sums[n][level], sum[n]);
            }
        }
    }
}

// All 2^14 patterns of flips, and those that random probes cover.
TEST(FlipCoverage, IsExactForDisjointPrefixes)
{
    constexpr int kWidth = 14;
    const std::vector<std::uint64_t> choices[] = {
        {0x000F}, {0x3FFF}, {0x001F, 0x03E0}, {0x0007, 0x0038, 0x01C0}, {0x1111, 0x2222, 0x0444, 0x0888}};
    std::mt19937_64 random(3);
    for (const std::vector<std::uint64_t> &prefixes : choices) {
        for (int radius : {0, 1, 3, 4, 8, 14, 64}) {
            auto volatility = narrow_volatility(random, kWidth, 1 + radius % 3, radius);
            auto coverage = std::make_unique<FlipCoverage>();
            coverage->begin(volatility.get(), prefixes.data(), static_cast<int>(prefixes.size()));
            std::vector<Levels> chance(std::size_t{1} << kWidth, levels_of(0)); // by pattern
            Levels within = levels_of(0);
            for (std::uint64_t pattern = 0; pattern < chance.size(); pattern++) {
                for (int level = 0; std::popcount(pattern) <= radius && level < kVolatilityLevels; level++)
                    chance[pattern].set(level, volatility->share[level] *
                                                   pattern_probability(*volatility, level, pattern));
                within = within + chance[pattern];
            }
            std::set<std::pair<int, std::uint64_t>> probed;
            for (int step = 0; step < 12; step++) {
                int prefix = static_cast<int>(random() % prefixes.size());
                std::uint64_t mask = prefixes[static_cast<std::size_t>(prefix)];
                std::uint64_t flips = random() & (random() | random()) & mask;
                if (!probed.insert({prefix, flips}).second)
                    continue;
                double promised = coverage->gain(prefix, flips);
                EXPECT_NEAR(coverage->cover(prefix, flips), promised, 1e-15);

                Levels covered = levels_of(0);
                for (std::uint64_t pattern = 0; pattern < chance.size(); pattern++) {
                    bool hit = false;
                    for (auto [where, what] : probed)
                        hit = hit || (pattern & prefixes[static_cast<std::size_t>(where)]) == what;
                    if (hit)
                        covered = covered + chance[pattern];
                }
                double all = sum_of(within);
                ASSERT_NEAR(coverage->covered(), sum_of(covered) / all, 1e-12) << radius << " " << step;
            }
        }
    }
}

// Several sets at once are the same as one after the other, whether or not prefixes share bits.
TEST(FlipCoverage, CoversSetsTogether)
{
    std::mt19937_64 random(10);
    const std::uint64_t prefixes[] = {0x0000FFF0, 0x000FFF00};
    const std::uint8_t more[2][kCoveredTogether] = {{4, 9, 15, 6}, {8, 19, 12, 10}};
    for (int radius : {0, 2, 3, 7}) {
        auto volatility = volatility_of(normal_weights(random), radius);
        auto together = std::make_unique<FlipCoverage>(), alone = std::make_unique<FlipCoverage>();
        together->begin(volatility.get(), prefixes, 2);
        alone->begin(volatility.get(), prefixes, 2);
        std::set<std::pair<int, std::uint64_t>> probed;
        for (int step = 0; step < 12; step++) {
            int prefix = step % 2, count = static_cast<int>(random() % 5);
            std::uint64_t chosen = 0;
            for (std::uint8_t bit : more[prefix])
                chosen |= std::uint64_t{1} << bit;
            std::uint64_t flips = random() & random() & random() & prefixes[prefix] & ~chosen;
            unsigned which = static_cast<unsigned>(random()) & ((1u << (1 << count)) - 1);
            double gained = 0;
            for (unsigned n = 0; n < 1u << count; n++) {
                std::uint64_t set = flips;
                for (int i = 0; i < count; i++)
                    set |= static_cast<std::uint64_t>(n >> i & 1) << more[prefix][i];
                if ((which >> n & 1) != 0 && !probed.insert({prefix, set}).second)
                    which &= ~(1u << n);
                if ((which >> n & 1) != 0) {
                    double promised = alone->gain(prefix, set);
                    EXPECT_NEAR(alone->cover(prefix, set), promised, 1e-15);
                    gained += promised;
                }
            }
            EXPECT_NEAR(together->cover(prefix, flips, more[prefix], count, which), gained, 1e-12);
            ASSERT_NEAR(together->covered(), alone->covered(), 1e-12) << radius << " " << step;
        }
        for (std::uint64_t flips : {0x10000u, 0x100u, 0u})
            EXPECT_NEAR(together->gain(1, flips), alone->gain(1, flips), 1e-12);
        if (radius > 0) {
            EXPECT_GT(together->covered(), 0);
        }
    }
}

TEST(FlipCoverage, ReachesOneWhenAllIsProbed)
{
    std::mt19937_64 random(4);
    for (int radius : {2, 6}) {
        auto volatility = narrow_volatility(random, 12, 2, radius);
        std::uint64_t prefixes[] = {0x00F, 0x3F0};
        auto coverage = std::make_unique<FlipCoverage>();
        coverage->begin(volatility.get(), prefixes, 2);
        coverage->cover(0, 3);
        for (std::uint64_t flips = 0; flips < 64; flips++)
            coverage->cover(1, flips << 4);
        EXPECT_NEAR(coverage->covered(), 1, 1e-12);
        EXPECT_NEAR(coverage->gain(0, 1), 0, 1e-12) << "nothing is left to gain";
    }
}

// VOSH is fed the gains that probes of one prefix have on their own.
TEST(FlipCoverage, GainsAreVoshValues)
{
    std::mt19937_64 random(5);
    auto volatility = volatility_of(normal_weights(random), 4);
    std::uint64_t prefixes[] = {0xFFFC000000000000, 0x00000000003FFF00};
    auto coverage = std::make_unique<FlipCoverage>();
    coverage->begin(volatility.get(), prefixes, 2);
    auto flip_value = std::make_unique<FlipValue>();
    for (int prefix : {0, 1}) {
        coverage->set_flip_weight(prefix, flip_value.get());
        coverage->set_flip_order(prefix, flip_value.get());
        EXPECT_EQ(flip_value->bits, 14);
        for (int rank = 1; rank < flip_value->bits; rank++) {
            EXPECT_LT(volatility->stability[flip_value->position[rank - 1]],
                      volatility->stability[flip_value->position[rank]]);
        }
        std::vector<VoshNode> nodes(2000);
        Vosh vosh;
        vosh.begin(flip_value.get(), nodes.data(), nodes.size());
        std::uint64_t flips;
        double value, sum = 0;
        while (vosh.next(&flips, &value)) {
            EXPECT_EQ(flips & ~prefixes[prefix], 0u);
            EXPECT_NEAR(value, coverage->gain(prefix, flips), 1e-12);
            sum += value;
        }
        EXPECT_NEAR(sum, 1, 1e-9) << "together they cover all";
    }
}

// Flips of all 64 bits drawn from the model: the probes find as many as they promise.
TEST(FlipCoverage, AgreesWithDrawnFlips)
{
    std::mt19937_64 random(6);
    std::uniform_real_distribution<> uniform(0, 1);
    constexpr int kRadius = 8;
    Weights weights = normal_weights(random);
    auto volatility = volatility_of(weights, kRadius);
    std::uint64_t prefixes[] = {0x3FFF, 0xFFFC000, 0x3FFF0000000, 0xFFFC0000000000};
    auto coverage = std::make_unique<FlipCoverage>();
    coverage->begin(volatility.get(), prefixes, 4);
    std::set<std::uint64_t> probed[4];
    auto flip_value = std::make_unique<FlipValue>();
    for (int prefix = 0; prefix < 4; prefix++) {
        coverage->set_flip_weight(prefix, flip_value.get());
        coverage->set_flip_order(prefix, flip_value.get());
        std::vector<VoshNode> nodes(200);
        Vosh vosh;
        vosh.begin(flip_value.get(), nodes.data(), nodes.size());
        std::uint64_t flips;
        double value;
        for (int i = 0; i < 3 + prefix && vosh.next(&flips, &value); i++) {
            coverage->cover(prefix, flips);
            probed[prefix].insert(flips);
        }
    }
    double within = 0, found = 0;
    for (int draw = 0; draw < 100000; draw++) {
        double left = uniform(random);
        int level = 0;
        for (; level + 1 < kVolatilityLevels && left >= kDefaultVolatility.share[level]; level++)
            left -= kDefaultVolatility.share[level];
        double sizes[kBits];
        double norm = flip_sizes(weights, sizes);
        std::uint64_t pattern = 0;
        for (int j = 0; j < kBits; j++)
            if (uniform(random) < flip_probability(sizes[j], norm, kVolatilityScale[level]))
                pattern |= std::uint64_t{1} << j;
        if (std::popcount(pattern) > kRadius)
            continue;
        within++;
        bool hit = false;
        for (int prefix = 0; prefix < 4; prefix++)
            hit = hit || probed[prefix].contains(pattern & prefixes[prefix]);
        found += hit;
    }
    EXPECT_NEAR(coverage->covered(), found / within, 0.01);
    EXPECT_GT(coverage->covered(), 0.5);
}

// Weights of documents at known cosines: the fit recovers their shares.
TEST(VolatilityFit, FindsTheSharesOfDrawnPairs)
{
    std::mt19937_64 random(7);
    std::normal_distribution<> normal;
    const VolatilityModel truth = {{0.1, 0.4, 0.05, 0.3, 0.15}};
    std::vector<double> likelihoods;
    constexpr int kPairs = 4000;
    for (int pair = 0; pair < kPairs; pair++) {
        Weights weights = normal_weights(random);
        double left = (pair + 0.5) / kPairs;
        int level = 0;
        for (; left >= truth.share[level]; level++)
            left -= truth.share[level];
        double noise = 1000.0 * kWeightOne * kVolatilityScale[level];
        Fingerprint partner = 0;
        for (int j = 0; j < kBits; j++)
            if (static_cast<double>(weights.sum[j]) + normal(random) * noise >= 0)
                partner |= Fingerprint{1} << j;
        double one[kVolatilityLevels];
        VolatilityFit::likelihood(weights, partner, one);
        likelihoods.insert(likelihoods.end(), one, one + kVolatilityLevels);
    }
    VolatilityFit fit;
    fit.begin();
    double last = -HUGE_VAL;
    for (int round = 0; round < 100; round++) {
        for (std::size_t at = 0; at < likelihoods.size(); at += kVolatilityLevels)
            fit.add(likelihoods.data() + at, 1);
        double now = fit.finish_round();
        EXPECT_GE(now, last - 1e-12) << "each round improves the likelihood";
        last = now;
    }
    EXPECT_TRUE(is_volatility_model(fit.model()));
    for (int level = 0; level < kVolatilityLevels; level++)
        EXPECT_NEAR(fit.model().share[level], truth.share[level], 0.04) << level;
}

TEST(VolatilityFit, KeepsTheSharesWithoutPairs)
{
    VolatilityFit fit;
    fit.begin();
    fit.finish_round();
    EXPECT_TRUE(is_volatility_model(fit.model()));
    // A pair that no level explains has no influence.
    Weights weights;
    for (Weight &weight : weights.sum)
        weight = kWeightOne;
    double likelihood[kVolatilityLevels];
    VolatilityFit::likelihood(weights, 0, likelihood);
    fit.add(likelihood, 1);
    fit.finish_round();
    EXPECT_TRUE(is_volatility_model(fit.model()));
}

} // namespace
} // namespace simhash
