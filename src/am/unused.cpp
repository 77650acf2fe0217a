// Pages that a crash left behind unused, all zeros: VACUUM finds them, splits take them.
//
// A split may only move entries to a block beyond its own, since VACUUM walks the blocks in ascending order
// and must not miss what moves meanwhile. So a page is taken by splits of blocks in front of it alone.
#include "am/inner_cache.hpp"

extern "C" {
#include "miscadmin.h"
#include "storage/freespace.h"
#include "storage/indexfsm.h"
#include "utils/memutils.h"
}

namespace simhash
{

void note_unused(Relation index, UnusedPages *unused, BlockNumber block)
{
    if (unused->count < kMostUnused && GetRecordedFreeSpace(index, block) == 0)
        unused->block[unused->count++] = block;
}

namespace
{

void expect_used(Relation index, const UnusedPages &unused, BlockNumber from, BlockNumber to)
{
    if (std::binary_search(unused.block, unused.block + unused.count, to))
        report_corruption(index, from, "a link of the page leads to one that is all zeros");
}

} // namespace

void recycle_unused(Relation index, const UnusedPages &unused, BufferAccessStrategy strategy)
{
    if (unused.count == 0)
        return;
    // A page that damage turned to zeros looks the same; but links lead to it. New ones do not: nobody takes
    // a page that is not yet in the free space map.
    BlockNumber blocks = RelationGetNumberOfBlocks(index);
    for (BlockNumber block = kMetaBlock + 1; block < blocks; block++) {
        delay_vacuum();
        Buffer buffer = ReadBufferExtended(index, MAIN_FORKNUM, block, RBM_NORMAL, strategy);
        LockBuffer(buffer, BUFFER_LOCK_SHARE);
        const char *page = buffer_page(buffer);
        if (!PageIsNew(buffer_page(buffer))) {
            const char *fault = check_any_tree_page(page, BLCKSZ, kMaxTables + 1);
            if (fault != nullptr)
                report_corruption(index, block, fault);
            expect_used(index, unused, block, page_tail(page)->right);
            for (int i = 0; !is_leaf(page) && i < inner_count(page); i++)
                expect_used(index, unused, block, inner_link(page, i).child());
        }
        UnlockReleaseBuffer(buffer);
    }
    for (int i = 0; i < unused.count; i++)
        RecordFreeIndexPage(index, unused.block[i]);
    IndexFreeSpaceMapVacuum(index);
}

Buffer take_unused(Relation index, BlockNumber after)
{
    for (int tries = 0; tries < 4; tries++) {
        BlockNumber block = GetFreeIndexPage(index);
        if (block == InvalidBlockNumber)
            break;
        if (block <= after) {
            RecordFreeIndexPage(index, block); // another split may have use for it
            break;
        }
        // The map is not logged: it may be older than the page.
        if (!block_exists(index, block))
            continue;
        Buffer buffer = ReadBuffer(index, block);
        if (ConditionalLockBuffer(buffer)) {
            if (PageIsNew(buffer_page(buffer)))
                return buffer;
            LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
        }
        ReleaseBuffer(buffer);
    }
    return InvalidBuffer;
}

} // namespace simhash
