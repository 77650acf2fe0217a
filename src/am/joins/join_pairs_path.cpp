// When a Simhash Join by pairs is offered, and at what cost.
//
// Every row of both tables takes part, before the filters, so the number of pairs is that of the join without filters.
#include "am/joins/join_pairs.hpp"

#include "am/index/kind.hpp"
#include "am/index/open_index.hpp"
#include "am/index/stored_value.hpp"
#include "am/pairs/pair_output.hpp"
#include "am/search/cost.hpp"
#include "am/search/search.hpp"
#include "core/features/text_sketch.hpp"
#include "pg/planner/near_rows.hpp"
#include "pg/planner/rewrite.hpp"
#include "pg/planner/selectivity.hpp"
#include "pg/server/settings.hpp"
#include "pg/server/sibling.hpp"
#include "pg/types/ball.hpp"

extern "C" {
#include "access/genam.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "utils/lsyscache.h"
#include "utils/spccache.h"
}

#include <cmath>

namespace simhash
{

namespace
{

constexpr double kStartMicroseconds = 200; // to sample the indexes' leaves and plan
constexpr double kOpenMicroseconds = 10;   // an index and its table
constexpr double kFetchMicroseconds = 0.1; // a row in memory
constexpr double kFirstPairs = 256;        // that are found before the first row is returned
constexpr double kDensePairs = 64;         // of a row, with which it is all of them

// A table, and its partitions and children that are left, or itself.
struct JoinedTable {
    RelOptInfo *table;
    List *members;

    RelOptInfo *first() const { return static_cast<RelOptInfo *>(linitial(members)); }
    // An expression on the table as it is on the first member.
    Expr *of_first(PlannerInfo *root, Expr *expression) const
    {
        return first() == table
                   ? expression
                   : reinterpret_cast<Expr *>(child_expression(root, expression, first(), table));
    }
};

// The indexes of a column of a table.
struct ColumnIndexes {
    IndexOptInfo *first; // of the table, or of the first partition
    List *indexes;       // the OIDs of those of all
    double rows, pages, table_rows, table_pages;

    void add(const IndexOptInfo *index)
    {
        indexes = lappend_oid(indexes, index->indexoid);
        rows += Max(1.0, index->tuples);
        pages += index->pages;
        table_rows += index->rel->tuples;
        table_pages += index->rel->pages;
    }
};

// A condition of the join that says which rows are near, and the indexes of both columns.
struct NearColumns {
    const RestrictInfo *condition;
    ColumnIndexes side[2]; // of the outer and of the inner table
    Node *radius;
    bool exact;    // its pairs are those that a pair search finds
    int estimate;  // of the radius
    List *clauses; // RestrictInfos: that one, and those that join the columns before the searched one
    // A table and its only partition have the same indexes, but may number their columns differently.
    bool same_table;

