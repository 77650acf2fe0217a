// The planner's estimate: the pages that the search plan for the condition's radius reads.
#include "am/index.hpp"

#include "pg/ball.hpp"
#include "pg/guided_ball.hpp"
#include "pg/settings.hpp"

extern "C" {
#include "access/stratnum.h"
#include "nodes/pathnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/spccache.h"
}

namespace simhash
{

namespace
{

constexpr int kUnknownRadius = kNearRadius; // where the planner does not know it yet

constexpr Cost kForbiddenCost = 1e100; // beyond any that enable_seqscan = off adds

// A descent's comparisons, in operators, as for a btree's page.
constexpr double kPageOperators = 50;

// The kernel tests this many entries in the time of one operator call.
constexpr double kEntriesPerOperator = 50;

int ball_radius(Node *argument, bool guided)
{
    if (IsA(argument, Const)) {
        auto *constant = reinterpret_cast<Const *>(argument);
        if (constant->constisnull)
            return kEmptyRadius;
        if (guided)
            return reinterpret_cast<GuidedBall *>(PG_DETOAST_DATUM(constant->constvalue))->radius;
        return reinterpret_cast<Ball *>(DatumGetPointer(constant->constvalue))->radius;
    }
    // simhash_ball(q, radius) of a q that is not known yet
    if (IsA(argument, FuncExpr) && list_length(reinterpret_cast<FuncExpr *>(argument)->args) == 2) {
        auto *radius = static_cast<Node *>(lsecond(reinterpret_cast<FuncExpr *>(argument)->args));
        if (IsA(radius, Const) && !reinterpret_cast<Const *>(radius)->constisnull &&
            reinterpret_cast<Const *>(radius)->consttype == INT8OID)
            return clamp_radius(DatumGetInt64(reinterpret_cast<Const *>(radius)->constvalue));
    }
    return kUnknownRadius;
}

struct Conditions {
    int radius; // the least of all balls; kBits if there is none
    bool only_nulls;
    bool guided; // the least ball is one around weights
};

Conditions read_conditions(List *quals, Oid family)
{
    Conditions conditions = {kBits, false, false};
    ListCell *cell;
    foreach (cell, quals) {
        auto *clause = static_cast<Node *>(lfirst(cell));
        if (IsA(clause, RestrictInfo))
            clause = reinterpret_cast<Node *>(reinterpret_cast<RestrictInfo *>(clause)->clause);
        if (IsA(clause, NullTest)) {
            if (reinterpret_cast<NullTest *>(clause)->nulltesttype == IS_NULL)
                conditions.only_nulls = true;
        } else if (IsA(clause, OpExpr)) {
            auto *operation = reinterpret_cast<OpExpr *>(clause);
            int strategy = get_op_opfamily_strategy(operation->opno, family);
            bool guided = strategy == kInGuidedBall;
            int radius = strategy == kEqual ? 0
                         : strategy == kNearDuplicate
                             ? kNearRadius
                             : ball_radius(static_cast<Node *>(lsecond(operation->args)), guided);
            if (radius < conditions.radius) {
                conditions.radius = radius;
                conditions.guided = guided;
            }
        } else {
            conditions.radius = Min(conditions.radius, kUnknownRadius); // = ANY (array), one search at a time
        }
    }
    return conditions;
}

} // namespace

void estimate_cost(PlannerInfo *root, IndexPath *path, double loop_count, Cost *startup_cost,
                   Cost *total_cost, Selectivity *selectivity, double *correlation, double *pages)
{
    // A query that needs no column at all is planned as an index-only scan of any index that needs no key,
    // though this one returns none (see README.md). A cost that nothing exceeds keeps the planner from it.
    if (path->path.pathtype == T_IndexOnlyScan) {
        *startup_cost = *total_cost = kForbiddenCost;
        *selectivity = 1;
        *correlation = 0;
        *pages = path->indexinfo->pages;
        disable_path(&path->path);
        return;
    }

    IndexOptInfo *info = path->indexinfo;
    List *quals = get_quals_from_indexclauses(path->indexclauses);
    *selectivity = clauselist_selectivity(root, add_predicate_to_index_quals(info, quals),
                                          static_cast<int>(info->rel->relid), JOIN_INNER, NULL);
    *correlation = 0;

    Conditions conditions = read_conditions(quals, info->opfamily[0]);
    SearchPlan plan = {};
    double target = target_recall_setting;
    double leaves;
    if (info->hypothetical) { // an advisor's: there is nothing to open
        TableDesign design;
        make_design(kDefaultDistance, default_tables(kDefaultDistance), &design);
        leaves = estimated_leaves(info->pages, design.tables);
        plan_search(design, Max(conditions.radius, 0), leaves, &plan);
    } else {
        Relation index = index_open(info->indexoid, NoLock);
        leaves = estimated_leaves(info->pages, index_meta(index)->tables());
        index_plan(index, Max(conditions.radius, 0), &plan);
        if (target < 0)
            target = index_options(index).target_recall;
        index_close(index, NoLock);
    }

    double entries = info->tuples / leaves;
    double read, descents;
    bool sequential = false;
    if (conditions.radius < 0 || conditions.only_nulls) {
        read = Max(1.0, *selectivity * leaves);
        descents = 1;
    } else {
        read = plan.leaves;
        // By weights: on real texts some 2 to 12 leaves where an exact search reads 4 to 145.
        if (conditions.guided && target < 1)
            read = std::sqrt(plan.leaves);
        descents = read;
        sequential = read > leaves / 2;
        if (sequential)
            descents = 1;
    }

    double random_page_cost_here, seq_page_cost_here;
    get_tablespace_page_costs(info->reltablespace, &random_page_cost_here, &seq_page_cost_here);
    double fetched = read;
    if (loop_count > 1)
        fetched = index_pages_fetched(read * loop_count, info->pages, info->pages, root) / loop_count;
    double io = fetched * (sequential ? seq_page_cost_here : random_page_cost_here);
    double height = leaves <= 1 ? 0 : std::ceil(std::log2(leaves) / 8);
    double cpu =
        cpu_operator_cost * (descents * (height + 1) * kPageOperators + read * entries / kEntriesPerOperator);
    double rows = Max(1.0, Min(*selectivity * info->rel->tuples, info->tuples));

    *startup_cost =
        index_other_operands_eval_cost(root, quals) + cpu_operator_cost * (height + 1) * kPageOperators;
    *total_cost = *startup_cost + io + cpu + rows * cpu_index_tuple_cost;
    // Rings of ORDER BY: before the first row comes out, everything nearer has been searched, in the worst
    // case every leaf.
    if (path->indexorderbys != NIL)
        *startup_cost += io + cpu;
    *pages = read;
}

} // namespace simhash
