// The internal interface of simhash_pairs, simhash_join and simhash_groups. doc/pairs.md describes the
// method.
//
//   pairs        the SQL functions            groups       groups of near-duplicates
//   block_pairs  pairs of rows routed by block, which a query returns
//   pair_sample  some pairs of each distance      pair_estimate  rows and costs for the planner
//   pair_read    reads rows from the index    pair_spool   keeps rows by partition
//   pair_cells   compares rows, cell by cell  pair_links   merges rows with equal fingerprints
//   pair_output  pairs of visible rows        pair_rows    checks that rows are visible
//   pair_team    parallel workers             pair_sides   opens indexes; numbers the rows of partitions
//
// The kind of an index says how its rows reach a join (PairSource), and which plan joins them (IndexKind::join).
#pragma once

#include "am/index/heap_tid.hpp"
#include "am/tree/leaf_reader.hpp"

#include "core/bits/split_mix.hpp"
#include "core/joins/pair_plan.hpp"
#include "core/kernels/pair_match.hpp"
#include "core/layout/byte_permutation.hpp"

extern "C" {
#include "access/tableam.h"
#include "executor/tuptable.h"
#include "storage/buffile.h"
#include "storage/dsm.h"
#include "storage/shm_toc.h"
}

#include <algorithm>

namespace simhash
{

// Rows of a side: the word by which they are compared, and a tag that names the row in its low 48 bits: usually its
// number (BlockNumbers), otherwise what the PairSource can find it by.
struct Rows {
    Fingerprint *word;
    uint64 *tag;
    Size count;

    Rows part(Size from, Size end) const { return {word + from, tag + from, end - from}; }
    void set(Size at, Fingerprint w, uint64 t) const
    {
        word[at] = w;
        tag[at] = t;
    }
};

Rows allocate_rows(Size capacity);

// Set in a tag if the snapshot sees the row. If tags are numbers, such a one has the tid of the tuple version that it
// sees, and others have the tid of the index entry.
inline constexpr uint64 kVisible = UINT64CONST(1) << 48;
inline constexpr uint64 kTidMask = kVisible - 1;
// The distance of a pair is in the bits above.
inline constexpr int kDistanceShift = 49;
inline constexpr int kMostPairDistance = (1 << (64 - kDistanceShift)) - 1;

// pair_sides.cpp

// Numbers the blocks of several relations consecutively, so that one tid or store position, of 48 bits, names a row of
// any of them. Of one relation alone the numbers are those of its blocks.
struct BlockNumbers {
    int count;
    BlockNumber *first; // the number of each relation's first block; at the end that after the last block

    // The relation of a row.
    int relation(uint64 number) const
    {
        auto block = static_cast<BlockNumber>(number >> 16);
        return static_cast<int>(std::upper_bound(first, first + count, block) - first) - 1;
    }
    // Whether the relation had the block when its blocks were counted. Rows of later blocks are not visible to the
    // snapshot, which is older.
    bool counted(int relation, uint64 packed) const
    {
        return packed >> 16 < first[relation + 1] - first[relation];
    }
    uint64 number(int relation, uint64 packed) const
    {
        return packed + (static_cast<uint64>(first[relation]) << 16);
    }
    uint64 packed(int relation, uint64 number) const
    {
        return number - (static_cast<uint64>(first[relation]) << 16);
    }
};

// The rows of a table or, in the order of their OIDs, of several partitions.
struct TableRows {
    Oid *table;
    BlockNumbers blocks;

