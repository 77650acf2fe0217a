// Splits. They have two steps, each with one WAL record. First, half of a page's entries move to a new right
// sibling, and the page is marked kIncompleteSplit. Then the sibling's downlink is added to the parent, and
// the mark is cleared. Between the two steps the tree is consistent, because a search for a moved entry steps
// right. A crash between them leaves the mark, and the next writer that finds it does the second step.
//
// Both steps are taken under the lock of the page that splits. The new sibling is locked after it and released before a
// descent locks the parent: from left to right and upwards, as everywhere. A parent that has no room is split in the same
// way, while its child stays locked.
//
// The root never moves: when it splits, both halves move to new pages, and the root becomes their parent, in
// one record.
#include "am/tree/split.hpp"
#include "am/index/failpoint.hpp"
#include "am/tree/descent.hpp"

#include "core/page/leaf_cut.hpp"

extern "C" {
#include "storage/predicate.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

// A copy of a page's entries, sorted by position.
struct PageEntry {
    Position position;
    union {
        LeafKey key;
        std::uint32_t child;
    };
};

struct Entries {
    int count;
    PageEntry entry[FLEXIBLE_ARRAY_MEMBER];
};

Entries *read_entries(const char *page)
{
    bool leaf = is_leaf(page);
    int count = leaf ? leaf_count(page) : inner_count(page);
    auto *entries = static_cast<Entries *>(
        palloc(offsetof(Entries, entry) + sizeof(PageEntry) * static_cast<std::size_t>(count)));
    entries->count = count;
    PageEntry *entry = entries->entry;
    if (leaf) {
        visit_leaf(page, [&](int, const LeafEntry &from) {
            entry->key = from.key;
            entry->position = {from.key.word[0], from.tid};
            entry++;
        });
    }
    for (int i = 0; i < count && !leaf; i++) {
        entry[i].position = inner_bound(page, i);
        entry[i].child = inner_link(page, i).child();
    }
    std::sort(entries->entry, entries->entry + count,
              [](const PageEntry &a, const PageEntry &b) { return a.position < b.position; });
    return entries;
}

// Raises an error if damage has made entries equal or moved them out of the page's range: a split would lose
// or misplace them.
void check_entries(Relation index, Buffer buffer, const Entries &entries)
{
    const char *page = buffer_page(buffer), *fault = nullptr;
    for (int i = 1; i < entries.count; i++) {
        if (entries.entry[i].position == entries.entry[i - 1].position)
            fault = "The page holds an entry twice.";
    }
    if (!covers(page, entries.entry[0].position) || !covers(page, entries.entry[entries.count - 1].position))
        fault = "An entry lies outside the page's key range.";
    if (!is_leaf(page) && !downlinks_ascend(page))
        fault = "The downlinks are out of order.";
    if (fault != nullptr)
        report_corruption(index, BufferGetBlockNumber(buffer), fault);
}

// Writes a page with these entries alone. Its range is that of the entries.
void write_entries(char *page, const PageEntry *entry, int count)
{
    if (!is_leaf(page)) {
        while (inner_count(page) > 0)
            inner_remove(page, inner_count(page) - 1);
        for (int i = 0; i < count; i++)
            inner_insert(page, i, entry[i].position, entry[i].child);
        return;
    }
    auto *rows = allocate<LeafEntry>(count);
    for (int i = 0; i < count; i++)
        rows[i] = {entry[i].key, entry[i].position.tid};
    if (!leaf_write(page, rows, count))
        elog(ERROR, "half of a leaf does not fit into a page");
    pfree(rows);
}

void end_at(char *page, Position high, BlockNumber right)
{
    set_high(page, high);
    page_tail(page)->right = right;
}

// Chooses where to cut a full page. If a tree's entries arrive in order (as NULLs do, by tid), splits of the
// rightmost leaf would leave half-full pages behind. So that leaf is cut near its end.
int choose_split(const Entries &entries, const char *page, Position *bound)
{
    auto *positions = allocate<Position>(entries.count);
    for (int i = 0; i < entries.count; i++)
        positions[i] = entries.entry[i].position;

    int low = entries.count * 4 / 10, high = entries.count * 6 / 10;
    bool append = is_leaf(page) && is_rightmost(page) && positions[0].key == positions[entries.count - 1].key;
    if (append)
        low = high = entries.count * 9 / 10;
    int cut = choose_cut(positions, Max(low, 1), Max(high, 1), bound);
    if (!is_leaf(page))
        *bound = positions[cut]; // a downlink's bound is its child's, so it cannot be shortened
    pfree(positions);
    return cut;
}

void split_root(const OpenIndex &index, Buffer buffer, const Entries &entries, int cut, Position bound)
{
    BlockNumber root = BufferGetBlockNumber(buffer);
    int tree = page_tail(buffer_page(buffer))->tree, level = page_tail(buffer_page(buffer))->level;
    int words = key_words(buffer_page(buffer));
    Buffer left = extend_index(index, root), right = extend_index(index, root);
    failpoint(Failpoint::root_extended);

    GenericXLogState *state = GenericXLogStart(index);
    Page root_page = GenericXLogRegisterBuffer(state, buffer, 0);
    Page left_page = GenericXLogRegisterBuffer(state, left, GENERIC_XLOG_FULL_IMAGE);
    Page right_page = GenericXLogRegisterBuffer(state, right, GENERIC_XLOG_FULL_IMAGE);

    init_page(left_page, BLCKSZ, tree, level, words);
    set_own_block(left_page, left);
    end_at(left_page, bound, BufferGetBlockNumber(right));
    write_entries(left_page, entries.entry, cut);
    init_page(right_page, BLCKSZ, tree, level, words);
    set_low(right_page, bound);
    set_own_block(right_page, right);
    write_entries(right_page, entries.entry + cut, entries.count - cut);

    // init_page clears the header's LSN, but the record sets it anyway.
    init_page(root_page, BLCKSZ, tree, level + 1);
    set_own_block(root_page, buffer);
    inner_insert(root_page, 0, {0, 0}, BufferGetBlockNumber(left));
    inner_insert(root_page, 1, bound, BufferGetBlockNumber(right));
    GenericXLogFinish(state);
    if (level == 0) {
        PredicateLockPageSplit(index, root, BufferGetBlockNumber(left));
        PredicateLockPageSplit(index, root, BufferGetBlockNumber(right));
    }
    end_reuse(index, root, left);
    end_reuse(index, root, right);
    failpoint(Failpoint::root_grown);

    elog(DEBUG2, "root %u of index \"%s\" is now at level %d", root, RelationGetRelationName(index),
         level + 1);
    UnlockReleaseBuffer(right);
    UnlockReleaseBuffer(left);
    UnlockReleaseBuffer(buffer);
}

} // namespace

