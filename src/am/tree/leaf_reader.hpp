// Reads the leaves that a search or a join needs, one after the other.
//
// A source determines the leaves. The reader lets it locate several leaves ahead and fetches them together,
// so that the processor, or the disk, loads several at once. Then it reads each leaf under a share lock,
// checks it, and continues with its right sibling if the leaf has split since it was located.
#pragma once

#include "am/tree/leaf_place.hpp"

namespace simhash
{

// The most leaves that are located ahead.
inline constexpr int kAhead = 8;

struct LocatedLeaf {
    LeafPlace place;
    int table;
    int slot;       // 0 to kAhead - 1; unique from when the leaf is located until it has been read
    Position first; // the first of its positions that the source wants
};

struct LeafSource {
    // Locates the next leaf: sets place, table and first. Returns false if there is none.
    bool (*locate)(LeafSource *source, Relation index, LocatedLeaf *leaf);
    // Whether the source wants a position of the located leaf at or above `from`. Sets leaf->first to the
    // first such position. Called before the leaf is read, and with the leaf's new end if it has split.
    bool (*wants)(LeafSource *source, LocatedLeaf *leaf, Position from);
    int ahead; // number of leaves to locate ahead, 1 to kAhead
};

struct LeafReader {
    Relation index;
    Snapshot snapshot;
    BufferAccessStrategy strategy; // null if the leaves may stay in shared buffers
    LeafSource *source;

    LocatedLeaf leaf;  // the leaf that was read last
    bool go_right;     // it has split, and the source wants positions of its right sibling
    BlockNumber right; // the right sibling, as read together with the leaf
    Position high;     // the leaf's upper bound, as read together with the leaf

    int from, count; // the located leaves in the ring buffer `ahead`
    LocatedLeaf ahead[kAhead];
};

// Starts to read the leaves of a source. Leaves located for another source are dropped.
void begin_reading(LeafReader *reader, LeafSource *source);

// Returns the next leaf, pinned and locked in share mode, or an invalid buffer at the end.
Buffer read_next_leaf(LeafReader *reader);

// A source of all leaves of a tree, from left to right.
struct TreeWalk : LeafSource {
    int table;
    Position next;
    bool done;
};
void begin_tree_walk(TreeWalk *walk, int table);

} // namespace simhash
