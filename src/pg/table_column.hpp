// Columns of tables that functions are given the names of.
#pragma once

#include "pg/postgres.hpp"

extern "C" {
#include "utils/relcache.h"
}

namespace simhash
{

// An error unless the table has the column, of this type or a domain over it.
void check_column(Relation table, const char *column, Oid type);

} // namespace simhash
