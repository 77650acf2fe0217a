// simhash_index_trace(index, ball) of signatures: the leaves and the parts of the store that a search reads, in
// order; for a partitioned index, one partition after the other. It runs the search but does not read the table.
//
// Both the candidates and the leaves reveal signatures, so this is for users who may read the rows.
#include "am/search/scan.hpp"
#include "am/signatures/signature_search.hpp"

extern "C" {
#include "funcapi.h"
#include "utils/builtins.h"
}

#include <cmath>

namespace simhash
{

namespace
{

void add_signature_read(const SignatureRead &read, void *context)
{
    auto *rows = static_cast<TraceRows *>(context);
    const char *part = read.part == SignatureRead::tree    ? "tree"
                       : read.part == SignatureRead::plane ? "plane"
                       : read.part == SignatureRead::list  ? "list"
                                                           : "store";
    Datum values[7];
    bool nulls[7] = {};
    values[0] = Int32GetDatum(++rows->steps);
    values[1] = CStringGetTextDatum(part);
    values[2] = Int32GetDatum(read.number + 1);
    nulls[2] = read.part != SignatureRead::tree;
    values[3] = Int64GetDatum(read.block);
    values[4] = Int32GetDatum(static_cast<int32>(read.candidates));
    values[5] = Float8GetDatum(read.recall);
    nulls[5] = std::isnan(read.recall);
    values[6] = ObjectIdGetDatum(rows->index);
    rows->rows.put(values, nulls);
    pfree(DatumGetPointer(values[1]));
}

void search_signatures(Relation index, const SignatureBall &ball, Datum value, TraceRows *rows)
{
    IndexScanDesc scan = begin_scan(index, 1, 1);
    SignatureTrace trace = {add_signature_read, rows};
    static_cast<SignatureSearch *>(scan_state(scan)->search)->trace = &trace;
    if (ball.count > 0) {
        scan->numberOfKeys = 0;
        run_order(scan, kWeightsOrder, value, static_cast<Size>(ball.count));
    } else {
        scan->numberOfOrderBys = 0;
        run_search(scan, kInBall, value);
    }
    discard_scan(scan);
}

} // namespace

} // namespace simhash

SIMHASH_FUNCTION(simhash_index_trace_of_signature)
{
    using namespace simhash;
    const SignatureBall &ball = datum_signature_ball(PG_GETARG_DATUM(1));
    run_trace(fcinfo, kSignatures, [&](Relation index, TraceRows *rows) {
        search_signatures(index, ball, PG_GETARG_DATUM(1), rows);
    });
    PG_RETURN_NULL();
}
