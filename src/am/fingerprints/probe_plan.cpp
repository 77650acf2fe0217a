// simhash_index_probe_plan(index, query, distance) and (index, ball): the leaves that a search reads, in order; for a
// partitioned index, one partition after the other.
// It runs the search but does not read the table.
//
// Both the matches and the leaves reveal fingerprints: the boundary between two leaves is the key of some
// row. So these functions are for users who may read the rows, not for those who may only monitor.
#include "am/fingerprints/fingerprint_search.hpp"

#include "pg/types/ball.hpp"

extern "C" {
#include "access/relation.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
}

namespace simhash
{

namespace
{

// The numbers of the bits that are set, ascending, as an integer[]. Bit 0 is the lowest.
Datum bit_numbers(Fingerprint bits)
{
    Datum element[kBits];
    int count = 0;
    for (int bit = 0; bit < kBits; bit++) {
        if (bits >> bit & 1)
            element[count++] = Int32GetDatum(bit);
    }
    return PointerGetDatum(construct_array(element, count, INT4OID, 4, true, TYPALIGN_INT));
}

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
