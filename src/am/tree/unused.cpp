// Unused pages: deleted ones, and those all zeros that a crash left behind. VACUUM finds them and splits use them.
//
// VACUUM walks the blocks in ascending order and must not miss entries that move during the walk. So while it walks, a
// split moves entries only to a block beyond its own. A lock of the lock manager tells: VACUUM holds it in exclusive
// mode during its walk; a split that uses an earlier block, in share mode until its record is written.
//
// The free space map is not logged. After a crash or on a promoted standby it may lack unused pages, and have pages that are
// in use. So a walk of VACUUM notes in the metapage how many unused pages there are. If the map lacks many of them, a VACUUM
// that removes no rows walks, too.
#include "am/index/failpoint.hpp"
#include "am/index/kind.hpp"
#include "am/tree/split.hpp"

extern "C" {
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "storage/freespace.h"
#include "storage/indexfsm.h"
#include "storage/lock.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

LOCKTAG walk_tag(Relation index)
{
    LOCKTAG tag;
    SET_LOCKTAG_OBJECT(tag, MyDatabaseId, RelationRelationId, RelationGetRelid(index), 1);
    return tag;
}

bool keep_walks_away(Relation index)
{
    LOCKTAG tag = walk_tag(index);
    return LockAcquire(&tag, ShareLock, false, true) != LOCKACQUIRE_NOT_AVAIL;
}

bool is_in_use(Relation index, BlockNumber block)
{
    Buffer buffer = ReadBuffer(index, block);
    LockBuffer(buffer, BUFFER_LOCK_SHARE);
    const char *page = buffer_page(buffer);
    bool in_use = !PageIsNew(buffer_page(buffer)) && !(has_index_header(page, BLCKSZ) && is_deleted(page));
    UnlockReleaseBuffer(buffer);
    return in_use;
}

// Notes the links of one page to the unused blocks.
struct LinkSearch {
    const UnusedPages *unused;
    BlockNumber from;
    BlockNumber *linked; // for each of them, a block that has a link to it; 0 if none has been found
};

void note_link(void *context, BlockNumber to)
{
    const auto *search = static_cast<const LinkSearch *>(context);
    const BlockNumber *begin = search->unused->block, *end = begin + search->unused->count,
                      *at = std::lower_bound(begin, end, to);
    if (at < end && *at == to)
        search->linked[at - begin] = search->from;
}

// A deleted page has none; its tree may be claimed by a split that then raised an error.
void note_links(const IndexMeta &meta, const char *page, LinkSearch *search)
{
    if (is_deleted(page))
        return;
    note_link(search, page_tail(page)->right);
    if (!in_trees(meta, page))
        meta.kind->visit_links(meta, page, note_link, search);
    else
        for (int i = 0; !is_leaf(page) && i < inner_count(page); i++)
            note_link(search, inner_link(page, i).child());
}

bool is_unused(Relation index, BlockNumber block)
{
    Buffer buffer = ReadBuffer(index, block);
    LockBuffer(buffer, BUFFER_LOCK_SHARE);
    bool unused = PageIsNew(buffer_page(buffer));
    UnlockReleaseBuffer(buffer);
    return unused;
}

// Locks the page if it is unused and nobody else has pinned it. Whoever has, may be about to lock it for what it was.
bool lock_unused(Buffer buffer)
{
    if (!ConditionalLockBufferForCleanup(buffer))
        return false;
    Page page = buffer_page(buffer);
    if (PageIsNew(page))
        return true;
    if (has_index_header(page, BLCKSZ) && is_deleted(page)) {
        claim_page(page);
        return true;
    }
    LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
    return false;
}

} // namespace

void begin_walk(Relation index)
{
    LOCKTAG tag = walk_tag(index);
    (void)LockAcquire(&tag, ExclusiveLock, false, false);
}

void end_walk(Relation index)
{
    LOCKTAG tag = walk_tag(index);
    LockRelease(&tag, ExclusiveLock, false);
}

void end_reuse(Relation index, BlockNumber after, Buffer buffer)
{
    if (BufferGetBlockNumber(buffer) > after)
        return;
    LOCKTAG tag = walk_tag(index);
    LockRelease(&tag, ShareLock, false);
}

void note_deleted(Relation index, BlockNumber block)
{
    if (GetRecordedFreeSpace(index, block) == 0)
        RecordFreeIndexPage(index, block);
}

