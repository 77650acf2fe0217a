// simhash_index_stats(regclass): statistics of an index's contents; for a partitioned index, the sums over its
// partitions. Each figure is a row: new ones break no view, as columns would.
//
// All pages are read, each under a lock of its own, so the counts are not those of one moment.
#pragma once

#include "am/index/meta.hpp"

namespace simhash
{

struct IndexOptions;

struct Counts {
    int64 rows, nulls, blocks, leaves, empty_leaves, inner, unused, entries, room;
    int height;
    int64 store, segments, free_slots; // of pages outside the trees; 0 if there are none
    bool reindex_pending;
};

// What the indexes of partitions may have in common. What differs, or what a kind does not have, is NaN, and NULL in
// SQL.
struct Traits {
    enum { distance, trees, fillfactor, fitted, bits, header_bits, count = header_bits + kMaxTrees };
    double value[count];
};

// What a kind of index counts.
struct StatsKind {
    // Counts a page outside the trees; null if there are none.
    void (*count_page)(const IndexMeta &meta, const char *page, Counts *counts);
    // Sets the header bits of each tree, and the traits that this kind alone has.
    void (*describe)(const IndexMeta &meta, Traits *traits);
    // Whether an index with these options and that many rows would get other trees, or lists that suit it better.
    bool (*options_changed)(const IndexOptions &options, const IndexMeta &meta, double rows);
};

} // namespace simhash
