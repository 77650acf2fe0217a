// simhash_index_calibrate: fits the volatility model of an index to the user's own pairs of near-duplicates, and
// returns how well the model then predicts the recall.
//
// The model is fitted to half of the pairs by maximum likelihood. The other half is searched for in the
// index's leaves like in a search by weights. The model is stored in the metapage and logged, so that other
// sessions and standbys use it. For a partitioned index, all partitions are searched and get the model.
//
// To store it takes a lock that searches and inserts do not notice, but VACUUM, REINDEX and another calibration do. The
// metapage is locked alone. A search that has begun goes on with the model that it has copied.
#include "am/fingerprints/fingerprint_search.hpp"
#include "am/index/rights.hpp"

#include "core/bits/every_nth.hpp"
#include "core/likely/volatility_model.hpp"
#include "pg/server/query_rows.hpp"
#include "pg/server/result_rows.hpp"
#include "pg/server/sibling.hpp"
#include "pg/server/tables.hpp"
#include "pg/types/weights_type.hpp"

extern "C" {
#include "access/relation.h"
#include "funcapi.h"
#include "tcop/utility.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

#include <span>

namespace simhash
{

namespace
{

constexpr int kMostPairs = 20000; // more pairs do not improve the fit
constexpr int kFewestPairs = 100;
constexpr int kRounds = 60;
constexpr int kDistances[] = {3, 5, 8};
constexpr double kTargets[] = {0.90, 0.95, 0.99};

struct Pair {
    Weights weights;
    Fingerprint partner;
};

struct Pairs {
    int count;
    Pair *pair;
};

// Reads the pairs with the caller's privileges. If there are more than kMostPairs, every n-th pair is kept,
// so that all parts of the table are represented.
Pairs read_pairs(Relation table, const char *weights_column, Oid weights_type, const char *simhash_column,
                 Oid simhash_type)
{
    Pairs pairs = {0, allocate_huge<Pair>(kMostPairs)};
    char *query = psprintf("SELECT %s, %s FROM %s WHERE %s IS NOT NULL AND %s IS NOT NULL",
                           quote_identifier(weights_column), quote_identifier(simhash_column),
                           quote_qualified_identifier(get_namespace_name(RelationGetNamespace(table)),
                                                      RelationGetRelationName(table)),
                           quote_identifier(weights_column), quote_identifier(simhash_column));
    EveryNth<Pair> kept(pairs.pair, kMostPairs);
    for_each_query_row(
        query,
        [&](TupleDesc columns) {
            require_types(columns, {weights_type, simhash_type});
        },
        [&](const QueryRow &row) {
            bool no_weights, no_partner; // a view's function that is declared STABLE need not be
            const Datum weights = row.column(1, &no_weights), partner = row.column(2, &no_partner);
            Pair *pair = no_weights || no_partner ? nullptr : kept.next();
            if (pair != nullptr)
                *pair = {read_weights(weights), datum_fingerprint(partner)};
        });
    pairs.count = static_cast<int>(kept.count());
    if (pairs.count < kFewestPairs)
        ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("too few pairs to fit a model to: %d", pairs.count),
                errdetail("At least %d are needed.", kFewestPairs));
    return pairs;
}

// The model is fitted to the even pairs; the odd ones are for the trials.
VolatilityModel fit(const Pairs &pairs)
{
    int count = (pairs.count + 1) / 2;
    auto *likelihood = static_cast<double(*)[kVolatilityLevels]>(MemoryContextAllocHuge(
        CurrentMemoryContext, sizeof(double) * kVolatilityLevels * static_cast<Size>(count)));
    for (int i = 0; i < count; i++) {
        CHECK_FOR_INTERRUPTS();
        VolatilityFit::likelihood(pairs.pair[2 * i].weights, pairs.pair[2 * i].partner, likelihood[i]);
    }
    VolatilityFit model;
    model.begin();
    for (int round = 0; round < kRounds; round++) {
        for (int i = 0; i < count; i++)
            model.add(likelihood[i], 1);
        model.finish_round();
    }
    pfree(likelihood);
    return model.model();
}

// An index that is searched, and its share of the leaves of all: one, unless they are those of partitions.
struct Searched {
    IndexScanDesc scan;
    double share;
};

struct Trial {
    int64 pairs;
    double searches; // each counts by the share of its index
    double found;
    double predicted; // sum of the predicted recalls
};

// Runs the search for one pair and checks whether it read the leaf where the partner belongs.
void look_for(const Searched &searched, const Pair &pair, Datum ball, Trial *trial)
{
    run_search(searched.scan, kInBall, ball);

    const FingerprintSearch &search = *fingerprint_search(searched.scan);
    const GuidedPlan &plan = search.guided->plan;
    trial->searches += searched.share;
    const bool exact = search.phase != SearchPhase::guided;
    trial->found += exact || plan.seen(pair.partner) ? searched.share : 0;
    trial->predicted += searched.share * (exact ? 1 : plan.recall());
}

// Searches all indexes for the partners of the odd pairs that are within the distance.
Trial run_trial(std::span<const Searched> searched, const Pairs &pairs, int distance, double target)
{
    Trial trial = {};
    for (int i = 1; i < pairs.count; i += 2) {
        CHECK_FOR_INTERRUPTS();
        const Pair &pair = pairs.pair[i];
        const Fingerprint center = weights_fingerprint(pair.weights);
        if (hamming_distance(center, pair.partner) > distance)
            continue;
        const Datum ball = ball_datum({pair.weights, center, target, distance, 0});
        trial.pairs++;
        for (const Searched &index : searched)
            look_for(index, pair, ball, &trial);
        pfree(DatumGetPointer(ball));
    }
    return trial;
}

void count_leaf(const LeafRead &, void *context) { (*static_cast<int64 *>(context))++; }

// Stores the model in the metapage. This is not transactional: ROLLBACK does not undo it.
void store_model(Relation index, const VolatilityModel &model)
{
    Buffer buffer = ReadBuffer(index, kMetaBlock);
    LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
    GenericXLogState *state = GenericXLogStart(index);
    char *page = GenericXLogRegisterBuffer(state, buffer, 0);
    const char *fault = check_meta_page(page, BLCKSZ);
    if (fault != nullptr)
        report_corruption(index, kMetaBlock, fault);
    auto *data = reinterpret_cast<MetaData *>(page + sizeof(RawPageHeader));
    data->model = 1;
    std::memcpy(data->model_share, model.share, sizeof(model.share));
    GenericXLogFinish(state);
    UnlockReleaseBuffer(buffer);
    reread_meta(index);
}

std::span<const Searched> begin_searches(const IndexSet &set, const VolatilityModel &model, LeafTrace *trace)
{
    auto *index = allocate<Searched>(set.count);
    double leaves = 0;
    for (int i = 0; i < set.count; i++)
        leaves += index_leaves(set.index[i]);
    for (int i = 0; i < set.count; i++) {
        index[i] = {begin_scan(set.index[i], 1, 0), index_leaves(set.index[i]) / leaves};
        static_cast<FingerprintMeta *>(scan_state(index[i].scan)->index.meta)->model = model;
        fingerprint_search(index[i].scan)->trace = trace;
        fingerprint_search(index[i].scan)->inspected = true;
    }
    return {index, static_cast<Size>(set.count)};
}

// Storing needs ownership. The report needs the right to read the rows as well, because it tells which leaves
// searches read, like simhash_index_trace.
void check_storing_rights(Oid index, Oid heap)
{
    check_ownership(index, heap);
    check_reading_rights(index, heap);
}

void check_storing(const IndexSet &set)
{
    if (!set.index[0]->rd_islocaltemp)
        PreventCommandIfReadOnly("simhash_index_calibrate()");
    PreventCommandIfParallelMode("simhash_index_calibrate()");
}

// Adds a row for each distance and target: what the model predicts, and what the searches find.
void report_trials(std::span<const Searched> searched, const Pairs &pairs, const int64 *leaves,
                   const ResultRows &rows)
{
    for (int distance : kDistances) {
        for (double target : kTargets) {
            const int64 before = *leaves;
            const Trial trial = run_trial(searched, pairs, distance, target);
            const bool none = trial.pairs == 0;
            Datum values[6] = {
                Int32GetDatum(distance),
                Float8GetDatum(target),
                Float8GetDatum(trial.predicted / trial.searches),
                Float8GetDatum(trial.found / trial.searches),
                Float8GetDatum(static_cast<double>(*leaves - before) / static_cast<double>(trial.pairs)),
                Int64GetDatum(trial.pairs)};
            bool nulls[6] = {false, false, none, none, none, false};
            rows.put(values, nulls);
        }
    }
}

} // namespace

} // namespace simhash

