// Where the leaf for a position is: found in the copies of the inner pages (inner_copies.hpp), without reading a
// buffer.
//
// Searches and inserts locate several leaves before they read the first, so that these are fetched together. In
// between, a leaf may split, and the copy of its parent may be removed. Both are noticed when the leaf is locked: it
// is checked against the range that its parent's copy gave it. A range ends earlier after a split, and the rest is to
// the right; a range that ends later, or elsewhere, is damage.
#pragma once

#include "am/tree/tree_page.hpp"

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

// Checks that a locked leaf, which is that of the place or one that it has been split into, is within the
// range that its parent's copy gives it. If not, the leaf or the parent is damaged.
void check_reach(Relation index, const LeafPlace &place, Buffer buffer);

// Removes the copy of a leaf's parent, which is out of date because the leaf has split.
void forget_parent(Relation index, const LeafPlace &place);

} // namespace simhash
