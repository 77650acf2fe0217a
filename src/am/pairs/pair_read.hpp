// Reads the rows of a join and brings them to cells.
#pragma once

#include "am/pairs/pair_cells.hpp"
#include "am/pairs/pair_spool.hpp"
#include "am/tree/leaf_reader.hpp"

namespace simhash
{

// The strategy for reading all leaves of a table, or null: like a sequential scan, a join must not drive out what
// others use.
BufferAccessStrategy join_strategy(Relation index);

// Reads rows and groups them by cells.
struct PairReader {
    PairOutput *output; // null: all rows are in the spool, and all are wanted
    PairJoin *join;
    Size spool_bytes;
    PairSpool *spool;
    bool within;
    bool links;    // rows with equal words are linked, and one of them is kept
    int processes; // that share the work
    double rows;   // of the larger side, an estimate
    Rows page;     // the rows of one page
};

// The numbers of rows of the output's sides must be known.
PairReader *begin_reader(PairOutput *output, Size join_bytes, Size spool_bytes, int processes = 1);

// The same without memory for rows, for an estimate.
void plan_reader(PairOutput *output, Size join_bytes, Size spool_bytes, int processes, PairReader *reader,
                 PairJoin *join);

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
struct PartitionWork {
    PairReader *reader;
    PartitionShare share;
    int x_store, y_store;
    const CellMap *map;
    int low_bits;
    const PairStep *step;
    uint32 partition; // the next one of x
    uint64 at;        // its next row
};
// Compares as many rows of x as fit into memory. Returns false if there are no more.
bool join_next_part(PartitionWork *work);
inline void join_partitions(PairReader *reader, const PartitionShare &share, int x_store, int y_store,
                            const CellMap &map, int low_bits, const PairStep &step)
{
    PartitionWork work = {reader, share, x_store, y_store, &map, low_bits, &step, 0, 0};
    while (join_next_part(&work)) {
    }
}
void log_plan(const char *source, const PairPlan &plan);

// Estimates the costs of bringing the reader's rows to cells.
void set_cell_task(const PairReader &reader, PairTask *task);

// Finds the pairs of rows within the join's radius, piece by piece.
struct CellsWork {
    PairReader *reader;
    const PairPlan *plan;
    int step, share; // the next ones
    CellMap map;     // of the step
    PartitionWork parts;
};
void begin_cells(CellsWork *work, PairReader *reader, const PairPlan &plan);
bool continue_cells(CellsWork *work); // returns false at the end

} // namespace simhash
