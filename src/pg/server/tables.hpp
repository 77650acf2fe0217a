// Tables and columns given as function arguments, and tables that are on several servers.
#pragma once

#include "pg/server/postgres.hpp"

extern "C" {
#include "storage/lockdefs.h"
#include "utils/relcache.h"
}

namespace simhash
{

// Opens a relation. Raises an error if it does not exist, or if the caller may read no column of it: then before it waits
// for a lock.
Relation open_relation(Oid oid, LOCKMODE lock);

// Raises an error unless the table has this column, and its type is `type` or a domain over it.
void check_column(Relation table, const char *column, Oid type);

// Whether Citus distributes the table: then its rows are in other tables, the shards, and it is itself empty.
bool is_distributed(Oid table);

} // namespace simhash
