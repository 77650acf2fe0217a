// VACUUM: walks all blocks in physical order and removes the dead entries from each leaf. A split moves
// entries only to blocks beyond its own meanwhile: to a new block at the end, or to an unused block farther back. So
// every entry has been seen once the walk reaches the end.
//
// A leaf with tids that the memo does not know waits until a group of leaves has come together. Then these tids are looked
// up, and the walk visits the group once more, in the same order. In between, entries may have moved to blocks that were
// unused when the walk passed them, so such a block belongs to the group, too. In all trees but the first that is read,
// nearly all tids are known, and a leaf is visited once.
//
// A leaf is locked for clean-up even if none of its entries is dead: a scan with another snapshot than an MVCC one keeps the
// pin until it has read the rows, whose tids the heap reuses after VACUUM. The walk holds one lock at a time. Pages are
// deleted when it is over, since entries then move to blocks that it has passed.
//
// If nothing is to be removed, but the free space map lacks unused pages, the same walk only finds these.
#include "am/tree/vacuum.hpp"

#include "am/index/failpoint.hpp"
#include "am/index/heap_tid.hpp"
#include "am/tree/split.hpp"
#include "am/tree/tid_memo.hpp"
#include "am/tree/unlink.hpp"

extern "C" {
#include "commands/progress.h"
#include "commands/vacuum.h"
#include "pgstat.h"
#include "storage/indexfsm.h"
#include "utils/memutils.h"
}

