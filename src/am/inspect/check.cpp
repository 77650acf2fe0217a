// simhash_index_check(regclass, heapallindexed): checks an index, or those of all partitions, for corruption.
//
// The trees and the store are checked while others write: a fault that is met may be a page that has changed since what
// leads to it was read, so both are read again, up to a hundred times. To compare the entries with the rows of the
// table, writers are blocked until the end of the transaction, which a monitoring role is not allowed to do. On a
// standby only replay writes, and the check blocks nobody.
#include "am/inspect/check.hpp"

#include "am/index/failpoint.hpp"
#include "am/index/heap_tid.hpp"
#include "am/index/kind.hpp"
#include "am/index/rights.hpp"
#include "am/tree/descent.hpp"

#include "pg/server/result_rows.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/memutils.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

// Checks a leaf, and counts the entries from `lower` on: if it begins before that, the others were in its left sibling when
// that was read.
void check_leaf(Check *check, BlockNumber block, const char *page, int tree, Position lower)
{
    const CheckKind &kind = *check->index.meta->kind->check;
    auto *positions = allocate<Position>(leaf_places(page) + 1);
    int count = 0;
    if (!sub_ranges_ascend(page))
        report_corruption(check->index, block, "The sub-ranges of the leaf are out of order.");
    visit_leaf(page, [&](int, const LeafEntry &entry) {
        LeafKey key = entry.key;
        const Position position = {key.word[0], entry.tid};
        if (position < lower && low_of(page) != lower)
            return;
        positions[count++] = position;
        const char *fault = tree == check->index.meta->null_tree() ? check_heap_tid(check, entry.tid)
                                                                   : kind.check_tid(check, entry.tid);
        if (fault != nullptr)
            report_corruption(check->index, block, fault);
        if (tree == check->index.meta->null_tree() && key != LeafKey{})
            report_corruption(check->index, block, "An entry of the NULL tree has a fingerprint.");
        if (!covers(page, position))
            report_corruption(check->index, block, "An entry lies outside the leaf's key range.");
        key.word[0] = check->index.meta->word(tree, key.word[0]);
        check->sum[tree] += entry_hash(*check, key, entry.tid);
    });
    std::sort(positions, positions + count);
    for (int i = 1; i < count; i++) {
        if (positions[i] == positions[i - 1])
            report_corruption(check->index, block, "The leaf holds an entry twice.");
    }
    check->entries[tree] += count;
    pfree(positions);
}

void check_inner(Check *check, BlockNumber block, const char *page, Children *below, Position lower)
{
    for (int i = 0; i < inner_count(page); i++) {
        Position bound = inner_bound(page, i);
        if (i > 0 && bound <= inner_bound(page, i - 1))
            report_corruption(check->index, block, "The downlinks are out of order.");
        if (!covers(page, bound))
            report_corruption(check->index, block, "A downlink lies outside the page's key range.");
        if (bound >= lower || low_of(page) == lower)
            add_child(below, bound, inner_link(page, i).child());
    }
}

// Copies a page, so that it is not locked while it is checked.
void copy_page(const Check &check, BlockNumber block, PGAlignedBlock *copy)
{
    Buffer buffer = ReadBuffer(check.index, block);
    LockBuffer(buffer, BUFFER_LOCK_SHARE);
    std::memcpy(copy->data, buffer_page(buffer), BLCKSZ);
    UnlockReleaseBuffer(buffer);
}

// A level of a tree. Of the pages that the walk has read, the last.
struct LevelWalk {
    Check *check;
    int tree, level;
    BlockNumber left; // the page before, or kNoBlock
    Position lower;   // where it ended: the next page begins here
};

Buffer read_page(const LevelWalk &walk, BlockNumber block, const char **stale)
{
    return read_tree_page(walk.check->index, block, BUFFER_LOCK_SHARE, walk.tree, walk.level, stale);
}

// Whether the page before still ends at the beginning of the next one. Sets *block to its right sibling, and *incomplete
// to whether its split is incomplete.
bool leads_on(const LevelWalk &walk, BlockNumber *block, bool *incomplete)
{
    const char *stale = nullptr;
    Buffer buffer = read_page(walk, walk.left, &stale);
    if (!BufferIsValid(buffer))
        return false;
    const char *page = buffer_page(buffer);
    *block = page_tail(page)->right;
    *incomplete = page_tail(page)->flags & kIncompleteSplit;
    bool leads = *block != kNoBlock && high_of(page) == walk.lower;
    UnlockReleaseBuffer(buffer);
    return leads;
}

