#include "core/page/signature_plan.hpp"

#include "core/bits/ball_volume.hpp"
#include "core/page/leaf.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace simhash
{

namespace
{

// The number of a step's candidates in one leaf: entries with at most `budget` errors in the window and `radius`
// errors in the key, which agree with the query in about as many bits as lead to a leaf.
double candidates_of_leaf(int header_bits, int key_bits, int budget, int radius,
                          const SignatureIndexSize &size)
{
    int depth = std::min(header_bits, static_cast<int>(std::log2(std::max(1.0, size.leaves))));
    return size.rows / size.leaves * ball_volume(header_bits - depth, budget) *
           ball_volume(key_bits - header_bits, radius);
}

int sketch_bits(const SignatureLayout &layout) { return std::min<int>(layout.bits, kSketchBits); }

} // namespace

double plan_trees(const SignatureLayout &layout, int radius, const SignatureIndexSize &size, SearchPlan *plan)
{
    plan->radius = radius;
    plan->steps = 0;
    plan->leaves = 0;
    if (layout.trees == 0)
        return std::numeric_limits<double>::infinity();
    double candidates = 0;
    // Most trees have the same window and budget, so the estimates are those of the tree before.
    int last_header = -1, last_budget = -1;
    double leaves = 0, candidates_in = 0;
    for (int t = 0; t < layout.trees; t++) {
        int budget = (radius + 1) / layout.trees - (t < (radius + 1) % layout.trees ? 0 : 1);
        if (budget < 0)
            break;
        int header = layout.header_bits(t);
        if (budget >= header)
            return std::numeric_limits<double>::infinity();
        if (header != last_header || budget != last_budget) {
            leaves = estimate_leaves(header, budget, std::min(radius, kKeyBits), size.leaves);
            candidates_in = candidates_of_leaf(header, layout.key_length(), budget, radius, size);
            last_header = header;
            last_budget = budget;
        }
        plan->step[plan->steps++] = {static_cast<std::uint8_t>(t), static_cast<std::uint8_t>(header),
                                     static_cast<std::uint8_t>(budget)};
        plan->leaves += leaves;
        candidates += leaves * candidates_in;
    }
    return plan->leaves * kLeafCost + candidates * kCandidateCost;
}

double plan_probes(const SignatureLayout &layout, double flips, double recall, const SignatureIndexSize &size,
                   SearchPlan *plan)
{
    constexpr double kCandidatesOfLeaf = 2; // by chance
    if (layout.trees == 0)
        return std::numeric_limits<double>::infinity();
    // A leaf's entries agree in the first bits of their keys. In each tree the leaves are read by the number of these
    // bits that differ from the query's, and each tree finds the row with probability `wanted`.
    const double depth = std::log2(std::max(2.0, size.leaves));
    const double wanted = 1 - std::pow(1 - std::min(recall, 1.0), 1.0 / layout.trees);
    double leaves = 0, found = 0;
    double count = 1,
           within = std::pow(1 - flips, depth); // leaves with so many errors, and the row among them
    for (int errors = 0; errors < depth && found < wanted; errors++) {
        const double fraction = found + within <= wanted ? 1 : (wanted - found) / within;
        leaves += fraction * count;
        found += within;
        const double ways = (depth - errors) / (errors + 1);
        count *= ways;
        within *= ways * flips / std::max(1 - flips, 1e-9);
    }
    plan->leaves = layout.trees * std::min(leaves, size.leaves);
    return plan->leaves * (kLeafCost + kCandidatesOfLeaf * kCandidateCost);
}

int next_ring_end(const SignatureLayout &layout, int done, double scan, const SignatureIndexSize &size)
{
    // Radii just below a multiple of the number of trees use the budgets fully.
    constexpr double kCheap = 16;
    const int trees = layout.trees, last = layout.bits;
    if (trees == 0)
        return last;
    int end = last;
    SearchPlan plan;
    for (int radius = (done + 1) / trees * trees + trees - 1; radius < last; radius += trees) {
        if (plan_trees(layout, radius, size, &plan) > scan / kCheap)
            break;
        end = radius;
    }
    return end;
}

double signature_leaf_rows(const SignatureLayout &layout, std::size_t page_size)
{
    return usual_leaf_fill(page_size, layout.words) * 0.8;
}

SignatureIndexSize signature_index_size(const SignatureLayout &layout, const StoreShape &shape,
                                        std::size_t page_size, double rows)
{
    SignatureIndexSize size;
    size.segments = std::max(1.0, rows / shape.rows());
    size.rows = size.segments * shape.rows();
    size.leaves = std::max(1.0, size.rows / signature_leaf_rows(layout, page_size));
    return size;
}

bool plane_helps(const SignatureLayout &layout, const StoreShape &shape, int radius)
{
    double survivors = shape.rows() * ball_volume(sketch_bits(layout), radius);
    return kStorePageCost + survivors * kCandidateCost < shape.bodies * kStorePageCost;
}

double scan_cost(const SignatureLayout &layout, const StoreShape &shape, int radius,
                 const SignatureIndexSize &size)
{
    if (!plane_helps(layout, shape, radius))
        return size.segments * shape.bodies * kStorePageCost;
    return size.segments * kStorePageCost +
           size.rows * ball_volume(sketch_bits(layout), radius) * kCandidateCost;
}

} // namespace simhash
