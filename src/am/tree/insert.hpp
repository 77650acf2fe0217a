// Inserting a row's entries into the trees.
//
// The entries of a few consecutive tables are one WAL record, so a crash or an error can leave a row in some tables
// only. That does no harm, because no snapshot sees such a row, and VACUUM removes its entries. The other way round,
// joins and the check rely on it that a row which a snapshot sees has an entry in every table.
#pragma once

#include "am/index/meta.hpp"

namespace simhash
{

// Inserts a row's entries into the trees from `table` to before `end`; key[i] is what the leaf of tree i stores.
void insert_entries(Relation index, const IndexMeta &meta, int table, int end, const LeafKey *key, Tid tid);

} // namespace simhash
