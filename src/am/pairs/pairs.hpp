// The internal interface of simhash_pairs, simhash_join and simhash_groups. doc/pairs.md describes the
// method.
//
//   pairs        the SQL functions            groups       groups of near-duplicates
//   pair_read    reads rows from the index    pair_spool   keeps rows by partition
//   pair_cells   compares rows, cell by cell  pair_links   merges rows with equal fingerprints
//   pair_output  checks that rows are visible pair_sides   opens indexes; numbers the rows of partitions
//
//   match  the SQL function simhash_match    query_queue  reads each leaf once for many queries
//
//   signature_pairs  pairs of signatures: passes over their words    pair_store  reads and compares signatures
#pragma once

#include "am/signatures/store.hpp"
#include "am/tree/leaf_reader.hpp"

#include "core/kernels/pair_match.hpp"
#include "core/pairs/window_plan.hpp"

extern "C" {
#include "access/tableam.h"
#include "executor/tuptable.h"
#include "storage/buffile.h"
}

namespace simhash
{

// Rows of a side: the fingerprint, and a tag: the tid, packed, in the low 48 bits. In a pass over signatures, a key
// made of the signature and the row's store position. The blocks of partitions are numbered consecutively: see
// BlockNumbers.
struct Rows {
    Fingerprint *fingerprint;
    uint64 *tag;
    Size count;

    Rows part(Size from, Size end) const { return {fingerprint + from, tag + from, end - from}; }
    void set(Size at, Fingerprint f, uint64 t) const
    {
        fingerprint[at] = f;
        tag[at] = t;
    }
};

Rows allocate_rows(Size capacity);

// Set in a tag whose tid is that of the tuple version that the snapshot sees. Other tags have the tid of the
// index entry. In a pass over signatures, set in a tag if the snapshot sees the row.
inline constexpr uint64 kVisible = UINT64CONST(1) << 48;
inline constexpr uint64 kTidMask = kVisible - 1;
// The distance of a pair is in the bits above.
inline constexpr int kDistanceShift = 49;
static_assert(kMostSignatureBits < 1 << (64 - kDistanceShift));

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

// pair_sides.cpp

// A table and its index, or a partition and its index.
struct PairPart {
    Relation index;
    Relation heap;
    IndexFetchTableData *fetch;
    TupleTableSlot *slot;
    IndexMeta *meta;
    Segments segments;  // of an index on signatures
    Size first_segment; // its number among those of all parts
};

struct PairSide {
    int parts; // 0 if a partitioned table has no partitions
    PairPart *part;
    TableRows tids;
    BlockNumbers positions; // of the indexes, for store positions
    double rows;            // an estimate
    Size segments;          // of all parts