void note_used(Relation index, BlockNumber block)
{
    if (GetRecordedFreeSpace(index, block) != 0)
        RecordUsedIndexPage(index, block);
}

void note_unused_pages(Relation index, BlockNumber pages)
{
    Buffer buffer = lock_meta_page(index, BUFFER_LOCK_EXCLUSIVE);
    if (unused_pages(buffer_page(buffer)) != pages) {
        GenericXLogState *state = GenericXLogStart(index);
        set_unused_pages(GenericXLogRegisterBuffer(state, buffer, 0), pages);
        GenericXLogFinish(state);
    }
    UnlockReleaseBuffer(buffer);
}

// As nbtree, it cares for a twentieth of the index. Of the pages in the map it reads some: if one is in use, the map is old.
bool map_lacks_pages(Relation index)
{
    constexpr BlockNumber kPart = 20, kSample = 32;
    Buffer buffer = lock_meta_page(index, BUFFER_LOCK_SHARE);
    const BlockNumber blocks = RelationGetNumberOfBlocks(index);
    const auto unused = static_cast<BlockNumber>(Min(unused_pages(buffer_page(buffer)), blocks));
    UnlockReleaseBuffer(buffer);
    if (unused <= blocks / kPart)
        return false;
    const BlockNumber step = unused / kSample + 1;
    BlockNumber in_map = 0;
    for (BlockNumber block = kMetaBlock + 1; block < blocks; block++) {
        delay_vacuum();
        if (GetRecordedFreeSpace(index, block) != 0 && in_map++ % step == 0 && is_in_use(index, block))
            return true;
    }
    return in_map + blocks / kPart < unused;
}

void note_unused(Relation index, UnusedPages *unused, BlockNumber block)
{
    if (unused->count < kMostUnused && GetRecordedFreeSpace(index, block) == 0)
        unused->block[unused->count++] = block;
}

void recycle_unused(const OpenIndex &index, const UnusedPages &unused, BufferAccessStrategy strategy)
{
    if (unused.count == 0)
        return;
    // A page that damage has overwritten with zeros looks the same, but links lead to it.
    auto *linked = allocate_zero<BlockNumber>(unused.count);
    BlockNumber blocks = RelationGetNumberOfBlocks(index);
    for (BlockNumber block = kMetaBlock + 1; block < blocks; block++) {
        delay_vacuum();
        Buffer buffer = ReadBufferExtended(index, MAIN_FORKNUM, block, RBM_NORMAL, strategy);
        LockBuffer(buffer, BUFFER_LOCK_SHARE);
        const char *page = buffer_page(buffer);
        if (!PageIsNew(buffer_page(buffer))) {
            const char *fault = check_any_page(*index.meta, page, block);
            if (fault != nullptr)
                report_corruption(index, block, fault);
            LinkSearch search = {&unused, block, linked};
            note_links(*index.meta, page, &search);
        }
        UnlockReleaseBuffer(buffer);
    }
    for (int i = 0; i < unused.count; i++) {
        // A split may have taken the page from the map before VACUUM noted it. The split writes page and link
        // under the locks of both pages. So if the page is still empty now, a link to it is damage.
        if (!is_unused(index, unused.block[i]))
            continue;
        if (linked[i] != 0)
            report_corruption(index, linked[i], "A link of the page leads to a page that is all zeros.");
        RecordFreeIndexPage(index, unused.block[i]);
    }
    pfree(linked);
}

Buffer take_unused(Relation index, BlockNumber after)
{
    for (int tries = 0; tries < 4; tries++) {
        BlockNumber block = GetFreeIndexPage(index);
        if (block == InvalidBlockNumber)
            break;
        bool earlier = block <= after;
        if (earlier && !keep_walks_away(index)) {
            RecordFreeIndexPage(index, block); // another split may use it
            break;
        }
        failpoint(Failpoint::unused_found);
        // The map is not logged, so it may be older than the page or the index's end.
        Buffer buffer = block_exists(index, block) ? ReadBuffer(index, block) : InvalidBuffer;
        if (BufferIsValid(buffer)) {
            if (lock_unused(buffer))
                return buffer;
            ReleaseBuffer(buffer);
        }
        if (earlier) {
            LOCKTAG tag = walk_tag(index);
            LockRelease(&tag, ShareLock, false);
        }
    }
    return InvalidBuffer;
}

} // namespace simhash
