// How the estimate of a scan's cost is divided. cost.cpp reads the conditions and knows what all scans cost. A kind of
// index estimates its searches (SearchCosts).
#pragma once

#include "pg/planner/rewrite.hpp"
#include "pg/server/postgres.hpp"

extern "C" {
#include "nodes/pathnodes.h"
#include "utils/relcache.h"
}

namespace simhash
{

// Of a scan that would raise an error: higher than that of a scan that a setting disables.
inline constexpr Cost kNeverCost = 1e15;

// More rows than this are not all near-duplicates of a query.
inline constexpr double kMostNear = 64;

// An index whose scan is being planned.
struct PlannedIndex {
    const IndexOptInfo *info;
    Relation relation; // null for an advisor's hypothetical index, which cannot be opened
};

// Whether an operator of a column's family is that of a valid operator class. A superuser may have added others. Columns are
// numbered from 0.
bool is_own_operator(const PlannedIndex &index, int column, Oid op, bool order);

// Returns what a condition's operator, of a family, looks for among values of this many bits. The argument is null for an
// element of an array.
PlannedBall condition_ball(Oid op, Oid family, int bits, Node *argument);

// The cost of so much processor time.
Cost time_cost(double microseconds);

// The rows that one search looks for.
struct PlannedSearch {
    PlannedBall ball;
    bool only_nulls;
    double fraction; // the fraction of the index's rows that it finds
};

// What a search reads and computes.
struct SearchEstimate {
    double pages;        // that it reads
    double random;       // of them, those that do not follow another one in the file
    double fraction;     // the fraction of the index's pages, among which the others are read in order
    double microseconds; // of processor time, with all pages in memory
};

// Returns the largest radius within which ORDER BY finds all rows for at most this cost; -1 for none, or if more rows are
// wanted than may be near. Sets the cost of near rows.
int affordable_radius(PlannerInfo *root, const IndexPath *path, Cost most, Cost *near);

// The searches before ORDER BY returns its first row: if the query has near-duplicates, and if it has none.
struct OrderEstimate {
    SearchEstimate near, far;
};

struct SearchCosts {
    // Returns the length of the indexed values.
    int (*bits)(const PlannedIndex &index);
    SearchEstimate (*search)(const PlannedIndex &index, const PlannedSearch &search);
    // Of the nearest rows, the farthest of which is expected at the radius of the search's ball.
    OrderEstimate (*order)(const PlannedIndex &index, const PlannedSearch &search);
};

} // namespace simhash
