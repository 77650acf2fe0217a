// simhash_index_check(regclass, heapallindexed): checks an index, or those of all partitions, for corruption.
//
// Blocks writers until the end of the transaction, so that the trees do not change and no insert is
// incomplete. A monitoring role is not allowed to do that. On a standby only replay writes, and the check
// blocks nobody.
#include "am/inspect/check.hpp"

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

struct Child {
    Position bound;
    BlockNumber block;
};

// The downlinks to the pages of a level, in order.
struct Level {
    Size count;
    Size capacity;
    Child *child;
};

void add_child(Level *level, Position bound, BlockNumber block)
{
    if (level->count == level->capacity) {
        level->capacity *= 2;
        level->child = static_cast<Child *>(repalloc_huge(level->child, level->capacity * sizeof(Child)));
    }
    level->child[level->count++] = {bound, block};
}

Level *make_level()
{
    auto *level = static_cast<Level *>(palloc(sizeof(Level)));
    level->count = 0;
    level->capacity = 1024;
    level->child = static_cast<Child *>(palloc(sizeof(Child) * level->capacity));
    return level;
}

void check_leaf(Check *check, BlockNumber block, const char *page, int table)
{
    const CheckKind &kind = *check->meta->kind->check;
    auto *positions =
        static_cast<Position *>(palloc(sizeof(Position) * static_cast<Size>(leaf_places(page) + 1)));
    int count = 0;
    if (!sub_ranges_ascend(page))
        report_corruption(check->index, block, "The sub-ranges of the leaf are out of order.");
    visit_leaf(page, [&](int, const LeafEntry &entry) {
        LeafKey key = entry.key;
        const Position &position = positions[count++] = {key.word[0], entry.tid};
        const char *fault = table == check->meta->null_table() ? check_heap_tid(*check, entry.tid)
                                                               : kind.check_tid(*check, entry.tid);
        if (fault != nullptr)
            report_corruption(check->index, block, fault);
        if (table == check->meta->null_table() && key != LeafKey{})
            report_corruption(check->index, block, "An entry of the NULL tree has a fingerprint.");
        if (!covers(page, position))
            report_corruption(check->index, block, "An entry lies outside the leaf's key range.");
        key.word[0] = check->meta->word(table, key.word[0]);
        check->sum[table] += entry_hash(*check, key, entry.tid);
    });
    std::sort(positions, positions + count);
    for (int i = 1; i < count; i++) {
        if (positions[i] == positions[i - 1])
            report_corruption(check->index, block, "The leaf holds an entry twice.");
    }
    check->entries[table] += count;
    pfree(positions);
}

void check_inner(Check *check, BlockNumber block, const char *page, Level *below)
{
    for (int i = 0; i < inner_count(page); i++) {
        Position bound = inner_bound(page, i);
        if (i > 0 && bound <= inner_bound(page, i - 1))
            report_corruption(check->index, block, "The downlinks are out of order.");
        if (!covers(page, bound))
            report_corruption(check->index, block, "A downlink lies outside the page's key range.");
        add_child(below, bound, inner_link(page, i).child());
    }
}

// Copies the page of a level that begins at `lower`. On a standby, replay may have deleted the page since the link to it
// was read, or united it with another.
void copy_tree_page(const Check &check, int table, int level, Position lower, BlockNumber *block,
                    PGAlignedBlock *copy)
{
    const char *stale = nullptr;
    Buffer buffer = read_tree_page(check.index, *block, BUFFER_LOCK_SHARE, table, level, &stale);
    if (BufferIsValid(buffer) && !check.still && !covers(buffer_page(buffer), lower)) {
        UnlockReleaseBuffer(buffer);
        buffer = InvalidBuffer;
    }
    if (!BufferIsValid(buffer)) {
        if (check.still)
            report_corruption(check.index, *block, stale);
        buffer = descend(check.index, table, lower, BUFFER_LOCK_SHARE, level);
        *block = BufferGetBlockNumber(buffer);
    }
    std::memcpy(copy->data, buffer_page(buffer), BLCKSZ);
    UnlockReleaseBuffer(buffer);
}

// What is wrong with the links to a page, or null. `at` is the next of the downlinks to the level.
const char *check_links(const Level &expected, BlockNumber block, Position lower, bool incomplete, Size *at)
{
    if (*at == expected.count || expected.child[*at].block != block)
        return incomplete ? nullptr : "The page has no downlink.";
    if (expected.child[(*at)++].bound != lower)
        return "The page's range does not begin where its downlink indicates.";
    return incomplete ? "The page has a downlink though its split is incomplete." : nullptr;
}

