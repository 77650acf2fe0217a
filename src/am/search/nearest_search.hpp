// A search for the nearest rows: the interface between ORDER BY (ordered.cpp) and the kinds of indexes.
//
// ORDER BY runs a search for each ring of distances, whose rows `next` of the search returns in any order. A search
// with a recall below 1 may return the nearest rows itself, sorted, before the rings.
#pragma once

#include "am/search/value_search.hpp"

namespace simhash
{

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

} // namespace simhash
