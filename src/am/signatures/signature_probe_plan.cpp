// simhash_index_probe_plan(index, ball) of signatures: the leaves and the parts of the store that a search reads, in order; for a
// partitioned index, one partition after the other. It runs the search but does not read the table.
//
// Both the candidates and the leaves reveal signatures, so this is for users who may read the rows.
#include "am/index/rights.hpp"
#include "am/search/scan.hpp"
#include "am/signatures/signature_query.hpp"

#include "pg/server/result_rows.hpp"

extern "C" {
#include "access/relation.h"
#include "funcapi.h"
#include "utils/builtins.h"
}

namespace simhash
{

namespace
{

struct Report {
    Tuplestorestate *rows;
    TupleDesc row;
    int steps;
    Oid index; // the one that is being searched
};

void report_signature_read(const SignatureRead &read, void *context)
{
    auto *report = static_cast<Report *>(context);
    const char *part = read.part == SignatureRead::tree    ? "tree"
                       : read.part == SignatureRead::plane ? "plane"
                                                           : "store";
    Datum values[7];
    bool nulls[7] = {};
    values[0] = Int32GetDatum(++report->steps);
    values[1] = CStringGetTextDatum(part);
    values[2] = Int32GetDatum(read.table + 1);
    nulls[2] = read.part != SignatureRead::tree;
    values[3] = Int64GetDatum(read.block);
    values[4] = Int32GetDatum(static_cast<int32>(read.candidates));
    values[5] = Float8GetDatum(read.recall);
    nulls[5] = std::isnan(read.recall);
    values[6] = ObjectIdGetDatum(report->index);
    tuplestore_putvalues(report->rows, report->row, values, nulls);
    pfree(DatumGetPointer(values[1]));
}

void search_signatures(Relation index, const SignatureBall &ball, Datum value, Report *report)
{
    report->index = RelationGetRelid(index);
    IndexScanDesc scan = begin_scan(index, 1, 1);
    SignatureTrace trace = {report_signature_read, report};
    static_cast<SignatureSearch *>(scan_state(scan)->search)->trace = &trace;
    if (ball.neighbors > 0) {
        scan->numberOfKeys = 0;
        run_order(scan, kWeightsOrder, value, static_cast<Size>(ball.neighbors));
    } else {
        scan->numberOfOrderBys = 0;
        run_search(scan, kInBall, value);
    }
    end_scan(scan);
    IndexScanEnd(scan);
}

void run_signatures(FunctionCallInfo fcinfo, const SignatureBall &ball, Datum value)
{
    Report report = {};
    report.rows = begin_rows(fcinfo, &report.row);
    IndexSet set = open_indexes(PG_GETARG_OID(0), AccessShareLock, check_reading_rights, &kSignatures);
    refuse_row_security(set, nullptr);
    for (int i = 0; i < set.count; i++)
        search_signatures(set.index[i], ball, value, &report);
    close_indexes(set);
}

} // namespace

} // namespace simhash

SIMHASH_FUNCTION(simhash_index_probe_plan_of_signature)
{
    using namespace simhash;
    run_signatures(fcinfo, datum_signature_ball(PG_GETARG_DATUM(1)), PG_GETARG_DATUM(1));
    PG_RETURN_NULL();
}
