// The leaves of an exact search: for each step of its plan, the leaves that intersect the step's Hamming ball of keys.
//
// Leaves are located before they are read, and the radius may have shrunk in between: what a leaf had to be read for
// is in `located`. A row may be met by several steps; the search that owns the source returns it for the first one.
//
// A search that may end at its first row begins with the leaves that most likely hold one, those that few or likely flips
// of the query's header reach: in every step the leaves within no flips, then those within one, then the others; or by
// weights, in balls of growing cost. The ranges of keys that these passes read are kept in `read`, also those of a search
// by weights that becomes exact. The last pass does not read them again, and their rows are not returned again. So every
// leaf is read as often as in one pass.
#pragma once

#include "am/tree/leaf_reader.hpp"

#include "core/tables/key_ball.hpp"
#include "core/tables/key_ranges.hpp"
#include "core/tables/probe_ball.hpp"
#include "core/tables/search_plan.hpp"

#include <bit>

namespace simhash
{

// The passes before the last that pay, without costs and with them, and how many ranges of keys they may read.
inline constexpr int kPasses = 2, kPassesByCost = 8;
inline constexpr std::size_t kRangesOfPasses = 128;

// How an exact search begins.
struct ExactStart {
    bool alone = false;    // the first leaves are read one by one
    int passes = 0;        // over the likeliest leaves, before all others
    bool no_other = false; // the search ends after these
};

// The cost of a flip of a bit of a key, if it depends on the bit.
struct FlipCosts {
    // Sets the costs of a table's first `bits` bits. Null if all flips cost the same.
    void (*of_table)(const struct StepSource *source, int table, std::uint8_t cost[]);
    int bits; // that lead to other leaves
    int step; // by which the balls of the passes grow
};

struct StepSource : LeafSource {
    static constexpr std::uint32_t kLastTurn = ~std::uint32_t{0};

    std::uint64_t (*key_of)(const StepSource *source, int table); // the query's
    int radius; // may shrink during the search; leaves that are no longer needed are not read
    SearchPlan plan;
    FlipCosts costs;
    bool within_budget; // of a leaf, the search returns only rows within the step's budget
    KeyRanges read;     // before the last pass

    int passes; // before the last
    bool no_other;
    int pass;   // of the next leaf to locate: it is within so many flips, or this is the last pass
    int step;   // of the next leaf to locate
    int leaves; // located so far
    KeyBall ball;
    int cost_table; // whose costs are in `cost`, or -1
    std::uint8_t cost[kBits];
    Position next;
    Position done;        // the end of the last located leaf of the step
    std::uint64_t unread; // the step's keys below have not been read, from the last key found on
    struct {
        int step;
        int radius;         // the search's radius when the leaf was located
        std::uint32_t turn; // of the keys read, kLastTurn in the last pass
    } located[kMostAhead];

    int step_of(const LocatedLeaf &leaf) const { return located[leaf.slot].step; }
    bool finished() const { return step == plan.steps; }
    bool in_last_pass(const LocatedLeaf &leaf) const { return located[leaf.slot].turn == kLastTurn; }

    // Whether the search returns a row from the leaf that it has in a table.
    bool returns(int table, std::uint64_t key) const
    {
        if (!within_budget)
            return true;
        const SearchStep *in = plan.step;
        while (in->table != table)
            in++;
        return std::popcount((key ^ key_of(this, table)) & leading_bits(in->header_bits)) <=
               static_cast<int>(in->budget);
    }

    // Whether a row of a leaf has not been returned in an earlier turn and, before the last pass, is returned in this
    // one.
    // key_of_row(table) is the row's key in a table.
    template <typename KeyOfRow> bool is_new(const LocatedLeaf &leaf, KeyOfRow key_of_row) const
    {
        const std::uint32_t turn = located[leaf.slot].turn;
        bool here = turn == kLastTurn;
        for (std::uint32_t tables = read.tables(); tables != 0; tables &= tables - 1) {
            const int table = std::countr_zero(tables);
            const KeyRange *range = read.find(table, key_of_row(table));
            if (range != nullptr && range->turn < turn && returns(table, key_of_row(table)))
                return false;
            here = here || (table == leaf.table && range != nullptr && range->turn == turn);
        }
        return here;
    }
};

// Starts a search with the plan in `source->plan`, the keys of `source->key_of` and `source->costs`, without the keys in
// `source->read`.
void begin_step_source(StepSource *source, Relation index, int radius, const ExactStart &start);

} // namespace simhash
