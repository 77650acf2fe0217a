// Compares rows, cell by cell.
#pragma once

#include "am/pairs/pair_output.hpp"

#include "core/kernels/pair_match.hpp"
#include "core/layout/key_order.hpp"
#include "core/layout/pair_plan.hpp"

namespace simhash
{

// A plan that is being executed. Plans nest; a pair that an earlier step of one of them finds is not
// added again.
struct PlanStep {
    const PairPlan *plan;
    int step;
    const BytePermutation *to_fingerprint; // if rows have keys for words; otherwise null
};
inline constexpr int kMostDepth = 5;

// Rows sorted by cells.
struct Cells {
    int bits;
    Rows rows;
    uint32 *begin; // of each cell, and the end of the last
};

struct PairJoin {
    MemoryContext context; // of the arrays
    PairOutput *output;    // null: `sink` takes the pairs, and tags are its own
    PairSink sink;
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
// A join of about `rows` rows, zeroed before, that uses at most `bytes` bytes.
void begin_join(PairJoin *join, Size bytes, double rows);
void plan_memory(PairJoin *join, Size bytes, double rows); // sets `match` and `capacity`
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

// pair_links.cpp: keeps the first of the visible rows with equal words. If `add`, adds its pairs with the others to the
// output.
void link_equal(PairJoin *join, bool add, Rows *rows);

} // namespace simhash
