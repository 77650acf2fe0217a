// The parts of simhash_index_check that do not depend on what an index stores:
//
//   check    the trees        check_heap    the table's rows
//
// An index is intact if every page has one link that leads to it, each tree is in order, all trees have the same
// rows, and these are those of the table. The kind of the index checks its own pages, and what its entries mean. Sums
// of hashes stand for sets of entries, so that in an intact index no entry is looked up.
#pragma once

#include "am/index/meta.hpp"
#include "am/tree/tree_page.hpp"

extern "C" {
#include "executor/tuptable.h"
#include "nodes/execnodes.h"
}

namespace simhash
{

struct Check {
    Relation index;
    const IndexMeta *meta;
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
    int64 stored; // rows, if no table has them
    void *own;    // memory of the kind
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

// Whether a table has an entry with this key.
bool has_entry(const Check &check, int table, LeafKey key, Tid tid);
// What is wrong with a tid as one of the table, or null.
const char *check_heap_tid(const Check &check, std::uint64_t packed);
// Copies a page, so that it is not locked while it is checked.
void copy_page(const Check &check, BlockNumber block, PGAlignedBlock *copy);
// Notes that a link or the map leads to the page. Raises an error if another one does.
void reach_page(Check *check, BlockNumber block);

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

// What a kind of index checks.
struct CheckKind {
    // The pages outside the trees, before these are checked; null if there are none.
    void (*check_pages)(Check *check);
    // What is wrong with the tid of a table's entry, or null.
    const char *(*check_tid)(const Check &check, std::uint64_t packed);
    // After the trees: whether they agree, if nobody writes. Counts rows that some of them lack.
    void (*compare_trees)(Check *check);
    // Whether each row of the table that the snapshot sees has its entries. Returns which entries there must be.
    Expected (*check_rows)(Check *check, Relation heap, IndexInfo *info, Snapshot snapshot);
    // Whether a row of this value may have an entry with this word; null if check_rows has checked that, too.
    bool (*same_value)(Datum value, std::uint64_t word);
};

} // namespace simhash
