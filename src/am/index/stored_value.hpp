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

struct StoredValue {
    Datum value;
    bool null;
};
// Returns what is stored of a value of the searched column. It is valid until the next call: it and what the function
// allocates are in memory of their own, as a build passes millions of rows.
StoredValue extract_value(Relation index, Datum value);
// The same of a row's values.
StoredValue stored_value(Relation index, const Datum *values, const bool *isnull);

} // namespace simhash
