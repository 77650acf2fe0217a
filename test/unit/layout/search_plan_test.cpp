#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/layout/key_ball.hpp"
#include "core/layout/search_plan.hpp"

#include "../seed.hpp"
#include "every_design.hpp"

namespace simhash
{
namespace
{

constexpr int kMostRadius = 16;

class SearchPlanTest : public SeededTest<24>
{
protected:
    std::uint64_t errors(int count)
    {
        std::uint64_t bits = 0;
        while (std::popcount(bits) < count)
            bits |= std::uint64_t{1} << below(64);
        return bits;
    }

    void set_random_bits(const TreeDesign &design, KeyOrder *order)
    {
        std::uint8_t bits[kBits];
        std::iota(bits, bits + kBits, std::uint8_t{0});
        std::shuffle(bits, bits + kBits, random);
        order->set(design, bits);
    }
};

TreeDesign design_of(int distance, int trees)
{
    TreeDesign design;
    EXPECT_TRUE(make_design(distance, trees, &design));
    return design;
}

SearchPlan plan_of(const TreeDesign &design, int radius, double leaves)
{
    SearchPlan plan;
    plan_search(design, radius, leaves, &plan);
    return plan;
}

struct Planned {
    TreeDesign design;
    double leaves;
    SearchPlan plan;
};

// The plans of every design, by design, number of leaves and ascending radius. Made once. Regions of many
// blocks take long to plan, so they have fewer plans.
const std::vector<Planned> &every_plan()
{
    static const std::vector<Planned> plans = [] {
        std::vector<Planned> made;
        for (const TreeDesign &design : every_design()) {
            bool slow = std::any_of(design.region, design.region + design.regions,
                                    [](const DesignRegion &region) { return region.blocks > 8; });
            for (double leaves : {300.0, 150000.0, 3e7}) {
                if (slow && leaves < 3e7)
                    continue;
                for (int radius = 0; radius <= kMostRadius; radius += slow && radius >= 4 ? 4 : 1)
                    made.push_back({design, leaves, plan_of(design, radius, leaves)});
            }
        }
        return made;
    }();
    return plans;
}

std::string name(const TreeDesign &design, const SearchPlan &plan)
{
    std::string text = "distance " + std::to_string(design.distance) + ", trees " +
                       std::to_string(design.trees) + ", radius " + std::to_string(plan.radius) + ", steps";
    for (int i = 0; i < plan.steps; i++)
        text += " " + std::to_string(plan.step[i].tree) + "/" + std::to_string(plan.step[i].header_bits) +
                "/" + std::to_string(plan.step[i].budget);
    return text;
}

bool is_full_step(const SearchPlan &plan) { return plan.steps == 1 && plan.step[0].header_bits == 0; }

// Whether `total` errors can be distributed over the blocks, at most width[i] in block i, so that no step of
// a plan finds them.
class Adversary
{
public:
    Adversary(const TreeDesign &design, const SearchPlan &plan, std::mt19937_64 *random)
        : design_(design), random_(random)
    {
        for (int i = 0; i < plan.steps; i++) {
            const SearchStep &step = plan.step[i];
            if (step.header_bits != 0)
                headers_.push_back({header_blocks(design.tree[step.tree]), step.budget});
            finds_all_ |= step.header_bits == 0;
        }
    }

    bool wins(int total, double most_patterns)
    {
        if (finds_all_)
            return false;
        double patterns = 1; // C(total + blocks - 1, total)
        for (int i = 1; i <= total; i++)
            patterns = patterns * (design_.blocks - 1 + i) / i;
        if (patterns <= most_patterns)
            return wins_by_some_pattern(0, total);
        for (int i = 0; i < 20; i++) {
            if (wins_by_cunning(total) || wins_by_chance(total))
                return true;
        }
        return false;
    }

private:
    struct Header {
        std::uint32_t blocks;
        int budget;
    };

    int errors_in(const Header &header) const
    {
        int sum = 0;
        for (std::uint32_t set = header.blocks; set != 0; set &= set - 1)
            sum += errors_[std::countr_zero(set)];
        return sum;
    }

    bool unfound() const
    {
        return std::all_of(headers_.begin(), headers_.end(),
                           [this](const Header &header) { return errors_in(header) > header.budget; });
    }

    bool wins_by_some_pattern(int block, int left)
    {
        int width = design_.width[block];
        if (block == design_.blocks - 1) {
            errors_[block] = left;
            return left <= width && unfound();
        }
        for (int n = 0; n <= std::min(left, width); n++) {
            errors_[block] = n;
            if (wins_by_some_pattern(block + 1, left - n))
                return true;
        }
        return false;
    }

