// Inserting a row's entries into the trees.
#pragma once

#include "am/index/meta.hpp"

namespace simhash
{

// Inserts a row's entries into the trees from `table` to before `end`; key[i] is what the leaf of tree i stores.
void insert_entries(Relation index, const IndexMeta &meta, int table, int end, const LeafKey *key, Tid tid);

} // namespace simhash
