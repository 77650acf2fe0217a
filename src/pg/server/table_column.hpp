// Tables and columns that functions are given the names of.
#pragma once

#include "pg/server/postgres.hpp"

extern "C" {
#include "storage/lockdefs.h"
#include "utils/relcache.h"
}

namespace simhash
{

// Opens a relation; an error of the caller's if there is none.
Relation open_relation(Oid oid, LOCKMODE lock);

// An error unless the table has the column, of this type or a domain over it.
void check_column(Relation table, const char *column, Oid type);

} // namespace simhash