    bool wins_by_chance(int total)
    {
        std::fill(errors_, errors_ + kMaxBlocks, 0);
        while (total > 0) {
            auto block = (*random_)() % design_.blocks;
            if (errors_[block] < design_.width[block]) {
                errors_[block]++;
                total--;
            }
        }
        return unfound();
    }

    // Each error goes into a header that still finds them, to a block that is in most of those headers.
    bool wins_by_cunning(int total)
    {
        std::fill(errors_, errors_ + kMaxBlocks, 0);
        for (; total > 0; total--) {
            int hurt[kMaxBlocks] = {};
            std::vector<std::uint32_t> finding;
            for (const Header &header : headers_) {
                if (errors_in(header) <= header.budget) {
                    finding.push_back(header.blocks);
                    for (int i = 0; i < design_.blocks; i++)
                        hurt[i] += header.blocks >> i & 1;
                }
            }
            if (finding.empty())
                return true;
            std::uint32_t among = finding[(*random_)() % finding.size()];
            int best = -1;
            for (int i = 0; i < design_.blocks; i++) {
                if ((among >> i & 1) && errors_[i] < design_.width[i] &&
                    (best < 0 || hurt[i] > hurt[best] || (hurt[i] == hurt[best] && (*random_)() % 2)))
                    best = i;
            }
            if (best < 0)
                return false;
            errors_[best]++;
        }
        return unfound();
    }

