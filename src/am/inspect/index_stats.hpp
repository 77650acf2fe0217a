// simhash_index_stats(regclass): statistics of an index's contents; for a partitioned index, the sums over its
// partitions.
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

// What the indexes of partitions may have in common. What differs is NULL.
struct Traits {
    enum { distance, tables, header_bits, fillfactor, fitted, bits, count };
    Datum value[count];
    bool null[count];
};

// What a kind of index counts.
struct StatsKind {
    // Counts a page outside the trees; null if there are none.
    void (*count_page)(const IndexMeta &meta, const char *page, Counts *counts);
    // Sets the header bits of each table, and the traits that this kind alone has.
    void (*describe)(const IndexMeta &meta, int header_bits[kMaxTables], Traits *traits);
    // Whether an index with these options and that many rows would get other tables, or lists that suit it better.
    bool (*options_changed)(const IndexOptions &options, const IndexMeta &meta, double rows);
};

} // namespace simhash
