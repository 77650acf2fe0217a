// simhash_pairs and simhash_join: what their files share. doc/pairs.md describes the method.
//
//   pairs        the SQL functions      pair_read    rows from the index, by its tables or by a plan of cells
//   pair_spool   rows by partitions     pair_cells   comparing rows that were brought together
//   pair_output  which pairs are visible                pair_links   rows of equal fingerprints as one
#pragma once

#include "am/tree/index.hpp"

#include "core/kernels/pair_match.hpp"
#include "core/pairs/pair_plan.hpp"

extern "C" {
#include "access/tableam.h"
#include "executor/tuptable.h"
#include "storage/buffile.h"
}

namespace simhash
{

// An entry of an index: the fingerprint, and a tag: the tid, packed, in the low 48 bits.
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

// A tag whose tid is that of a tuple version which the snapshot sees; others are the index's.
inline constexpr uint64 kVisible = UINT64CONST(1) << 48;
inline constexpr uint64 kTidMask = kVisible - 1;

// pairs.cpp

// Takes the pairs that are found: the tids as the snapshot sees them, packed; for pairs of one table a < b.
struct PairSink {
    void (*put)(void *context, uint64 a, uint64 b, int distance);
    void *context;
};

enum class PairsWanted {
    all,
    links // enough of one table's to tell which rows hang together: of equal fingerprints every row with one
};

// Finds the pairs within a distance of the rows of one index, or of two, with the checks of rights and the
// locks that a query takes.
void find_pairs(const Oid *index, int indexes, int distance, PairsWanted wanted, PairSink sink);

// pair_output.cpp

struct PairSide {
    Relation index;
    Relation heap;
    IndexFetchTableData *fetch;
    TupleTableSlot *slot;
    IndexMeta *meta;
    double rows; // an estimate
};

struct FoundPair {
    uint64 tag[2]; // the first one's highest byte: the distance
};

struct Probe {
    uint64 key; // the side in bit 48, the tid below
    Size at;    // 2 * pair + place
};

struct PairOutput {
    Snapshot snapshot;
    PairSide side[2]; // only the first one for pairs of one table
    int sides;
    PairsWanted wanted;
    PairSink sink;
    FoundPair *pair;
    Size pairs;
    Size capacity;
    Probe *probe;        // room for 2 * capacity
    double seen, unseen; // pairs so far
    double many_unseen;
    bool filter_early; // so many pairs were of versions not seen that rows are looked up before they meet
};

void begin_output(PairOutput *output, Size bytes);
void end_output(PairOutput *output);
// Checks the pairs that are waiting and returns those of visible rows.
void flush_pairs(PairOutput *output);

inline void add_pair(PairOutput *output, uint64 a, uint64 b, int distance)
{
    if (output->pairs == output->capacity)
        flush_pairs(output);
    output->pair[output->pairs++] = {{a | static_cast<uint64>(distance) << 56, b}};
}

// Takes the rows away that the snapshot does not see, and marks the others.
void filter_rows(PairOutput *output, int side, Rows *rows);

// pair_spool.cpp

// Rows in stores, in memory as long as there is room, else in a temporary file each.
struct PairSpool;

// For about so many rows, in at most so many bytes.
PairSpool *begin_pair_spool(Size bytes, int stores, double rows);
void end_pair_spool(PairSpool *spool);
void clear_pair_spool(PairSpool *spool); // all stores are empty again
void add_row(PairSpool *spool, int store, Fingerprint fingerprint, uint64 tag);
uint64 spooled_rows(const PairSpool *spool, int store);
// Reads up to `most` rows of a store from number `from` on.
void read_rows(PairSpool *spool, int store, uint64 from, Size most, Rows *rows);
// The memory that a store takes beside that of its rows.
inline constexpr Size kStoreBytes = BLCKSZ + 1024;

// pair_cells.cpp

// A plan being followed, one in another: pairs that an earlier step of one of them finds are not reported.
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
    int side[2]; // of the output, from which x and y are; the same for pairs of one table
    int depth;
    PlanStep under[kMostDepth];

    Size capacity; // of raw and cells
    Rows raw;      // for whoever brings rows together
    Cells cells[2];
    uint32 *cell; // room for the numbers of `capacity` rows' cells

    char *arena; // for rows that are sorted again
    Size arena_size;
    Size arena_used;

    RowPair *found;
    RowRun *run; // what waits to be compared: one of the two
    RunPair *run_pair;
    Size runs;
    double work; // comparisons
};

// The memory that a join takes for each row, and a join of about so many rows in at most so many bytes.
inline constexpr Size kJoinRowBytes = 104;
void begin_join(PairJoin *join, Size bytes, double rows);
void end_join(PairJoin *join);

// The most bits by which `rows` rows are sorted: more cells than that would be mostly empty.
int most_sort_bits(Size rows);

// Sorts rows by the lowest `bits` bits of their cells' numbers.
void sort_cells(PairJoin *join, const Rows &rows, const CellMap &map, int bits, Cells *cells);

// Compares the cells with those within `budget` of them; y is x itself for the pairs of one set of rows.
// Besides the numbers' bits, the rows differ in at most join->radius - radius of the used bits, and pairs
// that differ in more are not asked for.
void join_cells(PairJoin *join, const Cells &x, const Cells &y, int budget, Fingerprint used, int radius);

// pair_links.cpp

// Of visible rows with equal fingerprints keeps the first one, and may report its pairs with the others.
void link_equal(PairJoin *join, bool report, Rows *rows);

// pair_read.cpp

// Reports the pairs of one index, or of the two.
void join_indexes(PairOutput *output, int radius);

} // namespace simhash
