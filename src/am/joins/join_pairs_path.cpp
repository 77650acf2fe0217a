// When a Simhash Join by pairs is offered, and at what cost.
//
// Every row of both tables takes part, before the filters, so the number of pairs is that of the join without filters.
#include "am/joins/join_pairs.hpp"

#include "am/index/kind.hpp"
#include "am/pairs/pair_output.hpp"
#include "am/search/cost.hpp"
#include "am/search/search.hpp"
#include "core/features/text_sketch.hpp"
#include "pg/planner/near_rows.hpp"
#include "pg/server/settings.hpp"
#include "pg/server/sibling.hpp"
#include "pg/types/ball.hpp"

extern "C" {
#include "access/genam.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/spccache.h"
}

#include <algorithm>
#include <cmath>

namespace simhash
{

namespace
{

constexpr double kStartMicroseconds = 200; // to open the indexes, sample their leaves and plan
constexpr double kFetchMicroseconds = 0.1; // a row in memory
constexpr double kFirstPairs = 256;        // that are found before the first row is returned

// A condition of the join that says which rows are near, and the indexes of both columns.
struct NearColumns {
    const RestrictInfo *condition;
    IndexOptInfo *index[2]; // of the outer and of the inner table
    Node *radius;
    int estimate; // of the radius
};

bool can_read(const IndexOptInfo *index)
{
    return has_cost_estimate(index, estimate_cost) && !index->hypothetical && index->nkeycolumns == 1 &&
           (index->indpred == NIL || index->predOK);
}

// Returns a call as a condition on the key of an index, as its support function does. Null if it is none.
const OpExpr *call_on_key(PlannerInfo *root, IndexOptInfo *index, FuncExpr *call)
{
    const Oid support = get_func_support(call->funcid);
    for (int i = 0; OidIsValid(support) && i < list_length(call->args); i++) {
        if (!match_index_to_operand(static_cast<Node *>(list_nth(call->args, i)), 0, index))
            continue;
        SupportRequestIndexCondition request = {};
        request.type = T_SupportRequestIndexCondition;
        request.root = root;
        request.funcid = call->funcid;
        request.node = reinterpret_cast<Node *>(call);
        request.indexarg = i;
        request.index = index;
        request.opfamily = index->opfamily[0];
        request.indexcollation = index->indexcollations[0];
        request.lossy = true;
        auto *conditions =
            reinterpret_cast<List *>(DatumGetPointer(OidFunctionCall1(support, PointerGetDatum(&request))));
        if (list_length(conditions) == 1 && is_opclause(linitial(conditions)))
            return static_cast<const OpExpr *>(linitial(conditions));
    }
    return nullptr;
}

// Returns a condition on the key of an index, with the key on the left. Null if it is another one.
const OpExpr *condition_on_key(PlannerInfo *root, IndexOptInfo *index, Expr *clause)
{
    if (IsA(clause, FuncExpr))
        return call_on_key(root, index, reinterpret_cast<FuncExpr *>(clause));
    if (!is_opclause(clause) || list_length(reinterpret_cast<OpExpr *>(clause)->args) != 2)
        return nullptr;
    const auto *operation = reinterpret_cast<const OpExpr *>(clause);
    if (match_index_to_operand(static_cast<Node *>(linitial(operation->args)), 0, index))
        return operation;
    const Oid exchanged = get_commutator(operation->opno);
    if (!OidIsValid(exchanged) ||
        !match_index_to_operand(static_cast<Node *>(lsecond(operation->args)), 0, index))
        return nullptr;
    return reinterpret_cast<const OpExpr *>(call_operator(exchanged, BOOLOID,
                                                          static_cast<Node *>(lsecond(operation->args)),
                                                          static_cast<Node *>(linitial(operation->args))));
}

// What an index stores.
struct IndexedValues {
    const IndexKind *kind;
    int bits;

