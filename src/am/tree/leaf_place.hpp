// Where the leaf for a position is: found in the copies of the inner pages (inner_copies.hpp), without reading a
// buffer.
//
// Searches and inserts locate several leaves before they read the first, so that these are fetched together. In between,
// a leaf may split or be deleted, and the copy of its parent may be removed. Both are noticed when the leaf is locked: a
// leaf of the place begins where its parent's copy says. It may end earlier, after a split, and the rest is to its right.
// A leaf that begins or ends elsewhere is another one, and the copy is out of date.
#pragma once

#include "am/tree/tree_page.hpp"

namespace simhash
{

// The place of a leaf according to the copy of its parent.
struct LeafPlace {
    BlockNumber block;
    Buffer buffer;  // where the leaf was last found, or invalid
    XLogRecPtr lsn; // that of the leaf when it was checked and had this range, or invalid
    Position lower; // the leaf's lower bound when the parent was copied
    Position upper; // its upper bound then, exclusive
    bool rightmost; // the leaf had no upper bound
    bool root;      // the tree is only a root, which must be read by a descent
    BlockNumber parent;
    int child; // its number in the parent
};

// The keys whose entries a search reads completely: entries with equal keys may be divided by tid between two
// leaves. Empty if first > last.
struct WholeKeys {
    std::uint64_t first;
    std::uint64_t last;
    bool has(std::uint64_t key) const { return key >= first && key <= last; }
};
// The keys whose entries all have positions from `lower` to before `upper`; no upper bound if it is null.
WholeKeys whole_keys(Position lower, const Position *upper);

// Finds the place of the leaf for a position, or of one to its left.
void find_leaf(const OpenIndex &index, int tree, Position position, LeafPlace *place);

// Prefetches what find_leaf reads of the copy of the leaf's parent, if there is one.
void prefetch_place(const OpenIndex &index, int tree, Position position);

// Prefetches a leaf from disk if it is not in a buffer; otherwise sets place->buffer.
void fetch_leaf(Relation index, LeafPlace *place);

// Pins the leaf of a place, or the root, which may no longer be a leaf. If `strategy` is not null, its buffers are used.
Buffer pin_leaf(Relation index, const LeafPlace &place, BufferAccessStrategy strategy = nullptr);
// Locks and checks it. Returns null; or why it is not the leaf of the place, and does not lock it.
const char *lock_leaf(const OpenIndex &index, const LeafPlace &place, Buffer buffer, int tree, int mode);
// Locks a leaf in share mode that has not changed since it was checked, and has the place's whole range: every change of a
// logged index changes the LSN of the page. Returns false, and does not lock it, if that is not known.
bool lock_unchanged(const LeafPlace &place, Buffer buffer);

// Removes the copy of a leaf's parent, which is out of date because the leaf has split or been deleted.
void forget_parent(const OpenIndex &index, const LeafPlace &place);

} // namespace simhash