    Oid table_of(uint64 number) const { return table[blocks.relation(number)]; }
    ItemPointerData tid_of(uint64 number) const
    {
        return pointer_of(Tid::unpack(blocks.packed(blocks.relation(number), number)));
    }
};

// pairs.cpp

// Receives the pairs found: the numbers of the visible tuple versions. For pairs of one table, a < b.
struct PairSink {
    void (*put)(void *context, uint64 a, uint64 b, int distance);
    void *context;
};

enum class PairsWanted {
    all,
    links // enough pairs of one table to find its groups: rows with equal fingerprints are each linked to one
};

// Finds all pairs within a distance, of the rows of one index or between those of two. An index may be partitioned.
// Checks the same rights and takes the same locks as a query. Sets rows[i] to what the numbers of rows of index i
// mean, before the first pair is found.
void find_pairs(const Oid *index, int indexes, int distance, PairsWanted wanted, PairSink sink,
                TableRows *rows);
// The same in parts: several times of the same rows. Rows have the same numbers each time.
struct PairOutput *open_pairs(const Oid *index, int indexes, int distance);
void find_open_pairs(struct PairOutput *output, int distance, PairsWanted wanted, PairSink sink);
void close_pairs(struct PairOutput *output);

// groups.cpp

// The rows that have equal ones.
struct EqualRows {
    uint32 count;
    int64 *number; // ascending
    uint32 *first; // of each, the place of the first of its group
};

// Finds them in one side that is open.
EqualRows find_equal_rows(struct PairOutput *output);

// pair_sides.cpp

// A table and its index, or a partition and its index.
struct PairPart {
    Relation index;
    Relation heap;
    IndexFetchTableData *fetch;
    TupleTableSlot *slot;
    IndexMeta *meta;
};

struct PairSide {
    int parts; // 0 if a partitioned table has no partitions
    PairPart *part;
    TableRows tids;
    BlockNumbers positions; // of the indexes, for places in them
    double rows;            // an estimate

    // All parts are of one kind, with values of one length.
    const IndexMeta &meta() const { return *part[0].meta; }
};

// Opens an index, or those of all partitions, and the tables, with the same checks that the planner and the executor
// make. `readable` is as for open_indexes. An error's hint shows a join within the radius, or with balls if that is
// kOfBalls.
inline constexpr int kOfBalls = -1;
void open_side(Oid index, const IndexKind *readable, int radius, PairSide *side);
void close_side(const PairSide &side);
// Allocates a side of so many parts, and opens a part whose index is open.
void begin_side(int parts, PairSide *side);
void open_part(Relation index, PairSide *side, int part);
// Makes an index and its table, which the caller has opened, a part.
void use_part(Relation index, Relation heap, PairSide *side, int part);
// The number of the row at a tid that the index of a part has; kNoRow if the snapshot cannot see it.
inline uint64 row_number(const PairSide &side, int part, uint64 tid)
{
    return tid != kNoRow && side.tids.blocks.counted(part, tid) ? side.tids.blocks.number(part, tid) : kNoRow;
}

// pair_output.cpp

struct FoundPair {
    uint64 tag[2]; // tag[0] contains the distance
};

// A row to look up, and its place in a list. Words in ascending order are in the order of the rows.
struct Probe {
    uint64 word;

    // Items of a page: rows of a heap, or of a store of signatures of at least 65 bits.
    static constexpr int kOffsetBits = std::bit_width(unsigned{BLCKSZ / 15});
    static constexpr int kPlaceBits = 64 - 1 - 32 - kOffsetBits;
    static_assert(MaxHeapTuplesPerPage < 1 << kOffsetBits);

    static Probe of(int side, uint64 tag, Size place)
    {
        uint64 row = static_cast<uint64>(side) << 48 | (tag & kTidMask);
        Assert((row & 0xFFFF) >> kOffsetBits == 0 && place >> kPlaceBits == 0);
        return {((row >> 16 << kOffsetBits) | (row & 0xFFFF)) << kPlaceBits | place};
    }
    // The side, and the number of the block.
    uint64 page() const { return word >> (kPlaceBits + kOffsetBits); }
    int side() const { return static_cast<int>(page() >> 32); }
    uint64 offset() const { return word >> kPlaceBits & ((1 << kOffsetBits) - 1); }
    uint64 row() const { return (page() & 0xFFFFFFFF) << 16 | offset(); }
    Size place() const { return word & ((Size{1} << kPlaceBits) - 1); }
};
inline constexpr Size kMostPairs = Size{1} << (Probe::kPlaceBits - 1); // that wait: each has two members

struct RowProbes {
    const Probe *begin, *end;

    // The probes of the first page, of which there must be one.
    RowProbes page() const
    {
        const Probe *at = begin;
        while (at < end && at->page() == begin->page())
            at++;
        return {begin, at};
    }