    // What is the same for all parts: whether they are on signatures, their length, and the shape of the store.
    const IndexMeta &meta() const { return *part[0].meta; }
};

// Opens an index, or those of all partitions, and the tables, with the same checks that the planner and the executor
// make. Raises an error if the index is wide and `wide` is false.
void open_side(Oid index, bool wide, PairSide *side);
void close_side(const PairSide &side);
// Lists the segments of the stores.
void list_segments(PairSide *side);
// The part that has a segment.
const PairPart &segment_part(const PairSide &side, Size segment);

// pair_output.cpp

struct FoundPair {
    uint64 tag[2]; // tag[0] contains the distance
};

struct Probe {
    uint64 key; // the side in bit 48, the tid below
    Size at;    // 2 * pair + place
};

struct SignaturePass;

struct PairOutput {
    Snapshot snapshot;
    PairSide side[2]; // only the first one for pairs of one table
    int sides;
    bool queries; // the second members are no rows but numbers of queries, marked kVisible
    PairsWanted wanted;
    PairSink sink;
    FoundPair *pair;
    Size pairs;
    Size capacity;
    SignaturePass *pass; // tags are store positions, and pairs are candidates; null if they are tids
    Probe *probe;        // room for 2 * capacity
    double seen, unseen; // pairs so far
    double many_unseen;
    bool filter_early; // so many pairs had invisible members that rows are now looked up before they are
                       // compared
};

// `extra` is memory that the caller takes for each waiting pair.
void begin_output(PairOutput *output, Size bytes, Size extra = 0);
void end_output(PairOutput *output);
// Looks up the members of the waiting pairs and passes on the pairs whose members are both visible.
void flush_pairs(PairOutput *output);

inline void add_pair(PairOutput *output, uint64 a, uint64 b, int distance)
{
    if (output->pairs == output->capacity)
        flush_pairs(output);
    output->pair[output->pairs++] = {{a | static_cast<uint64>(distance) << kDistanceShift, b}};
}

// Removes the rows that the snapshot does not see and marks the others kVisible.
void filter_rows(PairOutput *output, int side, Rows *rows);

// pair_spool.cpp

// Rows in numbered stores. They stay in memory while there is room; beyond that, stores go to temporary
// files.
struct PairSpool;

// A spool for about `rows` rows that uses at most `bytes` bytes.
PairSpool *begin_pair_spool(Size bytes, int stores, double rows);
void end_pair_spool(PairSpool *spool);
void clear_pair_spool(PairSpool *spool); // all stores are empty again
void add_row(PairSpool *spool, int number, Fingerprint fingerprint, uint64 tag);
uint64 spooled_rows(const PairSpool *spool, int number);
// Reads up to `most` rows of a store, starting with row number `from`.
void read_rows(PairSpool *spool, int number, uint64 from, Size most, Rows *rows);
// The memory that a store takes besides its rows.
inline constexpr Size kStoreBytes = BLCKSZ + 1024;

// pair_cells.cpp

// A plan that is being executed. Plans nest; a pair that an earlier step of one of them finds is not
// reported.
struct PlanStep {
    const PairPlan *plan;
    int step;
};
inline constexpr int kMostDepth = 5;

// Rows sorted by cells.
struct Cells {
    int bits;
    Rows rows;
    uint32 *begin; // of each cell, and the end of the last
};

struct PairJoin {
    PairOutput *output;
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

// pair_links.cpp

// Keeps the first of the visible rows with equal fingerprints. If `report`, reports its pairs with the
// others.
void link_equal(PairJoin *join, bool report, Rows *rows);

// pair_read.cpp

// The strategy for reading all leaves of a table, or null: like a sequential scan, a join must not drive out what others
// use.
BufferAccessStrategy join_strategy(Relation index);

// Copies the reader's next leaf, so that no lock is held over the work. Returns its block, or InvalidBlockNumber at the
// end. The caller must check the tids.
BlockNumber copy_next_leaf(LeafReader *reader, PGAlignedBlock *copy);

// Reads rows and groups them by cells.
struct PairReader {
    PairOutput *output;
    PairJoin *join;
    Size spool_bytes;
    PairSpool *spool;
    bool within;
    double rows; // of the larger side, an estimate
    Rows page;   // the rows of one page
};

// Requires: the numbers of rows of the output's sides are known.
PairReader *begin_reader(PairOutput *output, Size join_bytes, Size spool_bytes);

// Estimates the costs of bringing the reader's rows to cells.
void set_cell_task(const PairReader &reader, PairTask *task);

// Finds the pairs of rows within the join's radius.
void follow_cells(PairReader *reader, const PairPlan &plan);

// Finds the pairs of one index, or between two, and adds them to the output.
void join_indexes(PairOutput *output, int radius);

// The memory that a join may take.
Size pair_memory();

// pair_store.cpp

// A pass over the signatures of one index or two: it finds candidates by a key of each signature, and then compares
// the signatures.
inline constexpr int kEqualPass = -1; // the key is a hash of the signature: it finds equal ones

struct SignaturePass {
    int radius;
    int bytes; // of a signature
    int words;
    int number; // in the plan, or kEqualPass
    const WordModel *model;
    const WindowPlan *plan;
    uint64 *merged; // the rows of one index that an equal one represents, a bit for each slot; or null

    // The rows of the waiting pairs.
    uint8 *signature;
    uint64 *position;
    uint64 *row; // its number
};

// Reads the body pages of the stores of a side, in order.
struct StoreWalk {
    const PairSide *side;
    const uint64 *merged;
    StoreShape shape;
    BufferAccessStrategy strategy;
    Size segment;      // of the next page
    int body;          // the next one
    int part;          // of the page
    BlockNumber block; // of the page
    Size first_slot;   // of the page, among all of the stores
    PGAlignedBlock page;

    bool has_row(int slot) const
    {
        Size at = first_slot + static_cast<Size>(slot);
        return body_tid(page.data, slot) != kNoRow &&
               (merged == nullptr || !(merged[at / 64] >> at % 64 & 1));
    }
    uint64 position(int slot) const { return side->positions.number(part, store_position(block, slot)); }
};
void begin_store_walk(StoreWalk *walk, const PairSide &side, const uint64 *merged);
// Copies the next page, so that no lock is held over the work. Returns false at the end.
bool next_store_page(StoreWalk *walk);
void end_store_walk(StoreWalk *walk);

// The key of a signature in a pass.
uint64 pass_key(const SignaturePass &pass, const uint8 *signature);

// Compares the signatures of the waiting pairs, and keeps the pairs within the radius that no earlier pass has found,
// with their tids and distances.
void resolve_pairs(PairOutput *output);

// The number of the row at a tid that the store of a part holds; kNoRow if the snapshot cannot see it.
inline uint64 row_number(const PairSide &side, int part, uint64 tid)
{
    return tid != kNoRow && side.tids.blocks.counted(part, tid) ? side.tids.blocks.number(part, tid) : kNoRow;
}

// The number of the row at a store position; kNoRow if VACUUM has removed it.
uint64 stored_row(const PairSide &side, uint64 position);

// The number of slots of the stores of a side.
Size store_slots(const PairSide &side);

// signature_pairs.cpp

// The same as join_indexes for indexes on signatures.
void join_signatures(PairOutput *output, int radius);

} // namespace simhash
