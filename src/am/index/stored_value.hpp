// What an index stores of a row's value: the value itself or, if the operator class has a support function, what that
// makes of it. The function is one of the extension's, which amvalidate checks. It makes NULL of a value that no
// operator finds, so the tree of the NULLs may have rows whose column is not NULL, and conditions on NULL are checked
// again.
#pragma once

#include "pg/server/postgres.hpp"

extern "C" {
#include "utils/rel.h"
}

namespace simhash
{

inline constexpr int kExtractProc = 1; // the support function's number

// The number of the column that is searched, from 0: the last one.
inline int value_column(Relation index) { return IndexRelationGetNumberOfKeyAttributes(index) - 1; }
bool extracts(Relation index);
// The type of what is stored, or the type that the operator class is for if it is stored as it is.
Oid stored_type(Relation index);

// The columns before it are for conditions of equality. What is stored is XORed with a mask of their values' hashes: so the
// distances between rows with equal values are those of the searched column, and other rows are anywhere. A search with
// the mask of its values finds all of its rows, and some others by chance, so each row is checked again.
//
// Returns the mask after one more value, of a type that has the hash function of the column's. NULL has one, too.
std::uint64_t mask_value(Relation index, int column, Oid type, Datum value, bool null, std::uint64_t mask);
inline constexpr std::uint64_t kNoMask = 0; // of an index with one column, and before the first value

struct StoredValue {
    Datum value;
    bool null;
};
// Returns what is extracted of a value of the searched column, or the value, a long one from where it is stored. It is valid
// until the next call: it and what the function allocates are in memory of their own, as a build passes millions of rows.
StoredValue extract_value(Relation index, Datum value);
// Returns what is stored of a row's values, valid as long.
StoredValue stored_value(Relation index, const Datum *values, const bool *isnull);

} // namespace simhash
