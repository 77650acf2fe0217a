// What an index has measured of its rows: how many others are near one. The estimates of joins use it. The access method
// tells where the figures are.
#pragma once

#include "core/page/neighbor_figures.hpp"
#include "core/text/text_features.hpp"
#include "pg/server/postgres.hpp"

extern "C" {
#include "access/htup.h"
#include "nodes/pathnodes.h"
}

namespace simhash
{

struct NearRows {
    const IndexOptInfo *index;
    int bits;
    NeighborFigures figures; // of 0 rows if nothing is known
    // Of a partitioned table the index is that of a partition, and the figures are the mean of the partitions'. They have
    // been measured within each.
    const RelOptInfo *rel = nullptr;
    List *partitions = NIL; // the indexes of some of the partitions; NIL if it is not partitioned
    double all = 1;         // how many times as many rows as those have all

    bool known() const { return figures.rows > 0; }
    // Whether the distance was measured.
    bool reaches(int radius) const;
    // What a figure is at a radius, or at the largest measured one.
    double mean(int radius) const { return at(figures.mean, radius); }
    double share(int radius) const { return at(figures.share, radius); }
    double typical(int radius) const { return at(figures.typical, radius); }

private:
    double at(const float *figure, int radius) const;
};

// Finds the figures of an index on a value, a column or an expression of a relation that is not partitioned; on texts, one of
// this unit. Returns false if there are none.
//
// And searches an index for the values of a sample of another table's: sets the number of rows within a radius of each, as
// many as there is time for. Returns their number.
struct NearRowsSource {
    bool (*find)(const RelOptInfo *rel, Node *value, TextUnit unit, NearRows *found);
    int (*search)(const IndexOptInfo *index, const Datum *value, int count, int radius, double microseconds,
                  double *rows);
    std::uint32_t (*number)(
        const IndexOptInfo *index); // another one when the index has been vacuumed or analyzed
};
void set_near_rows_source(const NearRowsSource *of);
bool find_near_rows(PlannerInfo *root, const RelOptInfo *rel, Node *value, TextUnit unit, NearRows *found);

// The number of rows of a table. PostgreSQL does not keep it for a partitioned one.
double table_rows(const RelOptInfo *rel);

// How many near rows in an index the rows of another column have, by the statistics of that.
struct FoundRows {
    double mean;
    double share; // of the rows that have one
};
// Searches the index. Returns false if the statistics have too few values, or if searches take too long. What a backend has
// found it remembers.
bool search_near_rows(HeapTuple statistics, const NearRows &near, int radius, FoundRows *found);

// Whether two relations of a query are the same table.
bool same_table(PlannerInfo *root, const RelOptInfo &a, const RelOptInfo &b);
// The same of those of an index, so that their rows have the neighbors that it has measured.
bool same_rows(PlannerInfo *root, const NearRows &a, const NearRows &b);
// Whether a condition does not hold for a row of one relation and the same row of another: a.id < b.id, a.id <> b.id.
bool parts_rows(const Expr *clause, Index x, Index y);
// Whether one of the conditions of a join does so.
bool excludes_itself(const RelOptInfo *a, const RelOptInfo *b);
// How many values the columns have by which two relations, the same table, are joined, too. PostgreSQL expects that they
// are independent of the near rows; but a row has the values of itself, and the neighbors in an index of several columns
// have been measured among the rows with equal values of the columns before the searched one.
struct JoinedValues {
    double of_columns; // of those of the index; 1 if rows are not joined by all of them
    double of_all;     // of all columns without a constant
};
JoinedValues joined_values(PlannerInfo *root, const NearRows &a, const NearRows &b);

} // namespace simhash
