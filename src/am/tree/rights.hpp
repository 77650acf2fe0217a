// Who may call the functions that name an index. Each of these is an error for whoever may not.
#pragma once

#include "pg/server/compat.hpp"

extern "C" {
#include "utils/rel.h"
}

namespace simhash
{

// To hold up others: the owner of the table.
void check_ownership(Oid index, Oid heap);

// To learn which fingerprints there are: whoever may read, in a query, what the index holds.
void check_reading_rights(Oid index, Oid heap);

// To learn which rows they belong to as well, by their ctids.
void check_tid_reading_rights(Oid index, Oid heap);

// The index holds rows that row-level security hides. `action` is what cannot be done "by index %s".
void refuse_row_security(Relation index, const char *action, const char *hint);

} // namespace simhash
