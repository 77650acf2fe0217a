// A sample of the values of a column: its most common values and histogram bounds, from its statistics.
#pragma once

#include "core/fingerprint/fingerprint.hpp"
#include "core/signature/signature.hpp"
#include "pg/planner/selectivity.hpp"

#include <algorithm>

extern "C" {
#include "utils/selfuncs.h"
}

namespace simhash
{

// Number of rows assumed for a table of unknown size.
inline constexpr double kUnknownRows = 1000;

// Values of a column, from its statistics. A fingerprint is one word; a bit string is its bytes, padded with
// zeros to whole words.
struct SampleValues {
    int bits;           // the length of each value; values of other lengths are omitted
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
struct Sample : SampleValues {
    double rows;          // of the table
    double nulls;         // fraction of rows that are null
    double rest;          // fraction of rows that are neither null nor a common value
    double distinct;      // number of distinct values
    double rest_distinct; // number of distinct values in the rest
};

inline double clamp_fraction(double x) { return x > 0 ? std::min(x, 1.0) : 0; }

// Writes the words of a value of `type`. Returns false if its length is not `bits`.
bool read_words(Datum value, Oid type, int bits, Fingerprint *words);

// Loads at most `limit` values of each kind, or all for kAllValues. Statistics that come from an extension's hook are
// not cached.
inline constexpr int kAllValues = PG_INT32_MAX;
Sample load_sample(VariableStatData *vardata, const DistanceTerms &terms, int limit);
void free_sample(Sample &sample);

} // namespace simhash
