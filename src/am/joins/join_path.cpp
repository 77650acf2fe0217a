// When a Simhash Join is offered, and at what cost.
//
// The nested loop's inner index scan is among the table's paths, parameterized by the outer side, with its condition and
// its cost. Batches take the time of as many such scans times a factor f, measured on 3 million rows with 30 to 100,000
// outer rows and radii of 3 and 8. A batch copies each leaf that it reads, which costs twice as much as to test it in place,
// and gains where queries share leaves.
#include "am/joins/join_pairs.hpp"

#include "am/fingerprints/fingerprint_meta.hpp"
#include "am/index/kind.hpp"
#include "am/match/match_state.hpp"
#include "am/search/cost.hpp"
#include "am/search/search.hpp"
#include "pg/server/settings.hpp"
#include "pg/server/sibling.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
}

#include <cmath>

namespace simhash
{

const CustomPathMethods kJoinPathMethods = {kJoinName, plan_join, nullptr};

bool any_pseudoconstant(const List *clauses)
{
    ListCell *cell;
    foreach (cell, clauses) {
        const auto *clause = static_cast<const RestrictInfo *>(lfirst(cell));
        if (clause->pseudoconstant || IsA(clause->clause, CurrentOfExpr))
            return true;
    }
    return false;
}

namespace
{

set_join_pathlist_hook_type next_hook;

constexpr double kMergedFactor = 0.35, kNotedFactor = 0.65, kLeafFactor = 1.9;

// To open the index, and to allocate memory.
constexpr double kStartMicroseconds = 50;

// The rows of the first batch.
constexpr double kFirstBatch = 32;

// An index scan of the inner table for each outer row.
struct InnerScan {
    const Path *path;
    IndexOptInfo *index;
    const RestrictInfo *condition;
    Strategy strategy;
    Node *query;
    PlannedBall ball;
    List *values, *types; // of the columns before the searched one
};

// Returns the scan of a single index that a path is, or null.
const IndexPath *index_scan(const Path *path)
{
    if (IsA(path, BitmapHeapPath))
        path = reinterpret_cast<const BitmapHeapPath *>(path)->bitmapqual;
    return IsA(path, IndexPath) ? reinterpret_cast<const IndexPath *>(path) : nullptr;
}

// A condition of an index scan: that the key is in a ball.
struct BallCondition {
    PlannedBall ball;
    bool exact; // certainly
    Strategy strategy;
    Node *query;
};

// Whether an argument of <@| is known not to be a ball that permits an approximate search, or to be one.
bool is_known_ball(const OpExpr *operation, const Node *query)
{
    if (IsA(query, Const))
        return true;
    if (!IsA(query, FuncExpr))
        return false;
    const Oid function = reinterpret_cast<const FuncExpr *>(query)->funcid;
    const char *name = get_func_name(function);
    return name != nullptr && std::strcmp(name, "simhash_ball") == 0 &&
           get_func_namespace(function) == operator_schema(operation->opno);
}

// Reads an operator of the searched column that finds near values, with the key on the left. Returns false if it is
// another condition.
bool read_ball_condition(const IndexOptInfo *index, const Expr *clause, BallCondition *condition)
{
    if (!IsA(clause, OpExpr))
        return false;
    const auto *operation = reinterpret_cast<const OpExpr *>(clause);
    const int column = index->nkeycolumns - 1;
    const Oid family = index->opfamily[column];
    const int strategy = get_op_opfamily_strategy(operation->opno, family);
    if (strategy != kNearDuplicate && strategy != kInBall && !is_rechecked(strategy))
        return false;
    auto *query = static_cast<Node *>(lsecond(operation->args));
    PlannedBall ball = condition_ball(operation->opno, family, kBits, query);
    const bool exactly = strategy != kInBall || column > 0; // whatever the argument says
    ball.exact = ball.exact || exactly;
    *condition = {ball, exactly || (ball.exact && is_known_ball(operation, query)),
                  static_cast<Strategy>(strategy), query};
    return true;
}

// An expression that the node can compute for an outer row.
bool is_outer(PlannerInfo *root, Node *query, Relids outer)
{
    return bms_is_subset(relations_of(root, query), outer) && repeatable(query);
}

// Reads the values that conditions give the columns before the searched one. Returns false if there is one without.
bool read_values(PlannerInfo *root, const IndexPath *path, Relids outer, InnerScan *scan)
{
    const IndexOptInfo *index = path->indexinfo;
    for (int column = 0; column < index->nkeycolumns - 1; column++) {
        Node *value = nullptr;
        Oid type = InvalidOid;
        ListCell *cell, *inner;
        foreach (cell, path->indexclauses) {
            const auto *clause = static_cast<const IndexClause *>(lfirst(cell));
            if (clause->indexcol != column)
                continue;
            foreach (inner, clause->indexquals) {
                Expr *qual = static_cast<const RestrictInfo *>(lfirst(inner))->clause;
                if (IsA(qual, NullTest) && reinterpret_cast<NullTest *>(qual)->nulltesttype == IS_NULL) {
                    value = reinterpret_cast<Node *>(makeNullConst(index->opcintype[column], -1, InvalidOid));
                    type = InvalidOid;
                } else if (IsA(qual, OpExpr)) {
                    const auto *operation = reinterpret_cast<OpExpr *>(qual);
                    int strategy;
                    Oid left, right;
                    get_op_opfamily_properties(operation->opno, index->opfamily[column], false, &strategy,
                                               &left, &right);
                    if (!is_equality(strategy))
                        continue;
                    value = static_cast<Node *>(lsecond(operation->args));
                    type = right;
                }
            }
        }
        if (value == nullptr || !is_outer(root, value, outer))
            return false;
        scan->values = lappend(scan->values, value);
        scan->types = lappend_oid(scan->types, type);
    }
    return true;
}

enum class Suitable { yes, no, never };

// Reads the conditions of a scan. Of several the smallest ball leads a search, and only if that permits it is the search
// approximate. The node searches for one alone; so the scan is suitable if that one depends on the outer side, and no join
// is if one of several may be approximate.
Suitable read_conditions(PlannerInfo *root, const IndexPath *path, Relids outer, InnerScan *scan)
{
    BallCondition lead = {};
    const RestrictInfo *leading = nullptr;
    int count = 0;
    bool exact = true;
    ListCell *cell, *inner;
    foreach (cell, path->indexclauses) {
        const auto *clause = static_cast<const IndexClause *>(lfirst(cell));
        if (clause->indexcol != path->indexinfo->nkeycolumns - 1)
            continue;
        foreach (inner, clause->indexquals) {
            const Expr *qual = static_cast<const RestrictInfo *>(lfirst(inner))->clause;
            BallCondition condition;
            if (IsA(qual, NullTest))
                continue;
            if (!read_ball_condition(path->indexinfo, qual, &condition))
                return Suitable::no;
            exact &= condition.exact;
            if (count++ > 0 && condition.ball.radius >= lead.ball.radius)
                continue;
            lead = condition;
            leading = clause->rinfo;
        }
    }
    if (count > 1 && !exact)
        return Suitable::never;
    *scan = {nullptr, path->indexinfo, leading, lead.strategy, lead.query, lead.ball, NIL, NIL};
    return count > 0 && !bms_is_empty(relations_of(root, lead.query)) && is_outer(root, lead.query, outer) &&
                   read_values(root, path, outer, scan)
               ? Suitable::yes
               : Suitable::no;
}

bool is_on_fingerprints(Oid index)
{
    Relation relation = index_open(index, NoLock);
    const bool fingerprints = &kind_of(relation) == &kFingerprints;
    index_close(relation, NoLock);
    return fingerprints;
}

// Finds the cheapest scan of an index on fingerprints by a ball around values of the outer side.
bool find_inner_scan(PlannerInfo *root, RelOptInfo *inner, Relids outer, const List *conditions,
                     InnerScan *found)
{
    found->path = nullptr;
    ListCell *cell;
    foreach (cell, inner->pathlist) {
        const auto *path = static_cast<const Path *>(lfirst(cell));
        const IndexPath *scan = index_scan(path);
        InnerScan candidate;
        if (scan == nullptr || bms_is_empty(PATH_REQ_OUTER(path)) ||
            !bms_is_subset(PATH_REQ_OUTER(path), outer) ||
            !has_cost_estimate(scan->indexinfo, estimate_cost) || scan->indexinfo->hypothetical ||
            path->total_cost >= kNeverCost || !is_on_fingerprints(scan->indexinfo->indexoid))
            continue;
        const Suitable suitable = read_conditions(root, scan, outer, &candidate);
        if (suitable == Suitable::never)
            return false;
        if (suitable == Suitable::no || !list_member_ptr(conditions, candidate.condition) ||
            (found->path != nullptr && found->path->total_cost <= path->total_cost))
            continue;
        *found = candidate;
        found->path = path;
    }
    return found->path != nullptr;
}

// Whether the value of an expression of the inner side has to become null in a row without a match. The node computes
// from columns alone.
bool has_placeholders(const PlannerInfo *root, Relids inner)
{
    ListCell *cell;
    foreach (cell, root->placeholder_list) {
        if (bms_overlap(static_cast<const PlaceHolderInfo *>(lfirst(cell))->ph_eval_at, inner))
            return true;
    }
    return false;
}

// Whether this is a join that the node can execute, if there is a suitable scan.
bool can_join(PlannerInfo *root, RelOptInfo *join, RelOptInfo *outer, RelOptInfo *inner, JoinType type,
              const List *conditions)
{
    if (type != JOIN_INNER && type != JOIN_LEFT && type != JOIN_SEMI && type != JOIN_ANTI)
        return false;
    if (inner->reloptkind != RELOPT_BASEREL || inner->rtekind != RTE_RELATION || IS_DUMMY_REL(inner) ||
        IS_DUMMY_REL(outer) || !bms_is_empty(join->lateral_relids) || !bms_is_empty(inner->lateral_relids) ||
        !bms_is_empty(outer->lateral_relids))
        return false;
    const RangeTblEntry *entry = planner_rt_fetch(inner->relid, root);
    return !entry->inh && entry->tablesample == nullptr && !any_pseudoconstant(conditions) &&
           !any_pseudoconstant(inner->baserestrictinfo) && !has_placeholders(root, inner->relids);
}

// How the searches of many queries share leaves.
struct Sharing {
    double each;   // leaves that a query reads
    double leaves; // of the index
    double factor; // of the time of a scan, for what does not depend on the leaves
};

Sharing read_sharing(const InnerScan &scan)
{
    const PlannedBall &ball = scan.ball;
    Relation index = index_open(scan.index->indexoid, NoLock);
    SearchPlan plan;
    index_plan(index, Max(ball.radius, 0), &plan);
    index_close(index, NoLock);
    const bool merged = ball.exact && can_merge(plan);
    return {Max(1.0, ball.exact ? plan.leaves : std::sqrt(plan.leaves)),
            Max(1.0, static_cast<double>(scan.index->pages)), merged ? kMergedFactor : kNotedFactor};
}

// The time of a batch of queries, as a factor of that of as many index scans.
double batch_factor(const Sharing &sharing, double queries)
{
    const double needed = queries * sharing.each;
    const double distinct = sharing.leaves * (1 - std::exp(-needed / sharing.leaves));
    return sharing.factor + kLeafFactor * distinct / needed;
}

void set_costs(PlannerInfo *root, CustomPath *path, const InnerScan &scan, const Sharing &sharing,
               const Path *child, JoinType type, List *conditions)
{
    const double queries = clamp_row_est(child->rows), found = clamp_row_est(scan.path->rows);
    // PostgreSQL expects that the nested loop of a semi or anti join stops at the first match, and that an index scan
    // without one is cheap. The batch does the same, so it is compared on these terms.
    const bool first_only = type == JOIN_SEMI || type == JOIN_ANTI;
    Cost each = scan.path->total_cost;
    if (is_rechecked(scan.strategy)) { // among the tests below
        QualCost test;
        cost_qual_eval_node(&test, reinterpret_cast<Node *>(scan.condition->clause), root);
        each = Max(0.0, each - found * test.per_tuple);
    }
    if (first_only)
        each /= found;
    QualCost tests, target = path->path.parent->reltarget->cost;
    cost_qual_eval(&tests, conditions, root);
    const Cost test = cpu_tuple_cost + tests.per_tuple;

    // LIMIT waits for the first batch.
    const double first = Min(queries, kFirstBatch);
    const Cost outer = child->total_cost - child->startup_cost;
    path->path.startup_cost = child->startup_cost + time_cost(kStartMicroseconds) + tests.startup +
                              target.startup + outer * first / queries +
                              first * each * batch_factor(sharing, first);
    path->path.total_cost = child->total_cost + time_cost(kStartMicroseconds) + tests.startup +
                            target.startup + queries * each * batch_factor(sharing, queries) +
                            queries * (first_only ? 1 : found) * test + path->path.rows * target.per_tuple;
    path->path.startup_cost = Min(path->path.startup_cost, path->path.total_cost);
    copy_disabled_nodes(child, &path->path);
}

CustomPath *make_path(PlannerInfo *root, RelOptInfo *join, const InnerScan &scan, const Sharing &sharing,
                      Path *child, JoinType type, List *conditions, double rows)
{
    RelOptInfo *inner = scan.index->rel;
    auto *path = makeNode(CustomPath);
    path->path.pathtype = T_CustomScan;
    path->path.parent = join;
    path->path.pathtarget = join->reltarget;
    path->path.parallel_safe = join->consider_parallel && child->parallel_safe;
    path->path.rows = clamp_row_est(rows);
    path->custom_paths = list_make1(child);
    path->custom_private =
        path_private({type, inner->relid, scan.index->indexoid, scan.strategy, scan.query, scan.values,
                      scan.types, scan.condition, conditions, inner->baserestrictinfo});
    path->methods = &kJoinPathMethods;
    set_custom_path(path, list_concat_copy(conditions, inner->baserestrictinfo));
    set_costs(root, path, scan, sharing, child, type, conditions);
    return path;
}

void add_join_paths(PlannerInfo *root, RelOptInfo *join, RelOptInfo *outer, RelOptInfo *inner, JoinType type,
                    JoinPathExtraData *extra)
{
    if (next_hook != nullptr)
        next_hook(root, join, outer, inner, type, extra);
    if (enable_join && type == JOIN_INNER)
        add_pairs_path(root, join, outer, inner, extra);
    List *conditions = extra->restrictlist;
    InnerScan scan;
    if (!enable_join || !can_join(root, join, outer, inner, type, conditions) ||
        !find_inner_scan(root, inner, outer->relids, conditions, &scan))
        return;
    // A condition above an outer join does not say what matches.
    if (IS_OUTER_JOIN(type) && RINFO_IS_PUSHED_DOWN(scan.condition, join->relids))
        return;
    Path *child = outer->cheapest_total_path;
    if (child == nullptr || !bms_is_empty(PATH_REQ_OUTER(child)))
        return;
    const Sharing sharing = read_sharing(scan);
    add_path(join, &make_path(root, join, scan, sharing, child, type, conditions, join->rows)->path);
    if (!join->consider_parallel || outer->partial_pathlist == NIL)
        return;
    // Each process gathers its part of the outer rows.
    auto *part = static_cast<Path *>(linitial(outer->partial_pathlist));
    if (!bms_is_empty(PATH_REQ_OUTER(part)))
        return;
    CustomPath *path = make_path(root, join, scan, sharing, part, type, conditions,
                                 join->rows * part->rows / clamp_row_est(outer->rows));
    if (!path->path.parallel_safe)
        return;
    path->path.parallel_workers = part->parallel_workers;
    add_partial_path(join, &path->path);
}

} // namespace

void install_joins()
{
    RegisterCustomScanMethods(&kJoinScanMethods);
    next_hook = set_join_pathlist_hook;
    set_join_pathlist_hook = add_join_paths;
}

} // namespace simhash
