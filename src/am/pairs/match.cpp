// simhash_match(index, query, first_only): the matches of many balls at once.
#include "am/pairs/query_queue.hpp"

#include "pg/server/query_rows.hpp"
#include "pg/server/result_rows.hpp"
#include "pg/server/sibling.hpp"
#include "pg/types/ball.hpp"

extern "C" {
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

struct MatchStore {
    Tuplestorestate *store;
    TupleDesc row;
    QueryQueue *queue;
};

void store_match(void *context, uint64 tid, uint64 query, int distance)
{
    auto *matches = static_cast<MatchStore *>(context);
    QueuedQuery *queued = found_query(matches->queue, query);
    if (queued->matched)
        return;
    queued->matched = matches->queue->first_only;
    ItemPointerData pointer = pointer_of(Tid::unpack(tid));
    Datum values[3] = {Int64GetDatum(queued->key), PointerGetDatum(&pointer), Int32GetDatum(distance)};
    bool nulls[3] = {};
    tuplestore_putvalues(matches->store, matches->row, values, nulls);
}

struct BallColumns {
    Oid key_type;
    bool by_weights;
};

// Raises an error unless the columns are an integer and a ball.
BallColumns find_ball_columns(Oid schema, TupleDesc row)
{
    BallColumns columns = {};
    if (row->natts == 2) {
        Oid ball = getBaseType(SPI_gettypeid(row, 2));
        columns.key_type = integer_type(row, 1);
        columns.by_weights = ball == find_type(schema, "simhash_weights_ball");
        if (OidIsValid(columns.key_type) && (columns.by_weights || ball == find_type(schema, "simhash_ball")))
            return columns;
    }
    ereport(
        ERROR, errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("the query must return numbers and balls"),
        errdetail("It needs a column of type smallint, integer or bigint, and one of type simhash_ball or "
                  "simhash_weights_ball."),
        errhint("For example: SELECT id, simhash_ball(weights, 3, 0.95) FROM page"));
    pg_unreachable();
}

// Runs the query with the caller's privileges and searches for its balls.
void match_query(QueryQueue *queue, const char *query, Oid schema)
{
    BallColumns columns;
    for_each_query_row(
        query, [&](TupleDesc row) { columns = find_ball_columns(schema, row); },
        [&](const QueryRow &row) {
            int64 key = integer_column(row, 1, columns.key_type, "the number of a ball");
            bool null;
            Datum ball = row.column(2, &null);
            if (null)
                return;
            if (columns.by_weights) {
                add_query(queue, key, datum_guided_ball(ball));
            } else {
                const Ball &exact = *reinterpret_cast<const Ball *>(DatumGetPointer(ball));
                add_query(queue, key, {{}, exact.center, kExactRecall, exact.radius, 0});
            }
        });
    finish_queue(queue);
}

void open_table(Oid index, PairOutput *output)
{
    open_side(index, false, &output->side[0]);
    if (get_rel_relkind(index) == RELKIND_PARTITIONED_INDEX)
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                errmsg("cannot match queries with partitioned index \"%s\"", get_rel_name(index)),
                errhint("Call simhash_match for the index of each partition."));
    Relation relation = output->side[0].part[0].index;
    PredicateLockRelation(relation, output->snapshot);
    pgstat_count_index_scan(relation);
}

} // namespace

} // namespace simhash

SIMHASH_FUNCTION(simhash_match)
{
    using namespace simhash;
    MatchStore matches;
    matches.store = begin_rows(fcinfo, &matches.row);
    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash match", ALLOCSET_DEFAULT_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(context);
    auto *output = static_cast<PairOutput *>(palloc0(sizeof(PairOutput)));
    output->snapshot = GetActiveSnapshot();
    output->sides = 1;
    output->queries = true;
    output->sink = {store_match, &matches};
    open_table(PG_GETARG_OID(0), output);

    Size bytes = pair_memory();
    begin_output(output, bytes / 4);
    matches.queue = begin_queue(output, PG_GETARG_BOOL(2), bytes / 4 * 3);
    match_query(matches.queue, text_to_cstring(PG_GETARG_TEXT_PP(1)),
                get_func_namespace(fcinfo->flinfo->fn_oid));
    end_output(output);
    close_side(output->side[0]);
    MemoryContextSwitchTo(caller);
    MemoryContextDelete(context);
    PG_RETURN_NULL();
}
