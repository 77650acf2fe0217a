// A search for rows by their values: the interface between scans and the kinds of indexes.
//
// A scan (scan.cpp) reads its keys by the search, starts it, and takes the rows that it finds, as many at a time as
// the search has at hand. ORDER BY runs one search for each ring of distances (ordered.cpp). How a search finds its
// rows, and in which order, is its own matter, but these hold for every one:
//
// - It returns each row that the snapshot sees and that satisfies all conditions once, and may return rows that the
//   snapshot does not see. A search with a recall below 1 may omit rows.
// - It keeps no lock between two calls. If `keep_pin` and `pins` are set, it keeps the pin of the page whose rows it
//   has returned, until the next call.
// - It may be started again at any time.
#pragma once

#include "am/index/meta.hpp"
#include "am/search/scan_keys.hpp"

extern "C" {
#include "storage/buf.h"
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

struct ValueSearch {
    // Reads the keys of a scan, and releases what an earlier search holds.
    void (*read_keys)(ValueSearch *search, IndexScanDesc scan);
    // A scan starts: its snapshot, all_wanted and keep_pin are set.
    void (*start)(ValueSearch *search);
    // Starts the search for the conditions of the scan.
    void (*begin)(ValueSearch *search);
    // Sets the results to the next rows, at least one. Returns false at the end.
    bool (*next)(ValueSearch *search, Results *results);

    // Rings. begin_ring starts the search for the rows within the distance `high` of the leading query, or around the
    // leading ball if that is elsewhere. narrow restricts the rest of it to a smaller distance. If begin_ring sets
    // nearest_first for the first ring, that begins with the likeliest leaves, and ends at the nearest distance found.
    void (*begin_ring)(ValueSearch *search, int high);
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

    const ScanKeys *keys;
    Snapshot snapshot;
    bool first_ring; // before begin_ring
    bool nearest_first;
    bool all_wanted; // the scan does not end before the last row
    bool keep_pin;   // wanted by the scan
    bool pins;       // the search can keep pins; otherwise rows for such a snapshot are checked again
    Buffer pin;
};

} // namespace simhash
