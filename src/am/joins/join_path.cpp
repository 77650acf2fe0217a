// When a Simhash Join is offered, and at what cost.
//
// The nested loop's inner index scan is among the table's paths, parameterized by the outer side, with its condition and
// its cost. Batches take the time of as many such scans times a factor f, measured on a million rows with 100 to
// 100,000 outer rows and radii of 3, 5 and 8. A batch gains where queries share leaves.
#include "am/joins/join_pairs.hpp"

#include "am/fingerprints/fingerprint_meta.hpp"
#include "am/index/kind.hpp"
#include "am/index/open_index.hpp"
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
#include "optimizer/prep.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
}

#include <algorithm>
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

// When it is known which partitions a clause leaves.
enum class Pruning { never, at_planning, at_execution };

bool is_key(const RelOptInfo *table, int key, Node *node)
{
    ListCell *cell;
    foreach (cell, table->partexprs[key]) {
        if (equal(strip_relabels(static_cast<Node *>(lfirst(cell))), strip_relabels(node)))
            return true;
    }
    return false;
}

// A comparison of a partition key with a value, or with those of an array, as = ANY does.
Pruning pruning_by(PlannerInfo *root, const RelOptInfo *table, Oid operation, const List *arguments)
{
    for (int key = 0; list_length(arguments) == 2 && key < table->part_scheme->partnatts; key++) {
        if (!op_in_opfamily(operation, table->part_scheme->partopfamily[key]))
            continue;
        auto *left = static_cast<Node *>(linitial(arguments)),
             *right = static_cast<Node *>(lsecond(arguments));
        const bool is_left = is_key(table, key, left);
        Node *value = strip_relabels(is_left ? right : left);
        if ((is_left || is_key(table, key, right)) &&
            !bms_is_member(static_cast<int>(table->relid), relations_of(root, value)))
            return IsA(value, Const) ? Pruning::at_planning : Pruning::at_execution;
    }
    return Pruning::never;
}

// Which partitions of a table, or of a partition that has partitions, a clause leaves. OR has to compare a key in each of
// its branches. An array counts if its elements are listed: the server looks into no other.
Pruning pruning_by(PlannerInfo *root, const RelOptInfo *table, const Node *clause)
{
    if (IsA(clause, OpExpr)) {
        const auto *operation = reinterpret_cast<const OpExpr *>(clause);
        return pruning_by(root, table, operation->opno, operation->args);
    }
    if (IsA(clause, ScalarArrayOpExpr)) {
        const auto *any = reinterpret_cast<const ScalarArrayOpExpr *>(clause);
        const Node *array = strip_relabels(static_cast<Node *>(lsecond(any->args)));
        return any->useOr && (IsA(array, ArrayExpr) || IsA(array, Const))
                   ? pruning_by(root, table, any->opno, any->args)
                   : Pruning::never;
    }
    if (IsA(clause, NullTest)) {
        const auto *test = reinterpret_cast<const NullTest *>(clause);
        bool of_key = false;
        for (int key = 0; key < table->part_scheme->partnatts; key++)
            of_key = of_key || is_key(table, key, reinterpret_cast<Node *>(test->arg));
        return of_key && test->nulltesttype == IS_NULL ? Pruning::at_planning : Pruning::never;
    }
    if (!is_orclause(clause) && !is_andclause(clause))
        return Pruning::never;
    Pruning all = Pruning::never;
    ListCell *cell;
    foreach (cell, reinterpret_cast<const BoolExpr *>(clause)->args) {
        const Pruning part = pruning_by(root, table, static_cast<const Node *>(lfirst(cell)));
        if (part == Pruning::never && is_orclause(clause))
            return Pruning::never;
        all = std::max(all, part);
    }
    return all;
}

} // namespace

bool pruned_later(PlannerInfo *root, RelOptInfo *table, List *conditions)
{
    ListCell *cell;
    if (table->part_scheme == nullptr)
        return false;
    foreach (cell, conditions) {
        const Expr *clause = static_cast<const RestrictInfo *>(lfirst(cell))->clause;
        if (pruning_by(root, table, reinterpret_cast<const Node *>(clause)) == Pruning::at_execution)
            return true;
    }
    foreach (cell, root->append_rel_list) {
        const auto *child = static_cast<const AppendRelInfo *>(lfirst(cell));
        RelOptInfo *part = root->simple_rel_array[child->child_relid];
        if (child->parent_relid == table->relid && part != nullptr && part->part_scheme != nullptr &&
            !IS_DUMMY_REL(part)) {
            Node *of_part = child_expression(root, reinterpret_cast<Expr *>(conditions), part, table);
            if (pruned_later(root, part, reinterpret_cast<List *>(of_part)))
                return true;
        }
    }
    return false;
}

