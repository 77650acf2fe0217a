// The leaves of an exact search: for each step of its plan, the leaves that intersect the step's Hamming ball of keys.
//
// Leaves are located before they are read, and the radius may have shrunk in between: what a leaf had to be read for
// is in `located`. A row may be met by several steps; the search that owns the source returns it for the first one.
//
// A search may have begun with other leaves: the likeliest ones (eager_source.hpp), or those of a search by weights. The
// ranges of keys that it has read are in `read`. They are not read again, and their rows not returned again. So every
// leaf is read as often as without them. Or it goes on after a search of a smaller radius, which has read the keys with
// fewer header errors than `least`.
#pragma once

#include "am/tree/leaf_reader.hpp"

#include "core/layout/key_ball.hpp"
#include "core/layout/key_ranges.hpp"
#include "core/layout/search_plan.hpp"
#include "core/page/leaf_find.hpp"

#include <bit>

namespace simhash
{

struct StepSource : LeafSource {
    std::uint64_t (*key_of)(const StepSource *source, int tree); // the query's
    int radius; // may shrink during the search; leaves that are no longer needed are not read
    SearchPlan plan;
    bool within_budget; // of a leaf, the search returns only rows within the step's budget
    KeyRanges read;     // before the leaves of this source
    std::uint8_t least
        [kMaxTrees]; // header errors from which on this source reads a tree; 0 if nothing was read before

    int step; // of the next leaf to locate
    KeyBall ball;
    Position next;
    Position done;        // the end of the last located leaf of the step
    std::uint64_t unread; // the step's keys below have not been read, from the last key found on
    struct {
        int step;
        int radius; // the search's radius when the leaf was located
    } located[kMostAhead];

    int step_of(const LocatedLeaf &leaf) const { return located[leaf.slot].step; }

    // Whether the search returns a row from the leaf that it has in a tree.
    bool returns(int tree, std::uint64_t key) const
    {
        if (!within_budget)
            return true;
        const SearchStep *in = plan.step;
        while (in->tree != tree)
            in++;
        return std::popcount((key ^ key_of(this, tree)) & leading_bits(in->header_bits)) <=
               static_cast<int>(in->budget);
    }

    // Whether a row has been returned in a turn before this one, or in any. key_of_row(tree) is the row's key in a tree.
    template <typename KeyOfRow>
    bool returned_before(KeyOfRow key_of_row, std::uint32_t turn = ~std::uint32_t{0}) const
    {
        for (std::uint32_t trees = read.trees(); trees != 0; trees &= trees - 1) {
            const int tree = std::countr_zero(trees);
            const KeyRange *range = read.find(tree, key_of_row(tree));
            if (range != nullptr && range->turn < turn && returns(tree, key_of_row(tree)))
                return true;
        }
        return false;
    }
};

// What a step wants of a leaf. A row is returned in one of the leaves whose steps' budgets it meets.
inline LeafQuery query_of_step(const SearchStep &step, std::uint64_t key, int radius)
{
    LeafQuery query = near_key(key, radius);
    query.header = leading_bits(step.header_bits);
    query.budget = step.budget;
    return query;
}

// Starts with the plan in `source->plan` and the keys of `source->key_of`, without the keys in `source->read`.
void begin_step_source(StepSource *source, const OpenIndex &index, int radius);

// For sources that read the leaves of the same steps in another order.

// Goes to the beginning of a step.
void enter_step(StepSource *source, int step);
// Locates the leaf for source->next.
void locate_in_step(StepSource *source, const OpenIndex &index, LocatedLeaf *leaf);

// Finds the first position at or after `from` whose key is wanted and has not been read. Keys from the last one found up
// to below *unread have not been. Returns false if there is none. next_wanted(from, &key) finds the first wanted key at or
// above `from`.
template <typename NextWanted>
bool next_unread(const KeyRanges &read, int tree, Position from, std::uint64_t *unread, Position *next,
                 NextWanted next_wanted)
{
    std::uint64_t at = from.key, key;
    for (;;) {
        if (!next_wanted(at, &key))
            return false;
        if (key < *unread || read.empty())
            break;
        at = key;
        if (!read.skip(tree, &at))
            return false;
        if (at == key) {
            *unread = read.next_read(tree, key);
            break;
        }
    }
    *next = key == from.key ? from : Position{key, 0};
    return true;
}

} // namespace simhash
