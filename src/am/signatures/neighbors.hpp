// The nearest rows that an approximate search has found so far, and an estimate of their recall. Rows are returned in
// portions, each sorted. A row that is found after farther ones were returned is never returned.
#pragma once

#include "am/search/value_search.hpp"

#include "core/signature_tables/probe_model.hpp"

namespace simhash
{

struct Neighbors {
    Hit *row; // up to `returned` those returned, in that order
    Size rows, capacity, returned;
    Size wanted; // in addition to those returned
    int last;    // the distance of the last row returned, -1 for none
    Size *count; // rows by distance

    Size total() const { return returned + wanted; }
};

// `wanted`: by the query, or 0.
void begin_neighbors(Neighbors *neighbors, int bits, int wanted);
void free_neighbors(Neighbors *neighbors);
void add_neighbors(Neighbors *neighbors, const Hit *hit, Size hits);
// Sets the results to the next rows wanted. The next time more are wanted.
void return_neighbors(Neighbors *neighbors, Results *results);

// Of the `wanted` nearest rows found: the recall by the model's estimate, 0 if there are not as many; the mean and the
// largest distance.
double neighbors_recall(const Neighbors &neighbors, Size wanted, const ProbeModel &model, double bits);
double mean_distance(const Neighbors &neighbors, Size wanted);
int largest_distance(const Neighbors &neighbors, Size wanted);

} // namespace simhash
