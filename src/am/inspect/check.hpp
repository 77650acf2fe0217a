// The parts of simhash_index_check that do not depend on what an index stores:
//
//   check    the trees        check_heap    the table's rows        buckets    where two sets of entries differ
//
// An index is intact if every page has one link that leads to it, each tree is in order, all trees have the same
// rows, and these are those of the table. The kind of the index checks its own pages, and what its entries mean. Sums
// of hashes stand for sets of entries, so that in an intact index no entry is looked up.
#pragma once

#include "am/index/meta.hpp"
#include "am/tree/tree_page.hpp"

#include "core/bits/split_mix.hpp"

extern "C" {
#include "executor/tuptable.h"
#include "nodes/execnodes.h"
}

namespace simhash
{

struct Check {
    OpenIndex index;
    Relation heap;
    bool still;              // nobody writes during the check
    uint64 salt;             // of the hashes, random
    BlockNumber blocks;      // at first
    BlockNumber heap_blocks; // at least
    bool *reached;
    int64 entries[kMaxTrees + 1];
    uint64 sum[kMaxTrees + 1]; // sum of the hashes of all entries: equal sums, equal sets
    int64 incomplete_splits;
    int64 unused_pages;
    int64 partial_entries;
    int64 heap_rows;
    int64 stored; // rows, if no tree has them
    void *own;    // memory of the kind
};

// Hashes an entry. Equal sets of entries have equal sums of hashes, and different sets hardly ever do: the salt makes
// sure that nobody can choose entries whose hashes cancel.
inline uint64 entry_hash(const Check &check, LeafKey key, uint64 tid)
{
    return split_mix(split_mix(tid ^ check.salt ^ key.word[1] * UINT64CONST(0x9FB21C651E98DF25)) ^
                     key.word[0]);
}
inline uint64 entry_hash(const Check &check, uint64 word, uint64 tid)
{
    return entry_hash(check, LeafKey{{word, 0}}, tid);
}

// check.cpp

// Whether a tree has an entry with this key.
bool has_entry(const Check &check, int tree, LeafKey key, std::uint64_t tid);
// Calls visit for a copy of each leaf of a tree, in the order of the file.
void visit_leaves(const Check &check, int tree,
                  void (*visit)(BlockNumber block, const char *page, void *context), void *context);
// What is wrong with a tid as one of the table, or null.
const char *check_heap_tid(Check *check, std::uint64_t packed);
// Notes that what leads to a page outside the trees does so. Raises an error if something else does, too.
void reach_page(Check *check, BlockNumber block);

// check_heap.cpp

// Compares the index with the rows of its table, in both directions.
void check_heap(Check *check);

// Fetches the rows that entries point to.
struct RowFetch {
    Relation index;
    IndexInfo *info;
    EState *estate;
    ExprState *predicate;
    TupleTableSlot *slot;
    IndexFetchTableData *fetch;
    Snapshot snapshot;
};
// Fetches the row at the tid and computes what is stored of it, which is valid until the next row. Returns false if the
// snapshot does not see the row. Sets *fault if the row should not be indexed.
bool fetch_value(RowFetch *rows, Tid tid, Datum *value, bool *isnull, const char **fault);

[[noreturn]] void report_missing(const Check &check, std::uint64_t tid, int tree);

// The words of entries and the tids of their rows, in a tree or in the signature store.
using VisitRow = void (*)(BlockNumber block, std::uint64_t word, std::uint64_t tid, void *context);

// What a kind of index checks. The word of a row is the fingerprint, or a hash of the signature.
struct CheckKind {
    // The pages outside the trees, before these are checked; null if there are none.
    void (*check_pages)(Check *check);
    // Whether a page outside the trees that was not reached then is linked now.
    bool (*is_stored)(Check *check, BlockNumber block);
    // What is wrong with the tid of a tree's entry, or null.
    const char *(*check_tid)(Check *check, std::uint64_t packed);
    // After the trees: whether they agree, if nobody writes. Counts rows that some of them lack.
    void (*compare_trees)(Check *check);
    // The word of a value.
    std::uint64_t (*word)(const Check &check, Datum value);
    // If the rows of the trees' entries are in a store, and not in the entries; else null:
    // The sum of the hashes of the rows in the store.
    uint64 (*stored_sum)(const Check &check);
    void (*visit_store)(const Check &check, VisitRow visit, void *context);
    // Whether the rows of the store that the snapshot sees have their entries.
    void (*check_stored)(Check *check, RowFetch *fetch);
};

} // namespace simhash
