// The leaves of an exact search: for each step of its plan, the leaves that intersect the step's Hamming ball
// of keys.
#pragma once

#include "am/tree/leaf_reader.hpp"

#include "core/tables/key_ball.hpp"

namespace simhash
{

struct ExactSource : LeafSource {
    const IndexMeta *meta;
    Fingerprint center;
    const std::uint64_t *keys; // the query's key in each table of a wide index, otherwise null
    int radius;                // may shrink during the search; leaves that are no longer needed are not read
    SearchPlan plan;

    int step; // of the next leaf to locate
    KeyBall ball;
    Position next;
    struct {
        int step;
        int radius; // the search's radius when the leaf was located
    } located[kAhead];

    int step_of(const LocatedLeaf &leaf) const { return located[leaf.slot].step; }
};

// Starts a search with the plan in `source->plan`.
void begin_exact_source(ExactSource *source, const IndexMeta *meta, Fingerprint center, int radius);

} // namespace simhash
