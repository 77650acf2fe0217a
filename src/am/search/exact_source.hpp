// The leaves of an exact search: for each step of its plan, the leaves that intersect the step's Hamming ball of keys.
//
// Leaves are located before they are read, and the radius may have shrunk in between: what a leaf had to be read for
// is in `located`. A row may be met by several steps; the search that owns the source returns it for the first one.
#pragma once

#include "am/tree/leaf_reader.hpp"

#include "core/tables/key_ball.hpp"
#include "core/tables/search_plan.hpp"

namespace simhash
{

struct ExactSource : LeafSource {
    std::uint64_t (*key_of)(const ExactSource *source, int table); // the query's
    int radius; // may shrink during the search; leaves that are no longer needed are not read
    SearchPlan plan;

    int step; // of the next leaf to locate
    KeyBall ball;
    Position next;
    Position done; // the end of the last located leaf of the step
    struct {
        int step;
        int radius; // the search's radius when the leaf was located
    } located[kAhead];

    int step_of(const LocatedLeaf &leaf) const { return located[leaf.slot].step; }
};

// Starts a search with the plan in `source->plan` and the keys of `source->key_of`.
void begin_exact_source(ExactSource *source, int radius);

} // namespace simhash
