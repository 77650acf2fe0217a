// The leaves of a search by weights (PSM; Sood and Loguinov 2011). Prefixes of the trees are probed in
// descending order of the probability that they contain near-duplicates, until the target recall is reached.
// core/likely/guided_plan.hpp chooses the prefixes.
#pragma once

#include "am/fingerprints/fingerprint_meta.hpp"
#include "am/tree/leaf_reader.hpp"

#include "core/layout/key_ball.hpp"
#include "core/likely/guided_plan.hpp"
#include "pg/types/ball.hpp"

namespace simhash
{

// The most probes of a search.
inline constexpr Size kMostProbes = 4096;

struct GuidedSource : LeafSource {
    const FingerprintMeta *meta;
    Fingerprint center;
    int radius;
    GuidedPlan plan;
    Size capacity; // allocated size, in probes
    Size most;     // most probes of this search
    Size limit;    // probes that the query permits; 0 for no limit
    double recall; // after the last located leaf
    VoshNode *node;
    GuidedRange *range;

    GuidedProbe probe;       // the last probe
    bool in_prefix;          // some leaves of its prefix have not been located yet
    std::uint64_t read_from; // the lowest key read: the first leaf may begin below the prefix
    KeyBall ball;            // in the probed tree
    Position next;           // the next position to read
    Position done;           // the end of the last located leaf of the prefix
    struct {
        WholeKeys whole;
        GuidedProbe probe; // the probe whose prefix reaches into the leaf, with the recall that the leaf adds
        Size earlier;      // probes before that one
    } located[kMostAhead];

    const GuidedProbe &probe_of(const LocatedLeaf &leaf) const { return located[leaf.slot].probe; }
    // Whether the leaf is the one that returns a row: no earlier probe has read the row's place, and this one
    // reads all entries with the row's key.
    bool returns_row(const LocatedLeaf &leaf, Fingerprint fingerprint) const;
    // Whether the search has reached its target or its limit of probes, instead of the end of the memory for
    // probes.
    bool finished() const;
};

// Returns a source, allocated in `context`, that has memory for the wanted number of probes, within limits.
// `old` is reused if it is not null.
GuidedSource *prepare_guided_source(GuidedSource *old, Relation index, const FingerprintMeta *meta,
                                    double wanted, MemoryContext context);

// Starts a search for the rows within `radius` of the ball's weights with the ball's recall as the target.
void begin_guided_source(GuidedSource *source, const GuidedBall &ball, int radius);

} // namespace simhash
