// Writes a tree from the leaves up, every page once. Pages are filled in private memory and copied into
// shared buffers a batch at a time: the relation is extended once for a batch, and one WAL record holds it.
//
// A page is in the batch until it is complete, so what is on disk or in the WAL never changes again, except for roots and
// for the last leaf of a range, whose link to the next range parallel_build.cpp adds. Every process extends the index for
// itself, under the extension lock, so the pages of a tree lie in no order.
//
// Leaves of PairRows have keys of two words; tree_writer.cpp instantiates the templates for both types of rows.
#pragma once

#include "am/create/build_rows.hpp"

extern "C" {
#include "port/atomics.h"
}

namespace simhash
{

// Phases for pg_stat_progress_create_index; 1 is PostgreSQL's "initializing".
enum BuildPhase {
    kPhaseScan = 2,
    kPhaseWriteFirst = 3, // then one for each tree
    kPhaseSample = kPhaseWriteFirst + kMaxTrees
};

// The progress of a build, over all its processes.
struct BuildProgress {
    pg_atomic_uint64 rows; // written so far, counted once for each tree
};

// Pages of one level, from left to right. Neighbors are linked once they have blocks; the last page waits
// until its right sibling has one.
struct PageBatch {
    Relation index;
    bool alone; // no other process extends the relation
    int capacity;
    int pages;
    Buffer held; // the first page's buffer, if it has one
    char *image;
    Position *bound; // lower bounds
    Children *children;
};

template <typename Row> struct TreeWriter {
    PageBatch batch;
    int tree;
    int fillfactor;
    int least, most;          // entries of the next leaf
    std::uint64_t last_key;   // of the waiting rows
    std::uint64_t most_block; // of all tids
    int most_offset;
    LeafEntry *entry; // room for a leaf
    int waiting;
    int runs;
    Row *wait;      // rows that are not in a leaf yet, in runs
    int *start;     // where the runs begin
    Position bound; // the lower bound of the leaf they will be in
    Children leaves;
    BuildProgress *progress;
    bool report; // to pg_stat_progress_create_index
};

// Starts to write. `processes` writers share the buffers.
template <typename Row>
TreeWriter<Row> *begin_tree(Relation index, const IndexMeta &meta, int processes, BuildProgress *progress,
                            bool report);

// Starts the leaves of a tree, from a lower bound on.
template <typename Row> void begin_leaves(TreeWriter<Row> *writer, int tree, Position bound);

// Takes the next run of rows. A RunSink; context is the TreeWriter.
template <typename Row> void write_run(const Row *run, int count, void *context);

// Divides rows by a tree's keys, and writes the tree.
template <typename Row>
void write_tree(TreeWriter<Row> *writer, const IndexMeta &meta, int tree, BuildRows<Row> *rows);

// Writes the remaining rows as the last leaf: of the tree, or of the range that ends at `high`. If it is the
// tree's only leaf, writes it as the root and returns true.
template <typename Row> bool end_leaves(TreeWriter<Row> *writer, const Position *high);

// Writes the levels above the leaves, up to the root.
template <typename Row> void write_inner_levels(TreeWriter<Row> *writer, int tree, Children *leaves);

template <typename Row> void end_tree(TreeWriter<Row> *writer);

// Links the last leaf of a range of positions to the first leaf of the next range.
void link_leaves(Relation index, BlockNumber left, BlockNumber right);

// The first pages of an index: the metapage, then the empty roots, so that they get their blocks before any leaf does.

// Appends a page to the fork.
void append_page(Relation index, ForkNumber fork, const char *image);
// Appends the roots of the trees, whose keys have so many words, and of the NULLs.
void append_roots(Relation index, ForkNumber fork, int trees, int words);
// Writes the metapage in place of a blank one. A build whose pages are written while the values to index are still
// being computed leaves it blank until then: a function that computes them must not find an index that seems to be
// complete.
void write_meta_page(Relation index, const char *image);

} // namespace simhash
