#include "am/tree/tree_page.hpp"

#include "am/index/failpoint.hpp"
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

const char *lock_tree_page(const OpenIndex &index, Buffer buffer, BlockNumber block, int mode, int tree,
                           int level)
{
    // A writer may hold locks on other pages. If an old or a damaged link led to one of these, or against the order
    // in which pages are locked, it would wait forever. So the place is checked before the page is locked. This check
    // is skipped during recovery, because replay may restore a page as zeros first; there are no writers then.
    const char *page = buffer_page(buffer), *stale = nullptr;
    if (!RecoveryInProgress())
        stale = check_page_place(page, BLCKSZ, tree, level);
    if (stale != nullptr)
        return stale;
    lock_buffer(buffer, mode);
    stale = check_page_place(page, BLCKSZ, tree, level);
    if (stale != nullptr) {
        LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
        return stale;
    }
    const char *fault = check_tree_page(page, BLCKSZ, tree, level, index.meta->words_of(tree));
    if (fault == nullptr)
        fault = check_own_block(page, block);
    // The downlink of a root that seems to have split would be searched for above the root, under its own
    // lock.
    if (fault == nullptr && block == root_block(tree) &&
        (!is_rightmost(page) || low_of(page) != Position{0, 0}))
        fault = "The root's range is not the whole tree.";
    if (fault != nullptr)
        report_corruption(index, block, fault);
    return nullptr;
}

Buffer read_tree_page(const OpenIndex &index, BlockNumber block, int mode, int tree, int level,
                      const char **stale)
{
    if (block == kNoBlock) // ReadBuffer would extend the relation
        report_corruption(index, block, "A link leads nowhere.");
    if (!block_exists(index, block))
        report_corruption(index, block, "A link leads past the end of the index.");
    Buffer buffer = ReadBuffer(index, block);
    *stale = lock_tree_page(index, buffer, block, mode, tree, level);
    if (*stale == nullptr)
        return buffer;
    ReleaseBuffer(buffer);
    return InvalidBuffer;
}

Buffer step_right(const OpenIndex &index, Buffer buffer, int mode, const char **stale)
{
    const char *page = buffer_page(buffer);
    const PageTail *tail = page_tail(page);
    BlockNumber right = tail->right;
    Position high = high_of(page);
    int tree = tail->tree, level = tail->level;
    UnlockReleaseBuffer(buffer);
    CHECK_FOR_INTERRUPTS();

    Buffer next = read_tree_page(index, right, mode, tree, level, stale);
    if (BufferIsValid(next) && !covers(buffer_page(next), high)) {
        *stale = "The page does not begin where its left sibling ends.";
        UnlockReleaseBuffer(next);
        return InvalidBuffer;
    }
    return next;
}

void StaleLinks::start_again(Relation index, BlockNumber block, const char *stale)
{
    constexpr int kMost = 100;
    if (++met > kMost)
        report_corruption(index, block, stale);
    CHECK_FOR_INTERRUPTS();
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
    Assert(pages >= 1 && pages <= kMostImages);
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

void begin_children(Children *children)
{
    children->count = 0;
    children->capacity = 256;
    children->child = allocate<ChildPage>(children->capacity);
}

void add_child(Children *children, Position bound, BlockNumber block)
{
    if (children->count == children->capacity) {
        children->capacity *= 2;
        children->child =
            static_cast<ChildPage *>(repalloc_huge(children->child, children->capacity * sizeof(ChildPage)));
    }
    children->child[children->count++] = {bound, block};
}

} // namespace simhash