void split_page(const OpenIndex &index, Buffer buffer)
{
    const char *page = buffer_page(buffer);
    BlockNumber block = BufferGetBlockNumber(buffer);
    int tree = page_tail(page)->tree, level = page_tail(page)->level;
    Entries *entries = read_entries(page);
    check_entries(index, buffer, *entries);
    Position bound;
    int cut = choose_split(*entries, page, &bound);

    if (block == root_block(tree)) {
        split_root(index, buffer, *entries, cut, bound);
        pfree(entries);
        return;
    }

    Buffer right = extend_index(index, block);
    failpoint(Failpoint::split_extended);
    GenericXLogState *state = GenericXLogStart(index);
    Page left_page = GenericXLogRegisterBuffer(state, buffer, 0);
    Page right_page = GenericXLogRegisterBuffer(state, right, GENERIC_XLOG_FULL_IMAGE);

    init_page(right_page, BLCKSZ, tree, level, key_words(left_page));
    set_low(right_page, bound);
    set_own_block(right_page, right);
    end_at(right_page, high_of(left_page), page_tail(left_page)->right);
    write_entries(right_page, entries->entry + cut, entries->count - cut);

    end_at(left_page, bound, BufferGetBlockNumber(right));
    write_entries(left_page, entries->entry, cut);
    page_tail(left_page)->flags |= kIncompleteSplit;
    GenericXLogFinish(state);
    if (level == 0)
        PredicateLockPageSplit(index, block, BufferGetBlockNumber(right));
    end_reuse(index, block, right);
    UnlockReleaseBuffer(right);
    pfree(entries);

    failpoint(Failpoint::split_downlink);
    finish_split(index, buffer);
    failpoint(Failpoint::split_done);
}

void finish_split(const OpenIndex &index, Buffer buffer)
{
    const char *page = buffer_page(buffer);
    int tree = page_tail(page)->tree, level = page_tail(page)->level;
    Position bound = high_of(page);
    BlockNumber right = page_tail(page)->right;
    if (right == BufferGetBlockNumber(buffer) || !block_exists(index, right))
        report_corruption(index, BufferGetBlockNumber(buffer), "The page's right link leads nowhere.");

    // The child stays locked, so that no other process finishes or splits it now. Locks are taken upwards,
    // never downwards.
    Buffer parent;
    for (;;) {
        parent = descend(index, tree, bound, BUFFER_LOCK_EXCLUSIVE, level + 1);
        if (inner_has_room(buffer_page(parent)))
            break;
        split_page(index, parent);
    }

    GenericXLogState *state = GenericXLogStart(index);
    Page parent_page = GenericXLogRegisterBuffer(state, parent, 0);
    Page child_page = GenericXLogRegisterBuffer(state, buffer, 0);
    int at = inner_find(parent_page, bound);
    const char *fault = nullptr;
    if (inner_bound(parent_page, at) >= bound)
        fault = "A page whose split is marked incomplete has a downlink to its right sibling.";
    else if (inner_link(parent_page, at).child() != BufferGetBlockNumber(buffer))
        fault = "A page whose split is marked incomplete has no downlink to itself.";
    if (fault != nullptr) {
        GenericXLogAbort(state);
        report_corruption(index, BufferGetBlockNumber(parent), fault);
    }
    inner_insert(parent_page, at + 1, bound, right);
    page_tail(child_page)->flags &= static_cast<std::uint16_t>(~kIncompleteSplit);
    GenericXLogFinish(state);
    UnlockReleaseBuffer(parent);
    UnlockReleaseBuffer(buffer);
}

} // namespace simhash
