// Estimates of the number of rows within a Hamming distance, shared by the operators' estimators and the
// support functions of hamming_within and simhash_internal_at. Estimates are from 0 to 1, and never NaN.
#pragma once

#include "core/text/text_features.hpp"
#include "pg/server/postgres.hpp"

extern "C" {
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
}

namespace simhash
{

// A condition that two values are within a radius of each other.
struct DistanceTerms {
    Node *left, *right;
    Oid type;     // of fingerprints, or bit; the value of a constant of another type is not used
    int bits;     // the length of both values
    int radius;   // -1 to `bits`
    Oid function; // statistics are used only if it is leakproof or the user may see all rows
    bool at;      // the distance equals the radius instead of being at most that
    TextUnit unit = TextUnit::kWord; // of texts
};

// Returns the length of the values of `type` that are compared: 64 for fingerprints. The length of bit strings
// is that of a constant, or the declared one.
int estimate_bits(Oid type, Node *left, Node *right);

// Returns the value of `radius`, clamped, if it can be estimated. A null radius matches nothing. An unknown
// radius is assumed to be 3 for 64 bits, and in proportion for others.
int estimate_radius(PlannerInfo *root, Node *radius, int bits);

// Returns the fraction of the table's rows that satisfy `terms`. `varRelid` has the same meaning as in
// PostgreSQL's restriction estimators.
Selectivity estimate_within(PlannerInfo *root, const DistanceTerms &terms, int varRelid);

// The same of a join.
Selectivity estimate_within_join(PlannerInfo *root, const DistanceTerms &terms, SpecialJoinInfo *sjinfo);

// Returns the least radius within which at least this fraction of the table's rows is expected, or the length of the values.
// The radius of `terms` is not used.
int estimate_nearest(PlannerInfo *root, const DistanceTerms &terms, int varRelid, double fraction);

// Returns the center of a constant ball, or the signs of constant weights, as a constant of `type`, and any other query of
// an operator as it is.
Node *constant_center(Node *query, Oid type, Oid query_type);

} // namespace simhash
