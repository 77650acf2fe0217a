// simhash_index_probe_plan(index, query, distance) and (index, ball): the leaves that a search reads, in order; for a
// partitioned index, one partition after the other.
// simhash_index_recall(index, ball): which part of the near-duplicates it finds, by their similarity. They run the
// search but do not read the table.
//
// Both the matches and the leaves reveal fingerprints: the boundary between two leaves is the key of some
// row. So these functions are for users who may read the rows, not for those who may only monitor.
#include "am/fingerprints/bit_numbers.hpp"
#include "am/fingerprints/fingerprint_search.hpp"

#include "core/tables/key_ball.hpp"

#include "pg/types/ball.hpp"

extern "C" {
#include "access/relation.h"
#include "funcapi.h"
#include "utils/builtins.h"
}

namespace simhash
{

namespace
{

void add_leaf(const LeafRead &read, void *context)
{
    auto *plan = static_cast<ProbePlan *>(context);
    Datum values[8];
    bool nulls[8] = {};
    values[0] = Int32GetDatum(++plan->steps);
    values[1] = Int32GetDatum(read.table + 1);
    values[2] = Int64GetDatum(read.block);
    values[3] = Int32GetDatum(static_cast<int32>(read.matches));
    // The index is the last column, after those that only a search by weights has.
    bool by_weights = plan->row->natts > 5;
    values[by_weights ? 7 : 4] = ObjectIdGetDatum(plan->index);
    if (by_weights) {
        nulls[4] = nulls[5] = nulls[6] = read.probe == nullptr; // the search has become exact
        if (read.probe != nullptr) {
            values[4] = bit_numbers(read.probe->flips);
            values[5] = Float8GetDatum(read.probe->gain);
            values[6] = Float8GetDatum(read.probe->recall);
        }
    }
    tuplestore_putvalues(plan->rows, plan->row, values, nulls);
}

void run(FunctionCallInfo fcinfo, StrategyNumber strategy, Datum ball)
{
    run_probe_plan(fcinfo, kFingerprints, [&](Relation index, ProbePlan *plan) {
        IndexScanDesc scan = begin_scan(index, 1, 0);
        LeafTrace trace = {add_leaf, plan};
        fingerprint_search(scan)->trace = &trace;
        run_search(scan, strategy, ball);
        end_scan(scan);
        IndexScanEnd(scan);
    });
}

// Adds how much of each level a search covers.
void add_levels(const FingerprintSearch &search, const GuidedBall &ball, Tuplestorestate *rows, TupleDesc row)
{
    Levels share, recall;
    if (search.by_weights) {
        search.guided->plan.measure_levels(&share, &recall);
    } else {
        auto *volatility = static_cast<Volatility *>(palloc(sizeof(Volatility)));
        auto *coverage = static_cast<FlipCoverage *>(palloc(sizeof(FlipCoverage)));
        std::uint64_t prefix = ~std::uint64_t{0};
        set_volatility(search.meta->model, ball.weights, ball.radius, volatility);
        coverage->begin(volatility, &prefix, 1);
        coverage->measure_levels(&share, &recall);
    }
    if (search.exactly())
        recall = levels_of(1);
    for (int level = 0; level < kVolatilityLevels; level++) {
        double scale = kVolatilityScale[level];
        Datum values[4] = {Float8GetDatum(scale), Float8GetDatum(scale_cosine(scale)),
                           Float8GetDatum(share[level]), Float8GetDatum(recall[level])};
        bool nulls[4] = {};
        tuplestore_putvalues(rows, row, values, nulls);
    }
}

void run_levels(FunctionCallInfo fcinfo, const GuidedBall &ball, Datum value)
{
    TupleDesc row;
    Tuplestorestate *rows = begin_rows(fcinfo, &row);
    IndexSet set = open_one_index(PG_GETARG_OID(0), AccessShareLock, check_reading_rights, &kFingerprints);
    refuse_row_security(set);
    Relation index = set.index[0];
    if (ball.radius >= 0) { // there are no levels of an empty ball
        IndexScanDesc scan = begin_scan(index, 1, 0);
        run_search(scan, kInGuidedBall, value);
        add_levels(*fingerprint_search(scan), ball, rows, row);
        end_scan(scan);
        IndexScanEnd(scan);
    }
    close_indexes(set);
}

} // namespace

} // namespace simhash

SIMHASH_FUNCTION(simhash_index_probe_plan)
{
    using namespace simhash;
    Ball ball = {PG_GETARG_FINGERPRINT(1), clamp_radius(PG_GETARG_INT32(2)), 0};
    run(fcinfo, kInBall, PointerGetDatum(&ball));
    PG_RETURN_NULL();
}

SIMHASH_FUNCTION(simhash_index_probe_plan_of_weights)
{
    using namespace simhash;
    run(fcinfo, kInGuidedBall, PG_GETARG_DATUM(1));
    PG_RETURN_NULL();
}

SIMHASH_FUNCTION(simhash_index_recall)
{
    using namespace simhash;
    run_levels(fcinfo, datum_guided_ball(PG_GETARG_DATUM(1)), PG_GETARG_DATUM(1));
    PG_RETURN_NULL();
}
