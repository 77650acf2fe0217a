// The parts of a Simhash Join that its files share: what a path and a plan hold, and the state of the execution.
#pragma once

#include "am/index/strategy.hpp"
#include "am/joins/joins.hpp"
#include "am/match/match_search.hpp"
#include "am/pairs/pair_search.hpp"
#include "pg/planner/rewrite.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "access/tupconvert.h"
#include "nodes/execnodes.h"
#include "nodes/extensible.h"
#include "nodes/pathnodes.h"
#include "optimizer/optimizer.h"
}

namespace simhash
{

inline constexpr char kJoinName[] = "Simhash Join";

// The rows of the first batch.
inline constexpr Size kFirstRows = 32;
// What the gathered rows may take, and again the search for them.
inline Size half_memory() { return Size{512} * static_cast<Size>(work_mem); }

// An index scan of the inner table for each outer row.
struct InnerScan {
    const Path *path; // for its cost
    IndexOptInfo *index;
    const RestrictInfo *condition; // of the join, for which the index is searched
    Strategy strategy;             // of its operator
    Node *query;                   // its right operand, an expression over the outer side
    PlannedBall ball;
    List *values, *types; // of the columns before the searched one; the type of IS NULL is InvalidOid
};

// The table that has the index, or the partitions and children that are left of it.
struct InnerSide {
    InnerScan scan; // of one of them
    List *indexes;  // OIDs
    List *parts;    // what is known of those with a scan; others are tiny
    double rows;    // that a query finds
    Index relation;
    List *filters; // RestrictInfos
};

struct JoinPath : CustomPath {
    JoinType type; // JOIN_INNER, JOIN_LEFT, JOIN_SEMI or JOIN_ANTI
    InnerSide inner;
    List *conditions; // RestrictInfos of the join, with that of the scan
};

// Makes the path of a join of a type derived from CustomPath. The node tests the conditions.
template <typename Derived>
Derived *make_custom_path(RelOptInfo *join, const CustomPathMethods *methods, double rows, List *conditions)
{
    auto *path = allocate_zero<Derived>();
    path->path.type = T_CustomPath;
    path->path.pathtype = T_CustomScan;
    path->path.parent = join;
    path->path.pathtarget = join->reltarget;
    path->path.parallel_safe = join->consider_parallel;
    path->path.rows = clamp_row_est(rows);
    path->methods = methods;
    set_custom_path(path, conditions);
    return path;
}

// What a plan holds for its execution. Tables are renumbered when the plan becomes part of a larger one, all but those in
// custom_private; so the place of the inner table among custom_relids is kept.
struct JoinNumbers {
    JoinType type;
    int inner;         // the place of the table
    int child_columns; // of the scan's row come from the outer plan; the others from the table
    Strategy strategy;
    int condition;         // the place of the index's condition in the join's
    List *indexes, *types; // as in InnerSide and InnerScan
};
List *plan_private(const JoinNumbers &numbers);
JoinNumbers read_plan_private(List *list);

// Whether a condition has no columns, or is WHERE CURRENT OF.
bool any_pseudoconstant(const List *clauses);
// Whether the nested loop would search few of the partitions for each row, as a condition compares their key with a value
// that is known by then. It would be faster.
bool pruned_later(PlannerInfo *root, RelOptInfo *table, List *conditions);
// Whether a table is one whose rows the node can read, with the partitions and children that the planner has left.
bool can_read(PlannerInfo *root, RelOptInfo *table);
// Returns these partitions and children, those at the lowest level, or the table.
List *members_of(PlannerInfo *root, RelOptInfo *table);
// Returns the index of a partition that is part of the index of the whole table, or null.
IndexOptInfo *part_of_index(const RelOptInfo *member, Oid whole);
// Returns the clauses in the order in which they are to be tested.
List *ordered_clauses(PlannerInfo *root, const List *clauses);
// The number of a clause among others.
int place_of(const List *clauses, const RestrictInfo *clause);
// Returns the columns that expressions have: the very nodes.
List *columns_in(List *expressions);
Plan *plan_join(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist, List *clauses,
                List *plans);
extern const CustomPathMethods kJoinPathMethods;
extern const CustomScanMethods kJoinScanMethods;

// The rows of a table, or of a partition or child of it, as rows of the table.
struct RowMap {
    TupleConversionMap *map;   // null if both have the same columns
    TupleTableSlot *converted; // a row of the partition as one of the table; null for the table itself
};

// An outer row of a batch, and what it asks for.
struct GatheredRow {
    MinimalTuple row;
    Fingerprint center;
    int16 radius;
    bool asks;
    bool guided; // by weights, which are read again
    bool matched;
};

enum class JoinPhase {
    gather,   // the next batch of outer rows
    ask,      // search for as many as there is memory for
    match,    // return their matches
    unmatched // return the rows of the batch without a match
};

// For EXPLAIN.
struct JoinCounts {
    uint64 batches, filtered;
    uint64 singly; // queries searched for row by row
    MatchCounts found;
};

struct JoinState {
    CustomScanState css; // first
    JoinNumbers numbers;
    Index inner; // the table's number
    Relation table;
    TupleTableSlot *outer;  // a gathered row
    TupleTableSlot *tested; // the table's row in an EvalPlanQual test
    int columns;
    AttrNumber *column; // of the table, for each column of the scan's row beyond the child's
    ExprState *query;
    List *values; // ExprStates of the columns before the searched one
    ExprState *conditions;

