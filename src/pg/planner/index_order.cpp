#include "pg/planner/index_order.hpp"

#include "pg/planner/rewrite.hpp"
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

// ORDER BY h <@> q, id. Before 17 the planner uses an index for all of the keys or for none. A hook asks for an order by
// the first key alone; the planner sorts rows of equal distances itself, by an incremental sort.
//
// To make the paths, the hook has the planner look for index paths once more, on a copy of the table's RelOptInfo and for
// another ORDER BY. So conditions, partial indexes and costs are treated as usual.

namespace simhash
{

namespace
{

set_rel_pathlist_hook_type next_hook;

// Whether a table's rows may be read in any order by an index.
bool can_use_index(RelOptInfo *rel, const RangeTblEntry *entry)
{
    return rel->rtekind == RTE_RELATION && rel->indexlist != NIL && !entry->inh &&
           entry->tablesample == nullptr && !IS_DUMMY_REL(rel);
}

// Returns those of the indexes whose operator class orders by the operator.
List *ordering_indexes(const List *indexes, Oid op)
{
    List *able = NIL;
    ListCell *cell;
    foreach (cell, indexes) {
        auto *index = static_cast<IndexOptInfo *>(lfirst(cell));
        if (OidIsValid(op) &&
            OidIsValid(get_op_opfamily_sortfamily(op, index->opfamily[index->nkeycolumns - 1])))
            able = lappend(able, index);
    }
    return able;
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
    List *indexes = ordering_indexes(rel->indexlist, op);
    if (indexes == NIL)
        indexes = ordering_indexes(rel->indexlist, get_commutator(op));
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
    if (!can_use_index(rel, entry) || list_length(root->query_pathkeys) < 2)
        return;
    auto *key = static_cast<PathKey *>(linitial(root->query_pathkeys));
    if (key->pk_eclass->ec_has_volatile || is_descending(key))
        return;
    ListCell *cell;
    foreach (cell, class_members(key->pk_eclass, rel->relids))
        add_leading_order(root, rel, key,
                          reinterpret_cast<Node *>(static_cast<EquivalenceMember *>(lfirst(cell))->em_expr));
}

} // namespace

void install_index_orders()
{
    if (kFindsLeadingOrders)
        return;
    next_hook = set_rel_pathlist_hook;
    set_rel_pathlist_hook = add_index_orders;
}

} // namespace simhash
