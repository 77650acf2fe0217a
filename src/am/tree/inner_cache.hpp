// Copies of inner pages that a backend keeps, so that a descent reads no buffer but the leaf's.
//
// A copy is never wrong, only old: a page's range of positions shrinks by splits and never moves, pages are
// not recycled, and what a page has given away is found by its right link. So an old copy leads to the leaf
// or to one on its left, as a descent that was overtaken by a split does. Whoever notices forgets the copy.
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

// The leaf of a place, or a page that it has been split into, lies within the range that its parent's copy
// gives it. The page is locked. It may be an error of the leaf or of the parent.
void check_reach(Relation index, const LeafPlace &place, Buffer buffer);

// Whether the index has the block. It asks the system only when it has to.
bool block_exists(Relation index, BlockNumber block);

// The leaf has split since: its parent's copy is out of date.
void forget_parent(Relation index, const LeafPlace &place);

// The part of the index's relcache entry that holds the copies; see meta.cpp.
struct InnerCopies;
InnerCopies *index_copies(Relation index);
// As many bytes as the copies of an index of that many blocks need, within a limit.
Size inner_copies_size(BlockNumber blocks, int trees);
void init_inner_copies(InnerCopies *copies, Size size);
// Whether copies had to be replaced for lack of room, and the index has become larger than the room was made
// for.
bool outgrown(InnerCopies *copies, Relation index);
// Makes more room if so. Call it where nothing of the relcache entry is in use.
void make_room_for_copies(Relation index);

} // namespace simhash
