// Collects the rows of several leaves and sorts them by their place in the table.
//
// The rows of a leaf are scattered all over the table. If there are many, they are collected first, so that
// each page of the table is fetched once for all rows of a batch.
#pragma once

#include "am/search/value_search.hpp"

namespace simhash
{

struct Batch {
    MemoryContext context;
    Size returned; // rows in earlier batches
    bool ended;    // there are no more rows
    Size capacity; // of each buffer
    Hit *hit;      // rows collected
    Hit *spare;    // for sorting them
};

// Returns the most rows that a batch should have: as many as fit into work_mem. The last leaf's rows may
// exceed it.
Size batch_limit();

// Adds the rows of a leaf to the `count` rows collected so far.
void add_to_batch(Batch *batch, Size count, const Results &rows);

// Sorts the collected rows by the table's blocks.
void sort_batch(Batch *batch, Size count);

} // namespace simhash
