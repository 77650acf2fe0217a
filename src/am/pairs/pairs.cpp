// simhash_pairs(index, distance) and simhash_join(left, right, distance): all pairs of near-duplicates.
#include "am/pairs/pairs.hpp"

#include "pg/server/result_rows.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "access/xlog.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_index.h"
#include "miscadmin.h"
#include "nodes/bitmapset.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "pgstat.h"
#include "storage/predicate.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
}

namespace simhash
{

namespace
{

void add_columns(HeapTuple tuple, AttrNumber attribute, Bitmapset **columns)
{
    bool null;
    Datum value = SysCacheGetAttr(INDEXRELID, tuple, attribute, &null);
    if (null)
        return;
    char *string = TextDatumGetCString(value);
    pull_varattnos(static_cast<Node *>(stringToNode(string)), 1, columns);
    pfree(string);
}

// The columns whose values the index depends on, numbered as by pull_varattnos.
Bitmapset *index_columns(Oid index)
{
    HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
    if (!HeapTupleIsValid(tuple))
        ereport(ERROR, errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("index %u does not exist", index));
    auto *form = reinterpret_cast<Form_pg_index>(GETSTRUCT(tuple));
    Bitmapset *columns = nullptr;
    for (int i = 0; i < form->indnatts; i++) {
        if (form->indkey.values[i] != 0)
            columns = bms_add_member(columns, form->indkey.values[i] - FirstLowInvalidHeapAttributeNumber);
    }
    add_columns(tuple, Anum_pg_index_indexprs, &columns);
    add_columns(tuple, Anum_pg_index_indpred, &columns);
    ReleaseSysCache(tuple);
    return columns;
}

// Raises an error unless the caller may read the table, or at least the columns that are in the index.
void check_select_rights(Oid index, Oid heap)
{
    if (pg_class_aclcheck(heap, GetUserId(), ACL_SELECT) == ACLCHECK_OK)
        return;
    Bitmapset *columns = index_columns(index);
    bool permitted = !bms_is_empty(columns);
    for (int member = -1; (member = bms_next_member(columns, member)) >= 0;) {
        auto column = static_cast<AttrNumber>(member + FirstLowInvalidHeapAttributeNumber);
        AclResult result = column == InvalidAttrNumber // the row as a whole
                               ? pg_attribute_aclcheck_all(heap, GetUserId(), ACL_SELECT, ACLMASK_ALL)
                               : pg_attribute_aclcheck(heap, column, GetUserId(), ACL_SELECT);
        permitted = permitted && result == ACLCHECK_OK;
    }
    if (!permitted)
        aclcheck_error(ACLCHECK_NO_PRIV, get_relkind_objtype(get_rel_relkind(heap)), get_rel_name(heap));
}

// Opens an index and its table for a join, with the same checks that the planner and the executor make.
void open_side(Oid oid, PairSide *side)
{
    Relation index = open_index(oid, AccessShareLock, check_select_rights);
    Relation heap = table_open(index->rd_index->indrelid, NoLock);
    if (check_enable_rls(RelationGetRelid(heap), InvalidOid, false) == RLS_ENABLED)
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                errmsg("cannot join by index \"%s\"", RelationGetRelationName(index)),
                errdetail("Table \"%s\" has row-level security for you.", RelationGetRelationName(heap)),
                errhint("Write a join with a condition on the distance: a.h <@> b.h <= 3."));
    if (heap->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT && RecoveryInProgress())
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                errmsg("cannot access temporary or unlogged relations during recovery"));
    if (!RelationIsScannable(heap))
        ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("materialized view \"%s\" has not been populated", RelationGetRelationName(heap)),
                errhint("Use the REFRESH MATERIALIZED VIEW command."));
    // An index built over broken HOT chains has only the fingerprint of the last version of each chain.
    if (index->rd_index->indcheckxmin &&
        !TransactionIdPrecedes(HeapTupleHeaderGetXmin(index->rd_indextuple->t_data), TransactionXmin))
        ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("index \"%s\" cannot be used by this transaction", RelationGetRelationName(index)),
                errdetail("It was built while this transaction, or another one that is still running, could "
                          "see rows as they were before an update."),
                errhint("Try again in a new transaction when those have ended."));
    side->index = index;
    side->heap = heap;
    side->meta = copy_index_meta(index, CurrentMemoryContext);
}

struct PairStore {
    Tuplestorestate *store;
    TupleDesc row;
};

void store_pair(void *context, uint64 a, uint64 b, int distance)
{
    auto *pairs = static_cast<PairStore *>(context);
    ItemPointerData a_tid = pointer_of(Tid::unpack(a)), b_tid = pointer_of(Tid::unpack(b));
    Datum values[3] = {PointerGetDatum(&a_tid), PointerGetDatum(&b_tid), Int32GetDatum(distance)};
    bool nulls[3] = {};
    tuplestore_putvalues(pairs->store, pairs->row, values, nulls);
}

void return_pairs(FunctionCallInfo fcinfo, int indexes)
{
    PairStore pairs;
    pairs.store = begin_rows(fcinfo, &pairs.row);
    Oid index[2];
    for (int i = 0; i < indexes; i++)
        index[i] = PG_GETARG_OID(i);
    find_pairs(index, indexes, PG_GETARG_INT32(indexes), PairsWanted::all, {store_pair, &pairs});
}

} // namespace

void find_pairs(const Oid *index, int indexes, int distance, PairsWanted wanted, PairSink sink)
{
    auto *output = static_cast<PairOutput *>(palloc0(sizeof(PairOutput)));
    output->snapshot = GetActiveSnapshot();
    output->sides = indexes;
    output->wanted = wanted;
    output->sink = sink;
    for (int i = 0; i < indexes; i++)
        open_side(index[i], &output->side[i]);
    if (distance >= 0) {
        MemoryContext context =
            AllocSetContextCreate(CurrentMemoryContext, "simhash join", ALLOCSET_DEFAULT_SIZES);
        MemoryContext caller = MemoryContextSwitchTo(context);
        for (int i = 0; i < indexes; i++) {
            // A lock on the whole index, as scans take: every leaf is read anyway.
            PredicateLockRelation(output->side[i].index, output->snapshot);
            pgstat_count_index_scan(output->side[i].index);
        }
        join_indexes(output, Min(distance, kBits));
        MemoryContextSwitchTo(caller);
        MemoryContextDelete(context);
    }
    for (int i = 0; i < indexes; i++) {
        table_close(output->side[i].heap, NoLock);
        relation_close(output->side[i].index, NoLock);
    }
    pfree(output);
}

} // namespace simhash

SIMHASH_FUNCTION(simhash_pairs)
{
    simhash::return_pairs(fcinfo, 1);
    PG_RETURN_NULL();
}

SIMHASH_FUNCTION(simhash_join)
{
    simhash::return_pairs(fcinfo, 2);
    PG_RETURN_NULL();
}
