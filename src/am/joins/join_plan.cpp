// The plan node of a Simhash Join. Its rows have the columns of the outer plan first, and then those of the table that the
// conditions or the plan above need.
#include "am/joins/join_node.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
}

#include <algorithm>
#include <tuple>

namespace simhash
{

List *plan_private(const JoinNumbers &numbers)
{
    List *five =
        lappend_int(list_make4_int(numbers.type, numbers.inner, numbers.child_columns, numbers.strategy),
                    numbers.condition);
    return list_make3(five, numbers.indexes, numbers.types);
}

JoinNumbers read_plan_private(List *list)
{
    auto *numbers = static_cast<List *>(linitial(list));
    return {static_cast<JoinType>(linitial_int(numbers)),
            lsecond_int(numbers),
            lthird_int(numbers),
            static_cast<Strategy>(lfourth_int(numbers)),
            list_nth_int(numbers, 4),
            static_cast<List *>(lsecond(list)),
            static_cast<List *>(lthird(list))};
}

// Returns the clauses in the order in which they are to be tested: of lower security levels first, so that no function
// that may tell about its arguments sees what another one has to hide, then the cheaper ones. PostgreSQL orders those of
// its own joins so.
List *ordered_clauses(PlannerInfo *root, const List *clauses)
{
    struct Item {
        RestrictInfo *clause;
        Index level;
        Cost cost;
        int place; // the order of equals stays
    };
    auto *item = allocate<Item>(list_length(clauses) + 1);
    int count = 0;
    ListCell *cell;
    foreach (cell, clauses) {
        auto *clause = static_cast<RestrictInfo *>(lfirst(cell));
        QualCost cost;
        cost_qual_eval_node(&cost, reinterpret_cast<Node *>(clause), root);
        const bool harmless = clause->leakproof && cost.per_tuple < 10 * cpu_operator_cost;
        item[count] = {clause, harmless ? 0 : clause->security_level, cost.per_tuple, count};
        count++;
    }
    std::sort(item, item + count, [](const Item &a, const Item &b) {
        return std::tie(a.level, a.cost, a.place) < std::tie(b.level, b.cost, b.place);
    });
    List *ordered = NIL;
    for (int i = 0; i < count; i++)
        ordered = lappend(ordered, item[i].clause);
    return ordered;
}

int place_of(const List *clauses, const RestrictInfo *clause)
{
    int place = 0;
    ListCell *cell;
    foreach (cell, clauses) {
        if (lfirst(cell) == clause)
            return place;
        place++;
    }
    elog(ERROR, "the condition of a %s is not one of the join's", kJoinName);
    return -1;
}

List *columns_in(List *expressions)
{
    return pull_var_clause(reinterpret_cast<Node *>(expressions),
                           PVC_RECURSE_AGGREGATES | PVC_RECURSE_WINDOWFUNCS | PVC_RECURSE_PLACEHOLDERS);
}

namespace
{

// Divides the join's conditions into those that say what matches and those that are tested above an outer join.
void divide_conditions(const JoinPath &join, Relids relids, List **matching, List **above)
{
    ListCell *cell;
    foreach (cell, join.conditions) {
        auto *clause = static_cast<RestrictInfo *>(lfirst(cell));
        const bool later = IS_OUTER_JOIN(join.type) && RINFO_IS_PUSHED_DOWN(clause, relids);
        List **list = later ? above : matching;
        *list = lappend(*list, clause);
    }
}

List *add_column(List *columns, const void *expression)
{
    auto *copy = static_cast<Expr *>(copyObjectImpl(expression));
    const auto number = static_cast<AttrNumber>(list_length(columns) + 1);
    return lappend(columns, makeTargetEntry(copy, number, nullptr, false));
}

// Finds the column of a table with the same number.
const Var *find_column(const List *vars, const Var *var)
{
    ListCell *cell;
    foreach (cell, vars) {
        const auto *found = static_cast<const Var *>(lfirst(cell));
        if (found->varno == var->varno && found->varattno == var->varattno)
            return found;
    }
    return nullptr;
}

} // namespace

Plan *plan_join(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist, List * /*clauses*/,
                List *plans)
{
    const JoinPath &join = *static_cast<const JoinPath *>(path);
    const InnerScan &search = join.inner.scan;
    List *matching = NIL, *above = NIL;
    divide_conditions(join, rel->relids, &matching, &above);
    matching = ordered_clauses(root, list_concat_copy(matching, join.inner.filters));
    const int condition = place_of(matching, search.condition);
    List *tests = get_actual_clauses(matching), *qual = get_actual_clauses(ordered_clauses(root, above));

    List *columns = NIL, *needed = list_copy(rel->reltarget->exprs);
    ListCell *cell;
    foreach (cell, static_cast<Plan *>(linitial(plans))->targetlist)
        columns = add_column(columns, static_cast<TargetEntry *>(lfirst(cell))->expr);
    const int child_columns = list_length(columns);
    foreach (cell, tlist)
        needed = lappend(needed, static_cast<TargetEntry *>(lfirst(cell))->expr);
    // Where an outer join may make a column null, PostgreSQL tells it from what the condition sees. The node has it once.
    tests = static_cast<List *>(copyObjectImpl(tests));
    needed = lappend(lappend(needed, qual), tests);
    List *seen = NIL;
    foreach (cell, columns_in(needed)) {
        auto *var = static_cast<Var *>(lfirst(cell));
        if (static_cast<Index>(var->varno) != join.inner.relation)
            continue;
        if (const Var *first = find_column(seen, var)) {
            make_nullable_as(var, first);
            continue;
        }
        seen = lappend(seen, var);
        columns = add_column(columns, var);
    }

    auto *scan = makeNode(CustomScan);
    scan->scan.plan.targetlist = tlist;
    scan->scan.plan.qual = qual;
    scan->flags = path->flags;
    scan->custom_plans = plans;
    scan->custom_exprs = list_make3(search.query, tests, search.values);
    scan->custom_scan_tlist = columns;
    scan->custom_private =
        plan_private({join.type, bms_member_index(rel->relids, static_cast<int>(join.inner.relation)),
                      child_columns, search.strategy, condition, join.inner.indexes, search.types});
    scan->methods = &kJoinScanMethods;
    return &scan->scan.plan;
}

} // namespace simhash
