// Reads the leaves that a search or a join wants, one after the other.
//
// A source says which leaves these are. The reader has it locate several of them ahead of their turn and
// fetches them together, so that the processor, or the disk, brings several at once. Then it reads each under
// a share lock, checks it, and goes on to its right sibling where the leaf has split since it was located.
#pragma once

#include "am/tree/inner_cache.hpp"

namespace simhash
{

// How many leaves are located ahead of their turn, at most.
inline constexpr int kAhead = 8;

struct LocatedLeaf {
    LeafPlace place;
    int table;
    int slot;       // 0 to kAhead - 1, its own from when it is located until it has been read
    Position first; // the first position in it that the source wants
};

struct LeafSource {
    // Locates the next leaf: sets place, table and first. False if there is none.
    bool (*locate)(LeafSource *source, Relation index, LocatedLeaf *leaf);
    // Whether the source wants a position of the located leaf that is not below `from`; sets leaf->first to
    // the first one. Asked before the leaf is read, and with the leaf's new end where it has split.
    bool (*wants)(LeafSource *source, LocatedLeaf *leaf, Position from);
    int ahead; // how many leaves to locate, 1 to kAhead
};

struct LeafReader {
    Relation index;
    Snapshot snapshot;
    BufferAccessStrategy strategy; // null where the leaves read may stay in shared buffers
    LeafSource *source;

    LocatedLeaf leaf;  // the one that was read last
    bool go_right;     // it has split, and the source wants what is in its right sibling
    BlockNumber right; // that sibling, as read together with the leaf
    Position high;     // the leaf's end, likewise

    int from, count; // of the ring of leaves located
    LocatedLeaf ahead[kAhead];
};

// Starts to read the leaves of a source. It drops what was located for another one.
void begin_reading(LeafReader *reader, LeafSource *source);

// The next leaf, pinned and locked in share mode, or an invalid buffer at the end.
Buffer read_next_leaf(LeafReader *reader);

// All leaves of a tree, from left to right.
struct TreeWalk : LeafSource {
    int table;
    Position next;
    bool done;
};
void begin_tree_walk(TreeWalk *walk, int table);

} // namespace simhash
