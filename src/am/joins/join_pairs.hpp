// The second method of a Simhash Join, if both tables have an index and the radius is the same for all rows: the pairs of
// near rows are found without searches (am/pairs), the rows are fetched, and all conditions are tested.
//
//   join_pairs_path  finds a condition and its indexes, and estimates the cost
//   join_pairs       the plan, its execution, and what EXPLAIN shows
//
// Of a table joined with itself one index is read, which has each pair once and no row with itself. Both orders are
// tested; and each row with itself, unless a condition, like a.id < b.id, says that there is no such row. The condition
// that the search meets is not tested again, and its columns are not read, unless rows come from elsewhere.
//
// The partitions of a table that are left at planning are one set of rows. Their indexes must be parts of an index of the
// whole table.
#pragma once

#include "am/joins/join_node.hpp"

namespace simhash
{

enum class PairMethod {
    one_index,  // no row is joined with itself
    and_itself, // of one index; rows may be
    two_indexes
};

// What a path holds for its plan.
struct PlannedPairs {
    PairMethod method;
    List *indexes[2]; // OIDs: of the table, or of its partitions
    Node *radius;     // a bigint, without columns
    const RestrictInfo *condition;
    bool exact;       // all pairs found meet it
    List *conditions; // RestrictInfos: of the join and of both tables
};
struct PairsPath : CustomPath {
    PlannedPairs pairs;
};

extern const CustomPathMethods kPairPathMethods;

Node *create_pairs_state();

// Offers the path if it is suitable. The planner names each two tables in both orders.
void add_pairs_path(PlannerInfo *root, RelOptInfo *join, RelOptInfo *outer, RelOptInfo *inner,
                    const JoinPathExtraData *extra);

} // namespace simhash
