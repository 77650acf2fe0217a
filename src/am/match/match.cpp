// simhash_match(index, query, first_only): the matches of many balls at once, with the rights and the snapshot of a
// query.
//
// The caller's query is run once, with the caller's privileges. Partitions are searched one after the other, so the
// balls are kept for them; with first_only, those that have matched are left out of the next ones.
#include "am/match/match_state.hpp"

#include "pg/server/query_rows.hpp"
#include "pg/server/result_rows.hpp"
#include "pg/server/sibling.hpp"
#include "pg/types/ball.hpp"

extern "C" {
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "pgstat.h"
#include "storage/predicate.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
}

namespace simhash
{

namespace
{

struct Matches {
    Tuplestorestate *store;
    TupleDesc row;
    const TableRows *rows;
    MatchSearch *search; // of the partition that is searched
    // The queries that need no more matches in other partitions, a bit for each; null if that does not matter.
    uint64 *matched;
};

void store_match(void *context, uint64 row, uint64 query, uint64 distance)
{
    auto *matches = static_cast<Matches *>(context);
    QueuedQuery *queued = passed_query(matches->search, query);
    if (queued == nullptr)
        return;
    if (matches->matched != nullptr)
        matches->matched[queued->ordinal / 64] |= uint64{1} << queued->ordinal % 64;
    ItemPointerData pointer = matches->rows->tid_of(row);
    Datum values[4] = {Int64GetDatum(queued->number), PointerGetDatum(&pointer),
                       Int32GetDatum(static_cast<int32>(distance)),
                       ObjectIdGetDatum(matches->rows->table_of(row))};
    bool nulls[4] = {};
    tuplestore_putvalues(matches->store, matches->row, values, nulls);
}

// Returns the type of the numbers. Raises an error unless the columns are an integer and a ball.
Oid find_number_type(Oid schema, TupleDesc row)
{
    if (row->natts == 2 && getBaseType(SPI_gettypeid(row, 2)) == find_type(schema, "simhash_ball")) {
        const Oid type = integer_type(row, 1);
        if (OidIsValid(type))
            return type;
    }
    ereport(ERROR, errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("the query must return numbers and balls"),
            errdetail("It needs a column of type smallint, integer or bigint, and one of type simhash_ball."),
            errhint("For example: SELECT id, simhash_ball(weights, 3, 0.95) FROM page"));
    pg_unreachable();
}

void add_ball(Matches *matches, int64 key, uint64 ordinal, Datum datum)
{
    GuidedBall ball;
    read_ball(datum, &ball);
    while (!add_numbered(matches->search, ball, key, ordinal))
        run_match(matches->search, false);
}

// Runs the query with the caller's privileges. Calls what(key, row, ball) for each row whose ball is not NULL.
template <typename What> void for_each_ball(const char *query, Oid schema, What what)
{
    Oid number_type = InvalidOid;
    for_each_query_row(
        query, [&](TupleDesc row) { number_type = find_number_type(schema, row); },
        [&](const QueryRow &row) {
            int64 key = integer_column(row, 1, number_type, "the number of a ball");
            bool null;
            Datum ball = row.column(2, &null);
            if (!null)
                what(key, row, ball);
        });
}

// The balls of a query, which is run once for all partitions.
struct KeptBalls {
    Tuplestorestate *store;
    TupleTableSlot *slot;
    uint64 count;
};

KeptBalls keep_balls(const char *query, Oid schema)
{
    KeptBalls kept = {};
    kept.store = tuplestore_begin_heap(false, false, work_mem);
    TupleDesc row = CreateTemplateTupleDesc(2);
    for_each_ball(query, schema, [&](int64 key, const QueryRow &from, Datum ball) {
        if (kept.count++ == 0) {
            TupleDescInitEntry(row, 1, "number", INT8OID, -1, 0);
            TupleDescCopyEntry(row, 2, from.descriptor, 2);
            finish_row_type(row);
        }
        Datum values[2] = {Int64GetDatum(key), ball};
        bool nulls[2] = {};
        tuplestore_putvalues(kept.store, row, values, nulls);
    });
    kept.slot = kept.count == 0 ? nullptr : MakeSingleTupleTableSlot(row, &TTSOpsMinimalTuple);
    return kept;
}

void match_kept(Matches *matches, const KeptBalls &kept)
{
    tuplestore_rescan(kept.store);
    for (uint64 ordinal = 0; tuplestore_gettupleslot(kept.store, true, false, kept.slot); ordinal++) {
        CHECK_FOR_INTERRUPTS();
        if (matches->matched != nullptr && (matches->matched[ordinal / 64] >> ordinal % 64 & 1) != 0)
            continue;
        bool null;
        int64 key = DatumGetInt64(slot_getattr(kept.slot, 1, &null));
        add_ball(matches, key, ordinal, slot_getattr(kept.slot, 2, &null));
    }
    run_match(matches->search, true);
}

void match_table(Matches *matches, PairOutput *output, const char *query, Oid schema, bool first_only,
                 Size bytes)
{
    matches->search = new_match(output, 0, first_only, bytes);
    uint64 ordinal = 0;
    for_each_ball(query, schema,
                  [&](int64 key, const QueryRow &, Datum ball) { add_ball(matches, key, ordinal++, ball); });
    run_match(matches->search, true);
}

void match_partitions(Matches *matches, PairOutput *output, const char *query, Oid schema, bool first_only,
                      Size bytes)
{
    KeptBalls kept = keep_balls(query, schema);
    if (kept.count == 0)
        return;
    if (first_only)
        matches->matched = static_cast<uint64 *>(MemoryContextAllocExtended(
            CurrentMemoryContext, kept.count / 8 + sizeof(uint64), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO));
    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash match of a partition", ALLOCSET_DEFAULT_SIZES);
    for (int part = 0; part < output->side[0].parts; part++) {
        MemoryContext caller = MemoryContextSwitchTo(context);
        matches->search = new_match(output, part, first_only, bytes);
        match_kept(matches, kept);
        MemoryContextSwitchTo(caller);
        MemoryContextReset(context);
    }
    ExecDropSingleTupleTableSlot(kept.slot);
    tuplestore_end(kept.store);
}

void open_tables(Oid index, PairOutput *output)
{
    open_side(index, &kFingerprints, kOfBalls, &output->side[0]);
    for (int i = 0; i < output->side[0].parts; i++) {
        Relation relation = output->side[0].part[i].index;
        PredicateLockRelation(relation, output->snapshot);
        pgstat_count_index_scan(relation);
    }
}

// Estimates one match for each ball, if the query is constant and can be planned. Returns null otherwise.
SupportRequestRows *estimate_matches(Node *node)
{
    if (!IsA(node, SupportRequestRows))
        return nullptr;
    auto *request = reinterpret_cast<SupportRequestRows *>(node);
    if (!is_funcclause(request->node))
        return nullptr;
    auto *query = static_cast<Node *>(lsecond(reinterpret_cast<FuncExpr *>(request->node)->args));
    if (!IsA(query, Const) || reinterpret_cast<Const *>(query)->constisnull)
        return nullptr;
    request->rows = estimated_rows(TextDatumGetCString(reinterpret_cast<Const *>(query)->constvalue));
    return request->rows > 0 ? request : nullptr;
}

} // namespace

} // namespace simhash

