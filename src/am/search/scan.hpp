// The state of a scan.
//
// It copies the metapage when it begins, and plans and masks are fixed when a search starts: what others insert, split or
// calibrate meanwhile does not change which step returns a row. Between two calls it holds no lock, and a pin only if its
// snapshot is not an MVCC one.
#pragma once

#include "am/index/rights.hpp"
#include "am/index/strategy.hpp"
#include "am/search/search.hpp"
#include "am/search/value_search.hpp"
#include "am/tree/leaf_reader.hpp"

#include "pg/server/result_rows.hpp"

namespace simhash
{

enum class ScanPhase {
    unstarted,
    values, // returns rows with a value
    nulls   // returns the NULLs, which come last
};

// The rows that a ring of ORDER BY may keep: at least so many, and so many for each row returned before it.
constexpr Size kFirstLimit = 1024, kLimitGrowth = 8;

// The state of ORDER BY distance, see ordered.cpp.
struct Rings {
    bool approximate; // the nearest rows are searched with a recall below 1
    int done;         // rows up to this distance have been returned
    int streaming;    // rows of exactly this distance are being returned leaf by leaf; -1 for none
    Size returned;    // rows, before the present results
    Size capacity;
    Hit *hit;
    Size ring, kept; // rows of the last ring in `hit`, and of these and those beyond it
    Size *count;     // rows being collected, by distance
};

// The rows of several leaves, which are scattered all over the table. If there are many, they are collected and sorted by
// their place in it, so that each page of the table is fetched once for all rows of a batch.
struct Batch {
    Size returned; // rows in earlier batches
    bool ended;    // there are no more rows
    Size capacity; // of each buffer
    Hit *hit;      // rows collected
    Hit *spare;    // for sorting them
};

// The search for the rows without a value: a walk over the tree of the NULLs, the same for all kinds of indexes.
struct NullSearch {
    LeafReader reader;
    TreeWalk walk;
    Buffer pin;
    Hit *hit; // memory for a leaf's rows; null until it is needed, because few scans want the NULLs
};

struct ScanState {
    MemoryContext context; // of all that the scan allocates
    int nkeys, norderbys;
    OpenIndex index;
    ScanPhase phase;
    ValueSearch *search;
    NullSearch nulls;
    Rings rings;
    Batch batch;
    Results results; // the next rows for get_tuple: of a leaf, a batch of leaves or a ring
};

inline ScanState *scan_state(IndexScanDesc scan) { return static_cast<ScanState *>(scan->opaque); }

// Ends a scan whose state the caller has changed.
void discard_scan(IndexScanDesc scan);
// Runs the search for a ball without returning rows, for its trace.
void run_search(IndexScanDesc scan, StrategyNumber strategy, Datum ball);
// Runs ORDER BY the distance to a ball until it has as many rows.
void run_order(IndexScanDesc scan, StrategyNumber strategy, Datum ball, Size rows);

// What simhash_index_trace returns: one row for each part of an index that a search reads.
struct TraceRows {
    ResultRows rows;
    int steps;
    Oid index; // the one that is being searched
};

// Searches an index, or those of all partitions one after the other. The argument 0 of the SQL function is the index.
template <typename Search> void run_trace(FunctionCallInfo fcinfo, const IndexKind &kind, Search search)
{
    TraceRows rows = {};
    rows.rows = begin_rows(fcinfo);
    const IndexSet set = open_indexes(PG_GETARG_OID(0), AccessShareLock, check_reading_rights, &kind);
    refuse_row_security(set);
    for (int i = 0; i < set.count; i++) {
        rows.index = RelationGetRelid(set.index[i]);
        search(set.index[i], &rows);
    }
    close_indexes(set);
}

// ordered.cpp

void begin_ordered(ScanState *state);
// Sets the results to the next rows in order of distance. Returns false at the end.
bool next_ring(ScanState *state);

} // namespace simhash
