// What inspect.cpp and check.cpp share.
#pragma once

#include "am/index.hpp"

extern "C" {
#include "utils/tuplestore.h"
}

namespace simhash
{

// An error unless the caller owns the index's table or, with pg_stat_scan_tables, may look at it.
void check_inspection_rights(Oid index, Oid heap);

// Opens a simhash index that the caller has the rights to, and locks it and its table; else an error.
Relation open_index(Oid oid, LOCKMODE lock,
                    void (*check_rights)(Oid index, Oid heap) = check_inspection_rights);

// The row type that the calling SQL function returns.
TupleDesc result_row(FunctionCallInfo fcinfo);

// Prepares a function to return rows of its declared type, which the caller puts into the store.
Tuplestorestate *begin_rows(FunctionCallInfo fcinfo, TupleDesc *row);

} // namespace simhash