    SearchedSide members;  // the table, or its partitions; none for EXPLAIN alone
    MemoryContext context; // of the search of one of them
    int part;              // its number
    RowMap map;
    TupleTableSlot *converted; // a row of a partition as one of the table
    MatchSearch *search;
    bool singly;                  // rows are searched for one by one, as most have a match and one is enough
    struct RowSearch *row_search; // if so

    MemoryContext batch; // of the gathered rows
    JoinPhase phase;
    GatheredRow *row;
    Size rows, room;
    Size most;  // of the batch
    Size asked; // rows that the search has been told of
    Size round; // the most rows after which it had no room for one more; 0 if it had
    Size next;  // the next row that may be unmatched
    bool child_done;

    JoinCounts counts; // also of parallel workers that have ended; without those of the search that is open
    struct SharedCounts *shared; // of the workers; null if there are none
};

// Returns the number of a table from its place among others.
Index tree_number(const Bitmapset *relids, int place);
// Opens a table's index, or those of partitions and these. They stay open as long as the join is, so that the session
// cannot change one that is searched later.
SearchedSide open_members(const List *indexes, Relation whole, LOCKMODE lock);
void close_members(const SearchedSide &members, Relation whole);
// The slot is for a row of the whole table.
RowMap map_rows(Relation member, Relation whole, TupleTableSlot *converted);
// A column of a table's row, which must be kept as long as the value is used. Others than columns are in the memory of the
// current row.
Datum read_column(const ExprContext *context, const RowMap &map, TupleTableSlot *row, AttrNumber number,
                  bool *null);
// Whether the node is below the tables of an EvalPlanQual test, and not in a sub-select beside it.
bool is_tested(const CustomScanState *node);
// A table's row in such a test, or null. The slot is for one that has not changed.
TupleTableSlot *tested_row(const CustomScanState *node, Index table, TupleTableSlot *slot);

// Shows conditions of the join, those but the index's as a filter.
void explain_conditions(CustomScanState *node, List *conditions, int condition, uint64 filtered,
                        List *ancestors, struct ExplainState *es);
JoinCounts join_counts(const JoinState *state);
// Tells the leader of the counts, if this is a parallel worker.
void share_counts(const JoinState *state);
void set_explain_methods(CustomExecMethods *methods);

} // namespace simhash
