// Writes a tree from the leaves up, every page once. Pages are made in private memory and put into shared
// buffers many at a time: the relation is extended once for all of them, and one WAL record holds them.
#pragma once

#include "am/build/spool.hpp"

extern "C" {
#include "port/atomics.h"
}

namespace simhash
{

// The lower bound and the block of a finished page, for its downlink.
struct Child {
    Position bound;
    BlockNumber block;
};

struct Children {
    Size count;
    Size capacity;
    Child *child;
};

void begin_children(Children *children);
void add_child(Children *children, Position bound, BlockNumber block);

// How far a build is, over all its processes.
struct BuildProgress {
    pg_atomic_uint64 rows; // written, once for each table
};

// Pages of one level, from left to right. Those that stand beside each other are linked when they have
// blocks; the last one keeps waiting for its right sibling's.
struct PageBatch {
    Relation index;
    bool alone; // no other process extends the relation
    int capacity;
    int pages;
    Buffer held; // the first page's, if it has one
    char *image;
    Position *bound; // lower bounds
    Children *children;
};

struct TreeWriter {
    PageBatch batch;
    int table;
    int fillfactor;
    BytePermutation to_fingerprint; // from keys
    int least, most;                // entries of a leaf
    int waiting;
    int runs;
    Position *wait; // rows that are not in a leaf yet, in runs
    int *start;     // where the runs begin
    Position bound; // the lower bound of the leaf they will be in
    Children leaves;
    BuildProgress *progress;
    bool report; // to pg_stat_progress_create_index
};

// `share` is what of the buffers it may use at a time: one of so many processes does this.
TreeWriter *begin_tree(Relation index, const IndexMeta &meta, int share, BuildProgress *progress,
                       bool report);

// Starts with leaves of a table from a lower bound on.
void begin_leaves(TreeWriter *writer, int table, Position bound);

// A RunSink: context is the TreeWriter.
void write_run(const Position *run, int count, void *context);

// Writes what is left as the last leaf: of the tree, or of those in front of `high`. Returns true, and writes
// nothing but the root, if it is the tree's only leaf.
bool end_leaves(TreeWriter *writer, const Position *high);

// Writes the levels above the leaves, in order, up to the root.
void write_inner_levels(TreeWriter *writer, int table, Children *leaves);

void end_tree(TreeWriter *writer);

// Links the last leaf of a range of positions to the first one of the next.
void link_leaves(Relation index, BlockNumber left, BlockNumber right);

// The metapage and empty roots, so that the roots have their blocks before any leaf.
void write_first_pages(Relation index, ForkNumber fork, const MetaData &data);

} // namespace simhash
