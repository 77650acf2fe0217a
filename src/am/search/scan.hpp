// The state of a scan, shared by scan.cpp (keys and callbacks), search.cpp (which leaves to read) and
// ordered.cpp (ORDER BY distance).
#pragma once

#include "am/search/search.hpp"
#include "am/search/strategy.hpp"
#include "am/tree/inner_cache.hpp"

#include "core/tables/key_ball.hpp"
#include "core/volatility/guided_plan.hpp"
#include "pg/types/ball.hpp"
#include "pg/types/guided_ball.hpp"

extern "C" {
#include "access/relscan.h"
#include "access/skey.h"
}

namespace simhash
{

struct Hit {
    Fingerprint fingerprint;
    uint64 tid; // packed, in the low 48 bits
};

struct OrderKey {
    bool null;
    Fingerprint query;
};

// Beyond this radius searches by weights are exact. The model is one of near-duplicates: so far out most rows
// are none, and nothing is likelier than anything else.
inline constexpr int kFarthestGuided = 16;

// A leaf that an exact search will read.
struct LeafAhead {
    LeafPlace place;
    int step;
    int radius;     // of the search when it was located
    Position first; // the first place in it that is worth reading
};

// Leaves are located and prefetched this many ahead of their turn, so that the processor, or the disk,
// fetches several at once.
inline constexpr int kAhead = 8;

// The keys of which a search reads every entry: equal keys may be cut by tid between two leaves. None if
// first > last.
struct WholeKeys {
    std::uint64_t first;
    std::uint64_t last;
};

// A leaf that a guided search will read.
struct GuidedLeaf {
    LeafPlace place;
    WholeKeys whole;
    GuidedProbe probe; // whose cell reaches into it
    Size earlier;      // probes before that one
};

// A volatility-guided search, see guided.cpp.
struct Guide {
    GuidedPlan plan;
    Size probes; // for which there is room
    VoshNode *node;
    GuidedRange *range;
    GuidedProbe probe;       // the last
    bool in_cell;            // not all leaves of its cell are located
    std::uint64_t read_from; // the first leaf's keys below the cell's are read as well
    bool exact;              // it has given up, and the rest is searched exactly

    GuidedLeaf leaf;   // being read
    BlockNumber right; // it has split since it was located: its right sibling is read next; or kNoBlock
    Position high;     // of the page read last
    int ahead_from, ahead_count; // of the ring of leaves located
    GuidedLeaf ahead[kAhead];

    // Whether a row was reported by an earlier probe than that of the leaf being read.
    bool seen(Fingerprint fingerprint) const
    {
        return plan.seen(fingerprint, exact ? plan.probes() : leaf.earlier);
    }
};

// A search for all within a radius of a center, leaf by leaf.
struct Search {
    Fingerprint center;
    int radius;      // may shrink while the search runs
    SearchPlan plan; // for plan.radius; -1 if none was made
    bool nulls;      // walks the tree of NULLs instead
    Guide *guide;    // leads the search, if not null

    int step;          // of the leaf being read; its table in a guided search
    LeafAhead leaf;    // being read
    bool go_right;     // it has split since it was located: its right sibling is read next
    BlockNumber right; // as read together with its contents
    Position high;     // likewise

    KeyBall ball;  // of a guided search: the probed table's
    Position next; // and the next place worth reading

    int ahead_step; // of the next leaf to locate
    KeyBall ahead_ball;
    Position ahead_next;
    int ahead_from, ahead_count; // of the ring of leaves located
    LeafAhead ahead[kAhead];
};

// For simhash_probe_plan: told of every leaf that a search reads.
struct LeafRead {
    int table;
    BlockNumber block;
    Size matches;
    const GuidedProbe *probe; // null in an exact search
};

struct LeafTrace {
    void (*leaf)(const LeafRead &read, void *context);
    void *context;
};

struct ScanState {
    MemoryContext context;
    IndexMeta *meta;

    // What the keys ask for.
    bool started;
    bool nothing; // no row can meet them
    bool values;  // rows with a fingerprint
    bool nulls;   // rows without
    int balls;    // all must hold; ball[0] has the least radius
    Ball *ball;
    int orders; // ORDER BY keys; 0 also where all are NULL
    OrderKey *order;
    const GuidedBall *guided; // leads the search if its target is below 1 and no exact ball is as small
    double target;            // the recall that searches by weights aim at
    bool lead_guided;         // the first ORDER BY key that is not NULL is one of weights
    GuidedBall lead_ball;     // and these they are
    Fingerprint lead;         // the query of the first key that is not NULL

    Search search;
    LeafTrace *trace; // usually null
    bool keep_pin;
    Buffer pin;
    Guide *guide;         // memory for one; null until one is needed
    std::uint16_t *match; // room for a leaf
    Hit *leaf_hit;        // likewise

    // What get_tuple returns next: a leaf's hits or a ring's.
    Hit *hit;
    Size hits;
    Size returned;

    // ORDER BY: see ordered.cpp.
    int done;      // rows up to this distance were returned
    int streaming; // rows of just this distance are being returned leaf by leaf; -1: none
    Size ring_limit;
    Size ring_capacity;
    Hit *ring;
};

inline ScanState *scan_state(IndexScanDesc scan) { return static_cast<ScanState *>(scan->opaque); }

// scan.cpp

// Begins what the keys of the last rescan ask for.
void start_scan(IndexScanDesc scan);
// Sets hit, hits and returned to the next rows, however many; false at the end.
bool advance_scan(IndexScanDesc scan);

// search.cpp

void begin_search(IndexScanDesc scan, Fingerprint center, int radius);
void begin_null_search(IndexScanDesc scan);
// Sets out for the leaves of a step of the plan, and of those after it.
void open_step(ScanState *state, int step);
void trace_leaf(const ScanState &state, BlockNumber block, const GuidedProbe *probe);
// Reads a leaf's matches for the search in progress into leaf_hit, as hit, hits and returned. Locked.
void collect(IndexScanDesc scan, Buffer buffer);
bool in_other_balls(const ScanState &state, Fingerprint fingerprint);
// Finds the next leaf that holds a row for the scan and sets hit, hits and returned; false at the end.
bool next_leaf(IndexScanDesc scan);
void release_pin(ScanState *state);

// guided.cpp

// A search by weights: as begin_search, but it ends when the target recall is reached.
void begin_guided_search(IndexScanDesc scan, const GuidedBall &ball, int radius);
bool next_guided_leaf(IndexScanDesc scan);

// ordered.cpp

void begin_ordered(IndexScanDesc scan);
// The next rows in order of distance, as next_leaf.
bool next_ring(IndexScanDesc scan);

} // namespace simhash
