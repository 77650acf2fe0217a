// All pairs of near-duplicates of one index, or between two. doc/pairs.md describes the method.
//
//   block_pairs  pairs of routed rows             groups         groups of rows with numbers
//   pair_sides   opens indexes, numbers rows      pair_spool     keeps rows by partition
//   pair_read    reads rows, brings them to cells joined_rows    rows as they are compared
//   pair_cells   compares rows, cell by cell      pair_links     merges rows with equal fingerprints
//   pair_output  pairs that wait for their rows   pair_rows      checks that rows are visible
//   pair_search  pairs that are pulled            pair_sample    some pairs of each distance
//
// The kind of an index says how its rows reach a join (PairSource), and which plan joins them (IndexKind::join).
#pragma once

#include "am/pairs/pair_sides.hpp"

namespace simhash
{

// Receives the pairs found: the numbers of the visible tuple versions, and their distance. For pairs of one table, a < b.
// Of rows that are in no index, it gets their tags and the bits in which they differ.
struct PairSink {
    void (*put)(void *context, uint64 a, uint64 b, uint64 difference);
    void *context;
    void (*put_settled)(void *context) = nullptr; // instead, all waiting pairs that are settled
};

} // namespace simhash
