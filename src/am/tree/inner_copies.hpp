// A backend's copies of inner pages, so that a descent reads no buffer except the leaf's.
//
// A copy may be old but is never wrong: a page's range of positions can shrink by splits but never moves,
// pages are not recycled, and entries that a page has given away are found through its right link. So an old
// copy leads to the right leaf or to one to its left, like a descent that was overtaken by a split. A process
// that notices this removes its copy.
//
// All indexes share one table of copies with limited memory. Copies that have not been used lately are
// replaced. Copies belong to the metapage that the index's relcache entry holds, by its cache_number(): an
// invalidation removes both.
//
// Each child is stored with the buffer in which the leaf was last found. If the leaf is still there, no
// lookup in the buffer table is needed, and its memory can be prefetched before it is pinned.
#pragma once

#include "am/tree/index.hpp"

namespace simhash
{

// The place of a leaf according to the copy of its parent.
struct LeafPlace {
    BlockNumber block;
    Buffer buffer;  // where the leaf was last found, or invalid
    Position lower; // the leaf's lower bound when the parent was copied
    Position upper; // its upper bound then, exclusive
    bool rightmost; // the leaf had no upper bound
    bool root;      // the tree is only a root, which must be read by a descent
    BlockNumber parent;
    int child; // its number in the parent
};

// Finds the place of the leaf for a position, or of one to its left.
void find_leaf(Relation index, int table, Position position, LeafPlace *place);

// Prefetches a leaf from disk if it is not in a buffer; otherwise sets place->buffer.
void fetch_leaf(Relation index, LeafPlace *place);

// Reads, locks and checks the leaf of a place that is not a root. If `strategy` is not null, its buffers are
// used.
Buffer read_leaf(Relation index, const LeafPlace &place, int table, int mode,
                 BufferAccessStrategy strategy = nullptr);

// The same in two steps. They also accept a root, which may no longer be a leaf.
Buffer pin_leaf(Relation index, const LeafPlace &place, BufferAccessStrategy strategy = nullptr);
void lock_leaf(Relation index, const LeafPlace &place, Buffer buffer, int table, int mode);

// Returns the leaf for the position, locked: that of the place, which is pinned, or one to its right. Returns
// an invalid buffer if the descent must be restarted because the root has split or an incomplete split had to
// be finished. Sets *lower to the leaf's lower bound. (tree.cpp)
Buffer lock_place(Relation index, const LeafPlace &place, Buffer buffer, int table, Position position,
                  int mode, Position *lower);

// Checks that a locked leaf, which is that of the place or one that it has been split into, is within the
// range that its parent's copy gives it. If not, the leaf or the parent is damaged.
void check_reach(Relation index, const LeafPlace &place, Buffer buffer);

// Removes the copy of a leaf's parent, which is out of date because the leaf has split.
void forget_parent(Relation index, const LeafPlace &place);

} // namespace simhash
