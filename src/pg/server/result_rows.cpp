#include "pg/server/result_rows.hpp"

extern "C" {
#include "executor/tuptable.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
}

namespace simhash
{

TupleDesc result_row(FunctionCallInfo fcinfo)
{
    TupleDesc row;
    if (get_call_result_type(fcinfo, nullptr, &row) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "return type must be a row type");
    return BlessTupleDesc(row);
}

ResultRows begin_rows(FunctionCallInfo fcinfo)
{
    auto *result = reinterpret_cast<ReturnSetInfo *>(fcinfo->resultinfo);
    if (result == nullptr || !IsA(result, ReturnSetInfo) || !(result->allowedModes & SFRM_Materialize))
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                errmsg("set-valued function called in context that cannot accept a set"));
    TupleDesc row = result_row(fcinfo); // with more that is of no use after this call
    MemoryContext caller = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
    result->returnMode = SFRM_Materialize;
    result->setDesc = CreateTupleDescCopy(row);
    result->setResult =
        tuplestore_begin_heap(result->allowedModes & SFRM_Materialize_Random, false, work_mem);
    MemoryContextSwitchTo(caller);
    return {result->setResult, result->setDesc};
}

} // namespace simhash