    bool one_index() const { return same_table && equal(side[0].indexes, side[1].indexes); }
    double pages() const { return side[0].pages + side[1].pages; }
};

// The column that is searched.
int searched(const IndexOptInfo *index) { return index->nkeycolumns - 1; }

// Returns a call as a condition on the key of an index, as its support function does. Null if it is none.
const OpExpr *call_on_key(PlannerInfo *root, IndexOptInfo *index, FuncExpr *call, bool *exact)
{
    const Oid support = get_func_support(call->funcid);
    for (int i = 0; OidIsValid(support) && i < list_length(call->args); i++) {
        if (!match_index_to_operand(static_cast<Node *>(list_nth(call->args, i)), searched(index), index))
            continue;
        SupportRequestIndexCondition request = {};
        request.type = T_SupportRequestIndexCondition;
        request.root = root;
        request.funcid = call->funcid;
        request.node = reinterpret_cast<Node *>(call);
        request.indexarg = i;
        request.index = index;
        request.indexcol = searched(index);
        request.opfamily = index->opfamily[request.indexcol];
        request.indexcollation = index->indexcollations[request.indexcol];
        request.lossy = true;
        auto *conditions =
            reinterpret_cast<List *>(DatumGetPointer(OidFunctionCall1(support, PointerGetDatum(&request))));
        if (list_length(conditions) != 1 || !is_opclause(linitial(conditions)))
            continue;
        *exact = !request.lossy;
        return static_cast<const OpExpr *>(linitial(conditions));
    }
    return nullptr;
}

// Returns a condition on the key of an index, with the key on the left, and whether it is equivalent. Null if it is another
// one.
const OpExpr *condition_on_key(PlannerInfo *root, IndexOptInfo *index, Expr *clause, bool *exact)
{
    *exact = true;
    if (IsA(clause, FuncExpr))
        return call_on_key(root, index, reinterpret_cast<FuncExpr *>(clause), exact);
    if (!is_opclause(clause) || list_length(reinterpret_cast<OpExpr *>(clause)->args) != 2)
        return nullptr;
    const auto *operation = reinterpret_cast<const OpExpr *>(clause);
    if (match_index_to_operand(static_cast<Node *>(linitial(operation->args)), searched(index), index))
        return operation;
    const Oid exchanged = get_commutator(operation->opno);
    if (!OidIsValid(exchanged) ||
        !match_index_to_operand(static_cast<Node *>(lsecond(operation->args)), searched(index), index))
        return nullptr;
    return reinterpret_cast<const OpExpr *>(call_operator(exchanged, BOOLOID,
                                                          static_cast<Node *>(lsecond(operation->args)),
                                                          static_cast<Node *>(linitial(operation->args))));
}

// What an index stores. Sketches of words tell nothing of those of characters.
struct IndexedValues {
    const IndexKind *kind;
    int bits;
    Oid extraction;

