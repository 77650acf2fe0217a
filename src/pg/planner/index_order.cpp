#include "pg/planner/index_order.hpp"

#include "pg/planner/expression.hpp"
#include "pg/server/compat.hpp"
#include "pg/server/sibling.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
}

// Orders of an index that the planner does not find, which a hook adds. To make the paths, it has the planner look for
// index paths once more, on a copy of the table's RelOptInfo and for another ORDER BY. So conditions, partial indexes
// and costs are treated as usual. The paths found are then given the order that they really have.
//
// 1. ORDER BY h <@> q, id. Before 17 the planner uses an index for all of the keys or for none. The hook asks for an
//    order by the first key alone; the planner sorts rows of equal distances itself, by an incremental sort.
//
// 2. ORDER BY minhash_similarity(s, q) DESC. The planner matches ordering operators only if ORDER BY is ascending, as
//    for distances. The hook asks for an ascending order by s >@< q, the operator of minhash_similarity(s, q), of
//    which the index returns the greatest first. No other order can be taken for it, because the family for which
//    the operator class declares s >@< q has no operators that ORDER BY could use. An alternative would be to replace
//    the sort clause by s <@> q before planning. But that would also have to replace it where it is used in DISTINCT,
//    window functions and output columns, and to know of views and nullable columns before the planner does.

