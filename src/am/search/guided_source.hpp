// The leaves of a search by weights (Sood and Loguinov 2011: PSM): cells of the tables are probed in the
// order in which they are likely to hold near-duplicates, until the target recall is reached.
// core/volatility/guided_plan.hpp chooses them.
#pragma once

#include "am/tree/leaf_reader.hpp"

#include "core/tables/key_ball.hpp"
#include "core/volatility/guided_plan.hpp"
#include "pg/types/guided_ball.hpp"

namespace simhash
{

// The keys of which a search reads every entry: equal keys may be cut by tid between two leaves. None if
// first > last.
struct WholeKeys {
    std::uint64_t first;
    std::uint64_t last;
};

struct GuidedSource : LeafSource {
    const IndexMeta *meta;
    Fingerprint center;
    int radius;
    GuidedPlan plan;
    Size capacity; // probes for which there is room
    Size most;     // probes of this search for which there is room
    Size limit;    // probes that the query allows; 0 for no limit
    VoshNode *node;
    GuidedRange *range;

    GuidedProbe probe;       // the last
    bool in_cell;            // not all leaves of its cell are located
    std::uint64_t read_from; // the first leaf's keys below the cell's are read as well
    KeyBall ball;            // the probed table's
    Position next;           // the next position worth reading in the cell
    struct {
        WholeKeys whole;
        GuidedProbe probe; // whose cell reaches into the leaf
        Size earlier;      // probes before that one
    } located[kAhead];

    const GuidedProbe &probe_of(const LocatedLeaf &leaf) const { return located[leaf.slot].probe; }
    // Whether the leaf is the one that reports a row: no earlier probe has read the row's place, and this one
    // reads all entries with the row's key.
    bool reports(const LocatedLeaf &leaf, Fingerprint fingerprint) const;
    // Whether the search has ended as it should, at its target or at its limit of probes, and not for lack of
    // room for more probes.
    bool finished() const;
};

// A source in the memory context with room for a search that probes as often as an exact one would read
// leaves; `old`, if it is not null, is used again.
GuidedSource *prepare_guided_source(GuidedSource *old, Relation index, const IndexMeta *meta,
                                    double exact_leaves, MemoryContext context);

// Starts a search for the rows within a radius of the ball's weights that aims at the ball's recall.
void begin_guided_source(GuidedSource *source, const GuidedBall &ball, int radius);

} // namespace simhash
