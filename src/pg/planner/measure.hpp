// The measures that a condition compares with a threshold: the Hamming distance, and the similarity that min-hash
// signatures estimate.
#pragma once

#include "pg/planner/selectivity.hpp"
#include "pg/server/sibling.hpp"

namespace simhash
{

struct Measure {
    const char *type; // "hamming_distance": the names of its comparison functions begin with it
    Oid built_in;     // PostgreSQL's type that it stands for
    bool similarity;  // grows where a distance falls
    const char
        *condition;   // f(left, right, limit): the distance is at most the limit, the similarity at least
    Oid limit;        // the type of the limit
    const char *next; // f(limit): the next limit, for a comparison that is strict
    bool (*match)(Oid schema, Node *node, DistanceCall *call);
    // Returns the radius, a bigint, that a limit means for bit strings of this length. Returns null if it is not known.
    Node *(*radius)(PlannerInfo *root, Oid schema, Node *limit, int bits);
    // Returns the radius of a limit for the estimate of selectivity.
    int (*estimate_radius)(PlannerInfo *root, Node *limit, int bits);
};

extern const Measure kDistanceMeasure, kSimilarityMeasure;

} // namespace simhash
