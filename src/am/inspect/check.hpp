// Shared by the parts of simhash_index_check: check.cpp checks the trees, check_heap.cpp the table's rows.
#pragma once

#include "am/tree/index.hpp"

namespace simhash
{

struct Check {
    Relation index;
    IndexMeta *meta;
    bool still; // nobody writes during the check
    BlockNumber blocks;
    BlockNumber heap_blocks;
    bool *reached;
    int64 entries[kMaxTables + 1];
    uint64 sum[kMaxTables + 1]; // sum of the hashes of all entries: equal sums, equal sets
    int64 incomplete_splits;
    int64 unused_pages;
    int64 partial_entries;
    int64 heap_rows;
};

// Hashes an entry. Equal sets of entries have equal sums of hashes, and different sets hardly ever do.
inline uint64 entry_hash(Fingerprint fingerprint, uint64 tid)
{
    uint64 x = fingerprint * UINT64CONST(0x9E3779B97F4A7C15) ^ tid * UINT64CONST(0xC2B2AE3D27D4EB4F);
    x ^= x >> 32;
    x *= UINT64CONST(0xD6E8FEB86659FD93);
    return x ^ x >> 32;
}

// Whether a table has the entry.
bool has_entry(const Check &check, int table, Fingerprint fingerprint, Tid tid);

// Compares the index with the rows of its table, in both directions.
void check_heap(Check *check, Relation heap);

} // namespace simhash