namespace simhash
{

namespace
{

constexpr char kOperator[] = ">@<";

set_rel_pathlist_hook_type next_hook;

// Whether a table's rows may be read in any order by an index.
bool can_use_index(RelOptInfo *rel, const RangeTblEntry *entry)
{
    return rel->rtekind == RTE_RELATION && rel->indexlist != NIL && !entry->inh &&
           entry->tablesample == nullptr && !IS_DUMMY_REL(rel);
}

// Whether the key is a float8. The executor looks up the operator for the operand type in the key's family, so that
// must have one.
bool sorts_float8(const PathKey *key)
{
    return OidIsValid(get_opfamily_member(key->pk_opfamily, FLOAT8OID, FLOAT8OID, BTGreaterStrategyNumber));
}

// Returns those of the indexes whose operator class orders by the operator, and the family that it declares for that.
List *ordering_indexes(const List *indexes, Oid op, Oid *sort_family)
{
    List *able = NIL;
    ListCell *cell;
    foreach (cell, indexes) {
        auto *index = static_cast<IndexOptInfo *>(lfirst(cell));
        const Oid family = OidIsValid(op) ? get_op_opfamily_sortfamily(op, index->opfamily[0]) : InvalidOid;
        if (!OidIsValid(family))
            continue;
        able = lappend(able, index);
        *sort_family = family;
    }
    return able;
}

// Returns x >@< y for an expression minhash_similarity(x, y), otherwise null. Sets the family that an
// operator class declares for it, and removes the indexes that are of other operator classes.
Node *ordering_expression(Node *node, List **indexes, Oid *sort_family)
{
    DistanceCall call;
    node = strip_relabels(node);
    const Oid function = is_funcclause(node) ? reinterpret_cast<FuncExpr *>(node)->funcid
                         : is_opclause(node) ? get_opcode(reinterpret_cast<OpExpr *>(node)->opno)
                                             : InvalidOid;
    if (!OidIsValid(function))
        return nullptr;
    const Oid schema = get_func_namespace(function);
    if (!match_similarity_call(schema, node, &call))
        return nullptr;

    const Oid op = find_operator(schema, kOperator, BITOID, BITOID);
    *indexes = ordering_indexes(*indexes, op, sort_family);
    return *indexes == NIL ? nullptr : call_operator(op, FLOAT8OID, call.left, call.right);
}

// Returns the conditions that all rows of a scan of the index satisfy. Of NOT f(s), f(s) takes the place: if f is
// strict, s is not null either way.
List *known_conditions(const IndexOptInfo *index)
{
    List *known = list_copy(index->indpred);
    ListCell *cell;

    foreach (cell, index->rel->baserestrictinfo) {
        auto *clause = reinterpret_cast<Node *>(static_cast<RestrictInfo *>(lfirst(cell))->clause);
        if (is_notclause(clause) && is_funcclause(get_notclausearg(clause)))
            clause = reinterpret_cast<Node *>(get_notclausearg(clause));
        known = lappend(known, clause);
    }
    return known;
}

// Whether the value of an index's key cannot be null in a row that satisfies the query's conditions.
bool never_null(PlannerInfo *root, const IndexOptInfo *index, Node *key)
{
    Node *stripped = strip_relabels(key);
    if (IsA(stripped, Var) && is_not_null_column(index->rel, planner_rt_fetch(index->rel->relid, root)->relid,
                                                 reinterpret_cast<Var *>(stripped)->varattno))
        return true;
    auto *test = makeNode(NullTest);
    test->arg = reinterpret_cast<Expr *>(stripped);
    test->nulltesttype = IS_NOT_NULL;
    test->location = -1;
    return predicate_implied_by(list_make1(test), known_conditions(index), false);
}

// Returns paths along the indexes that are ordered by the key.
List *ordered_paths(PlannerInfo *root, const RelOptInfo *rel, List *indexes, PathKey *ascending)
{
    RelOptInfo copy = *rel;
    List *query_pathkeys = root->query_pathkeys, *found = NIL;
    ListCell *cell;

    copy.pathlist = copy.partial_pathlist = NIL;
    copy.indexlist = indexes;
    root->query_pathkeys = list_make1(ascending);
    create_index_paths(root, &copy);
    root->query_pathkeys = query_pathkeys;
    foreach (cell, copy.pathlist) {
        auto *path = static_cast<IndexPath *>(lfirst(cell));
        if (IsA(path, IndexPath) && path->indexorderbys != NIL)
            found = lappend(found, path);
    }
    return found;
}

void add_similarity_order(PlannerInfo *root, RelOptInfo *rel, PathKey *key, Node *similarity)
{
    List *indexes = rel->indexlist;
    Oid sort_family;
    Node *order = ordering_expression(similarity, &indexes, &sort_family);
    if (order == nullptr)
        return;

    PathKey *ascending = make_ascending_key(reinterpret_cast<Expr *>(order), rel->relids, sort_family);
    List *paths = ordered_paths(root, rel, indexes, ascending);
    ListCell *cell;
    foreach (cell, paths) {
        auto *path = static_cast<IndexPath *>(lfirst(cell));
        auto *operation = static_cast<OpExpr *>(linitial(path->indexorderbys));
        // The index returns rows without a similarity last.
        if (key->pk_nulls_first &&
            !never_null(root, path->indexinfo, static_cast<Node *>(linitial(operation->args))))
            continue;
        path->path.pathkeys = list_make1(key);
        add_path(rel, &path->path);
    }
}

// Adds the paths along an index that are ordered by a distance, the first of several sort keys.
void add_leading_order(PlannerInfo *root, RelOptInfo *rel, PathKey *key, Node *distance)
{
    distance = strip_relabels(distance);
    DistanceCall call;
    if (!is_opclause(distance))
        return;
    const Oid op = reinterpret_cast<OpExpr *>(distance)->opno;
    if (!match_distance_call(operator_schema(op), distance, &call))
        return;
    Oid sort_family;
    List *indexes = ordering_indexes(rel->indexlist, op, &sort_family);
    if (indexes == NIL)
        indexes = ordering_indexes(rel->indexlist, get_commutator(op), &sort_family);
    if (indexes == NIL)
        return;
    ListCell *cell;
    foreach (cell, ordered_paths(root, rel, indexes, key))
        add_path(rel, static_cast<Path *>(lfirst(cell)));
}

void add_index_orders(PlannerInfo *root, RelOptInfo *rel, Index number, RangeTblEntry *entry)
{
    if (next_hook != nullptr)
        next_hook(root, rel, number, entry);
    if (!can_use_index(rel, entry) || root->query_pathkeys == NIL)
        return;
    auto *key = static_cast<PathKey *>(linitial(root->query_pathkeys));
    if (key->pk_eclass->ec_has_volatile)
        return;
    const bool similarity = is_descending(key) && sorts_float8(key);
    const bool leading = !kFindsLeadingOrders && !is_descending(key) && list_length(root->query_pathkeys) > 1;
    if (!similarity && !leading)
        return;
    ListCell *cell;
    foreach (cell, class_members(key->pk_eclass, rel->relids)) {
        auto *expression = reinterpret_cast<Node *>(static_cast<EquivalenceMember *>(lfirst(cell))->em_expr);
        if (similarity)
            add_similarity_order(root, rel, key, expression);
        else
            add_leading_order(root, rel, key, expression);
    }
}

} // namespace

void install_index_orders()
{
    next_hook = set_rel_pathlist_hook;
    set_rel_pathlist_hook = add_index_orders;
}

} // namespace simhash
