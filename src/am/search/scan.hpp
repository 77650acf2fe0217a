// The state of a scan.
#pragma once

#include "am/fingerprints/fingerprint_search.hpp"
#include "am/search/batch.hpp"
#include "am/search/search.hpp"
#include "am/search/strategy.hpp"
#include "am/signatures/signature_search.hpp"

namespace simhash
{

enum class ScanPhase {
    unstarted,
    values, // returns rows with a fingerprint
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
    ScanKeys keys;
    ScanPhase phase;
    Search search;               // of a wide index, only for the NULLs
    SignatureSearch *signatures; // of a wide index, otherwise null
    Rings rings;
    Batch batch;
    Results results; // the next rows for get_tuple: of a leaf, a batch of leaves or a ring
};

inline ScanState *scan_state(IndexScanDesc scan) { return static_cast<ScanState *>(scan->opaque); }

// Runs the search for a ball without returning rows, for its trace.
void run_search(IndexScanDesc scan, StrategyNumber strategy, Datum ball);
// Runs ORDER BY the distance to a ball until it has as many rows.
void run_order(IndexScanDesc scan, StrategyNumber strategy, Datum ball, Size rows);

// values.cpp: what depends on whether the index is wide.

// Starts the search for the conditions of a scan without ORDER BY.
void begin_conditions(ScanState *state);
// Starts the search for the nearest rows if the query of ORDER BY permits an approximate one, and returns true.
bool begin_neighbors(ScanState *state);
// Whether the search is around the query of ORDER BY instead of a ball of the WHERE clause with another center.
bool is_centered(const ScanState &state);
// The largest distance to the query of ORDER BY that a row can have.
int farthest_distance(const ScanState &state);
// Starts the search for a ring that ends at `high`.
void search_ring(ScanState *state, int high);
// Restricts the rest of the search to rows within this distance of the query of ORDER BY.
void narrow_ring(ScanState *state, int radius);
bool next_values(ScanState *state, Results *results);
// The distance of a row found to the query of ORDER BY number `order`, which is not NULL.
int row_distance(const ScanState &state, const Hit &hit, int order);
// The distance of a row found to the leading query.
int lead_distance(const ScanState &state, const Hit &hit);

// ordered.cpp

void begin_ordered(ScanState *state);
// Sets the results to the next rows in order of distance. Returns false at the end.
bool next_ring(ScanState *state);

} // namespace simhash
