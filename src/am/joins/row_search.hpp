// A search for one row of the outer side, as an index scan would do it: the likeliest leaves come first, so it is soon over if
// there is a match and one is enough.
#pragma once

#include "core/bits/fingerprint.hpp"
#include "pg/server/postgres.hpp"

extern "C" {
#include "executor/tuptable.h"
#include "utils/rel.h"
#include "utils/snapshot.h"
}

namespace simhash
{

struct RowSearch;

// The relations stay open, and their predicate locks are the caller's.
RowSearch *begin_row_search(Relation table, Relation index, Snapshot snapshot);
void search_row(RowSearch *search, Fingerprint center, int radius);
// The next matching row, or null. The slot belongs to the search.
TupleTableSlot *next_of_row(RowSearch *search);
// The row needs no more matches.
void finish_row(RowSearch *search);
void end_row_search(RowSearch *search);

} // namespace simhash