SIMHASH_FUNCTION(simhash_index_calibrate)
{
    using namespace simhash;
    bool store = PG_GETARG_BOOL(4);
    if (store && RecoveryInProgress())
        ereport(ERROR, errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
                errmsg("cannot store a volatility model during recovery"),
                errhint("Use store => false to get only the report."));
    const ResultRows rows = begin_rows(fcinfo);
    LOCKMODE lock = store ? ShareUpdateExclusiveLock : AccessShareLock;
    IndexSet set = open_indexes(PG_GETARG_OID(0), lock, store ? check_storing_rights : check_reading_rights,
                                &kFingerprints);
    refuse_row_security(set);
    if (set.count == 0)
        PG_RETURN_NULL();
    if (extracts(set.index[0]))
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                errmsg("cannot calibrate index \"%s\"", get_rel_name(set.named)),
                errdetail("It is not searched by weights."));
    if (store)
        check_storing(set);

    Relation table = open_relation(PG_GETARG_OID(1), AccessShareLock);
    Oid simhash_type = set.index[0]->rd_opcintype[0];
    Oid weights_type = find_type(get_func_namespace(fcinfo->flinfo->fn_oid), "simhash_weights");
    check_column(table, NameStr(*PG_GETARG_NAME(2)), weights_type);
    check_column(table, NameStr(*PG_GETARG_NAME(3)), simhash_type);
    Pairs pairs = read_pairs(table, NameStr(*PG_GETARG_NAME(2)), weights_type, NameStr(*PG_GETARG_NAME(3)),
                             simhash_type);

    const VolatilityModel model = fit(pairs);
    int64 leaves = 0;
    LeafTrace trace = {count_leaf, &leaves};
    const auto searched = begin_searches(set, model, &trace);
    report_trials(searched, pairs, &leaves, rows);
    for (const Searched &index : searched)
        discard_scan(index.scan);
    for (int i = 0; store && i < set.count; i++)
        store_model(set.index[i], model);
    relation_close(table, AccessShareLock);
    close_indexes(set);
    PG_RETURN_NULL();
}
