#include "am/tree/descent.hpp"

#include "am/index/failpoint.hpp"
#include "am/tree/split.hpp"

namespace simhash
{

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

} // namespace simhash