// Copies the next page of the level, to which a link leads. If the page or the one before it has changed meanwhile, that
// may be another one, which may begin earlier.
void copy_next_page(const LevelWalk &walk, BlockNumber *block, PGAlignedBlock *copy)
{
    StaleLinks links;
    for (;;) {
        const char *stale = nullptr;
        Buffer buffer = read_page(walk, *block, &stale);
        bool found = BufferIsValid(buffer) && low_of(buffer_page(buffer)) == walk.lower;
        BlockNumber linked = *block;
        bool incomplete;
        if (!found) {
            if (BufferIsValid(buffer)) {
                stale = "The page's range does not begin where its left sibling's ends.";
                UnlockReleaseBuffer(buffer);
            }
            if (walk.left != kNoBlock && leads_on(walk, &linked, &incomplete)) {
                links.start_again(walk.check->index, *block, stale);
                *block = linked;
                continue;
            }
            buffer = descend(walk.check->index, walk.tree, walk.lower, BUFFER_LOCK_SHARE, walk.level);
            *block = BufferGetBlockNumber(buffer);
        }
        std::memcpy(copy->data, buffer_page(buffer), BLCKSZ);
        UnlockReleaseBuffer(buffer);
        return;
    }
}

// What is wrong with the downlink to a position in a page of the level, or null. A page has a downlink unless the split of
// the page before it is incomplete, and no other position has one.
const char *compare_downlink(const LevelWalk &walk, BlockNumber block, Position position)
{
    const char *stale = nullptr;
    Buffer buffer = read_page(walk, block, &stale);
    if (!BufferIsValid(buffer))
        return nullptr; // deleted meanwhile
    bool covered = covers(buffer_page(buffer), position), begins = low_of(buffer_page(buffer)) == position;
    UnlockReleaseBuffer(buffer);
    BlockNumber linked = block;
    bool incomplete = false;
    if (!covered ||
        (begins && walk.left != kNoBlock && (!leads_on(walk, &linked, &incomplete) || linked != block)))
        return nullptr; // changed meanwhile
    buffer = descend(walk.check->index, walk.tree, position, BUFFER_LOCK_SHARE, walk.level + 1);
    const char *parent = buffer_page(buffer);
    const int at = inner_find(parent, position);
    const bool has = inner_bound(parent, at) == position;
    const BlockNumber child = inner_link(parent, at).child();
    UnlockReleaseBuffer(buffer);
    if (!begins)
        return has ? "The page has a downlink that does not lead to its beginning." : nullptr;
    if (incomplete)
        return has ? "The page has a downlink though its split is incomplete." : nullptr;
    if (!has)
        return "The page has no downlink.";
    return child == block ? nullptr : "The page's downlink leads to another page.";
}

void check_downlink(const LevelWalk &walk, BlockNumber block, Position position)
{
    StaleLinks links;
    while (const char *fault = compare_downlink(walk, block, position))
        links.start_again(walk.check->index, block, fault);
}

// Compares the next page of the level, which begins at walk.lower, with the downlinks to the level, of which *at is the
// next. What differs may have changed since they were read.
void check_links(const LevelWalk &walk, const Children &expected, BlockNumber block, bool incomplete,
                 Size *at)
{
    for (; *at < expected.count && expected.child[*at].bound < walk.lower; ++*at)
        check_downlink(walk, walk.left, expected.child[*at].bound);
    const bool here = *at < expected.count && expected.child[*at].bound == walk.lower;
    if (!here || incomplete || expected.child[*at].block != block)
        check_downlink(walk, block, walk.lower);
    *at += here;
}

