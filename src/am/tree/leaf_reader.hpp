// Reads the leaves that a search or a join needs, one after the other.
//
// A source determines the leaves. The reader lets it locate several leaves ahead and fetches them together,
// so that the processor, or the disk, loads several at once. Then it reads each leaf under a share lock,
// checks it, and continues with its right sibling if the leaf has split since it was located. If the leaf has been
// deleted, the reader descends again to where it stopped. It returns the entries of each located range exactly once,
// whatever has become of the pages meanwhile.
//
// It locks one page at a time: the caller unlocks a leaf before it asks for the next one. Nothing of the leaves located
// ahead is pinned, so they may become any other pages.
#pragma once

#include "am/tree/leaf_place.hpp"

namespace simhash
{

// The leaves that are located ahead: enough to hide the latency of memory, and once a leaf has to be read from disk, as
// many as effective_io_concurrency, up to kMostAhead.
inline constexpr int kAhead = 16, kMostAhead = 32;

struct LocatedLeaf {
    LeafPlace place;
    int tree;
    int slot;       // 0 to kMostAhead - 1; unique from when the leaf is located until it has been read
    Position first; // the first of its positions that the source wants
    Position begin; // the range that the source wants of it: from here on ...
    Position end;   // ... to before here, unless endless
    bool endless;
};

// Locates the leaf for a position as the next one of a source. `done`: the source has located what is before, in the same
// pass over the tree; a leaf may have come to begin earlier.
inline void locate_leaf(const OpenIndex &index, int tree, Position position, Position done, LocatedLeaf *leaf)
{
    find_leaf(index, tree, position, &leaf->place);
    leaf->tree = tree;
    leaf->first = position;
    leaf->begin = Max(leaf->place.lower, done);
    leaf->end = leaf->place.upper;
    leaf->endless = leaf->place.rightmost;
}

struct LeafSource {
    // Locates the next leaf by locate_leaf. Returns false if there is none.
    bool (*locate)(LeafSource *source, const OpenIndex &index, LocatedLeaf *leaf);
    // Whether the source wants a position of the located leaf at or above `from`. Sets leaf->first to the
    // first such position. Called before the leaf is read, and with the leaf's new end if it has split.
    bool (*wants)(LeafSource *source, LocatedLeaf *leaf, Position from);
    int ahead; // number of leaves to locate ahead: 1, or kAhead if more may be
};
// LeafSource::wants of sources that read all pages that a leaf has been split into.
bool wants_all(LeafSource *source, LocatedLeaf *leaf, Position from);

struct LeafReader {
    OpenIndex index;
    Snapshot snapshot;
    BufferAccessStrategy strategy; // null if the leaves may stay in shared buffers
    LeafSource *source;
    bool ended; // the source has located its last leaf

    LocatedLeaf leaf;  // the leaf that was read last
    bool unchanged;    // since it was checked before
    const char *page;  // its contents, valid until the buffer is unlocked
    bool go_right;     // it has split, and the source wants positions of its right sibling
    BlockNumber right; // the right sibling, as read together with the leaf
    Position next;     // where the entries begin that have not been read yet

    int depth;       // leaves to locate ahead, if the source permits
    int from, count; // the located leaves in the ring buffer `ahead`
    int compared;    // of these, the first ones whose compared parts have been prefetched
    LocatedLeaf ahead[kMostAhead];
};

// Starts to read the leaves of a source. Leaves located for another source are dropped.
void begin_reading(LeafReader *reader, LeafSource *source);

// Returns the next leaf, pinned and locked in share mode, or an invalid buffer at the end. reader->page has its entries,
// and only those of the located range.
Buffer read_next_leaf(LeafReader *reader);

// A source of the leaves of a tree, from left to right: of all, or of the positions from `from` to before `end`.
inline constexpr Position kEndOfTree = {~std::uint64_t{0}, ~std::uint64_t{0}};
struct TreeWalk : LeafSource {
    int tree;
    Position next;
    Position end;
    bool done;
};
void begin_tree_walk(TreeWalk *walk, int tree, Position from = {0, 0}, Position end = kEndOfTree);

} // namespace simhash
