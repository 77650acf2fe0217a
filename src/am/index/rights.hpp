// Who may call the functions that take an index. Each check raises an error if the current user may not. The table of
// a partitioned index is the partitioned one, as in a query that names it.
#pragma once

#include "am/index/open_index.hpp"

namespace simhash
{

// Whether the current user may read a column of a table, or inspect it.
bool may_read_any(Oid table);

// For functions that block others: the user must own the table.
void check_ownership(Oid index, Oid heap);

// For functions that reveal fingerprints: the user must be allowed to read the indexed columns in a query.
void check_reading_rights(Oid index, Oid heap);

// For functions that reveal fingerprints and the ctids of their rows, and of rows of partitions the tableoids.
void check_tid_reading_rights(Oid index, Oid heap);

// Raises an error if row-level security on the table applies to the current user: the index would show hidden rows.
void refuse_row_security(const IndexSet &set);

} // namespace simhash
