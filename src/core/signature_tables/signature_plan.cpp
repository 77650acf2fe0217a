#include "core/signature_tables/signature_plan.hpp"

#include "core/signature/ball_volume.hpp"

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
    double candidates = 0;
    // Most trees have the same window and budget, so the estimates are those of the tree before.
    int last_header = -1, last_budget = -1;
    double leaves = 0, candidates_in = 0;
    for (int t = 0; t < layout.tables; t++) {
        int budget = (radius + 1) / layout.tables - (t < (radius + 1) % layout.tables ? 0 : 1);
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

double signature_leaf_rows(const SignatureLayout &layout, std::size_t page_size)
{
    return leaf_capacity(page_size, layout.words) * 0.8;
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