// Walks a level from its leftmost page along the right links. Each page must be where its parent says, or be
// the right half of an incomplete split. Returns the downlinks to the level below.
//
// `root` is an image of the root page. The caller has read it already; replay could split the root in
// between.
Level *check_level(Check *check, int table, int level_number, const Level &expected, const char *root)
{
    Level *below = make_level();
    Position lower = {0, 0};
    BlockNumber block = expected.child[0].block;
    Size at = 0;
    bool incomplete = false; // the split of the page on the left is incomplete
    while (block != kNoBlock) {
        CHECK_FOR_INTERRUPTS();
        if (block >= check->blocks && check->still)
            report_corruption(check->index, block, "A link leads past the end of the index.");
        PGAlignedBlock copy; // so that the page is not locked while it is checked
        if (block == root_block(table))
            std::memcpy(copy.data, root, BLCKSZ);
        else
            copy_tree_page(*check, table, level_number, lower, &block, &copy);
        reach_page(check, block);
        const char *page = copy.data;
        const char *fault = check->still ? check_links(expected, block, lower, incomplete, &at) : nullptr;
        if (fault == nullptr && check->still && low_of(page) != lower)
            fault = "The page's range does not begin where its left sibling's ends.";
        if (fault != nullptr)
            report_corruption(check->index, block, fault);

        if (level_number == 0)
            check_leaf(check, block, page, table);
        else
            check_inner(check, block, page, below);

        incomplete = page_tail(page)->flags & kIncompleteSplit;
        check->incomplete_splits += incomplete;
        lower = high_of(page);
        block = page_tail(page)->right;
    }
    if (check->still && at != expected.count)
        report_corruption(check->index, expected.child[at].block,
                          "The page is not in its level's chain of right links.");
    return below;
}

void check_tree(Check *check, int table)
{
    Level *level = make_level();
    add_child(level, {0, 0}, root_block(table));
    const char *stale = nullptr;
    Buffer buffer = read_tree_page(check->index, root_block(table), BUFFER_LOCK_SHARE, table, -1, &stale);
    if (!BufferIsValid(buffer))
        report_corruption(check->index, root_block(table), stale);
    PGAlignedBlock root;
    std::memcpy(root.data, buffer_page(buffer), BLCKSZ);
    UnlockReleaseBuffer(buffer);
    int number = page_tail(root.data)->level;
    for (; number >= 0; number--) {
        Level *below = check_level(check, table, number, *level, root.data);
        pfree(level->child);
        pfree(level);
        level = below;
    }
    pfree(level->child);
    pfree(level);
}

} // namespace

const char *check_heap_tid(const Check &check, std::uint64_t packed)
{
    return is_heap_tid(packed) && packed >> 16 < check.heap_blocks ? nullptr : "An entry has an invalid tid.";
}

void copy_page(const Check &check, BlockNumber block, PGAlignedBlock *copy)
{
    Buffer buffer = ReadBuffer(check.index, block);
    LockBuffer(buffer, BUFFER_LOCK_SHARE);
    std::memcpy(copy->data, buffer_page(buffer), BLCKSZ);
    UnlockReleaseBuffer(buffer);
}

void reach_page(Check *check, BlockNumber block)
{
    if (block >= check->blocks)
        return;
    if (check->reached[block] && check->still)
        report_corruption(check->index, block, "Two links lead to the page.");
    check->reached[block] = true;
}

bool has_entry(const Check &check, int table, LeafKey key, std::uint64_t tid)
{
    CHECK_FOR_INTERRUPTS();
    Buffer buffer = descend(check.index, table, {key.word[0], tid}, BUFFER_LOCK_SHARE);
    const char *page = buffer_page(buffer);
    bool found = false;
    visit_leaf(page, [&](int, const LeafEntry &entry) { found |= entry == LeafEntry{key, tid}; });
    UnlockReleaseBuffer(buffer);
    return found;
}

void visit_leaves(const Check &check, int table,
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
        const char *page = copy.data, *fault = check_any_page(*check.meta, page, block);
        if (fault != nullptr)
            report_corruption(check.index, block, fault);
        if (is_leaf(page) && page_tail(page)->table == table)
            visit(block, page, context);
    }
}

namespace
{

void check_unreached(Check *check)
{
    for (BlockNumber block = kMetaBlock + 1; block < check->blocks; block++) {
        if (check->reached[block])
            continue;
        CHECK_FOR_INTERRUPTS();
        Buffer buffer = ReadBuffer(check->index, block);
        LockBuffer(buffer, BUFFER_LOCK_SHARE);
        bool unused = PageIsNew(buffer_page(buffer)) || is_deleted(buffer_page(buffer));
        UnlockReleaseBuffer(buffer);
        if (!unused && check->still)
            report_corruption(check->index, block, "No link leads to the page.");
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
    auto *check = static_cast<Check *>(palloc0(sizeof(Check)));
    check->index = index;
    check->meta = copy_index_meta(index, CurrentMemoryContext);
    check->still = lock == ShareLock;
    if (!pg_strong_random(&check->salt, sizeof(check->salt)))
        check->salt = kSplitMixStep;
    check->blocks = RelationGetNumberOfBlocks(index);
    // On a standby the table may grow during the check.
    check->heap_blocks = check->still ? RelationGetNumberOfBlocks(heap) : InvalidBlockNumber;
    check->reached = static_cast<bool *>(
        MemoryContextAllocExtended(CurrentMemoryContext, check->blocks, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO));

    const CheckKind &kind = *check->meta->kind->check;
    if (kind.check_pages != nullptr)
        kind.check_pages(check);
    for (int table = 0; table < check->meta->trees(); table++)
        check_tree(check, table);
    check_unreached(check);
    if (check->still)
        kind.compare_trees(check);
    if (heapallindexed)
        check_heap(check, heap);
    table_close(heap, NoLock);

    sum->rows += check->meta->tables > 0 ? check->entries[0] : check->stored;
    sum->nulls += check->entries[check->meta->null_table()];
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
    LOCKMODE lock = RecoveryInProgress() ? AccessShareLock : ShareLock;
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
