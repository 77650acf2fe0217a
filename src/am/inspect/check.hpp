// What the parts of simhash_index_check share: the trees (check.cpp), and the table's rows (check_heap.cpp).
#pragma once

#include "am/tree/index.hpp"

namespace simhash
{

struct Check {
    Relation index;
    IndexMeta *meta;
    bool still; // nobody writes meanwhile
    BlockNumber blocks;
    BlockNumber heap_blocks;
    bool *reached;
    int64 entries[kMaxTables + 1];
    uint64 sum[kMaxTables + 1]; // of a hash of every entry: equal sums, equal sets
    int64 incomplete_splits;
    int64 unused_pages;
    int64 partial_entries;
    int64 heap_rows;
};

// Sums of it over equal sets of entries are equal, and over others hardly ever.
inline uint64 entry_hash(Fingerprint fingerprint, uint64 tid)
{
    uint64 x = fingerprint * UINT64CONST(0x9E3779B97F4A7C15) ^ tid * UINT64CONST(0xC2B2AE3D27D4EB4F);
    x ^= x >> 32;
    x *= UINT64CONST(0xD6E8FEB86659FD93);
    return x ^ x >> 32;
}

// Whether a table has the entry.
bool has_entry(const Check &check, int table, Fingerprint fingerprint, Tid tid);

// Compares the index with the rows of its table, both ways.
void check_heap(Check *check, Relation heap);

} // namespace simhash
