#include "am/search/signature_cost.hpp"

#include "am/search/signature_search.hpp"
#include "pg/types/signature_ball.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "optimizer/cost.h"
#include "utils/selfuncs.h"
#include "utils/spccache.h"
}

namespace simhash
{

namespace
{

// The microseconds of one unit of cost, see cost.cpp.
constexpr double kUnit = 3.5;

// Assumed of an advisor's hypothetical index, which has no metapage.
constexpr int kAssumedBits = 256;

// If the planner does not know the radius, near-duplicates are sought: in an eighth of the bits.
constexpr int kUnknownPart = 8;

IndexMeta assumed_meta()
{
    IndexMeta meta = {};
    meta.wide = true;
    choose_layout(kAssumedBits, signature_tables({}, kAssumedBits), default_key_words(kAssumedBits), nullptr,
                  0, 0, nullptr, &meta.layout);
    return meta;
}

SignaturePrice price(PlannerInfo *root, const IndexOptInfo *info, double pages, double page_cost, double time,
                     double loops)
{
    double fetched = pages;
    if (loops > 1)
        fetched = index_pages_fetched(pages * loops, info->pages, info->pages, root) / loops;
    return {pages, fetched * page_cost + time / kUnit};
}

SignaturePrice cheapest(PlannerInfo *root, const IndexOptInfo *info, const IndexMeta &meta, int radius,
                        double loops)
{
    double random, sequential;
    get_tablespace_page_costs(info->reltablespace, &random, &sequential);
    SignatureIndexSize size = signature_index_size(meta, info->pages);
    StoreShape shape = meta.shape();
    SearchPlan plan;
    double trees = plan_trees(meta.layout, radius, size, &plan);
    double scan = scan_cost(meta.layout, shape, radius, size);
    if (trees <= scan) // a candidate's page is read at random, too
        return price(root, info, tree_pages(plan, trees), random, trees, loops);
    return price(root, info, scan / kStorePageCost, sequential, scan, loops);
}

} // namespace

SignaturePrice price_signatures(PlannerInfo *root, const IndexOptInfo *info, Relation relation, int radius,
                                double loops)
{
    IndexMeta assumed;
    if (relation == nullptr)
        assumed = assumed_meta();
    const IndexMeta &meta = relation == nullptr ? assumed : *index_meta(relation);
    return cheapest(root, info, meta, Min(Max(radius, 0), static_cast<int>(meta.layout.bits)), loops);
}

// The planner does not know whether the query has near-duplicates, which the first ring finds, or whether all of the
// store has to be scanned. The geometric mean is off by the same factor in both cases.
SignaturePrice price_signature_order(PlannerInfo *root, const IndexOptInfo *info, Relation relation,
                                     double loops)
{
    int bits = planned_signature_bits(relation);
    SignaturePrice near = price_signatures(root, info, relation, 0, loops);
    SignaturePrice far = price_signatures(root, info, relation, bits, loops);
    return {std::sqrt(near.pages * far.pages), std::sqrt(near.cost * far.cost)};
}

int planned_signature_bits(Relation relation)
{
    return relation == nullptr ? kAssumedBits : index_meta(relation)->layout.bits;
}

int signature_radius(Node *argument, int bits)
{
    if (argument != nullptr && IsA(argument, Const)) {
        auto *constant = reinterpret_cast<Const *>(argument);
        if (constant->constisnull)
            return -1;
        if (constant->consttype == BITOID)
            return 0;
        return datum_signature_ball(constant->constvalue).radius;
    }
    if (argument != nullptr && IsA(argument, FuncExpr) &&
        list_length(reinterpret_cast<FuncExpr *>(argument)->args) >= 2) {
        auto *radius = static_cast<Node *>(lsecond(reinterpret_cast<FuncExpr *>(argument)->args));
        if (IsA(radius, Const) && reinterpret_cast<Const *>(radius)->consttype == INT8OID) {
            auto *constant = reinterpret_cast<Const *>(radius);
            if (constant->constisnull)
                return -1;
            return static_cast<int>(Max(int64{-1}, Min(int64{bits}, DatumGetInt64(constant->constvalue))));
        }
    }
    return bits / kUnknownPart;
}

} // namespace simhash
