// Functions that return rows.
#pragma once

#include "pg/server/postgres.hpp"

extern "C" {
#include "access/tupdesc.h"
#include "utils/tuplestore.h"
}

namespace simhash
{

// The row type that the calling SQL function returns.
TupleDesc result_row(FunctionCallInfo fcinfo);

// Prepares a function to return rows of its declared type, which the caller puts into the store.
Tuplestorestate *begin_rows(FunctionCallInfo fcinfo, TupleDesc *row);

} // namespace simhash
