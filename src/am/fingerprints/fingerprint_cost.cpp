// Estimates of searches of an index on fingerprints, from the number of leaves that the search plan for the radius
// reads. An advisor's hypothetical index has no metapage, so the default design is assumed.
#include "am/fingerprints/fingerprint_kind.hpp"
#include "am/search/cost.hpp"

#include <cmath>

namespace simhash
{

namespace
{

// For each leaf: to locate it in the copied inner pages, wait for its memory, pin it and lock it; and for each entry
// that the kernel tests.
constexpr double kLeafMicroseconds = 0.35;
constexpr double kEntryMicroseconds = 0.0004375;

// The trees of an index.
struct Trees {
    Relation index;    // null for a hypothetical one
    TreeDesign design; // of a hypothetical one
    double leaves;     // of each tree
    double rows;
};

Trees planned_trees(const PlannedIndex &index)
{
    Trees trees = {};
    trees.index = index.relation;
    trees.rows = index.info->tuples;
    if (index.relation == nullptr)
        make_design(kDefaultDistance, default_trees(kDefaultDistance), &trees.design);
    const int count =
        index.relation == nullptr ? trees.design.trees : static_cast<int>(index_meta(index.relation)->trees);
    trees.leaves = estimated_leaves(index.info->pages, count);
    return trees;
}

SearchPlan search_plan(const Trees &trees, int radius)
{
    SearchPlan plan = {};
    if (trees.index != nullptr)
        index_plan(trees.index, radius, &plan);
    else
        plan_search(trees.design, radius, trees.leaves, &plan);
    return plan;
}

// The plan's own estimate assumes evenly spread keys. Matching rows add to it: in each tree that is read, they occupy
// leaves of their own. The first leaf in each tree is a random access, and the others follow it in order.
SearchEstimate plan_estimate(const Trees &trees, const SearchPlan &plan, double fraction, bool guided)
{
    // A search by weights read about 2 to 12 leaves on real texts where an exact search reads 4 to 145.
    const double planned = guided ? std::sqrt(plan.leaves) : plan.leaves;
    const double most = plan.steps * trees.leaves;
    const double leaves = Max(1.0, Min(planned + fraction * most, most));
    return {leaves, Min(static_cast<double>(plan.steps), leaves), Min(1.0, leaves / most),
            leaves * (kLeafMicroseconds + trees.rows / trees.leaves * kEntryMicroseconds)};
}

int fingerprint_bits(const PlannedIndex & /*index*/) { return kBits; }

SearchEstimate search_fingerprints(const PlannedIndex &index, const PlannedSearch &search)
{
    const Trees trees = planned_trees(index);
    SearchPlan plan = search_plan(trees, Max(search.ball.radius, 0));
    if (search.ball.radius < 0 || search.only_nulls) {
        plan.steps = 1;
        plan.leaves = 1;
    }
    return plan_estimate(trees, plan, search.fraction, !search.ball.exact);
}

// All rings up to a radius. Each ring takes about twice as long as the previous one. A ring that would read half of a
// tree reads all of it.
SearchEstimate rings(const Trees &trees, int radius, double fraction)
{
    SearchPlan plan = search_plan(trees, radius);
    if (2 * plan.leaves > trees.leaves) {
        plan.steps = 1;
        plan.leaves = trees.leaves;
    } else if (radius > kDefaultDistance) {
        plan.leaves *= 2;
    }
    return plan_estimate(trees, plan, fraction, false);
}

OrderEstimate order_fingerprints(const PlannedIndex &index, const PlannedSearch &search)
{
    const Trees trees = planned_trees(index);
    const int radius = search.ball.radius;
    return {rings(trees, Min(radius, kDefaultDistance), search.fraction),
            rings(trees, radius, search.fraction)};
}

} // namespace

const SearchCosts kFingerprintCosts = {fingerprint_bits, search_fingerprints, order_fingerprints};

} // namespace simhash