    const TreeDesign &design_;
    std::mt19937_64 *random_;
    std::vector<Header> headers_;
    bool finds_all_ = false;
    int errors_[kMaxBlocks] = {};
};

// The number of errors in the best header of b - c of b blocks, in the worst case: tries every way to
// distribute `errors` over the blocks, the largest share first.
int worst_header(int blocks, int spared, int errors)
{
    int worst = 0;
    std::vector<int> share;
    std::function<void(int, int)> lay = [&](int left, int most) {
        if (static_cast<int>(share.size()) == blocks) {
            if (left == 0)
                worst = std::max(worst, std::accumulate(share.begin() + spared, share.end(), 0));
            return;
        }
        for (int n = std::min(left, most); n >= 0; n--) {
            share.push_back(n);
            lay(left - n, n);
            share.pop_back();
        }
    };
    lay(errors, errors);
    return worst;
}

TEST_F(SearchPlanTest, ToleranceEqualsBruteForce)
{
    for (int blocks = 1; blocks <= 8; blocks++) {
        for (int spared = 0; spared < blocks; spared++) {
            EXPECT_EQ(tolerance(blocks, spared, -1), -1);
            EXPECT_EQ(tolerance(blocks, spared, 0), spared);
            int errors = 0;
            for (int budget = 0; budget <= 6; budget++) {
                while (errors < 20 && worst_header(blocks, spared, errors + 1) <= budget)
                    errors++;
                if (errors < 20) {
                    ASSERT_EQ(tolerance(blocks, spared, budget), errors)
                        << blocks << " blocks, " << spared << " spared, budget " << budget;
                }
            }
        }
    }
    EXPECT_EQ(tolerance(1, 0, 5), 5);
    EXPECT_EQ(tolerance(1, 0, 1000), 64) << "there are no more bits";
}

TEST_F(SearchPlanTest, StepsAreWellFormed)
{
    EXPECT_GT(every_plan().size(), 15000u);
    for (const auto &[design, leaves, plan] : every_plan()) {
        ASSERT_GE(plan.steps, 1);
        ASSERT_LE(plan.steps, design.trees) << name(design, plan);
        for (int i = 0; i < plan.steps; i++) {
            const SearchStep &step = plan.step[i];
            ASSERT_LT(step.tree, design.trees) << name(design, plan);
            if (step.header_bits == 0) {
                ASSERT_EQ(plan.steps, 1) << name(design, plan);
            } else {
                ASSERT_EQ(step.header_bits, design.tree[step.tree].header_bits) << name(design, plan);
            }
            if (i > 0) {
                ASSERT_GT(step.tree, plan.step[i - 1].tree) << name(design, plan);
            }
        }
    }
}

// The central property: however the errors are distributed over the blocks, some step allows them.
TEST_F(SearchPlanTest, NoErrorPatternIsMissed)
{
    std::set<std::string> seen;
    for (const auto &[design, leaves, plan] : every_plan()) {
        if (seen.insert(name(design, plan)).second) {
            ASSERT_FALSE(Adversary(design, plan, &random).wins(plan.radius, 300)) << name(design, plan);
        }
    }
}

// The same for the designs that matter most, pattern by pattern.
TEST_F(SearchPlanTest, NoErrorPatternIsMissedByCommonDesigns)
{
    const int common[][2] = {{1, 2}, {1, 3}, {2, 3}, {2, 6}, {3, 2},  {3, 4},
                             {3, 5}, {3, 6}, {3, 7}, {3, 8}, {3, 10}, {3, 20}};
    for (const auto &[distance, trees] : common) {
        TreeDesign design = design_of(distance, trees);
        for (int radius = 0; radius <= kMostRadius; radius++) {
            std::set<std::string> seen;
            for (double leaves : {30.0, 2000.0, 150000.0, 3e7}) {
                SearchPlan plan = plan_of(design, radius, leaves);
                if (seen.insert(name(design, plan)).second) {
                    ASSERT_FALSE(Adversary(design, plan, &random).wins(radius, 80000)) << name(design, plan);
                }
            }
        }
    }
}

// The adversary is effective: a plan without one of its steps, or with a smaller budget, misses something.
TEST_F(SearchPlanTest, EveryStepIsNeeded)
{
    for (int trees : {2, 3, 4, 5, 6, 7, 8, 10, 20}) {
        TreeDesign design = design_of(3, trees);
        for (int radius = 0; radius <= 9; radius++) {
            SearchPlan plan = plan_of(design, radius, 1e9);
            if (is_full_step(plan) || plan.steps == 1)
                continue;
            // With raised budgets the tolerance may be more than the radius needs, but not within the
            // distance.
            if (radius > design.distance)
                continue;
            for (int i = 0; i < plan.steps; i++) {
                SearchPlan less = plan;
                std::copy(plan.step + i + 1, plan.step + plan.steps, less.step + i);
                less.steps--;
                ASSERT_TRUE(Adversary(design, less, &random).wins(radius, 1e6))
                    << name(design, plan) << ", " << i;
            }
        }
    }
}

TEST_F(SearchPlanTest, SmallRadiiOfFourTables)
{
    TreeDesign design = design_of(3, 4);
    for (int radius = 0; radius <= 3; radius++) {
        SearchPlan plan = plan_of(design, radius, 100000);
        EXPECT_EQ(plan.steps, radius + 1) << name(design, plan);
        for (int i = 0; i < plan.steps; i++) {
            // With radius 0 the whole key is fixed, not only the header.
            EXPECT_EQ(plan.step[i].header_bits, radius == 0 ? 0 : 16) << name(design, plan);
            EXPECT_EQ(plan.step[i].budget, 0);
        }
    }
    SearchPlan plan = plan_of(design, 4, 1e7); // one block may have an error
    EXPECT_EQ(plan.steps, 4) << name(design, plan);
    EXPECT_EQ(plan.step[0].budget + plan.step[1].budget + plan.step[2].budget + plan.step[3].budget, 1);
}

TEST_F(SearchPlanTest, SmallRadiiOfSixTables)
{
    const int steps[] = {1, 2, 4, 6}; // by region: 0 + 0 errors, 0 + 0, 1 + 0, 1 + 1
    TreeDesign design = design_of(3, 6);
    for (int radius = 0; radius <= 3; radius++) {
        SearchPlan plan = plan_of(design, radius, 100000);
        EXPECT_EQ(plan.steps, steps[radius]) << name(design, plan);
    }
}

TEST_F(SearchPlanTest, LargeRadiiReadOneWholeTable)
{
    for (const TreeDesign &design : every_design()) {
        for (int radius : {25, 32, 63, 64}) {
            for (double leaves : {1.0, 1e3, 1e7}) {
                SearchPlan plan = plan_of(design, radius, leaves);
                ASSERT_TRUE(is_full_step(plan)) << name(design, plan);
                ASSERT_EQ(plan.radius, radius);
            }
        }
        ASSERT_DOUBLE_EQ(plan_of(design, 64, 12345).leaves, 12345);
    }
}

TEST_F(SearchPlanTest, AnIndexOfOneLeafIsReadOnce)
{
    for (int trees : {1, 2, 4, 6, 10, 20}) {
        for (int radius = 0; radius <= 64; radius++) {
            SearchPlan plan = plan_of(design_of(3, trees), radius, 1);
            ASSERT_EQ(plan.steps, 1);
            ASSERT_EQ(plan.radius, radius);
            ASSERT_EQ(plan.leaves, 1);
        }
    }
}

TEST_F(SearchPlanTest, EstimatesAreSane)
{
    for (int header : {0, 1, 8, 16, 21, 31, 64}) {
        for (int budget = 0; budget <= 8; budget++) {
            for (int radius = 0; radius <= 64; radius++) {
                double last = 0;
                for (double leaves : {1.0, 2.0, 3.0, 7.0, 100.0, 1e4, 1e6, 1e9, 4e9}) {
                    double n = estimate_leaves(header, budget, radius, leaves);
                    ASSERT_TRUE(std::isfinite(n));
                    ASSERT_GT(n, 0);
                    ASSERT_LE(n, leaves);
                    // At the next power of two of leaves the granularity of the estimate halves.
                    ASSERT_GE(n, last * 0.5) << header << ' ' << budget << ' ' << radius << ' ' << leaves;
                    ASSERT_LE(n, estimate_leaves(header, budget, radius + 1, leaves) + 1e-9);
                    ASSERT_LE(n, estimate_leaves(header, budget + 1, radius, leaves) + 1e-9);
                    if (header > 0) {
                        ASSERT_LE(n, estimate_leaves(header - 1, budget, radius, leaves) + 1e-9);
                    }
                    last = n;
                }
            }
        }
    }
    EXPECT_DOUBLE_EQ(estimate_leaves(0, 0, 64, 1000), 1000);
}

TEST_F(SearchPlanTest, CostGrowsWithTheRadius)
{
    double last = 0;
    for (const auto &[design, leaves, plan] : every_plan()) {
        ASSERT_TRUE(std::isfinite(plan.leaves));
        ASSERT_GT(plan.leaves, 0);
        ASSERT_LE(plan.leaves, leaves);
        if (plan.radius > 0) {
            ASSERT_GE(plan.leaves, last - 1e-9) << name(design, plan) << ", " << leaves << " leaves";
        }
        last = plan.leaves;
    }
}

// Leaves of uniform keys that hold a key of the ball, counted.
TEST_F(SearchPlanTest, EstimatesAreNearTheTruth)
{
    const struct {
        int header_bits, budget, radius, leaves;
    } cases[] = {{16, 0, 3, 5000},  {16, 0, 3, 300000}, {16, 1, 5, 5000}, {16, 1, 5, 100000},
                 {21, 0, 3, 20000}, {21, 1, 4, 20000},  {0, 0, 2, 1000},  {0, 0, 4, 4096},
                 {8, 0, 3, 5000},   {8, 2, 6, 5000},    {32, 0, 2, 1000}, {12, 0, 3, 70000}};
    for (const auto &c : cases) {
        double count = 0;
        const int queries = 60;
        for (int i = 0; i < queries; i++) {
            KeyBall ball = {random(), c.header_bits, c.budget, c.radius};
            std::uint64_t width = ~std::uint64_t{0} / static_cast<unsigned>(c.leaves) + 1, key;
            for (std::uint64_t from = 0; next_key(ball, from, &key);) {
                count++;
                if (key / width == ~std::uint64_t{0} / width)
                    break;
                from = (key / width + 1) * width;
            }
        }
        double estimate = estimate_leaves(c.header_bits, c.budget, c.radius, c.leaves);
        EXPECT_LT(estimate, 2 * count / queries) << c.header_bits << ' ' << c.budget << ' ' << c.radius;
        EXPECT_GT(estimate, count / queries / 2) << c.header_bits << ' ' << c.budget << ' ' << c.radius;
    }
}

// A row is returned by exactly one of the steps that find it: the first.
TEST_F(SearchPlanTest, OneStepReportsARow)
{
    auto order = std::make_unique<KeyOrder>();
    const TreeDesign *last = nullptr;
    for (const auto &[design, leaves, plan] : every_plan()) {
        if (last == nullptr || std::memcmp(last, &design, sizeof(design)) != 0)
            set_random_bits(design, order.get());
        last = &design;
        for (int i = 0; i < 6; i++) {
            Fingerprint query = random(), row = query ^ errors(i < 4 ? plan.radius : below(65));
            int first = -1, returned = 0;
            for (int s = plan.steps - 1; s >= 0; s--) {
                const SearchStep &step = plan.step[s];
                const std::uint64_t flips = order->key(step.tree, query) ^ order->key(step.tree, row);
                if (std::popcount(flips & leading_bits(step.header_bits)) <= step.budget)
                    first = s;
                returned += returns_row(*order, plan, s, query ^ row);
            }
            ASSERT_EQ(returned, first >= 0) << name(design, plan);
            ASSERT_TRUE(first < 0 || returns_row(*order, plan, first, query ^ row)) << name(design, plan);
            if (hamming_distance(query, row) <= plan.radius) {
                ASSERT_EQ(returned, 1) << name(design, plan);
            }
        }
    }
}

// A search like that of the index, over sorted arrays cut into small leaves.
class ArraySearch
{
public:
    struct Entry {
        std::uint64_t key;
        std::size_t row;

