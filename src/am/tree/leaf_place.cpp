#include "am/tree/leaf_place.hpp"

#include "am/tree/inner_copies.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/spccache.h"
}

namespace simhash
{

namespace
{

// A step of a descent through the copies: to a child or to a right sibling.
struct CopyStep {
    BlockNumber block, from; // kNoBlock for the root
    int level;               // -1 for any
    bool right;
    Position high; // of `from`, if the step is to the right
};

// The copy of the page that the step leads to; or null, and *stale is set if the link is out of date. Otherwise the page
// is a root that is a leaf.
InnerCopy *follow(const OpenIndex &index, int tree, Position position, const CopyStep &step,
                  const char **stale)
{
    InnerCopy *copy = copy_of(index, step.block, tree, step.level, stale);
    if (copy == nullptr)
        return nullptr;
    // The copy may be older than the link, or the link older than the copy.
    if (copy->tree != tree || (step.level >= 0 && copy->level != step.level))
        *stale = "The page is at the wrong level.";
    else if (position < copy->child[0].lower)
        *stale = "The page begins after the position that it was reached for.";
    // So a chain of right links ascends and cannot be a cycle.
    else if (step.right && copy->belongs_right(position) && copy->high <= step.high)
        *stale = "The page is out of order with its left sibling.";
    return *stale == nullptr ? copy : nullptr;
}

void set_place(const InnerCopy &copy, BlockNumber block, int at, LeafPlace *place)
{
    const CachedChild &child = copy.child[at];
    bool last = at == copy.count - 1;
    place->block = child.block;
    place->buffer = child.buffer;
    place->lsn = child.lsn;
    place->lower = child.lower;
    place->upper = last ? copy.high : copy.child[at + 1].lower;
    place->rightmost = last && copy.right == kNoBlock;
    place->root = false;
    place->parent = block;
    place->child = at;
}

// Sets *block and *stale if a link is out of date.
void try_find_leaf(const OpenIndex &index, int tree, Position position, LeafPlace *place, BlockNumber *block,
                   const char **stale)
{
    BlockNumber parent = kNoBlock;
    CopyStep step = {root_block(tree), kNoBlock, -1, false, {0, 0}};
    for (;;) {
        InnerCopy *copy = follow(index, tree, position, step, stale);
        *block = step.block;
        if (*stale != nullptr) {
            forget_copy(index, step.block);
            if (step.from != kNoBlock)
                forget_copy(index, step.from);
            return;
        }
        if (copy == nullptr) {
            *place = {step.block, InvalidBuffer, InvalidXLogRecPtr, {0, 0}, {0, 0}, true, true, kNoBlock, 0};
            return;
        }
        if (copy->belongs_right(position)) {
            if (!step.right && parent != kNoBlock)
                forget_copy(index, parent);
            step = {copy->right, step.block, copy->level, true, copy->high};
            CHECK_FOR_INTERRUPTS();
            continue;
        }
        int at = find_child(copy->child, copy->count, copy->density, position);
        if (copy->level == 1) {
            set_place(*copy, step.block, at, place);
            return;
        }
        parent = step.block;
        step = {copy->child[at].block, parent, copy->level - 1, false, {0, 0}};
    }
}

// Why a locked leaf is not the one of the place, or part of it after splits, or null. Only a parent that is out of date,
// or damage, leads to such a leaf.
const char *check_reach(const LeafPlace &place, const char *page)
{
    if (low_of(page) != place.lower)
        return "The leaf does not begin where its parent indicates.";
    if (!place.rightmost && (is_rightmost(page) || high_of(page) > place.upper))
        return "The leaf extends beyond the range that its parent gives it.";
    // The right half of an incomplete split has no downlink: it is in the range that the parent gives the
    // left half. The downlink and the mark change together, under the leaf's lock, so no copy is newer than
    // the mark.
    if (!place.rightmost && (page_tail(page)->flags & kIncompleteSplit) && high_of(page) >= place.upper)
        return "The leaf has split and leaves no range to its right half.";
    return nullptr;
}

// Whether a leaf of a place has its whole range.
bool is_whole(const LeafPlace &place, const char *page)
{
    return place.rightmost ? is_rightmost(page) : !is_rightmost(page) && high_of(page) == place.upper;
}

// Notes in the copy of the parent where a leaf is, and its state. The copy may have been removed since, or made anew; none
// is made here, under the lock.
void note_leaf(const OpenIndex &index, const LeafPlace &place, Buffer buffer)
{
    InnerCopy *copy = present_copy(index, place.parent);
    if (copy == nullptr || place.child >= copy->count)
        return;
    LeafPlace now;
    set_place(*copy, place.parent, place.child, &now);
    if (now.block != place.block)
        return;
    CachedChild *child = &copy->child[place.child];
    child->buffer = buffer;
    const char *page = buffer_page(buffer);
    const bool logged = RelationNeedsWAL(index.relation);
    child->lsn = logged && now.lower == low_of(page) && is_whole(now, page)
                     ? PageGetLSN(BufferGetPage(buffer))
                     : InvalidXLogRecPtr;
}

} // namespace

void find_leaf(const OpenIndex &index, int tree, Position position, LeafPlace *place)
{
    StaleLinks links;
    for (;;) {
        BlockNumber block;
        const char *stale = nullptr;
        try_find_leaf(index, tree, position, place, &block, &stale);
        if (stale == nullptr)
            return;
        links.start_again(index, block, stale);
    }
}

void prefetch_place(const OpenIndex &index, int tree, Position position)
{
    const InnerCopy *copy = present_copy(index, root_block(tree));
    while (copy != nullptr && copy->level > 1) {
        const int at = find_child(copy->child, copy->count, copy->density, position), level = copy->level;
        copy = present_copy(index, copy->child[at].block);
        if (copy != nullptr && copy->level >= level)
            return;
    }
    if (copy != nullptr)
        __builtin_prefetch(&copy->child[guess_child(copy->child, copy->count, copy->density, position.key)]);
}

WholeKeys whole_keys(Position lower, const Position *upper)
{
    constexpr WholeKeys kNone = {~std::uint64_t{0}, 0};
    WholeKeys keys = {lower.key, ~std::uint64_t{0}};
    if (lower.tid != 0 && keys.first++ == ~std::uint64_t{0})
        return kNone;
    if (upper != nullptr) {
        if (upper->key == 0)
            return kNone;
        keys.last = upper->key - 1;
    }
    return keys;
}

void fetch_leaf(Relation index, LeafPlace *place)
{
    if (!BufferIsValid(place->buffer) && !place->root &&
        get_tablespace_io_concurrency(index->rd_rel->reltablespace) > 0)
        place->buffer = PrefetchBuffer(index, MAIN_FORKNUM, place->block).recent_buffer;
}

Buffer pin_leaf(Relation index, const LeafPlace &place, BufferAccessStrategy strategy)
{
    return strategy == nullptr ? read_recent_buffer(index, place.block, place.buffer)
                               : ReadBufferExtended(index, MAIN_FORKNUM, place.block, RBM_NORMAL, strategy);
}

const char *lock_leaf(const OpenIndex &index, const LeafPlace &place, Buffer buffer, int tree, int mode)
{
    const char *stale = lock_tree_page(index, buffer, place.block, mode, tree, place.root ? -1 : 0);
    if (stale != nullptr || place.root)
        return stale;
    stale = check_reach(place, buffer_page(buffer));
    if (stale != nullptr) {
        LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
        return stale;
    }
    note_leaf(index, place, buffer);
    return nullptr;
}

bool lock_unchanged(const LeafPlace &place, Buffer buffer)
{
    if (XLogRecPtrIsInvalid(place.lsn) || buffer != place.buffer)
        return false;
    LockBuffer(buffer, BUFFER_LOCK_SHARE);
    // The file may have been damaged, and read anew, since. Whatever it holds, nobody reads outside the page.
    const char *page = buffer_page(buffer);
    if (PageGetLSN(BufferGetPage(buffer)) == place.lsn && check_leaf_bounds(page, BLCKSZ) == nullptr)
        return true;
    LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
    return false;
}

void forget_parent(const OpenIndex &index, const LeafPlace &place)
{
    if (!place.root)
        forget_copy(index, place.parent);
}

} // namespace simhash
