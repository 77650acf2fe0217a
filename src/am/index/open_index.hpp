// Opens an index for the SQL functions that take one: for a partitioned index, those of the leaf partitions.
//
// Privileges are checked before anything is locked, and tables are locked before their indexes. So these functions can
// neither make others wait without the right to, nor deadlock with queries.
#pragma once

#include "pg/server/compat.hpp"

extern "C" {
#include "utils/rel.h"
}

namespace simhash
{

struct IndexKind;

// Raises an error unless the current user owns the index's table or has the privileges of
// pg_stat_scan_tables.
void check_inspection_rights(Oid index, Oid table);

// The indexes that an SQL function reads: the one that it is given or, if that is partitioned, those of the leaf
// partitions, in the order of the OIDs of their tables.
struct IndexSet {
    Oid named; // the one given
    Oid table; // its table, on which privileges and row-level security are checked
    int count;
    Relation *index;
};

// Opens and locks an index for an SQL function, and locks its table, with all partitions. Raises an error if the
// relation is not a simhash index, or if check_rights raises one, or if the index is of another kind than `readable`,
// which is null if the function reads all kinds.
IndexSet open_indexes(Oid oid, LOCKMODE lock, void (*check_rights)(Oid index, Oid table),
                      const IndexKind *readable);
// Closes them. The locks stay until the end of the transaction.
void close_indexes(const IndexSet &set);

// Returns the index of a whole table of which a partition's index is a part, or InvalidOid.
Oid whole_index(Oid index);

} // namespace simhash