        auto operator<=>(const Entry &) const = default;
    };

    static constexpr std::size_t kLeaf = 5;

    ArraySearch(const KeyOrder &order, const std::vector<Fingerprint> &rows) : order_(order), rows_(rows)
    {
        for (int t = 0; t < order.design.trees; t++) {
            std::vector<Entry> entries;
            for (std::size_t i = 0; i < rows.size(); i++)
                entries.push_back({order.key(t, rows[i]), i});
            std::sort(entries.begin(), entries.end());
            trees_.push_back(entries);
        }
    }

    double leaves() const { return static_cast<double>((rows_.size() + kLeaf - 1) / kLeaf); }

    std::vector<std::size_t> search(const SearchPlan &plan, Fingerprint query, std::size_t *leaves_read) const
    {
        std::vector<std::size_t> found;
        for (int s = 0; s < plan.steps; s++) {
            const SearchStep &step = plan.step[s];
            const std::vector<Entry> &tree = trees_[step.tree];
            KeyBall ball = {order_.key(step.tree, query), step.header_bits, step.budget, plan.radius};
            Entry at = {0, 0};
            if (!next_key(ball, 0, &at.key))
                ADD_FAILURE() << "a ball holds its center";
            for (;;) {
                // The leaf whose range holds `at`: the first one's begins before all keys.
                auto after = std::upper_bound(tree.begin(), tree.end(), at);
                auto place = static_cast<std::size_t>(after - tree.begin());
                std::size_t first = place == 0 ? 0 : (place - 1) / kLeaf * kLeaf;
                std::size_t end = std::min(first + kLeaf, tree.size());
                ++*leaves_read;
                for (std::size_t i = first; i < end; i++) {
                    Fingerprint row = rows_[tree[i].row];
                    if (hamming_distance(row, query) <= plan.radius &&
                        returns_row(order_, plan, s, row ^ query))
                        found.push_back(tree[i].row);
                }
                if (end == tree.size())
                    break;
                Entry high = tree[end];
                if (!next_key(ball, high.key, &at.key))
                    break;
                at.row = at.key == high.key ? high.row : 0;
            }
        }
        std::sort(found.begin(), found.end());
        return found;
    }

private:
    const KeyOrder &order_;
    const std::vector<Fingerprint> &rows_;
    std::vector<std::vector<Entry>> trees_;
};

TEST_F(SearchPlanTest, SearchesFindEachRowOnce)
{
    auto order = std::make_unique<KeyOrder>();
    const int designs[][2] = {{3, 4},  {3, 1}, {3, 2}, {3, 6},  {3, 8},  {3, 10},
                              {3, 20}, {1, 3}, {5, 9}, {8, 12}, {15, 16}};
    std::size_t rows_found = 0;
    for (const auto &[distance, trees] : designs) {
        TreeDesign design = design_of(distance, trees);
        set_random_bits(design, order.get());
        // Clusters, copies and noise; every other time with constant bits.
        std::vector<Fingerprint> rows;
        Fingerprint dead = trees % 2 ? 0 : random() & random();
        for (int i = 0; i < 3000; i++) {
            Fingerprint row = i < 50 || below(3) == 0 ? random() & ~dead : rows[random() % rows.size()];
            rows.push_back(row ^ (errors(below(6)) & ~dead));
        }
        ArraySearch index(*order, rows);
        for (int radius : {0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 25, 40, 64}) {
            // An estimate for more leaves than there are tries the plans of a large index.
            for (double leaves : {index.leaves(), 1e8}) {
                SearchPlan plan = plan_of(design, radius, leaves);
                for (int i = 0; i < 4; i++) {
                    Fingerprint query =
                        i == 0 ? random() : rows[random() % rows.size()] ^ errors(below(radius + 1));
                    std::vector<std::size_t> expected;
                    for (std::size_t row = 0; row < rows.size(); row++) {
                        if (hamming_distance(rows[row], query) <= radius)
                            expected.push_back(row);
                    }
                    std::size_t read = 0;
                    ASSERT_EQ(index.search(plan, query, &read), expected) << name(design, plan);
                    ASSERT_LE(static_cast<double>(read), plan.steps * index.leaves()) << name(design, plan);
                    rows_found += expected.size();
                }
            }
        }
    }
    EXPECT_GT(rows_found, 10000u);
}

} // namespace
} // namespace simhash
