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

// `function` is a distance or a comparison of distances: they share a support function. Nothing is found without a query:
// `root` may be null, and PostgreSQL plans expressions with one that has none.
GroupedDistances find_grouped_distances(const PlannerInfo *root, Oid function);

} // namespace simhash