// Walks a level from its leftmost page along the right links. Each page must be where its parent says, or be
// the right half of an incomplete split. Returns the downlinks to the level below.
//
// `root` is an image of the root page. The caller has read it already; it may have split since.
Children check_level(Check *check, int tree, int level_number, const Children &expected, const char *root)
{
    Children below;
    begin_children(&below);
    LevelWalk walk = {check, tree, level_number, kNoBlock, {0, 0}};
    BlockNumber block = expected.child[0].block;
    Size at = 0;
    bool incomplete = false; // the split of the page on the left is incomplete
    const bool top = level_number == page_tail(root)->level;
    while (block != kNoBlock) {
        CHECK_FOR_INTERRUPTS();
        failpoint(Failpoint::check_page);
        PGAlignedBlock copy; // so that the page is not locked while it is checked
        if (top)
            std::memcpy(copy.data, root, BLCKSZ);
        else
            copy_next_page(walk, &block, &copy);
        const char *page = copy.data;
        if (block < check->blocks)
            check->reached[block] = true;
        if (!top)
            check_links(walk, expected, block, incomplete, &at);

        if (level_number == 0)
            check_leaf(check, block, page, tree, walk.lower);
        else
            check_inner(check, block, page, &below, walk.lower);

        incomplete = page_tail(page)->flags & kIncompleteSplit;
        check->incomplete_splits += incomplete;
        walk.lower = high_of(page);
        walk.left = block;
        block = page_tail(page)->right;
    }
    for (; !top && at < expected.count; at++)
        check_downlink(walk, walk.left, expected.child[at].bound);
    return below;
}

void check_tree(Check *check, int tree)
{
    Children level;
    begin_children(&level);
    add_child(&level, {0, 0}, root_block(tree));
    const char *stale = nullptr;
    Buffer buffer = read_tree_page(check->index, root_block(tree), BUFFER_LOCK_SHARE, tree, -1, &stale);
    if (!BufferIsValid(buffer))
        report_corruption(check->index, root_block(tree), stale);
    PGAlignedBlock root;
    std::memcpy(root.data, buffer_page(buffer), BLCKSZ);
    UnlockReleaseBuffer(buffer);
    for (int number = page_tail(root.data)->level; number >= 0; number--) {
        const Children below = check_level(check, tree, number, level, root.data);
        pfree(level.child);
        level = below;
    }
    pfree(level.child);
}

} // namespace

const char *check_heap_tid(Check *check, std::uint64_t packed)
{
    // The table grows before a row gets entries.
    if (is_heap_tid(packed) && packed >> 16 >= check->heap_blocks)
        check->heap_blocks = RelationGetNumberOfBlocks(check->heap);
    return is_heap_tid(packed) && packed >> 16 < check->heap_blocks ? nullptr
                                                                    : "An entry has an invalid tid.";
}

void reach_page(Check *check, BlockNumber block)
{
    if (block >= check->blocks)
        return;
    if (check->reached[block])
        report_corruption(check->index, block, "Two links lead to the page.");
    check->reached[block] = true;
}

bool has_entry(const Check &check, int tree, LeafKey key, std::uint64_t tid)
{
    CHECK_FOR_INTERRUPTS();
    Buffer buffer = descend(check.index, tree, {key.word[0], tid}, BUFFER_LOCK_SHARE);
    const char *page = buffer_page(buffer);
    bool found = false;
    visit_leaf(page, [&](int, const LeafEntry &entry) { found |= entry == LeafEntry{key, tid}; });
    UnlockReleaseBuffer(buffer);
    return found;
}

void visit_leaves(const Check &check, int tree,
                  void (*visit)(BlockNumber block, const char *page, void *context), void *context)
{
    // If others write, rows that the snapshot sees may have entries in new pages.
    const BlockNumber blocks = check.still ? check.blocks : RelationGetNumberOfBlocks(check.index);
    for (BlockNumber block = kMetaBlock + 1; block < blocks; block++) {
        CHECK_FOR_INTERRUPTS();
        PGAlignedBlock copy;
        copy_page(check, block, &copy);
        if (PageIsNew(copy.data))
            continue;
        const char *page = copy.data, *fault = check_any_page(*check.index.meta, page, block);
        if (fault != nullptr)
            report_corruption(check.index, block, fault);
        if (is_leaf(page) && page_tail(page)->tree == tree)
            visit(block, page, context);
    }
}

