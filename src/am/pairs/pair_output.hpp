// All pairs of near-duplicates of one index, or between two. doc/pairs.md describes the method.
//
//   block_pairs  pairs of routed rows             groups       groups of rows with numbers
//   pair_sides   opens indexes, numbers rows      pair_spool   keeps rows by partition
//   pair_read    reads rows, brings them to cells pair_cells   compares rows, cell by cell
//   pair_output  pairs that wait for their rows   pair_rows    checks that rows are visible
//   pair_search  pairs that are pulled            pair_sample  some pairs of each distance
//   pair_links   merges rows with equal fingerprints
//
// The kind of an index says how its rows reach a join (PairSource), and which plan joins them (IndexKind::join).
#pragma once

#include "am/pairs/pair_rows.hpp"
#include "am/pairs/pair_sides.hpp"

#include "core/bits/split_mix.hpp"

extern "C" {
#include "port/atomics.h"
}

namespace simhash
{

// Receives the pairs found: the numbers of the visible tuple versions, and their distance. For pairs of one table, a < b.
// Of rows that are in no index, it gets their tags and the bits in which they differ.
struct PairSink {
    void (*put)(void *context, uint64 a, uint64 b, uint64 difference);
    void *context;
    void (*put_settled)(void *context) = nullptr; // instead, all waiting pairs that are settled
};

struct FoundPair {
    uint64 tag[2]; // tag[0] contains the distance
};

struct PairReader;
struct PairOutput;

// How the rows of an index reach a join.
struct PairSource {
    // Calls visit(context, rows) with the rows of each page of a side of the reader.
    void (*read)(PairReader *reader, int place, void (*visit)(void *context, const Rows &rows),
                 void *context);
    // If tags are not the numbers of rows, and pairs are candidates; otherwise null:
    // The number of the row with a tag; kNoRow if it has been removed.
    uint64 (*row_of)(const PairOutput &output, int side, uint64 tag);
    // Compares the rows of the waiting pairs. Keeps the pairs that the join wants, with the numbers of rows for tags.
    void (*resolve)(PairOutput *output);
};

// The tasks of a search that several processes share, each for its own pairs.
struct PairTasks {
    pg_atomic_uint32 *next; // in shared memory, from 0; null if this process does all
    uint32 asked;           // so far
    uint32 own;             // the next one for this process, kNoTask if it is not known

    static constexpr uint32 kNoTask = ~uint32{0};
};

struct PairOutput {
    Snapshot snapshot;
    PairSide side[2]; // only the first one for pairs of one table
    int sides;
    uint64 pages; // of the indexes that were read
    // Of 2^thinning pairs that are found one is kept, as a hash says; `thinned` holds for the pairs that the sink gets.
    int thinning, thinned;
    bool links; // of rows with equal fingerprints each is only linked to one
    PairSink sink;
    FoundPair *pair;
    Size pairs;
    Size capacity;
    PairSource *source; // null if nothing is read by it
    PairTasks tasks;
    Probe *probe;               // room for 4 * capacity: two for each pair, and again for sorting
    const KeptColumns *columns; // of each side, with as many words; null if none are kept
    Size row_bytes;             // of the columns of a row
    uint64 *kept;               // of the members
    uint64 *page_row;           // of the rows of a page
    double seen, unseen;        // pairs so far
    double many_unseen;
    bool filter_early; // so many pairs had invisible members that rows are now looked up before they are
                       // compared

    // The columns of a member; place = 2 * pair + member.
    uint64 *kept_row(Size place) const { return kept + place * (row_bytes / sizeof(uint64)); }
};

// The search for the pairs of an output, which a kind of indexes begins. It goes on piece by piece, so that it can stop
// when its pairs are enough. In between, nothing of the indexes is pinned.
struct PairWork {
    bool (*next)(PairWork *work); // adds some pairs, or none, to the output; false at the end
    void (*end)(PairWork *work);  // passes on the pairs that wait
};
// Begins the search for the pairs of an output whose sides are set, by a plan that processes share, if there is one. Both
// sides have parts, of one kind and with values of one length. The memory of a search is freed as a whole.
PairWork *begin_pairs(PairOutput *output, int distance, const void *plan = nullptr);
inline void finish_work(PairWork *work)
{
    while (work->next(work)) {
    }
    work->end(work);
}

// Finds pairs of the rows of an index within a distance, several times of the same rows: enough to find the groups, as rows
// with equal fingerprints are each linked to one. Rows have the same numbers each time.
void link_pairs(PairOutput *output, int distance, PairSink sink);

// The memory that a join may take, of so many rows if it divides them by cells (pair_read.cpp).
Size pair_memory(double rows = 0);

// `extra` is memory that the caller takes for each waiting pair.
void begin_output(PairOutput *output, Size bytes, Size extra = 0);
void end_output(PairOutput *output);
// Looks up the members of the waiting pairs. The pairs whose members are both visible stay, in one order or the other.
void settle_pairs(PairOutput *output);
// Passes on those pairs.
void flush_pairs(PairOutput *output);

// Whether this process does the next task. All processes ask for the same tasks, in the same order.
inline bool takes_task(PairOutput *output)
{
    PairTasks *tasks = &output->tasks;
    if (tasks->next == nullptr)
        return true;
    if (tasks->own == PairTasks::kNoTask)
        tasks->own = pg_atomic_fetch_add_u32(tasks->next, 1);
    if (tasks->asked++ != tasks->own)
        return false;
    tasks->own = PairTasks::kNoTask;
    return true;
}

inline bool thinned_out(const PairOutput &output, uint64 a, uint64 b)
{
    return split_mix((a & kTidMask) * kSplitMixStep + (b & kTidMask)) >> (64 - output.thinning) != 0;
}

inline void add_pair(PairOutput *output, uint64 a, uint64 b, int distance)
{
    if (output->thinning > 0 && thinned_out(*output, a, b))
        return;
    if (output->pairs == output->capacity)
        flush_pairs(output);
    output->pair[output->pairs++] = {{a | static_cast<uint64>(distance) << kDistanceShift, b}};
}

} // namespace simhash
