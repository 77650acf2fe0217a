// A sample of the values of a column: its most common values and histogram bounds, from its statistics.
#pragma once

#include "core/bits/fingerprint.hpp"
#include "core/bits/signature.hpp"
#include "pg/planner/near_rows.hpp"
#include "pg/planner/selectivity.hpp"

#include <algorithm>

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "utils/selfuncs.h"
}

namespace simhash
{

// Number of rows assumed for a table of unknown size.
inline constexpr double kUnknownRows = 1000;

// The most common values, and the most histogram bounds, that are used.
inline constexpr int kMostValues = 1000;

// Values of a column, from its statistics. A fingerprint is one word, and so is the sketch of a text; a bit string is its
// bytes, padded with zeros to whole words.
struct SampleValues {
    int bits;           // the length of each value; values of other lengths are omitted
    TextUnit unit;      // of texts
    Fingerprint *words; // of common values first, then of histogram bounds
    double *weights;    // the fraction of rows that each represents
    int common, count;
    double common_rows;     // fraction of rows with a common value, including values omitted here
    double common_distinct; // the number of such values
};

inline int value_words(const SampleValues &sample) { return signature_words(sample.bits); }

inline Fingerprint *value_at(const SampleValues &sample, int i)
{
    return sample.words + static_cast<Size>(i) * static_cast<Size>(value_words(sample));
}

// A column's distribution.
struct ColumnSample : SampleValues {
    double rows;          // of the table
    double nulls;         // fraction of rows that are null
    double rest;          // fraction of rows that are neither null nor a common value
    double distinct;      // number of distinct values
    double rest_distinct; // number of distinct values in the rest
    HeapTuple statistics; // null if there are none, or the user may not use them
    bool readable;        // the user may read all rows
    bool known;           // they are a row of pg_statistic, and not from an extension's hook
    NearRows near;        // of an index, if there is one and the user may use statistics
};

inline double clamp_fraction(double x) { return x > 0 ? std::min(x, 1.0) : 0; }

// A row of pg_statistic.
struct StatisticsRow {
    ItemPointerData place;
    TransactionId written;
    char fixed[sizeof(FormData_pg_statistic)]; // its fixed columns
};

bool is_row(const StatisticsRow &row, HeapTuple tuple);
void note_row(HeapTuple tuple, StatisticsRow *row);

// Writes the words of a value of `type`. Returns false if it has not as many bits as the sample, or is a text without words.
bool read_words(Datum value, Oid type, const SampleValues &sample, Fingerprint *words);

// Describes a column without its values.
ColumnSample describe_column(PlannerInfo *root, VariableStatData vardata, const DistanceTerms &terms);

// Reads the values, of texts the common ones. They are valid until the end of the estimate.
void read_all_values(ColumnSample *sample, Oid type);

// The fraction of pairs of values of two samples by the distance within which they are: a common value, or another one, of
// the first sample, with any of the second one. The distances of very long bit strings are rounded.
struct PairFractions {
    int shift;
    double *common, *others; // null if there are none
};

// Reads what is known of the pairs, of texts nothing, and of the values of both samples except the values themselves. If the
// first is that of a query that may be any of its values, each counts as 1 instead of as the fraction of rows that it
// represents.
PairFractions read_pairs(ColumnSample *a, ColumnSample *b, Oid type, bool any);

// Sets the distance of each value to a value of the same length.
void value_distances(const SampleValues &sample, const Fingerprint *center, int *distance);

} // namespace simhash
