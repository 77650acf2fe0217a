// Distances stored by a table: in an index on the expression h <@> 'constant', or as a partition key.
#pragma once

#include "pg/server/postgres.hpp"
#include "pg/server/sibling.hpp"

extern "C" {
#include "nodes/pathnodes.h"
}

namespace simhash
{

struct StoredDistance {
    bool indexed;                 // it is a key of an index
    bool partitioned_by_integer;  // it is a partition key, cast to integer
    bool partitioned_by_distance; // it is a partition key of type hamming_distance
};

// Returns the number, in the query, of the table whose column a distance is measured from; 0 if it is none.
int distance_relation(const DistanceCall &call);

// Looks for the distance in the indexes and partition keys of the table whose column it is measured from.
// Nothing is found if `root`, which is needed to identify the table, is null.
StoredDistance find_stored_distance(PlannerInfo *root, Oid schema, const DistanceCall &call);

} // namespace simhash