SIMHASH_FUNCTION(simhash_match)
{
    using namespace simhash;
    Matches matches = {};
    matches.store = begin_rows(fcinfo, &matches.row);
    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash match", ALLOCSET_DEFAULT_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(context);
    auto *output = static_cast<PairOutput *>(palloc0(sizeof(PairOutput)));
    output->snapshot = GetActiveSnapshot();
    output->sides = 1;
    output->queries = true;
    output->sink = {store_match, &matches};
    open_tables(PG_GETARG_OID(0), output);
    matches.rows = &output->side[0].tids;

    Size bytes = pair_memory();
    begin_output(output, bytes / 4);
    bool one_table = get_rel_relkind(PG_GETARG_OID(0)) != RELKIND_PARTITIONED_INDEX;
    (one_table ? match_table : match_partitions)(&matches, output, text_to_cstring(PG_GETARG_TEXT_PP(1)),
                                                 get_func_namespace(fcinfo->flinfo->fn_oid),
                                                 PG_GETARG_BOOL(2), bytes / 4 * 3);
    end_output(output);
    close_side(output->side[0]);
    MemoryContextSwitchTo(caller);
    MemoryContextDelete(context);
    PG_RETURN_NULL();
}

// The support function of simhash_match. From PostgreSQL 19 on, PG_RETURN_POINTER(nullptr) does not compile.
SIMHASH_FUNCTION(simhash_match_support)
{
    using namespace simhash;
    PG_RETURN_POINTER(estimate_matches(reinterpret_cast<Node *>(PG_GETARG_POINTER(0))));
}
