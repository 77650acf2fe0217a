#include "pg/planner/grouped_distance.hpp"

#include "pg/planner/rewrite.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "utils/lsyscache.h"
}

namespace simhash
{

namespace
{

// Functions with a support function: all of them, or comparisons.
struct Wanted {
    Oid support;
    bool comparisons;
};

bool is_wanted(Oid function, void *context)
{
    const auto *wanted = static_cast<const Wanted *>(context);
    return get_func_support(function) == wanted->support &&
           (!wanted->comparisons ||
            find_comparison(&Comparison::function, get_func_name(function)) != nullptr);
}

bool calls_wanted(Node *node, void *wanted)
{
    return node != nullptr &&
           (check_functions_in_node(node, is_wanted, wanted) || walk_expression(node, calls_wanted, wanted));
}

bool groups_by_wanted(const Query *query, Wanted wanted)
{
    ListCell *cell;
    foreach (cell, query->groupClause) {
        Node *key = get_sortgroupclause_expr(static_cast<SortGroupClause *>(lfirst(cell)), query->targetList);
        if (calls_wanted(key, &wanted))
            return true;
    }
    return false;
}

} // namespace

GroupedDistances find_grouped_distances(const PlannerInfo *root, Oid function)
{
    if (PG_VERSION_NUM >= 180000 || root == nullptr || root->parse == nullptr ||
        root->parse->groupingSets == NIL)
        return {false, false};
    const Oid support = get_func_support(function);
    if (!groups_by_wanted(root->parse, {support, false}))
        return {false, false};
    Wanted comparisons = {support, true};
    return {true, calls_wanted(reinterpret_cast<Node *>(root->parse->targetList), &comparisons) ||
                      calls_wanted(root->parse->havingQual, &comparisons)};
}

} // namespace simhash
