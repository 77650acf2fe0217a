#include "pg/planner/grouped_distance.hpp"

#include "pg/planner/rewrite.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

namespace simhash
{

namespace
{

// Functions with a support function: all of them, or comparisons. A user's function in SQL may become
// them when it is inlined.
struct Wanted {
    Oid support;
    bool comparisons;
};

bool is_users_in_sql(Oid function)
{
    HeapTuple tuple =
        function < FirstNormalObjectId ? nullptr : SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
    if (!HeapTupleIsValid(tuple))
        return false;
    const bool in_sql = reinterpret_cast<Form_pg_proc>(GETSTRUCT(tuple))->prolang == SQLlanguageId;
    ReleaseSysCache(tuple);
    return in_sql;
}

bool is_wanted(Oid function, void *context)
{
    const auto *wanted = static_cast<const Wanted *>(context);
    if (get_func_support(function) != wanted->support)
        return is_users_in_sql(function);
    return !wanted->comparisons || find_comparison(&Comparison::function, get_func_name(function)) != nullptr;
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
