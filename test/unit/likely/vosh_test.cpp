#include "core/likely/vosh.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace simhash
{
namespace
{

struct Flips {
    double value;
    std::uint64_t ranks;
};

// The value of a set of ranks, as documented in vosh.hpp.
double value_of(const FlipValue &flip_value, std::uint64_t ranks)
{
    double product[kLevelLanes];
    for (int level = 0; level < kLevelLanes; level++) {
        product[level] = flip_value.weight[std::popcount(ranks)][level];
        for (int rank = 0; rank < flip_value.bits; rank++)
            if ((ranks >> rank & 1) != 0)
                product[level] *= flip_value.odds[rank][level];
    }
    static_assert(kLevelLanes == 6);
    return (product[0] + product[2] + product[4]) + (product[1] + product[3] + product[5]);
}

std::uint64_t mask_of(const FlipValue &flip_value, std::uint64_t ranks)
{
    std::uint64_t mask = 0;
    for (int rank = 0; rank < flip_value.bits; rank++)
        if ((ranks >> rank & 1) != 0)
            mask |= std::uint64_t{1} << flip_value.position[rank];
    return mask;
}

void add_sets(const FlipValue &flip_value, int from, int left, std::uint64_t ranks, std::vector<Flips> *out)
{
    double value = value_of(flip_value, ranks);
    if (value > 0)
        out->push_back({value, ranks});
    if (left == 0)
        return;
    for (int rank = from; rank < flip_value.bits; rank++)
        add_sets(flip_value, rank + 1, left - 1, ranks | std::uint64_t{1} << rank, out);
}

// All sets, sorted by the documented order.
std::vector<Flips> sort_sets(const FlipValue &flip_value)
{
    std::vector<Flips> sets;
    add_sets(flip_value, 0, std::min(flip_value.most, flip_value.bits), 0, &sets);
    std::sort(sets.begin(), sets.end(), [](const Flips &a, const Flips &b) {
        if (a.value != b.value)
            return a.value > b.value;
        int a_size = std::popcount(a.ranks), b_size = std::popcount(b.ranks);
        return a_size != b_size ? a_size < b_size : a.ranks < b.ranks;
    });
    return sets;
}

void expect_sorted(const FlipValue &flip_value)
{
    std::vector<Flips> expected = sort_sets(flip_value);
    std::vector<VoshNode> nodes(expected.size() + static_cast<std::size_t>(flip_value.most) + 1);
    Vosh vosh;
    vosh.begin(&flip_value, nodes.data(), nodes.size());
    std::uint64_t flips;
    double value;
    for (std::size_t i = 0; i < expected.size(); i++) {
        ASSERT_TRUE(vosh.next(&flips, &value)) << i;
        ASSERT_EQ(flips, mask_of(flip_value, expected[i].ranks)) << i;
        ASSERT_EQ(value, expected[i].value) << i;
    }
    EXPECT_FALSE(vosh.next(&flips, &value));
}

// p(S) as published, for p[i] from 0 to below 1. Bits that flip alike are ranked by position.
std::unique_ptr<FlipValue> from_probabilities(const std::vector<double> &p, int most)
{
    auto out = std::make_unique<FlipValue>();
    out->bits = static_cast<int>(p.size());
    out->most = std::min(most, out->bits);
    double nothing = 1;
    for (std::size_t i = 0; i < p.size(); i++) {
        out->position[i] = static_cast<std::uint8_t>(i);
        nothing *= 1 - p[i];
    }
    std::sort(out->position, out->position + out->bits,
              [&p](std::size_t a, std::size_t b) { return p[a] != p[b] ? p[a] > p[b] : a < b; });
    for (int rank = 0; rank < out->bits; rank++) {
        double flip = p[out->position[rank]];
        out->odds[rank] = levels_of(0);
        out->odds[rank].set(0, flip / (1 - flip));
    }
    for (int size = 0; size <= out->bits; size++) {
        out->weight[size] = levels_of(0);
        out->weight[size].set(0, nothing);
    }
    return out;
}

TEST(Vosh, SortsAllSetsOfUpToThreeOf64Bits)
{
    std::mt19937_64 random(1);
    for (int round = 0; round < 4; round++) {
        std::vector<double> p(64);
        for (double &one : p)
            one = std::pow(std::uniform_real_distribution<>(0, 1)(random), 1 + round) / 2;
        expect_sorted(*from_probabilities(p, 3));
    }
}

TEST(Vosh, SortsTies)
{
    // Few different probabilities, among them the extremes: many sets are worth the same, also sets of
    // different sizes where p = 1/2.
    const double few[] = {0.5, 0.5, 0.25, 0.1, 0.1, 0.001, 0};
    std::mt19937_64 random(2);
    for (int round = 0; round < 4; round++) {
        std::vector<double> p(64);
        for (double &one : p)
            one = few[random() % std::size(few)];
        expect_sorted(*from_probabilities(p, 3));
    }
    expect_sorted(*from_probabilities(std::vector<double>(64, 0.1), 3));
    expect_sorted(*from_probabilities(std::vector<double>(64, 0.5), 3));
}

TEST(Vosh, SortsSetsOfEverySize)
{
    std::mt19937_64 random(3);
    for (int bits = 0; bits <= 12; bits++) {
        for (int most : {0, 1, bits / 2, bits, 64}) {
            std::vector<double> p(static_cast<std::size_t>(bits));
            for (double &one : p)
                one = static_cast<double>(random() % 8) / 16;
            expect_sorted(*from_probabilities(p, most));
        }
    }
}

TEST(Vosh, SortsMixturesAndFactorsOfSize)
{
    std::mt19937_64 random(4);
    std::uniform_real_distribution<> uniform(0, 1);
    for (int round = 0; round < 20; round++) {
        auto flip_value = std::make_unique<FlipValue>();
        flip_value->bits = 14;
        flip_value->most = 6;
        for (int i = 0; i < 14; i++)
            flip_value->position[i] = static_cast<std::uint8_t>(63 - 3 * i);
        for (int level = 0; level < kLevelLanes; level++) {
            bool used = level <= round % kLevelLanes;
            double odds[14];
            for (double &odd : odds)
                odd = uniform(random) < 0.2 ? 0.125 : uniform(random);
            std::sort(odds, odds + 14, std::greater<>());
            for (int i = 0; i < 14; i++)
                flip_value->odds[i].set(level, odds[i]);
            // Sizes of zero value, or of more value than smaller ones.
            for (int size = 0; size <= 6; size++)
                flip_value->weight[size].set(level, !used || uniform(random) < 0.2 ? 0 : uniform(random));
        }
        expect_sorted(*flip_value);
    }
}

TEST(Vosh, ProbabilitiesAddUpToOne)
{
    std::vector<double> p = {0.3, 0.01, 0.5, 0, 0.2, 0.04, 0.45, 0.12, 0.33, 0.07};
    auto flip_value = from_probabilities(p, 10);
    std::vector<VoshNode> nodes(2048);
    Vosh vosh;
    vosh.begin(flip_value.get(), nodes.data(), nodes.size());
    std::uint64_t flips;
    double value, sum = 0, last = 1;
    int sets = 0;
    while (vosh.next(&flips, &value)) {
        double product = 1;
        for (std::size_t i = 0; i < p.size(); i++)
            product *= (flips >> i & 1) != 0 ? p[i] : 1 - p[i];
        EXPECT_NEAR(value, product, 1e-15);
        EXPECT_LE(value, last);
        last = value;
        sum += value;
        sets++;
    }
    EXPECT_EQ(sets, 512) << "a bit with p = 0 never flips";
    EXPECT_NEAR(sum, 1, 1e-12);
}

// With too few nodes the order stays correct, and ends where it is no longer known.
TEST(Vosh, EndsWhereNodesAreShort)
{
    std::mt19937_64 random(5);
    std::vector<double> p(20);
    for (double &one : p)
        one = std::uniform_real_distribution<>(0, 0.5)(random);
    auto flip_value = from_probabilities(p, 4);
    std::vector<Flips> expected = sort_sets(*flip_value);
    for (std::size_t capacity : {0, 1, 2, 5, 6, 10, 30, 100, 300}) {
        std::vector<VoshNode> nodes(capacity);
        Vosh vosh;
        vosh.begin(flip_value.get(), nodes.data(), capacity);
        std::uint64_t flips;
        double value;
        std::size_t count = 0;
        for (; vosh.next(&flips, &value); count++)
            ASSERT_EQ(flips, mask_of(*flip_value, expected[count].ranks)) << capacity;
        EXPECT_LT(count, expected.size()) << capacity;
        if (capacity > 5) {
            EXPECT_GE(count + 5, capacity);
        }
    }
}

// Published: on web pages 17, 152 and 675 flips find all the pairs at distance 1, 2 and 3, out of 64, 2016
// and 41664. Here the weights are normal, the partners have cosine 0.98, and 95 % of the pairs are asked for.
TEST(Vosh, NeedsFewFlips)
{
    std::mt19937_64 random(6);
    std::normal_distribution<> normal;
    const std::size_t all[] = {0, 64, 2016, 41664};
    for (int size = 1; size <= 3; size++) {
        double needed = 0;
        constexpr int kRounds = 20;
        for (int round = 0; round < kRounds; round++) {
            std::vector<double> p(64);
            for (double &one : p)
                one = std::erfc(std::fabs(normal(random)) / 0.2 / std::sqrt(2.0)) / 2;
            auto flip_value = from_probabilities(p, size);
            // Only the sets of this size.
            for (int other = 0; other < size; other++)
                flip_value->weight[other] = levels_of(0);
            std::vector<Flips> sets = sort_sets(*flip_value);
            double sum = 0;
            for (const Flips &flips : sets)
                sum += flips.value;
            std::vector<VoshNode> nodes(sets.size() + 4);
            Vosh vosh;
            vosh.begin(flip_value.get(), nodes.data(), nodes.size());
            std::uint64_t flips;
            double value, covered = 0;
            while (covered < 0.95 * sum && vosh.next(&flips, &value)) {
                EXPECT_EQ(std::popcount(flips), size);
                covered += value;
                needed++;
            }
        }
        needed /= kRounds;
        RecordProperty("flips_" + std::to_string(size), static_cast<int>(needed));
        EXPECT_LT(needed, static_cast<double>(all[size]) / (size == 1 ? 3 : size == 2 ? 10 : 25)) << size;
        EXPECT_GT(needed, size == 1 ? 5 : 50) << size;
    }
}

} // namespace
} // namespace simhash
