// What EXPLAIN shows of a Simhash Join. Parallel workers write their numbers to shared memory before each batch and at the
// end, and the leader adds them before that memory goes.
#include "am/joins/join_node.hpp"

extern "C" {
#include "access/parallel.h"
#include "nodes/makefuncs.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
}

namespace simhash
{

struct SharedCounts {
    int workers;
    JoinCounts worker[FLEXIBLE_ARRAY_MEMBER];
};

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

void add_counts(JoinCounts *sum, const JoinCounts &counts)
{
    sum->batches += counts.batches;
    sum->filtered += counts.filtered;
    sum->singly += counts.singly;
    sum->found.queries += counts.found.queries;
    sum->found.leaves += counts.found.leaves;
    sum->found.rows += counts.found.rows;
}

JoinState *join_of(CustomScanState *node) { return reinterpret_cast<JoinState *>(node); }

Size estimate_shared(CustomScanState * /*node*/, ParallelContext *context)
{
    return offsetof(SharedCounts, worker) + sizeof(JoinCounts) * static_cast<Size>(context->nworkers);
}

void initialize_shared(CustomScanState *node, ParallelContext *context, void *memory)
{
    std::memset(memory, 0, estimate_shared(node, context));
    join_of(node)->shared = static_cast<SharedCounts *>(memory);
    join_of(node)->shared->workers = context->nworkers;
}

// Adds what the workers have counted, and forgets it there.
void take_counts(JoinState *state)
{
    for (int i = 0; state->shared != nullptr && i < state->shared->workers; i++) {
        add_counts(&state->counts, state->shared->worker[i]);
        state->shared->worker[i] = {};
    }
}

void reinitialize_shared(CustomScanState *node, ParallelContext * /*context*/, void * /*memory*/)
{
    take_counts(join_of(node));
}

void initialize_worker(CustomScanState *node, shm_toc * /*toc*/, void *memory)
{
    join_of(node)->shared = static_cast<SharedCounts *>(memory);
}

void shut_down(CustomScanState *node)
{
    if (IsParallelWorker())
        return;
    take_counts(join_of(node));
    join_of(node)->shared = nullptr;
}

void explain_join(CustomScanState *node, List *ancestors, ExplainState *es)
{
    const auto *state = reinterpret_cast<const JoinState *>(node);
    const JoinCounts counts = join_counts(state);
    const auto *scan = reinterpret_cast<const CustomScan *>(node->ss.ps.plan);
    ExplainPropertyText("Join Type", join_name(state->numbers.type), es);
    List *names = NIL;
    ListCell *cell;
    foreach (cell, state->numbers.indexes)
        names = lappend(names, get_rel_name(lfirst_oid(cell)));
    ExplainPropertyList(list_length(names) > 1 ? "Indexes" : "Index", names, es);
    explain_conditions(node, static_cast<List *>(lsecond(scan->custom_exprs)), state->numbers.condition,
                       counts.filtered, ancestors, es);
    if (!es->analyze)
        return;
    ExplainPropertyInteger("Queries", nullptr, static_cast<int64>(counts.found.queries + counts.singly), es);
    if (counts.singly > 0)
        ExplainPropertyInteger("Queries One by One", nullptr, static_cast<int64>(counts.singly), es);
    ExplainPropertyInteger("Batches", nullptr, static_cast<int64>(counts.batches), es);
    ExplainPropertyInteger("Leaves Read", nullptr, static_cast<int64>(counts.found.leaves), es);
    ExplainPropertyInteger("Rows Fetched", nullptr, static_cast<int64>(counts.found.rows), es);
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

JoinCounts join_counts(const JoinState *state)
{
    JoinCounts counts = state->counts;
    if (state->search != nullptr)
        add_counts(&counts, {0, 0, 0, match_counts(state->search)});
    return counts;
}

void share_counts(const JoinState *state)
{
    if (state->shared != nullptr && IsParallelWorker() && ParallelWorkerNumber < state->shared->workers)
        state->shared->worker[ParallelWorkerNumber] = join_counts(state);
}

void set_explain_methods(CustomExecMethods *methods)
{
    methods->EstimateDSMCustomScan = estimate_shared;
    methods->InitializeDSMCustomScan = initialize_shared;
    methods->ReInitializeDSMCustomScan = reinitialize_shared;
    methods->InitializeWorkerCustomScan = initialize_worker;
    methods->ShutdownCustomScan = shut_down;
    methods->ExplainCustomScan = explain_join;
}

} // namespace simhash