namespace simhash
{

namespace
{

constexpr int kGroup = kFailpoints ? 16 : 4096;

// A block that is to be visited again.
struct Deferred {
    BlockNumber block;
    int rows; // of those that the walk counts
};

struct Walk {
    const IndexVacuumInfo *info;
    OpenIndex index;
    const DeadEntries *entries; // null if no entries are removed
    IndexBulkDeleteResult *stats;
    UnusedPages unused;
    SparsePages sparse;
    TidMemo memo;
    int deferred;
    bool deferred_dead; // whether a deferred leaf has an entry that is known to be dead
    Deferred group[kGroup];
    LeafEntry entry[leaf_capacity(BLCKSZ)]; // of the present leaf
    std::uint16_t place[leaf_capacity(BLCKSZ)];
};

void defer(Walk *walk, BlockNumber block, int rows) { walk->group[walk->deferred++] = {block, rows}; }

// The state of an entry. If it is not known, it is wanted, unless this is the second visit.
TidMemo::State entry_state(Walk *walk, int tree, Tid tid, bool again)
{
    const DeadEntries *entries = walk->entries;
    if (entries->dead_position != nullptr && tree != walk->index.meta->null_tree())
        return entries->dead_position(entries, tid) ? TidMemo::kDead : TidMemo::kAlive;
    TidMemo::State state = walk->memo.state(tid);
    if (state == TidMemo::kUnknown && !again && walk->memo.want(tid))
        return TidMemo::kWanted;
    if (state == TidMemo::kUnknown)
        return walk->memo.ask(tid) ? TidMemo::kDead : TidMemo::kAlive;
    return state;
}

struct LeafStates {
    int dead;
    int wanted;
    PlaceSet dead_places;
};

void read_states(Walk *walk, Buffer buffer, bool again, LeafStates *states)
{
    constexpr int kAhead = 32; // hides the latency of the memory
    const char *page = buffer_page(buffer);
    int tree = page_tail(page)->tree, count = 0;
    visit_leaf(page, [&](int place, const LeafEntry &entry) {
        walk->memo.expect(Tid::unpack(entry.tid));
        walk->entry[count] = entry;
        walk->place[count++] = static_cast<std::uint16_t>(place);
    });
    for (int i = 0; i < count; i++) {
        if (i + kAhead < count)
            walk->memo.prefetch(Tid::unpack(walk->entry[i + kAhead].tid));
        Tid tid = Tid::unpack(walk->entry[i].tid);
        if (!is_entry_tid(*walk->index.meta, tree, tid.packed()))
            report_corruption(walk->index, BufferGetBlockNumber(buffer), "An entry has an invalid tid.");
        TidMemo::State state = entry_state(walk, tree, tid, again);
        states->wanted += state == TidMemo::kWanted;
        if (state == TidMemo::kDead) {
            states->dead++;
            states->dead_places.add(walk->place[i]);
        }
    }
}

void remove_dead(Walk *walk, Buffer buffer, const PlaceSet &dead)
{
    GenericXLogState *state = GenericXLogStart(walk->index);
    // If the heap reused the tids of entries that are left, the index would return other rows.
    if (!leaf_remove(GenericXLogRegisterBuffer(state, buffer, 0), dead, walk->entry))
        elog(ERROR, "the rest of a leaf does not fit into a page");
    failpoint(Failpoint::vacuum_delete);
    GenericXLogFinish(state);
}

// It counts rows, not entries: those of one tree and the NULLs.
void vacuum_leaf(Walk *walk, Buffer buffer, bool again)
{
    const char *page = buffer_page(buffer);
    int tree = page_tail(page)->tree;
    bool counts = tree == 0 || tree == walk->index.meta->null_tree();
    LeafStates states = {};
    read_states(walk, buffer, again, &states);
    if (states.wanted > 0) {
        defer(walk, BufferGetBlockNumber(buffer), counts ? leaf_count(page) : 0);
        walk->deferred_dead = walk->deferred_dead || states.dead > 0;
        return;
    }
    if (states.dead > 0)
        remove_dead(walk, buffer, states.dead_places);
    if (counts) {
        walk->stats->num_index_tuples += leaf_count(page);
        walk->stats->tuples_removed += states.dead;
    }
}

// A deleted page, or one that a crash or an error left behind. A split may use it while the walk's group waits.
void pass_unused(Walk *walk, BlockNumber block, bool deleted)
{
    walk->stats->pages_free++;
    if (deleted)
        note_deleted(walk->index, block);
    else
        note_unused(walk->index, &walk->unused, block);
    if (walk->deferred > 0)
        defer(walk, block, 0);
}

void visit_block(Walk *walk, BlockNumber block, bool again)
{
    Relation index = walk->index;
    delay_vacuum();
    failpoint(again ? Failpoint::vacuum_again : Failpoint::vacuum_page);
    Buffer buffer = ReadBufferExtended(index, MAIN_FORKNUM, block, RBM_NORMAL, walk->info->strategy);
    // This includes leaves with nothing to delete: a scan whose snapshot is not an MVCC snapshot relies on
    // its pin.
    if (walk->entries != nullptr)
        LockBufferForCleanup(buffer);
    else
        LockBuffer(buffer, BUFFER_LOCK_SHARE);
    Page page = buffer_page(buffer);
    bool deleted = false, unused = PageIsNew(page);
    if (!unused) {
        const char *fault = check_any_page(*walk->index.meta, page, block);
        if (fault != nullptr)
            report_corruption(index, block, fault);
        unused = deleted = is_deleted(page);
        if (is_leaf(page) && walk->entries != nullptr)
            vacuum_leaf(walk, buffer, again);
        if (!deleted && in_trees(*walk->index.meta, page))
            note_page(&walk->sparse, page, block);
    }
    UnlockReleaseBuffer(buffer);
    if (!unused)
        note_used(index, block);
    else if (!again)
        pass_unused(walk, block, deleted);
}

// If no entry of the group is dead, the first visit was enough: none can have become dead since.
void finish_group(Walk *walk)
{
    bool dead = walk->memo.answer_wanted() || walk->deferred_dead;
    for (int i = 0; i < walk->deferred; i++) {
        if (dead)
            visit_block(walk, walk->group[i].block, true);
        else
            walk->stats->num_index_tuples += walk->group[i].rows;
    }
    walk->deferred = 0;
    walk->deferred_dead = false;
}

void report_progress(const Walk &walk, BlockNumber done)
{
    if (!walk.info->report_progress)
        return;
    pgstat_progress_update_param(PROGRESS_SCAN_BLOCKS_TOTAL, walk.stats->num_pages);
    pgstat_progress_update_param(PROGRESS_SCAN_BLOCKS_DONE, done);
}

void walk_blocks(Walk *walk)
{
    BlockNumber block = kMetaBlock + 1;
    for (;;) {
        BlockNumber blocks = index_blocks(walk->index);
        walk->stats->num_pages = blocks;
        if (block >= blocks)
            break;
        for (; block < blocks; block++) {
            visit_block(walk, block, false);
            report_progress(*walk, block);
            if (walk->deferred == kGroup)
                finish_group(walk);
        }
        // Splits may have moved entries of the group to the end, so the length is read again afterwards.
        finish_group(walk);
    }
    report_progress(*walk, block);
}

// Half of the memory: the server keeps the dead tids themselves in as much again. In tests there is room for a part of the
// table whose pages have the most line pointers, and not for the whole table.
Size memo_limit() { return kFailpoints ? Size{8} << 10 : static_cast<Size>(vacuum_work_mem()) * 1024 / 2; }

} // namespace

void vacuum_trees(IndexVacuumInfo *info, IndexBulkDeleteResult *stats, const DeadEntries *entries)
{
    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash walk", ALLOCSET_DEFAULT_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(context);
    stats->num_index_tuples = 0;
    stats->pages_free = 0;
    stats->estimated_count = false;
    auto *walk = allocate_zero<Walk>();
    walk->info = info;
    walk->index = use_index(info->index, context);
    walk->entries = entries;
    walk->stats = stats;
    if (entries != nullptr) {
        walk->memo.begin(entries->callback, entries->state, memo_limit());
        begin_walk(info->index);
    }
    walk_blocks(walk);
    if (entries != nullptr)
        end_walk(info->index);
    elog(DEBUG2, "vacuum of index \"%s\" looked up " UINT64_FORMAT " tids",
         RelationGetRelationName(info->index), walk->memo.asked());
    recycle_unused(walk->index, walk->unused, info->strategy);
    const BlockNumber deleted = unlink_sparse(walk->index, &walk->sparse);
    // They can be used again at once.
    stats->pages_free += deleted;
    stats->pages_deleted = stats->pages_free;
#if PG_VERSION_NUM >= 140000
    stats->pages_newly_deleted += deleted;
#endif
    note_unused_pages(info->index, stats->pages_free);
    if (stats->pages_free > 0)
        IndexFreeSpaceMapVacuum(info->index);
    MemoryContextSwitchTo(caller);
    MemoryContextDelete(context);
}

IndexBulkDeleteResult *vacuum_cleanup(IndexVacuumInfo *info, IndexBulkDeleteResult *stats)
{
    if (stats != nullptr || !map_lacks_pages(info->index))
        return stats;
    stats = allocate_zero<IndexBulkDeleteResult>();
    vacuum_trees(info, stats, nullptr);
    stats->num_index_tuples = info->num_heap_tuples;
    stats->estimated_count = true;
    return stats;
}

} // namespace simhash
