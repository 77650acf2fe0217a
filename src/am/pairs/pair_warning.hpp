// Warnings of joins with too many pairs, from samples of the rows.
#pragma once

#include "am/pairs/pair_output.hpp"

namespace simhash
{

// A row of a sample of pages: its word, the page, the rows of the page for each that is in the sample, and which of the
// index's copies of the data the page belongs to.
struct SampledRow {
    uint64 word;
    int32 table;
    uint32 page;
    double weight;
};

// Warns of a radius within which rows that have nothing to do with each other are many pairs, and of many pairs of equal
// rows, if these are wanted. The numbers of rows of the output's sides must be known. Sorts the samples.
struct RowSample {
    SampledRow *row;
    Size count;
};
void warn_of_many_pairs(const PairOutput &output, int radius, RowSample sample[2]);

} // namespace simhash
