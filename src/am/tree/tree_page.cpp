// Pages of the trees and descents to them.
#include "am/index/failpoint.hpp"
#include "am/tree/inner_copies.hpp"
#include "am/tree/split.hpp"

extern "C" {
#include "access/xlog.h"
#include "access/xloginsert.h"
#include "catalog/pg_control.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
}

namespace simhash
{

void report_corruption(Relation index, BlockNumber block, const char *what)
{
    ereport(ERROR, errcode(ERRCODE_INDEX_CORRUPTED),
            errmsg("index \"%s\" is corrupted at block %u", RelationGetRelationName(index), block),
            errdetail("%s", what), errhint("Please REINDEX it."));
    pg_unreachable();
}

void lock_tree_page(Relation index, Buffer buffer, BlockNumber block, int mode, int table, int level)
{
    // A writer may hold locks on other pages. If a damaged link led to one of these, or against the order in
    // which pages are locked, it would wait forever. So the page is checked before it is locked. This check
    // is skipped during recovery, because replay may restore a page as zeros first; there are no writers
    // then.
    const char *page = buffer_page(buffer), *fault = nullptr;
    if (!RecoveryInProgress())
        fault = check_page_place(page, BLCKSZ, table, level);
    if (fault == nullptr) {
        lock_buffer(buffer, mode);
        fault = check_tree_page(page, BLCKSZ, table, level,
                                is_wide_index(index) ? index_meta(index)->words(table) : 1);
    }
    if (fault == nullptr)
        fault = check_own_block(page, block);
    // The downlink of a root that seems to have split would be searched for above the root, under its own
    // lock.
    if (fault == nullptr && block == root_block(table) && !is_rightmost(page))
        fault = "The root has a right sibling.";
    if (fault != nullptr)
        report_corruption(index, block, fault);
}

Buffer read_tree_page(Relation index, BlockNumber block, int mode, int table, int level)
{
    if (block == kNoBlock) // ReadBuffer would extend the relation
        report_corruption(index, block, "A link leads nowhere.");
    if (!block_exists(index, block))
        report_corruption(index, block, "A link leads past the end of the index.");
    Buffer buffer = ReadBuffer(index, block);
    lock_tree_page(index, buffer, block, mode, table, level);
    return buffer;
}

Buffer step_right(Relation index, Buffer buffer, int mode)
{
    const char *page = buffer_page(buffer);
    const PageTail *tail = page_tail(page);
    BlockNumber right = tail->right;
    Position high = high_of(page);
    int table = tail->table, level = tail->level;
    UnlockReleaseBuffer(buffer);
    CHECK_FOR_INTERRUPTS();

    Buffer next = read_tree_page(index, right, mode, table, level);
    // A chain that does not ascend could be a cycle.
    if (!is_rightmost(buffer_page(next)) && high_of(buffer_page(next)) <= high)
        report_corruption(index, right, "The page is out of order with its left sibling.");
    return next;
}

namespace
{

// Moves from a locked page of the right level to the page for the position: itself or one of its right
// siblings. Returns an invalid buffer if an incomplete split had to be finished first; then the descent must
// be restarted.
Buffer settle(Relation index, Buffer buffer, Position position, int mode, Position *lower)
{
    for (;;) {
        if (mode == BUFFER_LOCK_EXCLUSIVE && (page_tail(buffer_page(buffer))->flags & kIncompleteSplit)) {
            finish_split(index, buffer);
            return InvalidBuffer;
        }
        if (!belongs_right(buffer_page(buffer), position))
            return buffer;
        *lower = high_of(buffer_page(buffer));
        buffer = step_right(index, buffer, mode);
    }
}

} // namespace

Buffer lock_place(Relation index, const LeafPlace &place, Buffer buffer, int table, Position position,
                  int mode, Position *lower)
{
    lock_leaf(index, place, buffer, table, mode);
    if (place.root && !is_leaf(buffer_page(buffer))) { // it has split since
        UnlockReleaseBuffer(buffer);
        return InvalidBuffer;
    }
    if (belongs_right(buffer_page(buffer), position))
        forget_parent(index, place);
    *lower = place.lower;
    return settle(index, buffer, position, mode, lower);
}

namespace
{

// Descends through the copied inner pages.
Buffer descend_to_leaf(Relation index, int table, Position position, int mode, Position *lower)
{
    LeafPlace place;
    find_leaf(index, table, position, &place);
    failpoint(Failpoint::leaf_found);
    return lock_place(index, place, pin_leaf(index, place), table, position, mode, lower);
}

Buffer descend_to_inner(Relation index, int table, Position position, int mode, int level, Position *lower)
{
    BlockNumber block = root_block(table);
    int at_level = -1; // any level for the root; below, each page must be one level lower
    for (;;) {
        Buffer buffer = read_tree_page(index, block, BUFFER_LOCK_SHARE, table, at_level);
        int page_level = page_tail(buffer_page(buffer))->level;
        if (page_level < level)
            report_corruption(index, block, "The tree is lower than its pages indicate.");
        if (page_level == level) {
            if (mode == BUFFER_LOCK_EXCLUSIVE) {
                // Only the root can have changed its level while it was unlocked.
                LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
                LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
                if (page_tail(buffer_page(buffer))->level != level) {
                    UnlockReleaseBuffer(buffer);
                    return InvalidBuffer;
                }
            }
            return settle(index, buffer, position, mode, lower);
        }
        while (belongs_right(buffer_page(buffer), position))
            buffer = step_right(index, buffer, BUFFER_LOCK_SHARE);
        const char *page = buffer_page(buffer);
        int at = inner_find(page, position);
        *lower = inner_bound(page, at);
        block = inner_link(page, at).child();
        at_level = page_level - 1;
        UnlockReleaseBuffer(buffer);
    }
}

} // namespace

Buffer descend(Relation index, int table, Position position, int mode, int level, Position *lower)
{
    Buffer buffer;
    Position bound = {0, 0};
    do {
        buffer = level == 0 ? descend_to_leaf(index, table, position, mode, &bound)
                            : descend_to_inner(index, table, position, mode, level, &bound);
    } while (!BufferIsValid(buffer));
    if (lower != nullptr)
        *lower = bound;
    return buffer;
}

Buffer extend_index(Relation index, BlockNumber after)
{
    Buffer buffer = after == kNoBlock ? InvalidBuffer : take_unused(index, after);
    while (!BufferIsValid(buffer)) {
        extend_relation_by(index, RELATION_IS_LOCAL(index), 1, &buffer);
        failpoint(Failpoint::page_extended);
        LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
        // The free space map may be older than the index's end and may have offered the page to another
        // split.
        if (!PageIsNew(buffer_page(buffer))) {
            UnlockReleaseBuffer(buffer);
            buffer = InvalidBuffer;
        }
    }
    return buffer;
}

void write_page_images(Relation index, const Buffer *buffer, const char *image, int pages)
{
    bool log = RelationNeedsWAL(index);
    if (log)
        XLogEnsureRecordSpace(pages - 1, 0);
    START_CRIT_SECTION();
    for (int i = 0; i < pages; i++) {
        std::memcpy(buffer_page(buffer[i]), image + BLCKSZ * i, BLCKSZ);
        set_own_block(buffer_page(buffer[i]), buffer[i]);
        MarkBufferDirty(buffer[i]);
    }
    if (log) {
        XLogBeginInsert();
        for (int i = 0; i < pages; i++)
            XLogRegisterBuffer(static_cast<uint8>(i), buffer[i], REGBUF_FORCE_IMAGE | REGBUF_STANDARD);
        XLogRecPtr end_of_record = XLogInsert(RM_XLOG_ID, XLOG_FPI);
        for (int i = 0; i < pages; i++)
            PageSetLSN(buffer_page(buffer[i]), end_of_record);
    }
    END_CRIT_SECTION();
    for (int i = 0; i < pages; i++)
        UnlockReleaseBuffer(buffer[i]);
}

BlockNumber index_blocks(Relation index)
{
    bool lock = !RELATION_IS_LOCAL(index);
    if (lock)
        LockRelationForExtension(index, ExclusiveLock);
    BlockNumber blocks = RelationGetNumberOfBlocks(index);
    if (lock)
        UnlockRelationForExtension(index, ExclusiveLock);
    return blocks;
}

double estimated_leaves(BlockNumber blocks, int tables)
{
    double pages = static_cast<double>(blocks) - 2 - tables; // the metapage, the page of the NULLs, the roots
    return std::max(1.0, pages / tables);
}

} // namespace simhash
