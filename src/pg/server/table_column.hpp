// Tables and columns given as function arguments.
#pragma once

#include "pg/server/postgres.hpp"

extern "C" {
#include "storage/lockdefs.h"
#include "utils/relcache.h"
}

namespace simhash
{

// Opens a relation. Raises an error if it does not exist.
Relation open_relation(Oid oid, LOCKMODE lock);

// Raises an error unless the table has this column, and its type is `type` or a domain over it.
void check_column(Relation table, const char *column, Oid type);

} // namespace simhash
