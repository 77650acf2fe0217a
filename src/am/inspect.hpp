// What inspect.cpp and check.cpp share.
#pragma once

#include "am/index.hpp"

extern "C" {
#include "utils/tuplestore.h"
}

namespace simhash
{

// Opens a simhash index whose table the caller owns or, with pg_stat_scan_tables, may look at; else an error.
Relation open_index(Oid oid, LOCKMODE lock);

// The row type that the calling SQL function returns.
TupleDesc result_row(FunctionCallInfo fcinfo);

// Prepares a function to return rows of its declared type, which the caller puts into the store.
Tuplestorestate *begin_rows(FunctionCallInfo fcinfo, TupleDesc *row);

} // namespace simhash
