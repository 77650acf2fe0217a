// Copies of inner pages that a backend keeps, so that a descent reads no buffer but the leaf's.
//
// A copy is never wrong, only old: a page's range of positions shrinks by splits and never moves, pages are
// not recycled, and what a page has given away is found by its right link. So an old copy leads to the leaf
// or to one on its left, as a descent that was overtaken by a split does. Whoever notices forgets the copy.
//
// All indexes share one table of copies, whose memory is limited; those that were not used lately make room.
// They belong to what the index's relcache entry holds of the metapage, by its cache_number(): an
// invalidation ends both.
//
// With each child goes the buffer in which the leaf was last seen. If the leaf is still there, it need not
// be looked up in the buffer table, and its memory can be prefetched before it is pinned.
#pragma once

#include "am/tree/index.hpp"

namespace simhash
{

// Where a leaf is, by the copy of its parent.
struct LeafPlace {
    BlockNumber block;
    Buffer buffer;  // where it was last seen, or invalid
    Position lower; // what the leaf held when the parent was copied
    Position upper; // up to here, exclusively,
    bool rightmost; // unless it was the rightmost
    bool root;      // the tree is a lone root, to be read by a descent
    BlockNumber parent;
    int child; // its number there
};

// Finds the place of the leaf that holds the position, or of one on its left.
void find_leaf(Relation index, int table, Position position, LeafPlace *place);

// Starts to bring a leaf from disk if it is in no buffer; else says in which buffer it is.
void fetch_leaf(Relation index, LeafPlace *place);

// Reads, locks and checks the leaf of a place that is not a root. A strategy, if there is one, says which
// buffers may be used.
Buffer read_leaf(Relation index, const LeafPlace &place, int table, int mode,
                 BufferAccessStrategy strategy = nullptr);

// The same in two steps, also for a root, which may turn out to be a leaf no more.
Buffer pin_leaf(Relation index, const LeafPlace &place, BufferAccessStrategy strategy = nullptr);
void lock_leaf(Relation index, const LeafPlace &place, Buffer buffer, int table, int mode);

// The leaf that holds the position, locked: that of the place, which is pinned, or one on its right. Invalid
// if the descent has to start again, as the root has split or an unfinished split had to be finished. *lower
// is set to its lower bound. (tree.cpp)
Buffer lock_place(Relation index, const LeafPlace &place, Buffer buffer, int table, Position position,
                  int mode, Position *lower);

// The leaf of a place, or a page that it has been split into, lies within the range that its parent's copy
// gives it. The page is locked. It may be an error of the leaf or of the parent.
void check_reach(Relation index, const LeafPlace &place, Buffer buffer);

// The leaf has split since: its parent's copy is out of date.
void forget_parent(Relation index, const LeafPlace &place);

} // namespace simhash
