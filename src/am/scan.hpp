// The state of a scan, shared by scan.cpp (keys and callbacks), search.cpp (which leaves to read) and
// ordered.cpp (ORDER BY distance).
#pragma once

#include "am/index.hpp"

#include "core/key_ball.hpp"
#include "pg/ball.hpp"

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

// A search for all within a radius of a center, leaf by leaf.
struct Search {
    Fingerprint center;
    int radius;      // may shrink while the search runs
    SearchPlan plan; // for plan.radius; -1 if none was made
    int step;
    KeyBall ball;          // the step's, by its table's keys
    Position next;         // the next place worth reading
    bool go_right;         // try the right sibling for it before a descent
    BlockNumber right;     // as read together with the last leaf's contents
    Position high;         // the last leaf's
    std::uint64_t entered; // the key at which the leaf being read was entered
    bool nulls;            // walks the tree of NULLs instead
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
    Fingerprint lead; // the query of the first key that is not NULL

    Search search;
    bool keep_pin;
    Buffer pin;
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

// search.cpp

void begin_search(IndexScanDesc scan, Fingerprint center, int radius);
void begin_null_search(IndexScanDesc scan);
// Finds the next leaf that holds a row for the scan and sets hit, hits and returned; false at the end.
bool next_leaf(IndexScanDesc scan);
void release_pin(ScanState *state);

// ordered.cpp

void begin_ordered(IndexScanDesc scan);
// The next rows in order of distance, as next_leaf.
bool next_ring(IndexScanDesc scan);

} // namespace simhash
