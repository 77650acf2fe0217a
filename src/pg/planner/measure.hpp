// The measures that a condition f(left, right, limit) compares with a limit: the Hamming distance, which is at most
// that, and the similarity that min-hash signatures estimate, which is at least that.
#pragma once

#include "pg/planner/selectivity.hpp"

namespace simhash
{

struct Measure {
    bool similarity;
    // Returns the radius, a bigint, that a limit means for bit strings of this length. Returns null if it is not known.
    Node *(*radius)(PlannerInfo *root, Oid schema, Node *limit, int bits);
    // Returns the radius of a limit for the estimate of selectivity.
    int (*estimate_radius)(PlannerInfo *root, Node *limit, int bits);
};

extern const Measure kDistanceMeasure, kSimilarityMeasure;

} // namespace simhash
