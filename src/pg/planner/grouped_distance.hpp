// Distances by which GROUPING SETS, ROLLUP or CUBE group.
#pragma once

#include "pg/server/postgres.hpp"

extern "C" {
#include "nodes/pathnodes.h"
}

namespace simhash
{

// A set without an expression makes it NULL wherever the select list or HAVING contains it, which PostgreSQL finds out after
// the expressions have been simplified (since 18 before). There it must not be taken apart.
struct GroupedDistances {
    bool grouped;  // a distance is grouped by
    bool compared; // and compared in the select list or in HAVING
};

// `support` is the support function of distances and of comparisons. Nothing is found if `root` is null.
GroupedDistances find_grouped_distances(const PlannerInfo *root, Oid support);

} // namespace simhash
