// VACUUM: walks all blocks in physical order and removes the dead entries from each leaf. A split moves
// entries only to blocks beyond its own: to a new block at the end, or to an unused block farther back. So
// every entry has been seen once the walk reaches the end.
#include "am/tree/vacuum.hpp"

#include "am/index/failpoint.hpp"
#include "am/index/heap_tid.hpp"
#include "am/tree/split.hpp"

extern "C" {
#include "commands/vacuum.h"
#include "miscadmin.h"
#include "storage/indexfsm.h"
}

namespace simhash
{

namespace
{

// Processes one block of the walk. It counts rows, not entries: those of one table and the NULLs.
void vacuum_block(const IndexVacuumInfo *info, const IndexMeta &meta, BlockNumber block,
                  IndexBulkDeleteResult *stats, UnusedPages *unused, const DeadEntries *entries)
{
    Relation index = info->index;
    Buffer buffer = ReadBufferExtended(index, MAIN_FORKNUM, block, RBM_NORMAL, info->strategy);
    // This includes leaves with nothing to delete: a scan whose snapshot is not an MVCC snapshot relies on
    // its pin.
    LockBufferForCleanup(buffer);
    Page page = buffer_page(buffer);
    if (PageIsNew(page)) { // left behind by a crash or an error
        stats->pages_free++;
        note_unused(index, unused, block);
        UnlockReleaseBuffer(buffer);
        return;
    }
    const char *fault = check_any_page(meta, page, block);
    if (fault != nullptr)
        report_corruption(index, block, fault);
    int table = page_tail(page)->table;
    if (!is_leaf(page)) { // also a page that belongs to no tree
        UnlockReleaseBuffer(buffer);
        return;
    }

    bool counts = table == 0 || table == meta.null_table();
    GenericXLogState *state = nullptr;
    int removed = 0;
    for (int i = leaf_count(page) - 1; i >= 0; i--) {
        if (!is_entry_tid(meta, table, leaf_tid(page, i).packed()))
            report_corruption(index, block, "An entry has an invalid tid.");
        if (!entries->dead(entries, table, leaf_tid(page, i), meta))
            continue;
        if (state == nullptr) {
            state = GenericXLogStart(index);
            page = GenericXLogRegisterBuffer(state, buffer, 0);
        }
        leaf_remove(page, i); // the last entry takes its place; it has been checked already
        removed++;
    }
    if (counts) {
        stats->num_index_tuples += leaf_count(page);
        stats->tuples_removed += removed;
    }
    if (state != nullptr) {
        failpoint(Failpoint::vacuum_delete);
        GenericXLogFinish(state);
    }
    UnlockReleaseBuffer(buffer);
}

} // namespace

void vacuum_trees(IndexVacuumInfo *info, IndexBulkDeleteResult *stats, const DeadEntries *entries)
{
    IndexMeta *meta = copy_index_meta(info->index, CurrentMemoryContext);
    stats->num_index_tuples = 0;
    stats->pages_free = 0;
    stats->estimated_count = false;
    auto *unused = static_cast<UnusedPages *>(palloc0(sizeof(UnusedPages)));
    BlockNumber block = kMetaBlock + 1;
    for (;;) {
        BlockNumber blocks = index_blocks(info->index);
        stats->num_pages = blocks;
        if (block >= blocks)
            break;
        for (; block < blocks; block++) {
            delay_vacuum();
            failpoint(Failpoint::vacuum_page);
            vacuum_block(info, *meta, block, stats, unused, entries);
        }
    }
    recycle_unused(info->index, *meta, *unused, info->strategy);
    pfree(unused);
    pfree(meta);
}

bool DeadEntries::dead_row(Tid tid) const
{
    ItemPointerData pointer = pointer_of(tid);
    return callback(&pointer, state);
}

IndexBulkDeleteResult *vacuum_cleanup(IndexVacuumInfo *, IndexBulkDeleteResult *stats)
{
    return stats; // nothing to clean up; without stats, no entries were deleted and nothing has changed
}

} // namespace simhash
