#include "am/tree/descent.hpp"

#include "am/index/failpoint.hpp"
#include "am/tree/split.hpp"

namespace simhash
{

namespace
{

// Moves from a locked page of the right level to the page for the position: itself or one of its right
// siblings. Returns an invalid buffer if an incomplete split had to be finished first or a link was out of date; then the
// descent must be restarted.
Buffer settle(const OpenIndex &index, Buffer buffer, Position position, int mode, const char **stale)
{
    for (;;) {
        if (mode == BUFFER_LOCK_EXCLUSIVE && (page_tail(buffer_page(buffer))->flags & kIncompleteSplit)) {
            finish_split(index, buffer);
            return InvalidBuffer;
        }
        if (!belongs_right(buffer_page(buffer), position))
            return buffer;
        buffer = step_right(index, buffer, mode, stale);
        if (!BufferIsValid(buffer))
            return InvalidBuffer;
    }
}

// Descends through the copied inner pages. Sets *block to the leaf that they led to.
Buffer descend_to_leaf(const OpenIndex &index, int tree, Position position, int mode, BlockNumber *block,
                       const char **stale)
{
    LeafPlace place;
    find_leaf(index, tree, position, &place);
    failpoint(Failpoint::leaf_found);
    *block = place.block;
    return lock_place(index, place, pin_leaf(index, place), tree, position, mode, stale);
}

// Reads the child of a locked page, which is released, for the position.
Buffer step_down(const OpenIndex &index, Buffer buffer, Position position, BlockNumber *block,
                 const char **stale)
{
    const char *page = buffer_page(buffer);
    int tree = page_tail(page)->tree, level = page_tail(page)->level;
    *block = inner_link(page, inner_find(page, position)).child();
    UnlockReleaseBuffer(buffer);
    Buffer child = read_tree_page(index, *block, BUFFER_LOCK_SHARE, tree, level - 1, stale);
    if (BufferIsValid(child) && position < low_of(buffer_page(child))) {
        *stale = "The page begins after the position that it was reached for.";
        UnlockReleaseBuffer(child);
        return InvalidBuffer;
    }
    return child;
}

Buffer descend_to_inner(const OpenIndex &index, int tree, Position position, int mode, int level,
                        BlockNumber *block, const char **stale)
{
    *block = root_block(tree);
    Buffer buffer = read_tree_page(index, *block, BUFFER_LOCK_SHARE, tree, -1, stale);
    while (BufferIsValid(buffer) && page_tail(buffer_page(buffer))->level > level) {
        while (BufferIsValid(buffer) && belongs_right(buffer_page(buffer), position))
            buffer = step_right(index, buffer, BUFFER_LOCK_SHARE, stale);
        if (BufferIsValid(buffer))
            buffer = step_down(index, buffer, position, block, stale);
    }
    if (!BufferIsValid(buffer))
        return InvalidBuffer;
    if (page_tail(buffer_page(buffer))->level < level)
        report_corruption(index, *block, "The tree is lower than its pages indicate.");
    if (mode == BUFFER_LOCK_EXCLUSIVE) {
        *block = BufferGetBlockNumber(buffer);
        LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
        // It may have been deleted while it was unlocked, or have got another level if it is the root.
        *stale = lock_tree_page(index, buffer, *block, mode, tree, level);
        if (*stale == nullptr && position < low_of(buffer_page(buffer))) {
            *stale = "The page begins after the position that it was reached for.";
            LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
        }
        if (*stale != nullptr) {
            ReleaseBuffer(buffer);
            return InvalidBuffer;
        }
    }
    return settle(index, buffer, position, mode, stale);
}

} // namespace

Buffer lock_place(const OpenIndex &index, const LeafPlace &place, Buffer buffer, int tree, Position position,
                  int mode, const char **stale)
{
    *stale = lock_leaf(index, place, buffer, tree, mode);
    if (*stale != nullptr) {
        ReleaseBuffer(buffer);
        forget_parent(index, place);
        return InvalidBuffer;
    }
    if (place.root && !is_leaf(buffer_page(buffer))) { // it has split since
        UnlockReleaseBuffer(buffer);
        return InvalidBuffer;
    }
    if (belongs_right(buffer_page(buffer), position))
        forget_parent(index, place);
    return settle(index, buffer, position, mode, stale);
}

Buffer descend(const OpenIndex &index, int tree, Position position, int mode, int level)
{
    StaleLinks links;
    for (;;) {
        BlockNumber block;
        const char *stale = nullptr;
        Buffer buffer = level == 0 ? descend_to_leaf(index, tree, position, mode, &block, &stale)
                                   : descend_to_inner(index, tree, position, mode, level, &block, &stale);
        if (BufferIsValid(buffer))
            return buffer;
        if (stale != nullptr)
            links.start_again(index, block, stale);
    }
}

} // namespace simhash