    // Calls visit(offset) for each row of probes of one page.
    template <typename Visit> void each_row(Visit visit) const
    {
        for (const Probe *at = begin; at < end; at++) {
            if (at == begin || at->offset() != at[-1].offset())
                visit(at->offset());
        }
    }
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

struct PairOutput {
    Snapshot snapshot;
    PairSide side[2]; // only the first one for pairs of one table
    int sides;
    bool queries; // the second members are no rows but numbers of queries, marked kVisible
    bool alone;   // without parallel workers
    // Of 2^thinning pairs that are found one is kept, as a hash says; `thinned` holds for the pairs that the sink gets.
    int thinning, thinned;
    PairsWanted wanted;
    PairSink sink;
    FoundPair *pair;
    Size pairs;
    Size capacity;
    PairSource *source;    // null if nothing is read by it
    struct PairTeam *team; // null without parallel workers
    Probe *probe;          // room for 4 * capacity: two for each pair, and again for sorting
    double seen, unseen;   // pairs so far
    double many_unseen;
    bool filter_early; // so many pairs had invisible members that rows are now looked up before they are
                       // compared
};

// `extra` is memory that the caller takes for each waiting pair.
void begin_output(PairOutput *output, Size bytes, Size extra = 0);
void end_output(PairOutput *output);
// Looks up the members of the waiting pairs and passes on the pairs whose members are both visible.
void flush_pairs(PairOutput *output);

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

// pair_rows.cpp

// The members of the waiting pairs that are not marked kVisible, or all of them, in the order of the rows. The place of a
// member is 2 * pair + place.
RowProbes probe_members(PairOutput *output, bool visible_too);
// Gives the members of the waiting pairs the tags of the versions that the snapshot sees, or 0.
void look_up_members(PairOutput *output);
// Removes the rows that the snapshot does not see and marks the others kVisible.
void filter_rows(PairOutput *output, int side, Rows *rows);

// pair_team.cpp

// The leader and the parallel workers of a join or a match. All follow the plan that the leader has made, and take its tasks from a
// common counter. Each reads the leaves for its tasks and looks up the rows of its pairs. The leader passes on the
// pairs of all.

// The most workers that a task of so many nanoseconds is worth, within the settings.
int planned_pair_workers(const PairOutput &output, double nanoseconds);
// Starts workers that run a function of this library, and sets output->team. Returns the copy of the plan that all
// share, or null if no worker could be started.
void *begin_pair_team(PairOutput *output, const char *function, int workers, const void *plan,
                      Size plan_bytes);
// Passes on what the workers still send, and waits for their end.
void end_pair_team(PairOutput *output);

// A worker's output, which sends what it finds to the leader. Sets *plan.
PairOutput *join_pair_team(dsm_segment *segment, shm_toc *toc, void **plan);
void leave_pair_team(PairOutput *output, shm_toc *toc);

// Whether this process does the next task. All processes ask for the same tasks, in the same order.
bool takes_task(PairOutput *output);
// In the leader: passes on what the workers have sent so far. To be called often, so that they need not wait.
void receive_pairs(PairOutput *output);

// pair_spool.cpp

// Rows in numbered stores. They stay in memory while there is room; beyond that, stores go to temporary
// files.
struct PairSpool;

// A spool for about `rows` rows that uses at most `bytes` bytes.
PairSpool *begin_pair_spool(Size bytes, int stores, double rows);
void end_pair_spool(PairSpool *spool);
void clear_pair_spool(PairSpool *spool); // all stores are empty again
void add_row(PairSpool *spool, int number, Fingerprint word, uint64 tag);
uint64 spooled_rows(const PairSpool *spool, int number);
// Reads up to `most` rows of a store, starting with row number `from`.
void read_rows(PairSpool *spool, int number, uint64 from, Size most, Rows *rows);
// The memory that a store takes besides its rows.
inline constexpr Size kStoreBytes = BLCKSZ + 1024;

// pair_cells.cpp

// A plan that is being executed. Plans nest; a pair that an earlier step of one of them finds is not
// added again.
struct PlanStep {
    const PairPlan *plan;
    int step;
    const BytePermutation *to_fingerprint; // if rows have keys for words; otherwise null
};
inline constexpr int kMostDepth = 5;

// Takes the tags of two rows and the bits in which the rows differ.
struct PairTaker {
    void (*take)(void *context, uint64 x, uint64 y, Fingerprint errors);
    void *context;
};

// Rows sorted by cells.
struct Cells {
    int bits;
    Rows rows;
    uint32 *begin; // of each cell, and the end of the last
};

struct PairJoin {
    PairOutput *output; // null: `taker` takes the pairs, and tags are its own
    PairTaker taker;
    const PairMatch *match;
    int radius;
    int side[2]; // the output's sides of x and y; the same for pairs of one table
    int depth;
    PlanStep under[kMostDepth];

    Size capacity; // of raw and cells
    Rows raw;      // rows read and not yet sorted
    Cells cells[2];
    uint32 *cell; // room for the numbers of `capacity` rows' cells