    bool operator==(const IndexedValues &other) const { return kind == other.kind && bits == other.bits; }
};

IndexedValues values_of(const IndexOptInfo *index)
{
    const PlannedIndex planned = {index, index_open(index->indexoid, NoLock)};
    const IndexKind &kind = kind_of(planned.relation);
    const int bits = kind.costs->bits(planned);
    index_close(planned.relation, NoLock);
    return {&kind, bits};
}

Node *constant_radius(int radius)
{
    return reinterpret_cast<Node *>(
        makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(radius), false, FLOAT8PASSBYVAL));
}

// Reads key ~= value or key <@| ball(value, radius). Returns the value, or null if it is another condition, or if the
// radius may differ from row to row.
Node *read_near(PlannerInfo *root, const IndexOptInfo *index, const OpExpr *operation, NearColumns *near)
{
    const Oid family = index->opfamily[0];
    auto *operand = static_cast<Node *>(lsecond(operation->args));
    const int strategy = get_op_opfamily_strategy(operation->opno, family);
    near->estimate = condition_ball(operation->opno, family, values_of(index).bits, operand).radius;
    // Texts are compared again, as all rows are.
    if (strategy == kNearDuplicate || strategy == kNearText) {
        near->radius = constant_radius(strategy == kNearText ? kNearTextRadius : kNearRadius);
        return operand;
    }
    if (strategy != kInBall || !IsA(operand, FuncExpr))
        return nullptr;
    const auto *ball = reinterpret_cast<const FuncExpr *>(operand);
    if (list_length(ball->args) != 2)
        return nullptr;
    auto *center = static_cast<Node *>(linitial(ball->args));
    near->radius = static_cast<Node *>(lsecond(ball->args));
    if (ball->funcid != find_ball(operator_schema(operation->opno), exprType(center)) ||
        !bms_is_empty(relations_of(root, near->radius)) || !repeatable(near->radius))
        return nullptr;
    return center;
}

// Whether what is known of the indexes makes one condition better than another.
bool is_better(const NearColumns &near, const NearColumns &other)
{
    if (other.condition == nullptr || near.estimate != other.estimate)
        return other.condition == nullptr || near.estimate < other.estimate;
    const bool one = near.index[0]->indexoid == near.index[1]->indexoid,
               other_one = other.index[0]->indexoid == other.index[1]->indexoid;
    if (one != other_one)
        return one;
    return near.index[0]->pages + near.index[1]->pages < other.index[0]->pages + other.index[1]->pages;
}

// Finds the best condition that an index of one table has, around the column of an index of the other table.
void find_near(PlannerInfo *root, RelOptInfo *const table[2], int key, const RestrictInfo *condition,
               NearColumns *best)
{
    ListCell *cell, *inner;
    foreach (cell, table[key]->indexlist) {
        NearColumns near = {condition, {}, nullptr, 0};
        near.index[key] = static_cast<IndexOptInfo *>(lfirst(cell));
        if (!can_read(near.index[key]))
            continue;
        const OpExpr *operation = condition_on_key(root, near.index[key], condition->clause);
        Node *value = operation == nullptr ? nullptr : read_near(root, near.index[key], operation, &near);
        if (value == nullptr)
            continue;
        foreach (inner, table[1 - key]->indexlist) {
            auto *index = static_cast<IndexOptInfo *>(lfirst(inner));
            near.index[1 - key] = index;
            if (can_read(index) && match_index_to_operand(value, 0, index) &&
                values_of(index) == values_of(near.index[key]) && is_better(near, *best))
                *best = near;
        }
    }
}

// Whether a table is one whose rows the node can read.
bool can_join(PlannerInfo *root, const RelOptInfo *table)
{
    if (table->reloptkind != RELOPT_BASEREL || table->rtekind != RTE_RELATION ||
        IS_DUMMY_REL(const_cast<RelOptInfo *>(table)) || !bms_is_empty(table->lateral_relids) ||
        any_pseudoconstant(table->baserestrictinfo))
        return false;
    const RangeTblEntry *entry = planner_rt_fetch(table->relid, root);
    return !entry->inh && entry->tablesample == nullptr;
}

PairMethod method_of(const NearColumns &near, RelOptInfo *const table[2], const List *conditions)
{
    if (near.index[0]->indexoid != near.index[1]->indexoid)
        return PairMethod::two_indexes;
    ListCell *cell;
    foreach (cell, conditions) {
        if (parts_rows(static_cast<const RestrictInfo *>(lfirst(cell))->clause, table[0]->relid,
                       table[1]->relid))
            return PairMethod::one_index;
    }
    return PairMethod::and_itself;
}

// The cost of fetching the members of pairs from a table. Those that wait together are in the order of the pages.
Cost fetch_cost(PlannerInfo *root, const RelOptInfo *table, double rows)
{
    double random, sequential;
    get_tablespace_page_costs(table->reltablespace, &random, &sequential);
    const double pages = Max(1.0, static_cast<double>(table->pages));
    const double read = Min(pages, index_pages_fetched(rows, table->pages, 0, root));
    return read * (random - (random - sequential) * std::sqrt(read / pages)) +
           time_cost(rows * kFetchMicroseconds);
}

Cost read_cost(const IndexOptInfo *index, double pages)
{
    double random, sequential;
    get_tablespace_page_costs(index->reltablespace, &random, &sequential);
    return pages * sequential;
}

// How many processes share the work: the leader also returns the rows of the others.
double divisor(int workers)
{
    return workers + (parallel_leader_participation ? Max(0.0, 1.0 - 0.3 * workers) : 0);
}

// Returns false if workers do not help.
bool set_costs(PlannerInfo *root, CustomPath *path, const PlannedPairs &pairs, const NearColumns &near,
               SpecialJoinInfo *join)
{
    const int workers = path->path.parallel_workers;
    const bool one = pairs.method != PairMethod::two_indexes;
    const RelOptInfo *const table[2] = {near.index[0]->rel, near.index[1]->rel};
    JoinTask task = {one ? 1 : 2, {}, {}, {}, Max(near.estimate, 0), workers + 1};
    for (int i = 0; i < task.sides; i++) {
        task.index[i] = index_open(near.index[i]->indexoid, NoLock);
        task.rows[i] = Max(1.0, near.index[i]->tuples);
        task.pages[i] = near.index[i]->pages;
    }
    const JoinCost engine = kind_of(task.index[0]).join_cost(task);
    for (int i = 0; i < task.sides; i++)
        index_close(task.index[i], NoLock);
    if (workers > 0 && !engine.shared)
        return false;

    // In both orders.
    Selectivity share = clause_selectivity(
        root, reinterpret_cast<Node *>(const_cast<RestrictInfo *>(pairs.condition)), 0, JOIN_INNER, join);
    const double found = clamp_row_est(share * near.index[0]->tuples * near.index[1]->tuples);
    QualCost tests;
    cost_qual_eval(&tests, pairs.conditions, root);
    const PathTarget *target = path->path.parent->reltarget;
    const Cost test = cpu_tuple_cost + tests.per_tuple;
    Cost read = 0, work = time_cost(engine.all) + found * test;
    for (int i = 0; i < task.sides; i++)
        read += read_cost(near.index[i], engine.pages[i]);
    work += fetch_cost(root, table[0], found) + (one ? 0 : fetch_cost(root, table[1], found));
    Cost start = time_cost(engine.start);
    start += (read + work - start) * Min(1.0, kFirstPairs / found);
    if (pairs.method == PairMethod::and_itself) {
        start = 0; // a sequential scan is first
        work += read_cost(near.index[0], table[0]->pages) + table[0]->tuples * test;
    }
    if (workers > 0) {
        work /= divisor(workers);
        read /= engine.pages_shared ? divisor(workers) : 1;
        path->path.rows = clamp_row_est(path->path.rows / divisor(workers));
    }
    const Cost begin = time_cost(kStartMicroseconds) + tests.startup + target->cost.startup;
    path->path.startup_cost = begin + Min(start, read + work);
    path->path.total_cost = begin + read + work + path->path.rows * target->cost.per_tuple;
    return true;
}

// Makes the path; with workers it is one of several processes that each return a part of the rows. Returns null if they do
// not help.
Path *make_path(PlannerInfo *root, RelOptInfo *join, const PlannedPairs &pairs, const NearColumns &near,
                SpecialJoinInfo *info, int workers)
{
    auto *path = makeNode(CustomPath);
    path->path.pathtype = T_CustomScan;
    path->path.parent = join;
    path->path.pathtarget = join->reltarget;
    path->path.parallel_safe = join->consider_parallel;
    path->path.parallel_aware = workers > 0;
    path->path.parallel_workers = workers;
    path->path.rows = clamp_row_est(join->rows);
    path->custom_private = pairs_path_private(pairs);
    path->methods = &kPairPathMethods;
    set_custom_path(path, pairs.conditions);
    return set_costs(root, path, pairs, near, info) ? &path->path : nullptr;
}

} // namespace

