#include "pg/planner/stored_distance.hpp"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/partcache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
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

// Whether a stored expression, simplified, in which the table is number 1, is the wanted one.
bool is_wanted(const Node *expression, const Wanted &wanted)
{
    DistanceCall stored;
    Node *copy = static_cast<Node *>(copyObjectImpl(expression));

    ChangeVarNodes(copy, 1, wanted.varno, 0);
    return match_distance_call(wanted.schema, copy, &stored) && equal(stored.left, wanted.call.left) &&
           equal(stored.right, wanted.call.right);
}

// Whether one of the keys is the wanted one. Expressions of other types are not read: a query may have thousands of
// distances, and its table many such indexes.
bool is_key(Relation index, const Wanted &wanted)
{
    List *expressions = NIL;
    int expression = 0;

    for (int key = 0; key < index->rd_index->indnkeyatts; key++) {
        if (index->rd_index->indkey.values[key] != InvalidAttrNumber)
            continue;
        if (index->rd_opcintype[key] == INT4OID) { // hamming_distance is a domain over it
            if (expressions == NIL)
                expressions = RelationGetIndexExpressions(index);
            if (is_wanted(static_cast<Node *>(list_nth(expressions, expression)), wanted))
                return true;
        }
        expression++;
    }
    return false;
}

bool is_indexed(Relation table, const Wanted &wanted)
{
    List *indexes = RelationGetIndexList(table);
    ListCell *cell;
    bool found = false;

    foreach (cell, indexes) {
        CHECK_FOR_INTERRUPTS();
        Relation index = index_open(lfirst_oid(cell), AccessShareLock);
        found = is_key(index, wanted);
        index_close(index, AccessShareLock);
        if (found)
            break;
    }
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
        const auto *expression = static_cast<const Node *>(lfirst(cell));
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
