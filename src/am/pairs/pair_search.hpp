// All pairs of near-duplicates, which are pulled: for a join in a plan, which may stop early.
//
//   PairSearch *search = begin_pair_search(…);
//   while (next_pair(search, &pair)): the rows at pair.row[0] and pair.row[1] of the tables pair.part[0] and pair.part[1],
//       which the snapshot sees
//   end_pair_search(search);
//
// Each pair comes once, in no order; of one side, in one of its orders, and without the pairs of a row with itself. The
// first pairs come when there are 256, or at the end, and later ones in larger portions. Pairs wait within the memory of a
// join, and beyond it in a temporary file. If the distance is within that for which the index was made, some thousands of
// rows are read for the first pair; otherwise most of the work for a step of the plan precedes it.
//
// Columns can be kept of each row, which is not read again then. Otherwise a portion comes in the order of the second row.
//
// Between two calls nothing of the indexes is pinned or locked; the tables' pages are not, either.
#pragma once

#include "am/pairs/pair_rows.hpp"

extern "C" {
#include "storage/itemptr.h"
#include "utils/rel.h"
#include "utils/snapshot.h"
}

namespace simhash
{

struct PairSearch;

// A table and its index.
struct SearchedTable {
    Relation table, index;
};
// A table, or partitions of one.
struct SearchedSide {
    int parts;
    SearchedTable *part;
};

struct JoinedRows {
    int part[2];
    ItemPointerData row[2]; // of the versions that the snapshot sees: table_tuple_fetch_row_version gets them
    const uint64 *kept[2];  // instead, their columns, if they are kept: until the next call; otherwise null
};

// What processes share of a search, in memory that all of them see: each returns its own pairs.
struct SharedPairs;
Size shared_pairs_size(Relation index);
// Plans a search for so many processes. Each begins it then with the same arguments.
void share_pair_search(const SearchedSide *searched, int count, int distance, Snapshot snapshot,
                       int processes, SharedPairs *shared);

// Begins to search one side, or to join two, under an MVCC snapshot. They are of one kind, with values of one length. The
// relations stay open and locked until end_pair_search. Needs no privileges: the caller has checked those of the query.
// `columns`, of each side and with as many words, are kept; null if none are. `shared` is null if this process finds all
// pairs.
PairSearch *begin_pair_search(const SearchedSide *searched, int count, int distance, Snapshot snapshot,
                              const KeptColumns *columns, SharedPairs *shared);
// Returns false at the end.
bool next_pair(PairSearch *search, JoinedRows *pair);
void end_pair_search(PairSearch *search);

// What a search has done so far, for EXPLAIN.
struct PairCounts {
    uint64 pairs;  // returned
    uint64 pages;  // of the indexes, read
    Size memory;   // the most, in bytes
    int64 spilled; // bytes written to temporary files
};
PairCounts pair_counts(const PairSearch *search);

} // namespace simhash
