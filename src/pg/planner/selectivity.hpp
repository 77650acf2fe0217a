// How many rows are within a Hamming distance: what the estimators of the operators and the planner support
// of simhash_within and simhash_at share. Estimates are from 0 to 1, and never NaN.
#pragma once

#include "pg/server/postgres.hpp"

extern "C" {
#include "nodes/pathnodes.h"
}

namespace simhash
{

// A condition that two values are within a radius of each other.
struct DistanceTerms {
    Node *left, *right;
    Oid type;     // of fingerprints: a constant of another type says nothing about the query
    int radius;   // -1 to 64
    Oid function; // it must be leakproof, or the user allowed to see all rows, for statistics to be used
    bool at;      // the distance is the radius, rather than at most that
};

// The radius, clamped, if it can be estimated. A null one matches nothing, an unknown one is taken to be 3.
int estimate_radius(PlannerInfo *root, Node *radius);

// The fraction of a table's rows; varRelid as in the core's restriction estimators.
Selectivity estimate_within(PlannerInfo *root, const DistanceTerms &terms, int varRelid);

// The fraction of pairs of rows; of the outer rows for semi- and antijoins.
Selectivity estimate_within_join(PlannerInfo *root, const DistanceTerms &terms, SpecialJoinInfo *sjinfo);

} // namespace simhash
