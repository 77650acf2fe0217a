#include "core/layout/search_plan.hpp"

#include "core/bits/contract.hpp"
#include "core/layout/pair_plan.hpp" // Flips

#include <algorithm>
#include <cmath>

namespace simhash
{

namespace
{

// A leaf that does not follow the last one costs a descent, about as much as reading it.
constexpr double kDescent = 2.0;

// Beyond this the enumeration, of C(64, 24) leaves, does not pay for any size of index.
constexpr int kMaxPlannedRadius = 24;

double choose(int n, int k)
{
    if (k < 0 || k > n)
        return 0;
    double result = 1;
    for (int i = 0; i < k; i++)
        result = result * (n - i) / (i + 1);
    return result;
}

// One way to read a region: which of its trees, with which budget.
struct Choice {
    double cost;
    std::uint32_t trees; // bit i: tree first_tree + i
    int budget;
};

// With budget 0, the chosen trees find everything with at most `errors` <= spared errors in the region if
// every set of that many blocks misses the header of one of them. Greedy set cover over those sets, of which
// there are few.
std::uint32_t covering_trees(const TreeDesign &design, const DesignRegion &region, int errors)
{
    constexpr int kMostSets = 70; // of four of eight blocks
    std::uint32_t set[kMostSets];
    int sets = 0;
    for (Flips flips(region.blocks, errors); !flips.done(); flips.next()) {
        if (flips.count() != errors)
            continue;
        SIMHASH_ASSERT(sets < kMostSets);
        set[sets++] = flips.mask() << region.first_block;
    }
    std::uint32_t chosen = 0;
    while (sets > 0) {
        int best = 0, best_gain = -1;
        for (int t = 0; t < region.trees; t++) {
            std::uint32_t header = header_blocks(design.tree[region.first_tree + t]);
            int gain = 0;
            for (int i = 0; i < sets; i++)
                gain += (header & set[i]) == 0;
            if (gain > best_gain) {
                best = t;
                best_gain = gain;
            }
        }
        chosen |= 1u << best;
        std::uint32_t header = header_blocks(design.tree[region.first_tree + best]);
        int left = 0;
        for (int i = 0; i < sets; i++) {
            if ((header & set[i]) != 0)
                set[left++] = set[i];
        }
        sets = left;
    }
    return chosen;
}

// The cheapest way to find everything with at most `errors` errors in the region; -1 reads nothing of it.
Choice choose_trees(const TreeDesign &design, const DesignRegion &region, int errors, int radius,
                    double leaves)
{
    Choice choice = {0, 0, 0};
    if (errors < 0)
        return choice;
    if (errors <= region.spared) {
        choice.trees = covering_trees(design, region, errors);
    } else {
        choice.trees = (1u << region.trees) - 1;
        while (tolerance(region.blocks, region.spared, choice.budget) < errors)
            choice.budget++;
    }
    for (int t = 0; t < region.trees; t++) {
        if (choice.trees >> t & 1)
            choice.cost += estimate_leaves(design.tree[region.first_tree + t].header_bits, choice.budget,
                                           radius, leaves);
    }
    return choice;
}

} // namespace

int tolerance(int blocks, int spared, int budget)
{
    if (budget < 0)
        return -1;
    // n errors are worst for the headers when spread evenly: the header with the fewest then has the blocks - spared
    // smallest shares.
    int errors = 0;
    for (;; errors++) {
        int each = (errors + 1) / blocks, more = (errors + 1) % blocks;
        int least = (blocks - spared) * each + std::max(0, more - spared);
        if (least > budget || errors >= kBits)
            return errors;
    }
}

double estimate_leaves(int header_bits, int budget, int radius, double leaves)
{
    if (leaves <= 1)
        return 1;
    // Leaves divide the keys by about their first log2(leaves) bits.
    int prefix = std::min(63, static_cast<int>(std::ceil(std::log2(leaves))));
    int header = std::min(header_bits, prefix), rest = prefix - header;
    double reached = 0; // values of the prefix
    for (int i = 0; i <= std::min({budget, radius, header}); i++) {
        double inside = 0;
        for (int j = 0; j <= std::min(radius - i, rest); j++)
            inside += choose(rest, j);
        reached += choose(header, i) * inside;
    }
    double size = leaves / std::exp2(prefix); // of the keys of one, in leaves: 1/2 to 1
    return std::clamp(reached * (size + 0.25), 1.0, leaves);
}

void plan_search(const TreeDesign &design, int radius, double leaves, SearchPlan *plan)
{
    plan->radius = std::min(radius, kBits);
    plan->steps = 1;
    plan->step[0] = {0, 0, 0};
    plan->leaves = estimate_leaves(0, 0, plan->radius, leaves);
    double cost = std::min(plan->leaves * kDescent, leaves);
    if (radius > kMaxPlannedRadius)
        return;

    // best[m][n]: the least cost at which the first m regions yield n units; region m with `errors` yields
    // errors + 1, and radius + 1 are needed.
    constexpr int kUnits = kMaxPlannedRadius + 1;
    double best[kMaxBlocks + 1][kUnits + 1];
    std::int8_t taken[kMaxBlocks + 1][kUnits + 1];
    int units = radius + 1;
    for (int n = 0; n <= units; n++)
        best[0][n] = n == 0 ? 0 : HUGE_VAL;
    for (int m = 0; m < design.regions; m++) {
        double price[kUnits + 1];
        for (int n = 0; n <= units; n++)
            price[n] = choose_trees(design, design.region[m], n - 1, plan->radius, leaves).cost * kDescent;
        for (int n = 0; n <= units; n++) {
            best[m + 1][n] = HUGE_VAL;
            taken[m + 1][n] = 0;
            for (int use = 0; use <= n; use++) {
                if (best[m][n - use] + price[use] < best[m + 1][n]) {
                    best[m + 1][n] = best[m][n - use] + price[use];
                    taken[m + 1][n] = static_cast<std::int8_t>(use);
                }
            }
        }
    }
    if (!(best[design.regions][units] < cost))
        return;

    plan->steps = 0;
    plan->leaves = best[design.regions][units] / kDescent;
    for (int m = design.regions, n = units; m > 0; m--) {
        const DesignRegion &region = design.region[m - 1];
        Choice choice = choose_trees(design, region, taken[m][n] - 1, plan->radius, leaves);
        for (int t = 0; t < region.trees; t++) {
            if (!(choice.trees >> t & 1))
                continue;
            int tree = region.first_tree + t;
            plan->step[plan->steps++] = {static_cast<std::uint8_t>(tree), design.tree[tree].header_bits,
                                         static_cast<std::uint8_t>(choice.budget)};
        }
        n -= taken[m][n];
    }
    std::sort(plan->step, plan->step + plan->steps,
              [](const SearchStep &a, const SearchStep &b) { return a.tree < b.tree; });
}

} // namespace simhash
