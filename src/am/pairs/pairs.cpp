// simhash_pairs(index, distance) and simhash_join(left, right, distance): all pairs of near-duplicates.
#include "am/pairs/pairs.hpp"
#include "am/tree/rights.hpp"

#include "pg/server/result_rows.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/predicate.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
}

namespace simhash
{

namespace
{

// Raises an error unless both indexes are on fingerprints, or on signatures of the same length.
void check_sides(const PairSide *side)
{
    const IndexMeta &x = *side[0].meta, &y = *side[1].meta;
    if (x.wide != y.wide)
        ereport(ERROR, errcode(ERRCODE_DATATYPE_MISMATCH),
                errmsg("cannot join an index on fingerprints with one on signatures"),
                errdetail("Index \"%s\" is on signatures, and index \"%s\" on fingerprints, of type simhash.",
                          RelationGetRelationName(side[x.wide ? 0 : 1].index),
                          RelationGetRelationName(side[x.wide ? 1 : 0].index)));
    if (x.wide && x.layout.bits != y.layout.bits)
        ereport(ERROR, errcode(ERRCODE_STRING_DATA_LENGTH_MISMATCH),
                errmsg("cannot join signatures of different lengths"),
                errdetail("Index \"%s\" holds signatures of %d bits, and index \"%s\" of %d bits.",
                          RelationGetRelationName(side[0].index), static_cast<int>(x.layout.bits),
                          RelationGetRelationName(side[1].index), static_cast<int>(y.layout.bits)));
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

void open_side(Oid oid, bool wide, PairSide *side)
{
    IndexSet set = open_indexes(oid, AccessShareLock, check_tid_reading_rights, wide);
    if (set.count != 1)
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                errmsg("index \"%s\" is partitioned", get_rel_name(oid)));
    Relation index = set.index[0];
    Relation heap = table_open(index->rd_index->indrelid, NoLock);
    refuse_row_security(set, "Write a join with a condition on the distance: a.h <@> b.h <= 3.");
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

void close_side(PairSide *side)
{
    table_close(side->heap, NoLock);
    relation_close(side->index, NoLock);
}

void find_pairs(const Oid *index, int indexes, int distance, PairsWanted wanted, PairSink sink)
{
    auto *output = static_cast<PairOutput *>(palloc0(sizeof(PairOutput)));
    output->snapshot = GetActiveSnapshot();
    output->sides = indexes;
    output->wanted = wanted;
    output->sink = sink;
    for (int i = 0; i < indexes; i++)
        open_side(index[i], true, &output->side[i]);
    if (indexes == 2)
        check_sides(output->side);
    if (distance >= 0) {
        MemoryContext context =
            AllocSetContextCreate(CurrentMemoryContext, "simhash join", ALLOCSET_DEFAULT_SIZES);
        MemoryContext caller = MemoryContextSwitchTo(context);
        for (int i = 0; i < indexes; i++) {
            // A lock on the whole index, as scans take: every leaf is read anyway.
            PredicateLockRelation(output->side[i].index, output->snapshot);
            pgstat_count_index_scan(output->side[i].index);
        }
        const IndexMeta &meta = *output->side[0].meta;
        if (meta.wide)
            join_signatures(output, Min(distance, static_cast<int>(meta.layout.bits)));
        else
            join_indexes(output, Min(distance, kBits));
        MemoryContextSwitchTo(caller);
        MemoryContextDelete(context);
    }
    for (int i = 0; i < indexes; i++)
        close_side(&output->side[i]);
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
