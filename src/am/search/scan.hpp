// The state of a scan.
#pragma once

#include "am/search/batch.hpp"
#include "am/search/null_search.hpp"
#include "am/search/search.hpp"
#include "am/search/strategy.hpp"

namespace simhash
{

enum class ScanPhase {
    unstarted,
    values, // returns rows with a value
    nulls   // returns the NULLs, which come last
};

// The state of ORDER BY distance, see ordered.cpp.
struct Rings {
    MemoryContext context;
    bool approximate; // the nearest rows are searched with a recall below 1
    int done;         // rows up to this distance have been returned
    int streaming;    // rows of exactly this distance are being returned leaf by leaf; -1 for none
    Size limit;
    Size capacity;
    Hit *hit;
    Size *count; // rows of the ring being collected, by distance
};

struct ScanState {
    IndexMeta *meta;
    ScanPhase phase;
    ValueSearch *search;
    NullSearch nulls;
    Rings rings;
    Batch batch;
    Results results; // the next rows for get_tuple: of a leaf, a batch of leaves or a ring
};

inline ScanState *scan_state(IndexScanDesc scan) { return static_cast<ScanState *>(scan->opaque); }

// Runs the search for a ball without returning rows, for its trace.
void run_search(IndexScanDesc scan, StrategyNumber strategy, Datum ball);
// Runs ORDER BY the distance to a ball until it has as many rows.
void run_order(IndexScanDesc scan, StrategyNumber strategy, Datum ball, Size rows);

// ordered.cpp

void begin_ordered(ScanState *state);
// Sets the results to the next rows in order of distance. Returns false at the end.
bool next_ring(ScanState *state);

} // namespace simhash
