// Cost estimates for searches of wide indexes.
#pragma once

#include "am/tree/index.hpp"

extern "C" {
#include "nodes/pathnodes.h"
}

namespace simhash
{

// One search for the rows within a radius, in the planner's units.
struct SignaturePrice {
    double pages;
    Cost cost;
};
// `loops` is how often the search is repeated. The relation is null for a hypothetical index.
SignaturePrice price_signatures(PlannerInfo *root, const IndexOptInfo *info, Relation relation, int radius,
                                double loops);
// The price of the search before ORDER BY returns its first row.
SignaturePrice price_signature_order(PlannerInfo *root, const IndexOptInfo *info, Relation relation,
                                     double loops);

// The radius of a condition on an indexed signature. `argument` is the operator's right argument.
int signature_radius(Node *argument, int bits);
int planned_signature_bits(Relation relation);

} // namespace simhash
