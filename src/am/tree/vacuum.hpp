// Removing dead entries from the trees.
#pragma once

#include "am/index/meta.hpp"

extern "C" {
#include "access/genam.h"
}

namespace simhash
{

// Decides for the walk of VACUUM which entries are dead.
struct DeadEntries {
    // Whether an entry of this table is dead.
    bool (*dead)(const DeadEntries *entries, int table, Tid tid, const IndexMeta &meta);
    IndexBulkDeleteCallback callback;
    void *state; // of the callback

    // Whether the row at this tid of the index's table is dead.
    bool dead_row(Tid tid) const;
};
// Walks all blocks and removes the dead entries from the trees. Counts the rows of the first table and the NULLs.
void vacuum_trees(IndexVacuumInfo *info, IndexBulkDeleteResult *stats, const DeadEntries *entries);

IndexBulkDeleteResult *vacuum_cleanup(IndexVacuumInfo *info, IndexBulkDeleteResult *stats);

} // namespace simhash
