// How a sample of a table's rows is read, wherever they are.
#pragma once

#include "pg/server/postgres.hpp"

extern "C" {
#include "utils/relcache.h"
}

namespace simhash
{

struct SampleQuery {
    const char *query;
    double share; // of the rows, expected
};

// Returns a query that reads some times as many values of an expression as are to be kept, or nearly as many; all of
// them if the table is not much larger, or if there is no other way.
SampleQuery sample_query(Relation relation, const char *expression, Size values);

// The relation's name for a query.
const char *qualified_name(Relation relation);

} // namespace simhash
