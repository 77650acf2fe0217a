// What EXPLAIN shows of a Simhash Join. With ANALYZE the numbers are of the process that runs EXPLAIN, not of parallel
// workers.
#include "am/joins/join_node.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
}

namespace simhash
{

namespace
{

const char *join_name(JoinType type)
{
    switch (type) {
    case JOIN_LEFT:
        return "Left";
    case JOIN_SEMI:
        return "Semi";
    case JOIN_ANTI:
        return "Anti";
    default:
        return "Inner";
    }
}

void explain_condition(const char *label, Node *condition, const CustomScanState *node, List *ancestors,
                       ExplainState *es)
{
    List *context = set_deparse_context_plan(es->deparse_cxt, node->ss.ps.plan, ancestors);
    ExplainPropertyText(label, deparse_expression(condition, context, true, false), es);
}

} // namespace

void explain_conditions(CustomScanState *node, List *conditions, int condition, uint64 filtered,
                        List *ancestors, ExplainState *es)
{
    List *others = list_copy(conditions);
    auto *joined = static_cast<Node *>(list_nth(others, condition));
    others = list_delete_nth_cell(others, condition);
    explain_condition("Join Cond", joined, node, ancestors, es);
    if (others == NIL)
        return;
    explain_condition("Join Filter", reinterpret_cast<Node *>(make_ands_explicit(others)), node, ancestors,
                      es);
    if (es->analyze)
        ExplainPropertyInteger("Rows Removed by Join Filter", nullptr, static_cast<int64>(filtered), es);
}

void explain_join(CustomScanState *node, List *ancestors, ExplainState *es)
{
    const auto *state = reinterpret_cast<const JoinState *>(node);
    const auto *scan = reinterpret_cast<const CustomScan *>(node->ss.ps.plan);
    ExplainPropertyText("Join Type", join_name(state->numbers.type), es);
    List *names = NIL;
    ListCell *cell;
    foreach (cell, state->numbers.indexes)
        names = lappend(names, get_rel_name(lfirst_oid(cell)));
    ExplainPropertyList(list_length(names) > 1 ? "Indexes" : "Index", names, es);
    explain_conditions(node, static_cast<List *>(lsecond(scan->custom_exprs)), state->numbers.condition,
                       state->filtered, ancestors, es);
    if (!es->analyze)
        return;
    const MatchCounts counts = join_counts(state);
    ExplainPropertyInteger("Queries", nullptr, static_cast<int64>(counts.queries), es);
    ExplainPropertyInteger("Batches", nullptr, static_cast<int64>(state->batches), es);
    ExplainPropertyInteger("Leaves Read", nullptr, static_cast<int64>(counts.leaves), es);
    ExplainPropertyInteger("Rows Fetched", nullptr, static_cast<int64>(counts.rows), es);
}

} // namespace simhash