bool can_read(PlannerInfo *root, RelOptInfo *table)
{
    if (table->reloptkind != RELOPT_BASEREL || table->rtekind != RTE_RELATION || IS_DUMMY_REL(table) ||
        !bms_is_empty(table->lateral_relids) || any_pseudoconstant(table->baserestrictinfo) ||
        pruned_later(root, table, table->baserestrictinfo))
        return false;
    const RangeTblEntry *entry = planner_rt_fetch(table->relid, root);
    // Partitions have row marks of their own, of which the node knows nothing.
    return entry->tablesample == nullptr &&
           !(entry->inh && (static_cast<int>(table->relid) == root->parse->resultRelation ||
                            get_plan_rowmark(root->rowMarks, table->relid) != nullptr));
}

List *members_of(PlannerInfo *root, RelOptInfo *table)
{
    if (!planner_rt_fetch(table->relid, root)->inh)
        return list_make1(table);
    List *members = NIL;
    ListCell *cell;
    foreach (cell, root->append_rel_list) {
        const auto *child = static_cast<const AppendRelInfo *>(lfirst(cell));
        RelOptInfo *member = root->simple_rel_array[child->child_relid];
        if (child->parent_relid == table->relid && member != nullptr && !IS_DUMMY_REL(member))
            members = list_concat(members, members_of(root, member));
    }
    return members;
}

IndexOptInfo *part_of_index(const RelOptInfo *member, Oid whole)
{
    ListCell *cell;
    foreach (cell, member->indexlist) {
        auto *index = static_cast<IndexOptInfo *>(lfirst(cell));
        if (OidIsValid(whole) && can_search(index) && whole_index(index->indexoid) == whole)
            return index;
    }
    return nullptr;
}

