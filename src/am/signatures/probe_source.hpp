// The leaves of an approximate search of a wide index, the likeliest first: those that reach into a ball around the
// query's key in any tree, then those of the next larger ball.
#pragma once

#include "am/tree/leaf_reader.hpp"

#include "core/layout/key_ball.hpp"
#include "core/layout/signature_layout.hpp"

namespace simhash
{

struct ProbeSource : LeafSource {
    int trees;
    const std::uint64_t *keys; // the query's
    std::uint8_t cost[kMaxTrees][kKeyBits];
    int step;   // by which the ball grows
    int budget; // of the present ball
    int most;   // the budget that reaches every leaf
    int tree;   // the next leaf's tree
    bool in_tree;
    Position next;
    std::uint64_t low[kMostAhead]; // by slot of a located leaf: the first key of the page to be read
};

// Starts with the balls of the smallest budget. The costs have been set.
void begin_probe_source(ProbeSource *source, int trees, const std::uint64_t *keys, int step);

} // namespace simhash