    bool operator==(const IndexedValues &other) const
    {
        return kind == other.kind && bits == other.bits && extraction == other.extraction;
    }
};

IndexedValues values_of(const IndexOptInfo *index)
{
    const PlannedIndex planned = {index, index_open(index->indexoid, NoLock)};
    const IndexKind &kind = kind_of(planned.relation);
    const int bits = kind.costs->bits(planned);
    index_close(planned.relation, NoLock);
    const Oid type = index->opcintype[searched(index)];
    return {&kind, bits, get_opfamily_proc(index->opfamily[searched(index)], type, type, kExtractProc)};
}

// Reads key ~= value or key <@| ball(value, radius). Returns the value, or null if it is another condition, or if the
// radius may differ from row to row.
Node *read_near(PlannerInfo *root, const IndexOptInfo *index, const OpExpr *operation, NearColumns *near)
{
    const Oid family = index->opfamily[searched(index)];
    auto *operand = static_cast<Node *>(lsecond(operation->args));
    const int strategy = get_op_opfamily_strategy(operation->opno, family);
    if (strategy == 0 || !is_own_operator({index, nullptr}, searched(index), operation->opno, false))
        return nullptr;
    near->estimate = condition_ball(operation->opno, family, values_of(index).bits, operand).radius;
    if (strategy == kNearDuplicate || strategy == kNearText) {
        near->exact = near->exact && strategy == kNearDuplicate; // texts are compared again
        near->radius = bigint_constant(strategy == kNearText ? kNearTextRadius : kNearRadius);
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
    if (near.one_index() != other.one_index())
        return near.one_index();
    // Rows that differ in the columns before the searched one are no pairs.
    if (list_length(near.clauses) != list_length(other.clauses))
        return list_length(near.clauses) > list_length(other.clauses);
    return near.pages() < other.pages();
}

// Finds the indexes of all members of a table that are parts of the same index. Returns false if one has none, or if the
// rows have too many pages to be numbered.
bool find_indexes(const JoinedTable &table, IndexOptInfo *first, ColumnIndexes *found)
{
    const Oid whole = list_length(table.members) == 1 ? InvalidOid : whole_index(first->indexoid);
    *found = {first, NIL, 0, 0, 0, 0};
    ListCell *cell;
    foreach (cell, table.members) {
        const auto *member = static_cast<const RelOptInfo *>(lfirst(cell));
        const IndexOptInfo *index = member == first->rel ? first : part_of_index(member, whole);
        if (index == nullptr || !can_search(index))
            return false;
        found->add(index);
    }
    return Max(found->pages, found->table_pages) < MaxBlockNumber;
}

// Whether a condition says that a column of two indexes is equal.
bool joins_column(PlannerInfo *root, const JoinedTable table[2], IndexOptInfo *const index[2], int column,
                  Expr *clause)
{
    clause = table[1].of_first(root, table[0].of_first(root, clause));
    const auto *operation = reinterpret_cast<const OpExpr *>(clause);
    if (!is_opclause(clause) || list_length(operation->args) != 2 ||
        operation->inputcollid != index[0]->indexcollations[column] ||
        !is_equality(get_op_opfamily_strategy(operation->opno, index[0]->opfamily[column])) ||
        !is_own_operator({index[0], nullptr}, column, operation->opno, false))
        return false;
    auto *left = static_cast<Node *>(linitial(operation->args)),
         *right = static_cast<Node *>(lsecond(operation->args));
    return (match_index_to_operand(left, column, index[0]) &&
            match_index_to_operand(right, column, index[1])) ||
           (match_index_to_operand(right, column, index[0]) &&
            match_index_to_operand(left, column, index[1]));
}

// Whether conditions say that the columns before the searched one are equal: then so are the masks of two rows, and their
// distance is that of what is stored. Keeps these conditions.
bool join_columns(PlannerInfo *root, const JoinedTable table[2], IndexOptInfo *const index[2],
                  const List *conditions, NearColumns *near)
{
    near->clauses = list_make1(const_cast<RestrictInfo *>(near->condition));
    if (index[0]->nkeycolumns != index[1]->nkeycolumns)
        return false;
    for (int column = 0; column < searched(index[0]); column++) {
        if (index[0]->opfamily[column] != index[1]->opfamily[column] ||
            index[0]->opcintype[column] != index[1]->opcintype[column] ||
            index[0]->indexcollations[column] != index[1]->indexcollations[column])
            return false;
        RestrictInfo *equality = nullptr;
        ListCell *cell;
        foreach (cell, conditions) {
            auto *condition = static_cast<RestrictInfo *>(lfirst(cell));
            if (joins_column(root, table, index, column, condition->clause))
                equality = condition;
        }
        if (equality == nullptr)
            return false;
        near->clauses = lappend(near->clauses, equality);
    }
    return true;
}

// Finds the best condition that an index of one table has, around the column of an index of the other table.
void find_near(PlannerInfo *root, const JoinedTable table[2], int key, const RestrictInfo *condition,
               const List *conditions, NearColumns *best)
{
    ListCell *cell, *inner;
    const JoinedTable &other = table[1 - key];
    foreach (cell, table[key].first()->indexlist) {
        auto *index = static_cast<IndexOptInfo *>(lfirst(cell));
        NearColumns near = {
            condition, {}, nullptr, false, 0, NIL, same_table(root, *table[0].table, *table[1].table)};
        if (!can_search(index))
            continue;
        const OpExpr *operation =
            condition_on_key(root, index, table[key].of_first(root, condition->clause), &near.exact);
        Node *value = operation == nullptr ? nullptr : read_near(root, index, operation, &near);
        if (value == nullptr || !find_indexes(table[key], index, &near.side[key]))
            continue;
        value = reinterpret_cast<Node *>(other.of_first(root, reinterpret_cast<Expr *>(value)));
        foreach (inner, other.first()->indexlist) {
            auto *around = static_cast<IndexOptInfo *>(lfirst(inner));
            IndexOptInfo *const joined[2] = {key == 0 ? index : around, key == 0 ? around : index};
            if (can_search(around) && match_index_to_operand(value, searched(around), around) &&
                values_of(around) == values_of(index) &&
                join_columns(root, table, joined, conditions, &near) &&
                find_indexes(other, around, &near.side[1 - key]) && is_better(near, *best))
                *best = near;
        }
    }
}

PairMethod method_of(const NearColumns &near, const JoinedTable table[2], const List *conditions)
{
    if (!near.one_index())
        return PairMethod::two_indexes;
    ListCell *cell;
    foreach (cell, conditions) {
        if (parts_rows(static_cast<const RestrictInfo *>(lfirst(cell))->clause, table[0].table->relid,
                       table[1].table->relid))
            return PairMethod::one_index;
    }
    return PairMethod::and_itself;
}

// The cost of fetching the members of pairs from a table. Those that wait together are in the order of the pages.
Cost fetch_cost(PlannerInfo *root, const ColumnIndexes &side, double rows)
{
    double random, sequential;
    get_tablespace_page_costs(side.first->rel->reltablespace, &random, &sequential);
    const double pages = Max(1.0, side.table_pages);
    const double read =
        Min(pages, index_pages_fetched(rows, static_cast<BlockNumber>(side.table_pages), 0, root));
    return read * (random - (random - sequential) * std::sqrt(read / pages)) +
           time_cost(rows * kFetchMicroseconds);
}

Cost read_cost(const ColumnIndexes &side, double pages)
{
    double random, sequential;
    get_tablespace_page_costs(side.first->reltablespace, &random, &sequential);
    return pages * sequential;
}

// How many processes share the work: the leader also returns the rows of the others.
double divisor(int workers)
{
    return workers + (parallel_leader_participation ? Max(0.0, 1.0 - 0.3 * workers) : 0);
}

// The share of the pairs of rows that a search finds. Of the pairs of one distance it also finds the nearer ones.
Selectivity found_share(PlannerInfo *root, const NearColumns &near, SpecialJoinInfo *join)
{
    const auto *call = reinterpret_cast<const FuncExpr *>(near.condition->clause);
    if (near.exact || !IsA(call, FuncExpr))
        return clauselist_selectivity(root, near.clauses, 0, JOIN_INNER, join);
    auto *left = static_cast<Node *>(linitial(call->args)), *right = static_cast<Node *>(lsecond(call->args));
    const Oid type = exprType(left);
    const DistanceTerms terms = {left,          right,        type, estimate_bits(type, left, right),
                                 near.estimate, call->funcid, false};
    return estimate_within_join(root, terms, join) *
           clauselist_selectivity(root, list_copy_tail(near.clauses, 1), 0, JOIN_INNER, join);
}

// Returns false if workers do not help.
bool set_costs(PlannerInfo *root, CustomPath *path, const PlannedPairs &pairs, const NearColumns &near,
               SpecialJoinInfo *join)
{
    const int workers = path->path.parallel_workers;
    const bool one = pairs.method != PairMethod::two_indexes;
    const ColumnIndexes *side = near.side;
    JoinTask task = {one ? 1 : 2, {}, {}, {}, {}, Max(near.estimate, 0), workers + 1};
    int parts = 0;
    for (int i = 0; i < task.sides; i++) {
        task.index[i] = index_open(side[i].first->indexoid, NoLock);
        task.parts[i] = list_length(side[i].indexes);
        task.rows[i] = side[i].rows;
        task.pages[i] = side[i].pages;
        parts += task.parts[i];
    }
    const JoinCost engine = kind_of(task.index[0]).join_cost(task);
    for (int i = 0; i < task.sides; i++)
        index_close(task.index[i], NoLock);
    if (workers > 0 && !engine.shared)
        return false;

    // In both orders.
    const double found = clamp_row_est(found_share(root, near, join) * side[0].rows * side[1].rows);
    QualCost tests;
    cost_qual_eval(&tests, pairs.conditions, root);
    const PathTarget *target = path->path.parent->reltarget;
    const Cost test = cpu_tuple_cost + tests.per_tuple;
    Cost read = 0, work = time_cost(engine.all) + found * test;
    for (int i = 0; i < task.sides; i++)
        read += read_cost(side[i], engine.pages[i]);
    work += fetch_cost(root, side[0], found) + (one ? 0 : fetch_cost(root, side[1], found));
    Cost start = time_cost(engine.start);
    // The more pairs a row has, the larger the groups of rows that are alike, all pairs of which are found at once.
    const double dense = found / Max(side[0].rows, side[1].rows) / kDensePairs;
    start += (read + work - start) * Min(1.0, Max(kFirstPairs / found, dense));
    if (pairs.method == PairMethod::and_itself) {
        // A sequential scan is first, whose rows may all fail the conditions.
        const Cost scan = read_cost(side[0], side[0].table_pages) + side[0].table_rows * test;
        start += scan;
        work += scan;
    }
    if (workers > 0) {
        work /= divisor(workers);
        read /= engine.pages_shared ? divisor(workers) : 1;
        path->path.rows = clamp_row_est(path->path.rows / divisor(workers));
    }
    const Cost begin =
        time_cost(kStartMicroseconds + parts * kOpenMicroseconds) + tests.startup + target->cost.startup;
    path->path.startup_cost = begin + Min(start, read + work);
    path->path.total_cost = begin + read + work + path->path.rows * target->cost.per_tuple;
    return true;
}

// Makes the path; with workers it is one of several processes that each return a part of the rows. Returns null if they do
// not help.
Path *make_path(PlannerInfo *root, RelOptInfo *join, const PlannedPairs &pairs, const NearColumns &near,
                SpecialJoinInfo *info, int workers)
{
    auto *path = make_custom_path<PairsPath>(join, &kPairPathMethods, join->rows, pairs.conditions);
    path->path.parallel_aware = workers > 0;
    path->path.parallel_workers = workers;
    path->pairs = pairs;
    return set_costs(root, path, pairs, near, info) ? &path->path : nullptr;
}

// Whether a table's filters may be evaluated for each pair, not for each row: none is volatile, which a sub-select may be.
bool filters_repeatable(const RelOptInfo *table)
{
    return repeatable(reinterpret_cast<Node *>(get_actual_clauses(table->baserestrictinfo)));
}

} // namespace

void add_pairs_path(PlannerInfo *root, RelOptInfo *join, RelOptInfo *outer, RelOptInfo *inner,
                    const JoinPathExtraData *extra)
{
    NearColumns near = {};
    ListCell *cell;
    if (outer->relid > inner->relid || !can_read(root, outer) || !can_read(root, inner) ||
        !filters_repeatable(outer) || !filters_repeatable(inner) || !bms_is_empty(join->lateral_relids) ||
        any_pseudoconstant(extra->restrictlist))
        return;
    const JoinedTable table[2] = {{outer, members_of(root, outer)}, {inner, members_of(root, inner)}};
    if (table[0].members == NIL || table[1].members == NIL)
        return;
    foreach (cell, extra->restrictlist) {
        auto *condition = static_cast<RestrictInfo *>(lfirst(cell));
        if (!restriction_is_securely_promotable(condition, outer) ||
            !restriction_is_securely_promotable(condition, inner))
            continue;
        find_near(root, table, 0, condition, extra->restrictlist, &near);
        find_near(root, table, 1, condition, extra->restrictlist, &near);
    }
    if (near.condition == nullptr)
        return;
    List *conditions = list_concat_copy(extra->restrictlist, outer->baserestrictinfo);
    conditions = list_concat(conditions, list_copy(inner->baserestrictinfo));
    const PlannedPairs pairs = {method_of(near, table, extra->restrictlist),
                                {near.side[0].indexes, near.side[1].indexes},
                                near.radius,
                                near.condition,
                                near.exact,
                                conditions};
    add_path(join, make_path(root, join, pairs, near, extra->sjinfo, 0));
    if (!join->consider_parallel)
        return;
    const int larger = near.side[0].table_pages > near.side[1].table_pages ? 0 : 1;
    const int workers = compute_parallel_worker(table[larger].table, near.side[larger].table_pages, -1,
                                                max_parallel_workers_per_gather);
    Path *partial = workers == 0 ? nullptr : make_path(root, join, pairs, near, extra->sjinfo, workers);
    if (partial != nullptr)
        add_partial_path(join, partial);
}

} // namespace simhash
