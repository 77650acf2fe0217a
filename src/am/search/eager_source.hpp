// The likeliest leaves of an exact search, for one that may end at its first row.
//
// They are those that few or likely flips of the query's header reach: in every step the leaves within no flips, and then
// those within one; or by weights, in balls of growing cost. Each pass over the steps is a ball. The ranges of keys that
// the passes read are kept in `read`, so that the search can go on with all other leaves (step_source.hpp), in the same
// source.
#pragma once

#include "am/search/step_source.hpp"

#include "core/layout/key_ball.hpp"

namespace simhash
{

// The passes that pay, without costs and with them, and how many ranges of keys they may read.
inline constexpr int kPasses = 2, kPassesByCost = 8;
inline constexpr std::size_t kRangesOfPasses = 128;

// The cost of a flip of a bit of a key, if it depends on the bit.
struct FlipCosts {
    // Sets the costs of a tree's first `bits` bits. Null if all flips cost the same.
    void (*of_tree)(const struct EagerSource *source, int tree, std::uint8_t cost[]);
    int bits; // that lead to other leaves
    int step; // by which the balls of the passes grow
};

struct EagerSource : StepSource {
    FlipCosts costs;
    int passes;
    int pass;      // of the next leaf to locate
    int cost_tree; // whose costs are in `cost`, or -1
    std::uint8_t cost[kBits];
    std::uint32_t turn[kMostAhead]; // of the keys read, by slot of the leaf

    // Whether a row of a leaf is returned in the leaf's turn, and has not been before. key_of_row(tree) is the row's key
    // in a tree.
    template <typename KeyOfRow> bool is_new(const LocatedLeaf &leaf, KeyOfRow key_of_row) const
    {
        const KeyRange *range = read.find(leaf.tree, key_of_row(leaf.tree));
        return range != nullptr && range->turn == turn[leaf.slot] &&
               !returned_before(key_of_row, turn[leaf.slot]);
    }
};

// Starts with the plan in `source->plan`, the keys of `source->key_of` and `source->costs`. It ends when `source->read`
// is full, which has been begun.
void begin_eager_source(EagerSource *source, int radius);

} // namespace simhash
