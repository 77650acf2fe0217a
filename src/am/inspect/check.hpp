// Shared by the parts of simhash_index_check:
//
//   check         the trees                         check_store        the signature store of a wide index
//   check_heap    the table's rows                  check_signatures   the table's rows and the store
#pragma once

#include "am/signatures/store.hpp"
#include "am/tree/index.hpp"

extern "C" {
#include "executor/tuptable.h"
#include "nodes/execnodes.h"
}

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
    // Of a wide index:
    Segments segments;
    int64 store_rows;
    uint64 store_sum[kMaxTables]; // of the entries that the trees should have
    bool trees_differ;            // they do not have exactly these, or this is not known
};

// Hashes an entry. Equal sets of entries have equal sums of hashes, and different sets hardly ever do.
inline uint64 entry_hash(Fingerprint fingerprint, uint64 tid)
{
    uint64 x = fingerprint * UINT64CONST(0x9E3779B97F4A7C15) ^ tid * UINT64CONST(0xC2B2AE3D27D4EB4F);
    x ^= x >> 32;
    x *= UINT64CONST(0xD6E8FEB86659FD93);
    return x ^ x >> 32;
}
inline uint64 entry_hash(LeafKey key, uint64 tid)
{
    return entry_hash(key.word[0], tid ^ key.word[1] * UINT64CONST(0x9FB21C651E98DF25));
}

// check.cpp

// Whether a table has the entry.
bool has_entry(const Check &check, int table, LeafKey key, Tid tid);
// Copies a page, so that it is not locked while it is checked.
void copy_page(const Check &check, BlockNumber block, PGAlignedBlock *copy);
// Notes that a link or the map leads to the page. Raises an error if another one does.
void reach_page(Check *check, BlockNumber block);

// check_store.cpp

// Checks the store's pages. Fills in the segments and what the trees should hold.
void check_store(Check *check);
// Whether the store has this slot, in use or not.
bool is_store_slot(const Check &check, std::uint64_t position);
// Compares the trees with the store. Counts rows that are not in every tree.
void check_tree_references(Check *check);

// check_heap.cpp

// Compares the index with the rows of its table, in both directions.
void check_heap(Check *check, Relation heap);

// Fetches the rows that entries point to.
struct RowFetch {
    IndexInfo *info;
    EState *estate;
    ExprState *predicate;
    TupleTableSlot *slot;
    IndexFetchTableData *fetch;
    Snapshot snapshot;
};
RowFetch begin_fetch(Relation heap, IndexInfo *info, Snapshot snapshot);
void end_fetch(RowFetch *rows);
// Fetches the row at the tid and computes its indexed value. Returns false if the snapshot does not see the row.
// Sets *fault if the row should not be indexed.
bool fetch_value(RowFetch *rows, Tid tid, Datum *value, bool *isnull, const char **fault);

[[noreturn]] void report_missing(const Check &check, ItemPointer pointer, const char *place);
// Raises an error unless the row has its entry in every one of these tables.
void require_entries(const Check &check, int first, int end, const LeafKey *key, Tid tid,
                     ItemPointer pointer);

// The entries that the rows must have: [0] those in each table, [1] those in the NULL tree.
struct Expected {
    int64 entries[2];
    uint64 sum[2];
};

// check_signatures.cpp

// The same as check_heap for the signatures of a wide index. Returns which NULLs there must be.
Expected check_signatures(Check *check, Relation heap, IndexInfo *info, Snapshot snapshot);

} // namespace simhash
