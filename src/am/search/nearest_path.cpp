// WHERE tenant = 7 ORDER BY h <@> q LIMIT 10. If ten rows of the tenant are near, the index finds them at once. If not, it
// fetches the rows of all tenants that are nearer than the tenth, and to sort the tenant's is faster. No statistics tell
// which. So the hook offers both, one after the other, as an Append in the order of distance:
//
//   - the index, within a radius that costs at most half as much as the sort
//   - the sort, of the rows beyond. Under a LIMIT that has been reached it does not start.
//
// So it takes little more than the index if that suffices, and else at most half more than the sort. Where the index alone
// would read very many rows in vain, it is not offered.
//
// A row that is not within the radius, or has no distance, is in the second part: its condition is that the first one is
// not true. Both parts scan the same table, which an EvalPlanQual test does not permit: it offers the row that it tests to
// one of them only. So the path is not for rows that are locked; queries that change rows have no order. Nor may WHERE
// CURRENT OF find the first scan, which has no current row while the sort returns rows: it does not look below a
// Materialize, which keeps nothing unless the rows are read again.
#include "am/search/cost.hpp"
#include "am/search/search.hpp"
#include "pg/planner/rewrite.hpp"
#include "pg/server/compat.hpp"
#include "pg/server/sibling.hpp"

extern "C" {
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "nodes/supportnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "utils/lsyscache.h"
}

#include <cmath>

