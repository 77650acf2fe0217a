#include "am/tree/leaf_place.hpp"

#include "am/tree/inner_copies.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/spccache.h"
}

namespace simhash
{

void find_leaf(Relation index, int table, Position position, LeafPlace *place)
{
    BlockNumber parent = kNoBlock, block = root_block(table);
    // The lower bound of the page's range, which is in its downlink or is its left sibling's high. It never
    // changes.
    Position lower = {0, 0};
    bool stepped = false;
    for (int level = -1;;) {
        InnerCopy *copy = copy_of(index, block, table, level);
        if (copy == nullptr) {
            *place = {block, InvalidBuffer, {0, 0}, {0, 0}, true, true, kNoBlock, 0};
            return;
        }
        // The copy may have been made through another link to the page. This link may be damaged and lead
        // back up.
        if (level >= 0 && copy->level != level)
            report_corruption(index, block, "The page is at the wrong level.");
        // This ensures that a chain of right links ascends and cannot be a cycle.
        if (copy->child[0].lower != lower)
            report_corruption(index, block,
                              "The page's range does not begin where the link to it indicates.");
        if (copy->belongs_right(position)) {
            level = copy->level;
            lower = copy->high;
            block = copy->right;
            if (!stepped && parent != kNoBlock)
                forget_copy(index, parent);
            stepped = true;
            CHECK_FOR_INTERRUPTS();
            continue;
        }
        int at = find_child(copy->child, copy->count, copy->density, position);
        const CachedChild &child = copy->child[at];
        stepped = false;
        if (copy->level > 1) {
            parent = block;
            block = child.block;
            lower = child.lower;
            level = copy->level - 1;
            continue;
        }
        bool last = at == copy->count - 1;
        place->block = child.block;
        place->buffer = child.buffer;
        place->lower = child.lower;
        place->upper = last ? copy->high : copy->child[at + 1].lower;
        place->rightmost = last && copy->right == kNoBlock;
        place->root = false;
        place->parent = block;
        place->child = at;
        return;
    }
}

void fetch_leaf(Relation index, LeafPlace *place)
{
    if (!BufferIsValid(place->buffer) && !place->root &&
        get_tablespace_io_concurrency(index->rd_rel->reltablespace) > 0)
        place->buffer = PrefetchBuffer(index, MAIN_FORKNUM, place->block).recent_buffer;
}

void check_reach(Relation index, const LeafPlace &place, Buffer buffer)
{
    const char *page = buffer_page(buffer);
    if (!place.rightmost && (is_rightmost(page) || high_of(page) > place.upper))
        report_corruption(index, BufferGetBlockNumber(buffer),
                          "The leaf extends beyond the range that its parent gives it.");
    // The right half of an incomplete split has no downlink: it is in the range that the parent gives the
    // left half. The downlink and the mark change together, under the leaf's lock, so no copy is newer than
    // the mark.
    if (!place.rightmost && (page_tail(page)->flags & kIncompleteSplit) && high_of(page) >= place.upper)
        report_corruption(index, BufferGetBlockNumber(buffer),
                          "The leaf has split and leaves no range to its right half.");
    // Rows of another leaf, to the left, might be returned twice.
    if (!place.root && !is_rightmost(page) && high_of(page) <= place.lower)
        report_corruption(index, BufferGetBlockNumber(buffer),
                          "The leaf ends before the range that its parent gives it.");
}

Buffer pin_leaf(Relation index, const LeafPlace &place, BufferAccessStrategy strategy)
{
    return strategy == nullptr ? read_recent_buffer(index, place.block, place.buffer)
                               : ReadBufferExtended(index, MAIN_FORKNUM, place.block, RBM_NORMAL, strategy);
}

void lock_leaf(Relation index, const LeafPlace &place, Buffer buffer, int table, int mode)
{
    lock_tree_page(index, buffer, place.block, mode, table, place.root ? -1 : 0);
    if (place.root)
        return;
    check_reach(index, place, buffer);

    // The copy may have been removed since; none is made here, under the lock.
    InnerCopy *copy = present_copy(index, place.parent);
    if (copy != nullptr && place.child < copy->count && copy->child[place.child].block == place.block)
        copy->child[place.child].buffer = buffer;
}

Buffer read_leaf(Relation index, const LeafPlace &place, int table, int mode, BufferAccessStrategy strategy)
{
    Buffer buffer = pin_leaf(index, place, strategy);
    lock_leaf(index, place, buffer, table, mode);
    return buffer;
}

void forget_parent(Relation index, const LeafPlace &place)
{
    if (!place.root)
        forget_copy(index, place.parent);
}

} // namespace simhash
