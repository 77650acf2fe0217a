// The state of a scan.
#pragma once

#include "am/search/batch.hpp"
#include "am/search/leaf_search.hpp"
#include "am/search/search.hpp"
#include "am/search/strategy.hpp"

namespace simhash
{

enum class ScanPhase {
    unstarted,
    values, // rows with a fingerprint are returned
    nulls   // those without, which come last
};

// ORDER BY distance: ordered.cpp.
struct Rings {
    MemoryContext context;
    int done;      // rows up to this distance were returned
    int streaming; // rows of just this distance are being returned leaf by leaf; -1: none
    Size limit;
    Size capacity;
    Hit *hit;
};

struct ScanState {
    IndexMeta *meta;
    ScanKeys keys;
    ScanPhase phase;
    Search search;
    Rings rings;
    Batch batch;
    Results results; // what get_tuple returns next: the rows of a leaf, of a batch of leaves, or of a ring
};

inline ScanState *scan_state(IndexScanDesc scan) { return static_cast<ScanState *>(scan->opaque); }

// Makes the search for a ball without returning rows, for its trace.
void run_search(IndexScanDesc scan, StrategyNumber strategy, Datum ball);

// ordered.cpp

void begin_ordered(ScanState *state);
// Sets the results to the next rows in order of distance; false at the end.
bool next_ring(ScanState *state);

} // namespace simhash