namespace simhash
{

namespace
{

set_rel_pathlist_hook_type next_hook;

// What the index may cost, of the cost of the sort.
constexpr double kShare = 0.5;
// A scan is a risk if the filter keeps one in so many of the rows that it may return, and to return all of them costs so many
// times as much as the sort: all rows of a tenant may be far from the query.
constexpr double kFew = 16, kRisk = 8;

// Whether the rows of a table are wanted in an order, but perhaps not all, and are filtered.
bool can_divide(const PlannerInfo *root, RelOptInfo *rel, const RangeTblEntry *entry)
{
    return root->tuple_fraction > 0 && root->query_pathkeys != NIL && rel->baserestrictinfo != NIL &&
           rel->reloptkind == RELOPT_BASEREL && rel->rtekind == RTE_RELATION && !entry->inh &&
           entry->tablesample == nullptr && !IS_DUMMY_REL(rel) && root->rowMarks == NIL &&
           !contain_volatile_functions(
               reinterpret_cast<Node *>(extract_actual_clauses(rel->baserestrictinfo, false)));
}

// Whether LIMIT counts the rows of this table alone. How many of them a join needs is not known.
bool is_limited(const PlannerInfo *root, const RelOptInfo *rel)
{
    return bms_equal(rel->relids, root->all_baserels);
}

// Whether a path is a scan of one of our indexes in the order of an exact distance, which no condition bounds.
bool is_unbounded(const Path *path)
{
    if (!IsA(path, IndexPath) || path->param_info != nullptr || path->total_cost >= kNeverCost)
        return false;
    const auto *scan = reinterpret_cast<const IndexPath *>(path);
    if (scan->indexorderbys == NIL || !has_cost_estimate(scan->indexinfo, estimate_cost))
        return false;
    Oid type, query_type;
    const auto *order = static_cast<const OpExpr *>(linitial(scan->indexorderbys));
    op_input_types(order->opno, &type, &query_type);
    if (type != query_type || !repeatable(static_cast<Node *>(lsecond(order->args))))
        return false;
    ListCell *cell;
    foreach (cell, scan->indexclauses) {
        const auto *clause = static_cast<const IndexClause *>(lfirst(cell));
        if (clause->indexcol == scan->indexinfo->nkeycolumns - 1 && !IsA(clause->rinfo->clause, NullTest))
            return false;
    }
    return true;
}

// Whether the rows of a path can be filtered by one more condition.
bool can_filter(const Path *path)
{
    return path->param_info == nullptr && (IsA(path, IndexPath) || IsA(path, BitmapHeapPath) ||
                                           (IsA(path, Path) && path->pathtype == T_SeqScan));
}

// Finds the scan in order, and the cheapest in any: paths come by cost. Returns false without the two.
bool find_scans(const RelOptInfo *rel, const IndexPath **ordered, const Path **cheapest)
{
    ListCell *cell;
    *ordered = nullptr;
    *cheapest = nullptr;
    foreach (cell, rel->pathlist) {
        const auto *path = static_cast<const Path *>(lfirst(cell));
        if (*ordered == nullptr && is_unbounded(path))
            *ordered = reinterpret_cast<const IndexPath *>(path);
        else if (*cheapest == nullptr && can_filter(path))
            *cheapest = path;
    }
    return *ordered != nullptr && *cheapest != nullptr;
}

bool is_risk(PlannerInfo *root, const RelOptInfo *rel, const IndexPath *scan, const Path *cheapest)
{
    double rows = scan->indexinfo->tuples; // with other values in the columns before the searched one, too
    ListCell *cell;
    foreach (cell, scan->indexclauses) {
        const auto *clause = static_cast<const IndexClause *>(lfirst(cell));
        if (clause->indexcol == scan->indexinfo->nkeycolumns - 1)
            rows *= clause_selectivity(root, reinterpret_cast<Node *>(clause->rinfo), 0, JOIN_INNER, nullptr);
    }
    const double costed = Max(scan->indexselectivity * rel->tuples, 1);
    return kFew * rel->rows <= rows &&
           kRisk * cheapest->total_cost <= scan->path.total_cost * Max(rows / costed, 1);
}

// The scans in order that are a risk.
List *find_risks(PlannerInfo *root, const RelOptInfo *rel, const Path *cheapest)
{
    List *found = NIL;
    if (!enable_sort || !is_limited(root, rel))
        return NIL;
    ListCell *cell;
    foreach (cell, rel->pathlist) {
        auto *path = static_cast<Path *>(lfirst(cell));
        if (is_unbounded(path) && is_risk(root, rel, reinterpret_cast<IndexPath *>(path), cheapest))
            found = lappend(found, path);
    }
    return found;
}

template <typename T> T *copy_node(const T *from)
{
    auto *copy = allocate<T>();
    std::memcpy(copy, from, sizeof(T));
    return copy;
}

// A condition that is tested after those of row-level security.
RestrictInfo *added_condition(PlannerInfo *root, Node *clause)
{
    RestrictInfo *condition = make_condition(root, reinterpret_cast<Expr *>(clause));
    condition->security_level = root->qual_security_level;
    condition->leakproof = !contain_leaked_vars(clause);
    return condition;
}

// Returns the condition of the index that the distance is at most the radius, or null.
Node *near_condition(PlannerInfo *root, const IndexPath *path, int radius)
{
    const auto *order = static_cast<const OpExpr *>(linitial(path->indexorderbys));
    const Oid schema = operator_schema(order->opno);
    Oid type, query_type;
    op_input_types(order->opno, &type, &query_type);
    auto *key = static_cast<Node *>(copyObjectImpl(linitial(order->args)));
    auto *query = static_cast<Node *>(copyObjectImpl(lsecond(order->args)));
    if (type == INT8OID) {
        type = find_type(schema, "simhash");
        key = as_fingerprint(key, type);
        query = as_fingerprint(query, type);
    }
    SupportRequestIndexCondition request = {};
    request.root = root;
    request.opfamily = path->indexinfo->opfamily[path->indexinfo->nkeycolumns - 1];
    return ball_condition(&request, {schema, key, query, type, type, bigint_constant(radius)});
}

// Returns the scan in order within a radius, or null.
Path *near_scan(PlannerInfo *root, const IndexPath *ordered, int radius)
{
    RelOptInfo *rel = ordered->path.parent;
    Node *clause = near_condition(root, ordered, radius);
    if (clause == nullptr)
        return nullptr;
    RestrictInfo *condition = added_condition(root, clause);
    if (!restriction_is_securely_promotable(condition, rel))
        return nullptr;
    auto *bound = makeNode(IndexClause);
    bound->rinfo = condition;
    bound->indexquals = list_make1(condition);
    bound->indexcol = static_cast<AttrNumber>(ordered->indexinfo->nkeycolumns - 1);
    IndexPath *path = copy_node(ordered);
    path->indexclauses = lappend(list_copy(path->indexclauses), bound);
    cost_index(path, root, 1, false);
    path->path.rows =
        clamp_row_est(rel->rows * clause_selectivity(root, reinterpret_cast<Node *>(condition),
                                                     static_cast<int>(rel->relid), JOIN_INNER, nullptr));
    return &path->path;
}

// Returns the scan of the rows for which a condition is not true.
template <typename Scan> Path *filtered(const Path *path, RestrictInfo *condition)
{
    Scan *scan = copy_node(reinterpret_cast<const Scan *>(path));
    RelOptInfo *rel = copy_node(path->parent);
    rel->baserestrictinfo = lappend(list_copy(rel->baserestrictinfo), condition);
    if constexpr (std::is_same_v<Scan, IndexPath>) {
        scan->indexinfo = copy_node(scan->indexinfo);
        scan->indexinfo->indrestrictinfo = lappend(list_copy(scan->indexinfo->indrestrictinfo), condition);
    }
    auto *copy = reinterpret_cast<Path *>(scan);
    copy->parent = rel;
    copy->total_cost += rel->rows * 2 * cpu_operator_cost;
    return copy;
}

// Returns the sort of the rows beyond the radius.
Path *far_sort(PlannerInfo *root, const IndexPath *ordered, const Path *path, int radius)
{
    auto *distance =
        as_built_in_type(static_cast<Node *>(copyObjectImpl(linitial(ordered->indexorderbys))), INT4OID);
    auto *beyond = makeNode(BooleanTest);
    beyond->arg =
        reinterpret_cast<Expr *>(call_operator(find_operator(PG_CATALOG_NAMESPACE, "<=", INT4OID, INT4OID),
                                               BOOLOID, distance, integer_constant(radius)));
    beyond->booltesttype = IS_NOT_TRUE;
    beyond->location = -1;
    RestrictInfo *condition = added_condition(root, reinterpret_cast<Node *>(beyond));
    Path *scan = IsA(path, IndexPath)        ? filtered<IndexPath>(path, condition)
                 : IsA(path, BitmapHeapPath) ? filtered<BitmapHeapPath>(path, condition)
                                             : filtered<Path>(path, condition);
    const double limit = is_limited(root, path->parent) ? root->limit_tuples : -1;
    return reinterpret_cast<Path *>(
        create_sort_path(root, path->parent, scan, ordered->path.pathkeys, limit));
}

void add_nearest_path(PlannerInfo *root, RelOptInfo *rel, const RangeTblEntry *entry)
{
    const IndexPath *ordered;
    const Path *cheapest;
    if (!can_divide(root, rel, entry) || !find_scans(rel, &ordered, &cheapest))
        return;
    Cost first;
    const Cost most = kShare * cheapest->total_cost;
    int radius = affordable_radius(root, ordered, most, &first);
    if (radius < 0)
        return;
    List *risks = find_risks(root, rel, cheapest);
    if (risks == NIL && cheapest->total_cost / 2 >= ordered->path.startup_cost)
        return;
    Path *near = near_scan(root, ordered, radius);
    // The rows may be nearer than those near by chance.
    for (; near != nullptr && near->total_cost > most; near = near_scan(root, ordered, radius)) {
        if (radius == 0)
            return;
        radius /= 2;
    }
    if (near == nullptr)
        return;
    Path *far = far_sort(root, ordered, cheapest, radius);
    auto *both = makeNode(AppendPath);
    both->path.pathtype = T_Append;
    both->path.parent = rel;
    both->path.pathtarget = rel->reltarget;
    both->path.parallel_safe = near->parallel_safe && far->parallel_safe;
    both->path.pathkeys = ordered->path.pathkeys;
    both->path.rows = rel->rows;
    both->path.total_cost = near->total_cost + far->total_cost;
    // As is assumed of the index alone, one query in two has enough near rows.
    both->path.startup_cost = std::sqrt(first * near->total_cost) + far->total_cost / 2;
    add_disabled_nodes(near, &both->path);
    add_disabled_nodes(far, &both->path);
    both->subpaths = list_make2(create_material_path(rel, near), far);
    both->first_partial_path = 2;
    both->limit_tuples = -1;
    rel->pathlist = list_difference_ptr(rel->pathlist, risks);
    add_path(rel, &both->path);
}

// FROM a, LATERAL (SELECT ... FROM b ORDER BY b.h <@> a.h LIMIT 1): within the subquery a.h is a parameter that a worker
// of a Gather there does not get. PostgreSQL tests the conditions and the output of a table for such parameters, but not the
// order of an index scan. Of a partitioned table it then runs that scan in a worker, which reads a null pointer.
void keep_orders_from_workers(PlannerInfo *root, const RelOptInfo *rel)
{
    ListCell *cell;
    foreach (cell, rel->pathlist) {
        auto *path = static_cast<Path *>(lfirst(cell));
        if (!IsA(path, IndexPath) || !path->parallel_safe)
            continue;
        const auto *scan = reinterpret_cast<const IndexPath *>(path);
        if (has_cost_estimate(scan->indexinfo, estimate_cost) &&
            !is_parallel_safe(root, reinterpret_cast<Node *>(scan->indexorderbys)))
            path->parallel_safe = false;
    }
}

void plan_orders(PlannerInfo *root, RelOptInfo *rel, Index number, RangeTblEntry *entry)
{
    if (next_hook != nullptr)
        next_hook(root, rel, number, entry);
    keep_orders_from_workers(root, rel);
    add_nearest_path(root, rel, entry);
}

} // namespace

void install_order_paths()
{
    next_hook = set_rel_pathlist_hook;
    set_rel_pathlist_hook = plan_orders;
}

} // namespace simhash