namespace
{

// Whether a page of a tree, of which this is a copy, is in its level's chain of right links, or has changed meanwhile.
bool is_linked(const Check &check, BlockNumber block, const PGAlignedBlock &copy)
{
    const char *page = copy.data;
    Buffer buffer =
        descend(check.index, page_tail(page)->tree, low_of(page), BUFFER_LOCK_SHARE, page_tail(page)->level);
    bool linked = BufferGetBlockNumber(buffer) == block;
    UnlockReleaseBuffer(buffer);
    PGAlignedBlock again;
    copy_page(check, block, &again);
    const auto tail = page_header(page)->special;
    return linked || std::memcmp(page + tail, again.data + tail, sizeof(PageTail)) != 0;
}

// A page that no link led to must be unused, or others have linked it since.
void check_unreached(Check *check)
{
    for (BlockNumber block = kMetaBlock + 1; block < check->blocks; block++) {
        if (check->reached[block])
            continue;
        CHECK_FOR_INTERRUPTS();
        PGAlignedBlock copy;
        copy_page(*check, block, &copy);
        const char *page = copy.data, *fault = nullptr;
        bool unused = PageIsNew(copy.data);
        if (!unused) {
            fault = check_any_page(*check->index.meta, page, block);
            unused = fault == nullptr && is_deleted(page);
        }
        if (!unused && fault == nullptr &&
            !(in_trees(*check->index.meta, page) ? is_linked(*check, block, copy)
                                                 : check->index.meta->kind->check->is_stored(check, block)))
            fault = "No link leads to the page.";
        if (fault != nullptr)
            report_corruption(check->index, block, fault);
        check->unused_pages += unused;
    }
}

struct CheckCounts {
    int64 rows, nulls, partial_entries, incomplete_splits, unused_pages, heap_rows;
};

// Checks an index. Adds what it finds to *sum.
void check_index(Relation index, LOCKMODE lock, bool heapallindexed, CheckCounts *sum)
{
    Relation heap = table_open(index->rd_index->indrelid, lock);
    auto *check = allocate_zero<Check>();
    check->index = use_index(index, CurrentMemoryContext);
    check->still = lock == ShareLock;
    if (!pg_strong_random(&check->salt, sizeof(check->salt)))
        check->salt = kSplitMixStep;
    check->heap = heap;
    check->blocks = RelationGetNumberOfBlocks(index);
    check->heap_blocks = RelationGetNumberOfBlocks(heap);
    check->reached = static_cast<bool *>(
        MemoryContextAllocExtended(CurrentMemoryContext, check->blocks, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO));

    const CheckKind &kind = *check->index.meta->kind->check;
    if (kind.check_pages != nullptr)
        kind.check_pages(check);
    for (int tree = 0; tree < check->index.meta->all_trees(); tree++)
        check_tree(check, tree);
    check_unreached(check);
    if (check->still)
        kind.compare_trees(check);
    if (heapallindexed)
        check_heap(check);
    table_close(heap, NoLock);

    sum->rows += check->index.meta->trees > 0 ? check->entries[0] : check->stored;
    sum->nulls += check->entries[check->index.meta->null_tree()];
    sum->partial_entries += check->partial_entries;
    sum->incomplete_splits += check->incomplete_splits;
    sum->unused_pages += check->unused_pages;
    sum->heap_rows += check->heap_rows;
}

} // namespace

} // namespace simhash

SIMHASH_FUNCTION(simhash_index_check)
{
    using namespace simhash;
    bool heapallindexed = PG_GETARG_BOOL(1);
    LOCKMODE lock = heapallindexed && !RecoveryInProgress() ? ShareLock : AccessShareLock;
    bool still = lock == ShareLock;
    IndexSet set =
        open_indexes(PG_GETARG_OID(0), lock, still ? check_ownership : check_inspection_rights, nullptr);
    CheckCounts counts = {};
    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash check", ALLOCSET_DEFAULT_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(context);
    for (int i = 0; i < set.count; i++) {
        check_index(set.index[i], lock, heapallindexed, &counts);
        MemoryContextReset(context);
    }
    MemoryContextSwitchTo(caller);
    MemoryContextDelete(context);
    close_indexes(set);

    Datum values[6] = {Int64GetDatum(counts.rows),
                       Int64GetDatum(counts.nulls),
                       Int64GetDatum(counts.partial_entries),
                       Int64GetDatum(counts.incomplete_splits),
                       Int64GetDatum(counts.unused_pages),
                       Int64GetDatum(counts.heap_rows)};
    bool nulls[6] = {false, false, !still, false, false, !heapallindexed};
    PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(result_row(fcinfo), values, nulls)));
}