    char *arena; // memory for rows that are sorted again
    Size arena_size;
    Size arena_used;

    RowPair *found;
    RowRun *run; // runs that wait to be compared: here or in run_pair
    RunPair *run_pair;
    Size runs;
    double work; // comparisons
};

// The memory that a join takes for each row.
inline constexpr Size kJoinRowBytes = 104;
// A join of about `rows` rows that uses at most `bytes` bytes.
void begin_join(PairJoin *join, Size bytes, double rows);
void end_join(PairJoin *join);

// The most bits by which it makes sense to sort `rows` rows: with more, most cells would be empty.
int most_sort_bits(Size rows);

// Sorts rows by the lowest `bits` bits of their cell numbers.
void sort_cells(PairJoin *join, const Rows &rows, const CellMap &map, int bits, Cells *cells);

// Compares each cell of x with the cells of y whose numbers differ in at most `budget` bits. For pairs within
// one set of rows, y is x itself. `used` are the fingerprint bits that the cell numbers of this and outer
// plans consist of: the rows of a cell differ in at most join->radius - radius of them.
void join_cells(PairJoin *join, const Cells &x, const Cells &y, int budget, Fingerprint used, int radius);

// Compares the rows that agree in the first bits of their words, which `used` are, if they are in the order of these bits.
// Otherwise returns false.
bool join_sorted_cells(PairJoin *join, const Rows &rows, Fingerprint used, int radius);

// pair_links.cpp

// Keeps the first of the visible rows with equal words. If `add`, adds its pairs with the others to the output.
void link_equal(PairJoin *join, bool add, Rows *rows);

// pair_read.cpp

// The strategy for reading all leaves of a table, or null: like a sequential scan, a join must not drive out what
// others use.
BufferAccessStrategy join_strategy(Relation index);

// Copies the reader's next leaf, so that no lock is held over the work. Returns its block, or InvalidBlockNumber at the
// end. The caller must check the tids.
BlockNumber copy_next_leaf(LeafReader *reader, PGAlignedBlock *copy);

// Reads rows and groups them by cells.
struct PairReader {
    PairOutput *output; // null: all rows are in the spool, and all are wanted
    PairJoin *join;
    Size spool_bytes;
    PairSpool *spool;
    bool within;
    int processes; // that share the work
    double rows;   // of the larger side, an estimate
    Rows page;     // the rows of one page
};

// The numbers of rows of the output's sides must be known.
PairReader *begin_reader(PairOutput *output, Size join_bytes, Size spool_bytes, int processes = 1);

// The side of place 0 or 1.
const PairSide &side_of(const PairReader &reader, int place);
// An estimate of the rows on both sides.
double all_rows(const PairReader &reader);
// Drops rows that need not be compared.
void narrow_rows(const PairReader &reader, int place, Rows *rows);

// One of several shares of the partitions by some bits of a cell's number.
struct PartitionShare {
    int bits;
    int share, shares;

    bool has(uint32 partition) const
    {
        return static_cast<int>(static_cast<uint64>(partition) * static_cast<uint64>(shares) >> bits) ==
               share;
    }
};
// Compares the rows of a share of the partitions with all others. Partition p of x is store x_store + p; that of y is
// store y_store + p. A cell number is the partition's number followed by `low_bits` bits.
void join_partitions(PairReader *reader, const PartitionShare &share, int x_store, int y_store,
                     const CellMap &map, int low_bits, const PairStep &step);
void log_plan(const char *source, const PairPlan &plan);
// A row of a sample of pages: its word, the page, the rows of the page for each that is in the sample, and which of the
// index's copies of the data the page belongs to.
struct SampledRow {
    uint64 word;
    int32 table;
    uint32 page;
    double weight;
};

// Warns of a radius within which rows that have nothing to do with each other are many pairs, and of many pairs of equal
// rows, if these are wanted. The numbers of rows of the output's sides must be known. Sorts the samples.
struct RowSample {
    SampledRow *row;
    Size count;
};
void warn_of_many_pairs(const PairOutput &output, int radius, RowSample sample[2]);

// Estimates the costs of bringing the reader's rows to cells.
void set_cell_task(const PairReader &reader, PairTask *task);

// Finds the pairs of rows within the join's radius.
void follow_cells(PairReader *reader, const PairPlan &plan);

// The memory that a join may take.
Size pair_memory();

} // namespace simhash