namespace
{

set_join_pathlist_hook_type next_hook;

constexpr double kMergedFactor = 0.26, kNotedFactor = 0.58, kLeafFactor = 0.5;

// To open the index, and to allocate memory.
constexpr double kStartMicroseconds = 50;

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

// Returns the condition of a join that a child's condition has been made of, or null.
const RestrictInfo *condition_of_parent(PlannerInfo *root, RelOptInfo *parent, RelOptInfo *child,
                                        const List *conditions, const RestrictInfo *condition)
{
    ListCell *cell;
    foreach (cell, conditions) {
        const auto *each = static_cast<const RestrictInfo *>(lfirst(cell));
        if (each == condition ||
            (parent != child &&
             equal(child_expression(root, each->clause, child, parent), condition->clause)))
            return each;
    }
    return nullptr;
}

// Finds the cheapest scan of an index on fingerprints by a ball around values of the outer side. The table is the inner
// side, or a part of it.
bool find_inner_scan(PlannerInfo *root, RelOptInfo *inner, RelOptInfo *table, Relids outer,
                     const List *conditions, InnerScan *found)
{
    found->path = nullptr;
    ListCell *cell;
    foreach (cell, table->pathlist) {
        const auto *path = static_cast<const Path *>(lfirst(cell));
        const IndexPath *scan = index_scan(path);
        InnerScan candidate;
        if (scan == nullptr || bms_is_empty(PATH_REQ_OUTER(path)) ||
            !bms_is_subset(PATH_REQ_OUTER(path), outer) || !can_search(scan->indexinfo) ||
            path->total_cost >= kNeverCost || !is_on_fingerprints(scan->indexinfo->indexoid))
            continue;
        const Suitable suitable = read_conditions(root, scan, outer, &candidate);
        if (suitable == Suitable::never)
            return false;
        if (suitable == Suitable::yes)
            candidate.condition = condition_of_parent(root, inner, table, conditions, candidate.condition);
        if (suitable == Suitable::no || candidate.condition == nullptr ||
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

// Whether the columns by which UPDATE or DELETE finds a row are those of any of several tables. Only in the nodes that
// PostgreSQL knows they become columns of a table again.
bool identifies_rows(const RelOptInfo *table)
{
    ListCell *cell;
    foreach (cell, table->reltarget->exprs)
        if (is_row_identity(static_cast<const Node *>(lfirst(cell))))
            return true;
    return false;
}

// Whether this is a join that the node can execute, if there is a suitable scan.
bool can_join(PlannerInfo *root, RelOptInfo *join, RelOptInfo *outer, RelOptInfo *inner, JoinType type,
              const List *conditions)
{
    return (type == JOIN_INNER || type == JOIN_LEFT || type == JOIN_SEMI || type == JOIN_ANTI) &&
           can_read(root, inner) && !IS_DUMMY_REL(outer) && bms_is_empty(join->lateral_relids) &&
           bms_is_empty(outer->lateral_relids) && !any_pseudoconstant(conditions) &&
           !has_placeholders(root, inner->relids) && !identifies_rows(outer) && !identifies_rows(join);
}

// The parts of the inner side -------------------------------------------------------------------------------

// What a search of one table for each outer row costs, and how the searches of many share leaves.
struct Part {
    Cost cost;     // of a scan, without the tests that the node makes
    double rows;   // that it finds
    double each;   // leaves that a query reads
    double leaves; // of the index
    double factor; // of the time of a scan, for what does not depend on the leaves
    double most;   // queries for which there is memory at a time
};

Part read_part(PlannerInfo *root, const InnerScan &scan)
{
    const PlannedBall &ball = scan.ball;
    Relation index = index_open(scan.index->indexoid, NoLock);
    SearchPlan plan;
    index_plan(index, Max(ball.radius, 0), &plan);
    index_close(index, NoLock);
    const bool merged = ball.exact && can_merge(plan);
    const double each = Max(1.0, ball.exact ? plan.leaves : std::sqrt(plan.leaves));
    Part part = {scan.path->total_cost,
                 clamp_row_est(scan.path->rows),
                 each,
                 Max(1.0, static_cast<double>(scan.index->pages)),
                 merged ? kMergedFactor : kNotedFactor,
                 queries_together(half_memory(), merged, each)};
    if (is_rechecked(scan.strategy)) {
        QualCost test;
        cost_qual_eval_node(&test, reinterpret_cast<Node *>(scan.condition->clause), root);
        part.cost = Max(0.0, part.cost - part.rows * test.per_tuple);
    }
    return part;
}

// The leaves that batches read for so many queries, each once for all of a batch. Batches grow up to what there is memory
// for.
double read_leaves(const Part &part, double queries)
{
    double read = 0, batch = kFirstRows;
    while (queries > 0) {
        const double together = Min(Min(batch, part.most), queries);
        // The remaining batches are alike.
        const double batches = together < part.most ? 1 : queries / part.most;
        read += batches * part.leaves * (1 - std::exp(-together * part.each / part.leaves));
        queries -= batches * together;
        batch *= 2;
    }
    return read;
}

// The cost of batches of queries: that of as many index scans, times a factor.
Cost batch_cost(const InnerSide &side, double queries, bool first_only)
{
    Cost cost = 0;
    ListCell *cell;
    foreach (cell, side.parts) {
        const Part &part = *static_cast<const Part *>(lfirst(cell));
        const double factor = part.factor + kLeafFactor * read_leaves(part, queries) / (queries * part.each);
        cost += queries * part.cost * factor / (first_only ? part.rows : 1);
    }
    return cost;
}

// Whether the scans of two indexes search for the same.
bool searches_alike(const InnerScan &a, const InnerScan &b)
{
    const int keys = a.index->nkeycolumns;
    return keys == b.index->nkeycolumns && a.strategy == b.strategy && equal(a.query, b.query) &&
           equal(a.values, b.values) && equal(a.types, b.types) &&
           std::memcmp(a.index->indexcollations, b.index->indexcollations,
                       sizeof(Oid) * static_cast<Size>(keys)) == 0;
}

// Finds the scans of the inner side that a batch replaces. Returns false if there are none.
bool find_inner_side(PlannerInfo *root, RelOptInfo *inner, Relids outer, List *conditions, InnerSide *side)
{
    const List *members = members_of(root, inner);
    ListCell *cell;
    *side = {};
    side->relation = inner->relid;
    side->filters = inner->baserestrictinfo;
    List *without = NIL;
    if (pruned_later(root, inner, conditions))
        return false;
    foreach (cell, members) {
        auto *member = static_cast<RelOptInfo *>(lfirst(cell));
        InnerScan scan;
        if (!find_inner_scan(root, inner, member, outer, conditions, &scan)) {
            without = lappend(without, member);
            continue;
        }
        if (side->parts == NIL)
            side->scan = scan;
        else if (side->scan.condition != scan.condition || !searches_alike(side->scan, scan))
            return false;
        auto *part = allocate<Part>();
        *part = read_part(root, scan);
        side->parts = lappend(side->parts, part);
        side->indexes = lappend_oid(side->indexes, scan.index->indexoid);
        side->rows += part->rows;
    }
    if (side->parts == NIL)
        return false;
    const Oid whole = without == NIL ? InvalidOid : whole_index(side->scan.index->indexoid);
    // Partitions without a scan are small.
    foreach (cell, without) {
        const IndexOptInfo *index = part_of_index(static_cast<const RelOptInfo *>(lfirst(cell)), whole);
        if (index == nullptr)
            return false;
        side->indexes = lappend_oid(side->indexes, index->indexoid);
    }
    return true;
}

void set_costs(PlannerInfo *root, CustomPath *path, const InnerSide &side, const Path *child, JoinType type,
               List *conditions)
{
    const double queries = clamp_row_est(child->rows);
    // PostgreSQL expects that the nested loop of a semi or anti join stops at the first match, and that an index scan
    // without one is cheap. The batch does the same, so it is compared on these terms.
    const bool first_only = type == JOIN_SEMI || type == JOIN_ANTI;
    const Cost start = list_length(side.indexes) * time_cost(kStartMicroseconds);
    QualCost tests, target = path->path.parent->reltarget->cost;
    cost_qual_eval(&tests, conditions, root);
    const Cost test = cpu_tuple_cost + tests.per_tuple;

    // LIMIT waits for the first batch.
    const double first = Min(queries, double{kFirstRows});
    const Cost outer = child->total_cost - child->startup_cost;
    path->path.startup_cost = child->startup_cost + start + tests.startup + target.startup +
                              outer * first / queries + batch_cost(side, first, first_only);
    path->path.total_cost =
        child->total_cost + start + tests.startup + target.startup + batch_cost(side, queries, first_only) +
        queries * (first_only ? 1 : side.rows) * test + path->path.rows * target.per_tuple;
    path->path.startup_cost = Min(path->path.startup_cost, path->path.total_cost);
    add_disabled_nodes(child, &path->path);
    add_disabled_nodes(side.scan.path, &path->path);
}

CustomPath *make_path(PlannerInfo *root, RelOptInfo *join, const InnerSide &side, Path *child, JoinType type,
                      List *conditions, double rows)
{
    auto *path =
        make_custom_path<JoinPath>(join, &kJoinPathMethods, rows, list_concat_copy(conditions, side.filters));
    path->path.parallel_safe = path->path.parallel_safe && child->parallel_safe;
    path->custom_paths = list_make1(child);
    path->type = type;
    path->inner = side;
    path->conditions = conditions;
    set_costs(root, path, side, child, type, conditions);
    return path;
}

void add_join_paths(PlannerInfo *root, RelOptInfo *join, RelOptInfo *outer, RelOptInfo *inner, JoinType type,
                    JoinPathExtraData *extra)
{
    if (next_hook != nullptr)
        next_hook(root, join, outer, inner, type, extra);
    // From PostgreSQL 19 on, a semi join to rows made unique comes as an inner join.
    if (!enable_join || type != extra->sjinfo->jointype)
        return;
    if (type == JOIN_INNER)
        add_pairs_path(root, join, outer, inner, extra);
    List *conditions = extra->restrictlist;
    InnerSide side;
    if (!can_join(root, join, outer, inner, type, conditions) ||
        !find_inner_side(root, inner, outer->relids, conditions, &side))
        return;
    // A condition above an outer join does not say what matches.
    if (IS_OUTER_JOIN(type) && RINFO_IS_PUSHED_DOWN(side.scan.condition, join->relids))
        return;
    Path *child = outer->cheapest_total_path;
    if (child == nullptr || !bms_is_empty(PATH_REQ_OUTER(child)))
        return;
    add_path(join, &make_path(root, join, side, child, type, conditions, join->rows)->path);
    if (!join->consider_parallel || outer->partial_pathlist == NIL)
        return;
    // Each process gathers its part of the outer rows.
    auto *part = static_cast<Path *>(linitial(outer->partial_pathlist));
    if (!bms_is_empty(PATH_REQ_OUTER(part)))
        return;
    CustomPath *path = make_path(root, join, side, part, type, conditions,
                                 join->rows * part->rows / clamp_row_est(outer->rows));
    if (!path->path.parallel_safe)
        return;
    path->path.parallel_aware = true; // to count
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
