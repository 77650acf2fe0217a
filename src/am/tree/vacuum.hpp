// Removing dead entries from the trees. When the walk is over, no entry of a row that was dead before it is left, so
// the heap may reuse its tid. Signature indexes remove entries by their position in the store, and free that
// afterwards.
#pragma once

#include "am/index/meta.hpp"

extern "C" {
#include "access/genam.h"
}

namespace simhash
{

// Decides for the walk of VACUUM which entries are dead.
struct DeadEntries {
    // Whether the row at a tid of the index's table is dead: the server's answer, which is the same throughout a
    // VACUUM.
    IndexBulkDeleteCallback callback;
    void *state; // of the callback
    // For an index whose trees do not have tids in their entries: whether an entry with this position is dead.
    bool (*dead_position)(const DeadEntries *entries, Tid position);
};
// Walks all blocks and removes the dead entries from the trees, if `entries` is not null. Counts the rows of the first tree
// and the NULLs then. Finds unused pages and deletes sparse ones.
void vacuum_trees(IndexVacuumInfo *info, IndexBulkDeleteResult *stats, const DeadEntries *entries);

// Walks if nothing was removed and the free space map lacks unused pages.
IndexBulkDeleteResult *vacuum_cleanup(IndexVacuumInfo *info, IndexBulkDeleteResult *stats);

} // namespace simhash
