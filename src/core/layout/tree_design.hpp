// Designs of block-permuted tables, here trees (Manku, Jain, Das Sarma 2007, section 3; generalised).
//
// The 64 bits are cut into blocks. Each tree sorts the fingerprints by all the blocks, in its own order of
// blocks; the first blocks of that order are the tree's header. A design for distance k is a set of headers
// such that every set of at most k bits misses at least one header: two fingerprints that differ in at most k
// bits agree in all of some tree's header, and lie next to each other there.
//
// Blocks are grouped in regions. In a region of b blocks that spares c of them there is one tree for each
// way to leave out c blocks, so any c errors inside the region miss some header. Regions with
// sum (c + 1) >= k + 1 together survive any k errors: by the pigeonhole principle some region holds at most
// its c. Four regions of one block are Manku's T = 4; one region of 6 blocks that spares 3 is his T = 20.
#pragma once

#include <cstdint>

namespace simhash
{

inline constexpr int kMaxTrees = 32;
inline constexpr int kMaxBlocks = 16;
inline constexpr int kMinDistance = 1;
inline constexpr int kMaxDistance = 15;

struct DesignRegion {
    std::uint8_t first_block;
    std::uint8_t blocks; // b
    std::uint8_t spared; // c
    std::uint8_t first_tree;
    std::uint8_t trees; // C(b, c)
};

struct DesignTree {
    std::uint8_t header_blocks;
    std::uint8_t header_bits;
    std::uint8_t order[kMaxBlocks]; // all blocks, the header's first
};

// Plain bytes: the metapage holds one as it is.
struct TreeDesign {
    std::uint8_t distance;
    std::uint8_t trees;
    std::uint8_t blocks;
    std::uint8_t regions;
    std::uint8_t width[kMaxBlocks]; // bits of each block; the blocks follow each other from the highest bit
    DesignRegion region[kMaxBlocks];
    DesignTree tree[kMaxTrees];
};

// The default number of trees for a distance: k + 1 disjoint blocks, one exact range each.
inline int default_trees(int distance) { return distance + 1; }

// Block values and indexes depend on this, and on default_trees: neither changes.
//
// Finds the design with `trees` trees for `distance` that has the longest headers. With at most distance
// trees the headers are disjoint blocks, and a search of that distance flips bits of them. Returns false
// where none exists: distance or trees out of range, or no set of regions with that many trees.
bool make_design(int distance, int trees, TreeDesign *out);

// Whether it is the one that make_design() makes for its distance and its number of trees.
bool check_design(const TreeDesign &design);

// The blocks of a tree's header, as a bit set.
std::uint32_t header_blocks(const DesignTree &tree);

// With more rows than this under each value of a header, 1.5 leaves of 8 kB, an additional tree pays.
inline constexpr int kMostRowsOfHeader = 768;

// The least number of trees for which no header has too many of `rows` uniform rows; a search within the distance then
// reads one or two leaves of each. At distance 3: 4; 5 from 50 million rows, 6 from 201 million, 7 from 1.6 billion, and
// 8 from 3.2 billion. Beyond distance 3 always distance + 1: there, headers long enough would take several times the
// space. Requires: a distance from kMinDistance to kMaxDistance.
int default_trees(int distance, double rows);

} // namespace simhash
