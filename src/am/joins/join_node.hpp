// The parts of a Simhash Join that its files share: what a path and a plan hold, and the state of the execution.
#pragma once

#include "am/index/strategy.hpp"
#include "am/joins/joins.hpp"
#include "am/match/match_search.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "nodes/execnodes.h"
#include "nodes/extensible.h"
#include "nodes/pathnodes.h"
}

namespace simhash
{

inline constexpr char kJoinName[] = "Simhash Join";

// What a path holds for its plan.
struct PlannedJoin {
    JoinType type; // JOIN_INNER, JOIN_LEFT, JOIN_SEMI or JOIN_ANTI
    Index inner;   // the table that has the index
    Oid index;
    Strategy strategy;    // of the condition's operator
    Node *query;          // its right operand, an expression over the outer side
    List *values, *types; // of the columns before the searched one; the type of IS NULL is InvalidOid
    const RestrictInfo *condition; // of the join, for which the index is searched
    List *conditions;              // RestrictInfos: of the join, with that one
    List *filters;                 // RestrictInfos of the table
};

// Lists of nodes, which the planner can copy and print.
List *path_private(const PlannedJoin &join);
PlannedJoin read_path_private(List *list);

// What a plan holds for its execution. Tables are renumbered when the plan becomes part of a larger one, all but those in
// custom_private; so the place of the inner table among custom_relids is kept.
struct JoinNumbers {
    JoinType type;
    int inner;         // the place of the table
    int child_columns; // of the scan's row come from the outer plan; the others from the table
    Strategy strategy;
    int condition; // the place of the index's condition in the join's
    Oid index;
    List *types; // as in PlannedJoin
};
List *plan_private(const JoinNumbers &numbers);
JoinNumbers read_plan_private(List *list);

// Whether a condition has no columns, or is WHERE CURRENT OF.
bool any_pseudoconstant(const List *clauses);
// Returns the clauses in the order in which they are to be tested.
List *ordered_clauses(PlannerInfo *root, const List *clauses);
// The number of a clause among others.
int place_of(const List *clauses, const RestrictInfo *clause);
Plan *plan_join(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist, List *clauses,
                List *plans);
extern const CustomPathMethods kJoinPathMethods;
extern const CustomScanMethods kJoinScanMethods;

// An outer row of a batch.
struct GatheredRow {
    MinimalTuple row;
    bool matched;
};

enum class JoinPhase {
    gather,   // the next batch of outer rows
    match,    // return their matches
    unmatched // return those without a match
};

struct JoinState {
    CustomScanState css; // first
    JoinNumbers numbers;
    Index inner;            // the table's number
    Relation table, index;  // null for EXPLAIN alone
    TupleTableSlot *outer;  // a gathered row
    TupleTableSlot *tested; // the table's row in an EvalPlanQual test
    int columns;
    AttrNumber *column; // of the table, for each column of the scan's row beyond the child's
    ExprState *query;
    List *values; // ExprStates of the columns before the searched one
    ExprState *conditions;

    MemoryContext context; // of the search
    MatchSearch *search;   // null until the first batch
    MemoryContext batch;   // of the gathered rows
    JoinPhase phase;
    GatheredRow *row;
    Size rows, room, most;
    Size next; // the next row that may be unmatched
    bool child_done;
    TupleTableSlot *waiting; // the child's row for which there was no room in the last batch

    // For EXPLAIN.
    uint64 batches, gathered, filtered;
};

// Returns the number of a table from its place among others.
Index table_number(const Bitmapset *relids, int place);
// A column of a table's row, which must be kept as long as the value is used. Others than columns are in the memory of the
// current row.
Datum read_column(const ExprContext *context, TupleTableSlot *row, AttrNumber number, bool *null);
// Whether the node is below the tables of an EvalPlanQual test, and not in a sub-select beside it.
bool is_tested(const CustomScanState *node);
// A table's row in such a test, or null. The slot is for one that has not changed.
TupleTableSlot *tested_row(const CustomScanState *node, Index table, TupleTableSlot *slot);

// Shows conditions of the join, those but the index's as a filter.
void explain_conditions(CustomScanState *node, List *conditions, int condition, uint64 filtered,
                        List *ancestors, struct ExplainState *es);
void explain_join(CustomScanState *node, List *ancestors, struct ExplainState *es);

} // namespace simhash
