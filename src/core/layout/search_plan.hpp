// Which trees an exact search of radius r reads, and how many header errors it allows in each.
//
// The general pigeonhole principle: a region of b blocks that spares c, read with budget e in all its trees,
// finds everything with at most tolerance(b, c, e) errors inside the region; regions with sum (tolerance + 1)
// >= r + 1 together miss nothing. With r <= k every budget is 0, and some trees may be left out. For larger
// radii budgets grow. Where that costs more than it saves, one tree alone is searched for the whole ball,
// which in the end means reading all of it.
#pragma once

#include "core/bits/fingerprint.hpp"
#include "core/layout/key_order.hpp"
#include "core/layout/tree_design.hpp"

#include <bit>

namespace simhash
{

struct SearchStep {
    std::uint8_t tree;
    std::uint8_t header_bits; // the tree's, or 0: the radius alone bounds the step
    std::uint8_t budget;
};

struct SearchPlan {
    int radius;    // 0 to 64
    int steps;     // at least 1
    double leaves; // the estimated number of leaf pages read
    SearchStep step[kMaxTrees];
};

// The most errors inside a region that all its trees together, read with this budget, are sure to find; -1
// for budget -1.
int tolerance(int blocks, int spared, int budget);

// The estimated number of a tree's `leaves` leaves that a step reads, if keys are uniform.
double estimate_leaves(int header_bits, int budget, int radius, double leaves);

// The cheapest plan for a radius of 0 to 64 over trees of `leaves` leaf pages each.
void plan_search(const TreeDesign &design, int radius, double leaves, SearchPlan *plan);

// Whether step number `step` is the one that returns a row, given the bits in which it differs from the
// query: the first whose header budget it meets. Every row within the radius is found by some step, and
// returned by exactly one, with nothing to remember.
inline bool returns_row(const KeyOrder &order, const SearchPlan &plan, int step, Fingerprint errors)
{
    for (int i = 0; i <= step; i++) {
        const SearchStep &s = plan.step[i];
        if (s.header_bits == 0 ||
            std::popcount(errors & order.tree[s.tree].header_mask) <= static_cast<int>(s.budget))
            return i == step;
    }
    return false;
}

} // namespace simhash
