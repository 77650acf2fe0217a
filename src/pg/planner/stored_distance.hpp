// Distances that a table keeps: an index on the expression h <@> 'constant', or partitions by it.
#pragma once

#include "pg/server/postgres.hpp"
#include "pg/server/sibling.hpp"

extern "C" {
#include "nodes/pathnodes.h"
}

namespace simhash
{

struct StoredDistance {
    bool indexed;                 // an index has it as a key
    bool partitioned_by_integer;  // a partition key is the expression as an integer
    bool partitioned_by_distance; // a partition key is the expression as it stands
};

// Looks the distance up at the table of the column that it is measured from. Without a PlannerInfo, which
// names the tables, none is found.
StoredDistance find_stored_distance(PlannerInfo *root, Oid schema, const DistanceCall &call);

} // namespace simhash
