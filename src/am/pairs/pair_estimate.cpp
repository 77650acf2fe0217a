// The support function of simhash_groups, simhash_pairs and simhash_join: how many rows the planner expects, and the cost.
//
// Only the number of rows of the indexes is used, which everyone may see: an estimate from the values would show them
// in EXPLAIN. In tables of texts and images up to half of the rows have near-duplicates.
#include "pg/server/compat.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/cost.h"
#include "utils/syscache.h"
}

namespace simhash
{

namespace
{

constexpr double kShare = 0.25; // of the rows: members of groups, or pairs
constexpr double kOperatorsPerRow =
    12; // a join takes 0.1 microseconds for each row, or as long as so many operators

// The rows of an index and, if it is partitioned, of the indexes of its partitions; 0 if they are not known.
double rows_of_index(Oid index)
{
    double rows = 0;
    ListCell *cell;
    if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(index)))
        return 0;
    foreach (cell, find_all_inheritors(index, NoLock, nullptr)) {
        HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(lfirst_oid(cell)));
        if (!HeapTupleIsValid(tuple))
            continue;
        const auto *relation = reinterpret_cast<Form_pg_class>(GETSTRUCT(tuple));
        if (relation->relkind == RELKIND_INDEX)
            rows += Max(0, static_cast<double>(relation->reltuples));
        ReleaseSysCache(tuple);
    }
    return rows;
}

// The rows of all indexes that a call names; 0 if they are not known.
double rows_of_call(Node *node)
{
    double rows = 0;
    ListCell *cell;
    if (node == nullptr || !IsA(node, FuncExpr))
        return 0;
    foreach (cell, reinterpret_cast<FuncExpr *>(node)->args) {
        const auto *argument = static_cast<const Const *>(lfirst(cell));
        if (exprType(static_cast<Node *>(lfirst(cell))) != REGCLASSOID)
            break;
        if (!IsA(argument, Const) || argument->constisnull)
            return 0;
        rows += rows_of_index(DatumGetObjectId(argument->constvalue));
    }
    return rows;
}

Node *support_pairs(Node *node)
{
    if (IsA(node, SupportRequestRows)) {
        auto *request = reinterpret_cast<SupportRequestRows *>(node);
        const double rows = rows_of_call(request->node);
        request->rows = Max(1, rows * kShare);
        return rows > 0 ? node : nullptr;
    }
    if (IsA(node, SupportRequestCost)) {
        auto *request = reinterpret_cast<SupportRequestCost *>(node);
        const double rows = rows_of_call(request->node);
        request->startup = 0;
        request->per_tuple = rows * kOperatorsPerRow * cpu_operator_cost;
        return rows > 0 ? node : nullptr;
    }
    return nullptr;
}

} // namespace

} // namespace simhash

SIMHASH_FUNCTION(simhash_pairs_support)
{
    using namespace simhash;
    PG_RETURN_POINTER(support_pairs(reinterpret_cast<Node *>(PG_GETARG_POINTER(0))));
}
