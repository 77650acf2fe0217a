// Results of functions that return rows.
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

// Prepares the calling function to return rows. It sets `*row` to the declared row type and returns the store
// for the rows.
Tuplestorestate *begin_rows(FunctionCallInfo fcinfo, TupleDesc *row);

} // namespace simhash
