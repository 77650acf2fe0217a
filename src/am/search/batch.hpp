// Rows of several leaves in the order of the table.
//
// A leaf's rows lie all over the table. Where there are many they are collected first, so that each page of
// the table is fetched once for all of its rows in the batch.
#pragma once

#include "am/search/leaf_search.hpp"

namespace simhash
{

struct Batch {
    MemoryContext context;
    Size returned; // rows in earlier batches
    bool ended;    // no more rows can be had
    Size capacity; // of each buffer
    Hit *hit;      // rows collected
    Hit *spare;    // for sorting them
};

void prepare_batch(Batch *batch);
void free_batch(Batch *batch);

// The most rows that a batch should have: as many as fit into work_mem, with those of the last leaf beyond
// it.
Size batch_limit();

// Adds the rows of a leaf to the `count` ones collected.
void add_to_batch(Batch *batch, Size count, const Results &rows);

// Puts the rows collected in the order of the table's blocks.
void sort_batch(Batch *batch, Size count);

} // namespace simhash