void add_pairs_path(PlannerInfo *root, RelOptInfo *join, RelOptInfo *outer, RelOptInfo *inner,
                    const JoinPathExtraData *extra)
{
    RelOptInfo *const table[2] = {outer, inner};
    NearColumns near = {};
    ListCell *cell;
    if (outer->relid > inner->relid || !can_join(root, outer) || !can_join(root, inner) ||
        !bms_is_empty(join->lateral_relids) || any_pseudoconstant(extra->restrictlist))
        return;
    foreach (cell, extra->restrictlist) {
        auto *condition = static_cast<RestrictInfo *>(lfirst(cell));
        if (!restriction_is_securely_promotable(condition, outer) ||
            !restriction_is_securely_promotable(condition, inner))
            continue;
        find_near(root, table, 0, condition, &near);
        find_near(root, table, 1, condition, &near);
    }
    if (near.condition == nullptr)
        return;
    List *conditions = list_concat_copy(extra->restrictlist, outer->baserestrictinfo);
    conditions = list_concat(conditions, list_copy(inner->baserestrictinfo));
    const PlannedPairs pairs = {method_of(near, table, extra->restrictlist),
                                {outer->relid, inner->relid},
                                {near.index[0]->indexoid, near.index[1]->indexoid},
                                near.radius,
                                near.condition,
                                conditions};
    add_path(join, make_path(root, join, pairs, near, extra->sjinfo, 0));
    if (!join->consider_parallel)
        return;
    RelOptInfo *larger = outer->pages > inner->pages ? outer : inner;
    const int workers = compute_parallel_worker(larger, larger->pages, -1, max_parallel_workers_per_gather);
    Path *partial = workers == 0 ? nullptr : make_path(root, join, pairs, near, extra->sjinfo, workers);
    if (partial != nullptr)
        add_partial_path(join, partial);
}

} // namespace simhash
