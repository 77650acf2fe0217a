// A search for rows by their values: the interface between scans and the kinds of indexes.
//
// A scan (scan.cpp) reads its keys by the search, starts it, and takes the rows that it finds, as many at a time as
// the search has at hand. How a search finds its rows, and in which order, is its own matter, but these hold for every
// one:
//
// - It returns each row that the snapshot sees and that satisfies all conditions once, and may return rows that the
//   snapshot does not see. A search with a recall below 1 may omit rows.
// - It keeps no lock between two calls. If `keep_pin` and `pins` are set, it keeps the pin of the page whose rows it
//   has returned, until the next call.
// - It may be started again at any time.
#pragma once

#include "am/index/failpoint.hpp"
#include "am/index/heap_tid.hpp"
#include "am/index/meta.hpp"
#include "am/search/scan_keys.hpp"

extern "C" {
#include "storage/bufmgr.h"
#include "utils/snapshot.h"
}

namespace simhash
{

// A row found. Rows of equal rank are the same row, and ranks ascend with the distance and then the place in the table.
struct Hit {
    static constexpr int kTidBits = 48;

    Fingerprint fingerprint; // 0 if the search needs none to compute the distances to other queries
    std::uint64_t rank;      // the distance to the leading query, if there is one, above the packed tid

    std::uint64_t tid() const { return rank & ((std::uint64_t{1} << kTidBits) - 1); }
    int distance() const { return static_cast<int>(rank >> kTidBits); }
    static Hit make(Fingerprint fingerprint, std::uint64_t tid, int distance)
    {
        return {fingerprint, static_cast<std::uint64_t>(distance) << kTidBits | tid};
    }
};

// Rows to return.
struct Results {
    Hit *hit;
    Size hits;
    Size returned;
};

// What scans call.
struct SearchFunctions {
    // Reads the keys of a scan, and releases what an earlier search holds.
    void (*read_keys)(struct ValueSearch *search, IndexScanDesc scan);
    // A scan starts: its snapshot, all_wanted and keep_pin are set.
    void (*start)(ValueSearch *search);
    // Starts the search for the conditions of a scan without ORDER BY.
    void (*begin)(ValueSearch *search);
    // Sets the results to the next rows, at least one. Returns false at the end.
    bool (*next)(ValueSearch *search, Results *results);

    // For neighbors.cpp. Draws a row that is stored: its value, in the form of the stored type, valid until the next call.
    // Returns false if there is none at the place that was drawn. And starts the search for the rows within a radius of such
    // a value, whose distances to it the results have.
    bool (*draw_row)(ValueSearch *search, std::uint64_t random, Datum *stored, std::uint64_t *tid);
    void (*begin_around)(ValueSearch *search, Datum stored, int radius);

    const struct NearestSearch *nearest; // for ORDER BY
};

struct ValueSearch : SearchFunctions {
    const ScanKeys *keys;
    Snapshot snapshot;
    bool all_wanted; // the scan does not end before the last row
    bool keep_pin;   // wanted by the scan
    bool pins;       // the search can keep pins; otherwise rows for such a snapshot are checked again
    Buffer pin;
};

// -- The nearest rows --
//
// ORDER BY (ordered.cpp) runs a search for each ring of distances, whose rows `next` of the search returns in any order. A
// search with a recall below 1 may return the nearest rows itself, sorted, before the rings.

enum class RingKind {
    first,
    next,
    single // of one distance
};

// The search for a ring.
struct Ring {
    bool
        nearest_first; // it begins with the likeliest leaves; then the ring ends at the nearest distance found
    bool goes_on;      // it does not return rows that the one before has returned
    int reach; // the farthest distance of the rows that it returns. Beyond the ring they may not be all
};

struct NearestSearch {
    // Starts the search for the rows within the distance `high` of the leading query, or around the leading ball if that is
    // elsewhere. Only the first ring may begin with the likeliest leaves, and only a next one go on.
    Ring (*begin_ring)(ValueSearch *search, int high, RingKind kind);
    // Restricts the rest of the search to a smaller distance.
    void (*narrow)(ValueSearch *search, int radius);
    // Returns the end of the next ring, at most `last`, when rows up to the distance `done` (-1 at first) are returned.
    int (*ring_end)(const ValueSearch *search, int done, int last);
    // Returns about how many rows the index has.
    double (*rows)(const ValueSearch *search);
    // The distance of a row to the query of another ORDER BY key than the leading one, which is not NULL; null if the
    // search does not know it. Then PostgreSQL computes it, and sorts by it.
    int (*other_distance)(const ValueSearch *search, const Hit &hit, int order);
    // The nearest rows with a recall below 1: begin_nearest returns whether the query permits it. next_nearest sets
    // the results to the next rows, sorted. It returns false if the search has become exact: the rows at the distance
    // `*done` and nearer have been returned, and next skips those at the next distance that were. Null if there is no
    // such search.
    bool (*begin_nearest)(ValueSearch *search);
    bool (*next_nearest)(ValueSearch *search, Results *results, int *done);
};

// -- What kinds of searches share --

// Before a search leaves a leaf or a page whose rows it has copied, it checks their tids, and unlocks the leaf. A scan whose
// snapshot is not an MVCC one keeps the pin of the leaf, so that VACUUM cannot free these tids before the scan has read the
// rows.

// Unlocks a leaf whose rows have been copied. Keeps its pin in *pin if `keep` is set, otherwise releases it.
inline void leave_leaf(Buffer buffer, bool keep, Buffer *pin)
{
    if (!keep) {
        UnlockReleaseBuffer(buffer);
        return;
    }
    LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
    *pin = buffer;
    failpoint(Failpoint::scan_pin);
}
inline void release_pin(Buffer *pin)
{
    if (BufferIsValid(*pin))
        ReleaseBuffer(*pin);
    *pin = InvalidBuffer;
}
// Raises an error if a row cannot be in the table.
inline void check_hits(Relation index, BlockNumber block, const Hit *hit, Size hits)
{
    TidCheck check;
    for (Size i = 0; i < hits; i++)
        check.add(hit[i].tid());
    check.finish(index, block);
}

// Prepares a search in the current memory context.
template <typename Search>
Search *prepare_search(const OpenIndex &index, int nkeys, int norderbys, const SearchFunctions &functions)
{
    auto *search = allocate_zero<Search>();
    static_cast<SearchFunctions &>(*search) = functions;
    prepare_scan_keys(&search->asked, nkeys, norderbys);
    search->keys = &search->asked;
    search->context = CurrentMemoryContext;
    search->reader.index = index;
    const Size capacity = static_cast<Size>(leaf_capacity(BLCKSZ));
    search->found = allocate<LeafEntry>(capacity);
    return search;
}

} // namespace simhash
