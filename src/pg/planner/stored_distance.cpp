#include "pg/planner/stored_distance.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/partcache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
}

namespace simhash
{

namespace
{

// The distance expression to find.
struct Wanted {
    Oid schema;
    int varno;
    const DistanceCall &call;
};

int column_relation(Node *node)
{
    node = strip_relabels(node);
    const Var *var = reinterpret_cast<Var *>(node);
    return IsA(node, Var) && var->varlevelsup == 0 ? static_cast<int>(var->varno) : 0;
}

// Whether a stored expression, in which the table is number 1, is the wanted one.
bool is_wanted(Node *expression, const Wanted &wanted)
{
    DistanceCall stored;
    Node *copy = static_cast<Node *>(copyObjectImpl(expression));

    ChangeVarNodes(copy, 1, wanted.varno, 0);
    return match_distance_call(wanted.schema, eval_const_expressions(nullptr, copy), &stored) &&
           equal(stored.left, wanted.call.left) && equal(stored.right, wanted.call.right);
}

// Returns the expressions among an index's keys as a list of nodes.
List *index_expressions(Oid index)
{
    HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
    List *expressions = NIL;
    bool null = true;

    if (!HeapTupleIsValid(tuple))
        return NIL;
    const Datum stored = SysCacheGetAttr(INDEXRELID, tuple, Anum_pg_index_indexprs, &null);
    if (!null)
        expressions = static_cast<List *>(stringToNode(TextDatumGetCString(stored)));
    ReleaseSysCache(tuple);
    return expressions;
}

bool is_indexed(Relation table, const Wanted &wanted)
{
    List *indexes = RelationGetIndexList(table);
    ListCell *index, *expression;
    bool found = false;

    foreach (index, indexes)
        foreach (expression, index_expressions(lfirst_oid(index)))
            found = found || is_wanted(static_cast<Node *>(lfirst(expression)), wanted);
    list_free(indexes);
    return found;
}

void look_at_partitions(Relation table, const Wanted &wanted, StoredDistance *stored)
{
    const PartitionKeyData *key = RelationGetPartitionKey(table);
    ListCell *cell;

    if (key == nullptr)
        return;
    foreach (cell, key->partexprs) {
        auto *expression = static_cast<Node *>(lfirst(cell));
        if (is_wanted(expression, wanted))
            (exprType(expression) == INT4OID ? stored->partitioned_by_integer
                                             : stored->partitioned_by_distance) = true;
    }
}

} // namespace

int distance_relation(const DistanceCall &call)
{
    const int left = column_relation(call.left);
    return left != 0 ? left : column_relation(call.right);
}

StoredDistance find_stored_distance(PlannerInfo *root, Oid schema, const DistanceCall &call)
{
    StoredDistance stored = {};
    const int varno = distance_relation(call);
    if (root == nullptr || root->parse == nullptr || varno <= 0 || varno > list_length(root->parse->rtable))
        return stored;
    const RangeTblEntry *entry = rt_fetch(varno, root->parse->rtable);
    // ON CONFLICT is compared with the expressions of indexes, which are simplified without a query.
    const bool inferred = root->parse->onConflict != nullptr && varno == root->parse->resultRelation;
    if (entry->rtekind != RTE_RELATION || inferred)
        return stored;

    const Wanted wanted = {schema, varno, call};
    Relation table = table_open(entry->relid, NoLock); // locked by the query already
    stored.indexed = is_indexed(table, wanted);
    look_at_partitions(table, wanted, &stored);
    table_close(table, NoLock);
    return stored;
}

} // namespace simhash
