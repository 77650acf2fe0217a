// Cost estimates for the planner.
//
// Pages are charged as PostgreSQL does, so that the costs can be compared with those of other indexes. Processor time
// was measured relative to PostgreSQL's: one unit of cost, the time in which a sequential scan reads and tests 80
// narrow rows, was 3.5 microseconds. bench/plans/choices.sh compares the planner's choices with the run times of the
// plans.
#include "am/search/cost.hpp"

#include "am/index/kind.hpp"
#include "am/index/strategy.hpp"
#include "am/search/scan.hpp"

#include "core/bits/ball_volume.hpp"
#include "core/features/text_sketch.hpp"
#include "pg/planner/selectivity.hpp"
#include "pg/server/compat.hpp"
#include "pg/types/ball.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/spccache.h"
}

#include <cmath>

namespace simhash
{

namespace
{

// The time of one operator call: 3.5 microseconds are one unit of cost, and so are 400 calls, by default.
constexpr double kOperatorMicroseconds = 3.5 / 400;

// For each search: to plan, start and end it.
constexpr double kSearchMicroseconds = 0.175;

// With all pages in memory, a plain scan fetched rows faster than a bitmap scan up to about kPlainRows rows
// plus kPlainRowsPerPage for each table page fetched.
constexpr double kPlainRows = 100;
constexpr double kPlainRowsPerPage = 2;

// For each row if there are more: to sort it into table order or add it to a bitmap. Plain and bitmap scans
// are charged alike, because the interface does not tell them apart.
constexpr double kScatteredRowMicroseconds = 0.105;

// ORDER BY: to add a row to a ring or compare two rows, and to fetch a row in random order.
constexpr double kCollectMicroseconds = 0.0021875;
constexpr double kOrderedRowMicroseconds = 0.875;

// The similarity assumed of an unknown ball in an index of titles. With an index of words beside it, that is cheaper, as
// balls are by words unless they say otherwise.
constexpr double kUsualTitles = .6;

struct Conditions {
    PlannedBall ball; // the smallest of all; of the full radius if there are none
    bool only_nulls;
    double searches; // more than one for = ANY (array)
};

Node *bare_clause(void *clause)
{
    auto *node = static_cast<Node *>(clause);
    return IsA(node, RestrictInfo) ? reinterpret_cast<Node *>(reinterpret_cast<RestrictInfo *>(node)->clause)
                                   : node;
}

// Returns the function that an operator with this strategy number must have in the class of a column, from 0.
Oid planned_function(const PlannedIndex &index, int column, int strategy)
{
    if (index.relation != nullptr)
        return class_function(index.relation, column, strategy);
    const Oid handler = access_method_handler(index.info->relam);
    return get_opcode(class_operator(handler, index.info->opfamily[column], index.info->opcintype[column],
                                     column == index.info->nkeycolumns - 1, strategy));
}

// The searched column's number, from 0.
int searched_column(const IndexOptInfo *info) { return info->nkeycolumns - 1; }

// The operator of a condition, or InvalidOid.
Oid clause_operator(Node *clause)
{
    return IsA(clause, OpExpr)              ? reinterpret_cast<OpExpr *>(clause)->opno
           : IsA(clause, ScalarArrayOpExpr) ? reinterpret_cast<ScalarArrayOpExpr *>(clause)->opno
                                            : InvalidOid;
}

bool has_own_operators(const PlannedIndex &index, const IndexPath *path)
{
    ListCell *cell, *column;
    foreach (cell, path->indexclauses) {
        const auto *clause = static_cast<const IndexClause *>(lfirst(cell));
        ListCell *qual;
        foreach (qual, clause->indexquals) {
            const Oid op = clause_operator(bare_clause(lfirst(qual)));
            if (OidIsValid(op) && !is_own_operator(index, clause->indexcol, op, false))
                return false;
        }
    }
    forboth(cell, path->indexorderbys, column, path->indexorderbycols)
    {
        const Oid op = clause_operator(static_cast<Node *>(lfirst(cell)));
        if (OidIsValid(op) && !is_own_operator(index, lfirst_int(column), op, true))
            return false;
    }
    return true;
}

// The conditions of a path on an index, by what they are on.
struct Columns {
    List *searched; // on the searched column
    List *others;   // on those before it
    bool masked;    // each of these has a value, so the index finds what is near
};

bool is_value(Node *clause, Oid family)
{
    if (IsA(clause, NullTest))
        return reinterpret_cast<NullTest *>(clause)->nulltesttype == IS_NULL;
    const Oid op = clause_operator(clause);
    return OidIsValid(op) && is_equality(get_op_opfamily_strategy(op, family));
}

Columns divide_conditions(const IndexPath *path)
{
    const IndexOptInfo *info = path->indexinfo;
    const int searched = searched_column(info);
    Columns columns = {NIL, NIL, true};
    Bitmapset *known = nullptr;
    ListCell *cell;
    foreach (cell, path->indexclauses) {
        const auto *clause = static_cast<const IndexClause *>(lfirst(cell));
        ListCell *qual;
        foreach (qual, clause->indexquals) {
            List **of = clause->indexcol == searched ? &columns.searched : &columns.others;
            *of = lappend(*of, lfirst(qual));
            if (is_value(bare_clause(lfirst(qual)), info->opfamily[clause->indexcol]))
                known = bms_add_member(known, clause->indexcol);
        }
    }
    for (int column = 0; column < searched; column++)
        columns.masked = columns.masked && bms_is_member(column, known);
    foreach (cell, path->indexorderbycols)
        columns.masked = columns.masked && lfirst_int(cell) == searched;
    return columns;
}

// Returns the elements of an array, or one null pointer if they are not known.
List *elements_of(Node *array)
{
    if (IsA(array, ArrayExpr) && !reinterpret_cast<ArrayExpr *>(array)->multidims)
        return reinterpret_cast<ArrayExpr *>(array)->elements;
    const auto *constant = reinterpret_cast<const Const *>(array);
    const Oid type = get_element_type(exprType(array));
    if (!IsA(array, Const) || constant->constisnull || !OidIsValid(type))
        return list_make1(nullptr);
    int16 length;
    bool by_value;
    char alignment;
    get_typlenbyvalalign(type, &length, &by_value, &alignment);
    Datum *value;
    bool *null;
    int count;
    deconstruct_array(DatumGetArrayTypeP(constant->constvalue), type, length, by_value, alignment, &value,
                      &null, &count);
    List *elements = NIL;
    for (int i = 0; i < count; i++)
        elements = lappend(elements,
                           makeConst(type, -1, constant->constcollid, length, value[i], null[i], by_value));
    return elements;
}

// Returns what a single condition looks for; of an array, the largest ball.
PlannedBall read_condition(PlannerInfo *root, Node *clause, Oid family, int bits, Conditions *all)
{
    const PlannedBall any = {bits, true, kExactRecall};
    if (IsA(clause, NullTest)) {
        if (reinterpret_cast<NullTest *>(clause)->nulltesttype == IS_NULL)
            all->only_nulls = true;
        return any;
    }
    if (IsA(clause, OpExpr)) {
        const auto *operation = reinterpret_cast<OpExpr *>(clause);
        return condition_ball(operation->opno, family, bits, static_cast<Node *>(lsecond(operation->args)));
    }
    if (IsA(clause, ScalarArrayOpExpr)) {
        const auto *operation = reinterpret_cast<ScalarArrayOpExpr *>(clause);
        auto *array = static_cast<Node *>(lsecond(operation->args));
        all->searches *= Max(1.0, array_length_estimate(root, array));
        PlannedBall largest = {kEmptyRadius, true, kExactRecall};
        ListCell *cell;
        foreach (cell, elements_of(array)) {
            const PlannedBall ball =
                condition_ball(operation->opno, family, bits, static_cast<Node *>(lfirst(cell)));
            largest = {Max(largest.radius, ball.radius), largest.exact && ball.exact,
                       Max(largest.recall, ball.recall)};
        }
        return largest;
    }
    return any;
}

Conditions read_conditions(PlannerInfo *root, List *quals, Oid family, int bits)
{
    Conditions conditions = {{bits, true, kExactRecall}, false, 1};
    ListCell *cell;
    foreach (cell, quals) {
        const PlannedBall ball = read_condition(root, bare_clause(lfirst(cell)), family, bits, &conditions);
        if (ball.radius < conditions.ball.radius)
            conditions.ball = ball;
    }
    return conditions;
}

// What a page of a tablespace costs.
struct PageCosts {
    double random, sequential;
};

PageCosts page_costs(Oid tablespace)
{
    PageCosts costs;
    get_tablespace_page_costs(tablespace, &costs.random, &costs.sequential);
    return costs;
}

// Returns the cost of one of many pages that are read in ascending order and prefetched, computed as PostgreSQL
// does.
Cost page_cost(double fraction, const PageCosts &costs)
{
    return costs.random - (costs.random - costs.sequential) * std::sqrt(fraction);
}

// Returns the cost of the pages that many searches together read of so many, each once. If they fit into the cache, the
// more of them are read, the less each costs: a search locates its leaves ahead, and they are fetched together.
Cost pages_together(double fetched, double pages, const PageCosts &costs)
{
    return fetched * (fetched <= pages ? page_cost(fetched / pages, costs) : costs.random);
}

double table_pages(const RelOptInfo *rel) { return Max(1.0, static_cast<double>(rel->pages)); }

// The distinct pages on which so many rows are expected.
double distinct_pages(double pages, double rows) { return Min(pages, 2 * pages * rows / (2 * pages + rows)); }

// The pages of the table that are read for so many rows, as far as they do not stay in the cache.
double pages_read(PlannerInfo *root, const IndexOptInfo *info, double rows)
{
    return index_pages_fetched(rows, info->rel->pages, info->pages, root);
}

// The rows and pages that a scan fetches from the table.
struct Fetched {
    double rows;
    double pages;     // distinct pages
    double scattered; // the rows if too many for a plain index scan to be best, otherwise 0
};

Fetched fetched_rows(const RelOptInfo *rel, Selectivity selectivity)
{
    const double rows = clamp_row_est(selectivity * rel->tuples);
    const double pages = distinct_pages(table_pages(rel), rows);
    return {rows, pages, rows > kPlainRows + kPlainRowsPerPage * pages ? rows : 0};
}

// Returns the correlation with which PostgreSQL charges a cost between those of no correlation and of a full one. It
// interpolates by the square.
double correlation_for(Cost wanted, Cost uncorrelated, Cost correlated)
{
    if (wanted >= uncorrelated || correlated >= uncorrelated)
        return 0;
    return std::sqrt(Min(1.0, (uncorrelated - wanted) / (uncorrelated - correlated)));
}

// PostgreSQL considers a bitmap heap scan cheaper than a plain index scan whenever more than one page of the
// table is fetched, because the pages are read in order. That is right for a disk. With the pages in memory,
// building the bitmap takes longer than it saves until there are several rows per page. The correlation is
// the only way to express this. This function returns the correlation with which a plain scan's pages cost
// exactly as much as those of the bitmap scan. So the cheaper of the two has its usual cost, and no other
// comparison changes.
double plain_correlation(PlannerInfo *root, const IndexOptInfo *info, const Fetched &fetched,
                         Selectivity selectivity)
{
    const PageCosts costs = page_costs(info->rel->reltablespace);
    const double pages = table_pages(info->rel);
    const double together = std::ceil(selectivity * pages);
    const double bitmap_pages = Min(pages, std::ceil(fetched.pages));
    const Cost bitmap =
        bitmap_pages * (bitmap_pages >= 2 ? page_cost(bitmap_pages / pages, costs) : costs.random);
    const Cost correlated = together > 0 ? costs.random + (together - 1) * costs.sequential : 0;
    return correlation_for(bitmap, pages_read(root, info, fetched.rows) * costs.random, correlated);
}

// The same for many scans. PostgreSQL charges each for a row at least, but where few rows have near ones most scans find
// none. If less than one row is expected, sets the selectivity to 0: then the correlation can express any cost.
double repeated_correlation(PlannerInfo *root, const IndexOptInfo *info, const Fetched &fetched,
                            Selectivity *selectivity, double loop_count)
{
    const PageCosts costs = page_costs(info->rel->reltablespace);
    const double pages = table_pages(info->rel), rows = *selectivity * info->rel->tuples;
    const auto read = [&](double each) { return pages_read(root, info, each * loop_count); };
    if (rows < 1)
        *selectivity = 0;
    return correlation_for(pages_together(read(rows), pages, costs), read(fetched.rows) * costs.random,
                           read(std::ceil(*selectivity * pages)) * costs.random);
}

const SearchCosts &search_costs(const PlannedIndex &index)
{
    const IndexKind *kind = index.relation != nullptr
                                ? &kind_of(index.relation)
                                : kind_on(access_method_handler(index.info->relam),
                                          index.info->opcintype[searched_column(index.info)]);
    return *kind->costs;
}

// The part of a table's rows with different values.
double distinct_part(PlannerInfo *root, const IndexOptInfo *info, Node *value)
{
    VariableStatData statistics;
    bool is_default;
    examine_variable(root, value, 0, &statistics);
    const double distinct = get_variable_numdistinct(&statistics, &is_default);
    ReleaseVariableStats(statistics);
    return is_default ? 1 : Min(1.0, distinct / Max(1.0, info->rel->tuples));
}

// Returns the cost of the operators by which each row found is checked again. PostgreSQL charges only for conditions that
// the index does not evaluate. A copy of a text just compared takes no time.
Cost recheck_cost(PlannerInfo *root, const IndexOptInfo *info, List *quals)
{
    Cost cost = 0;
    ListCell *cell;
    foreach (cell, quals) {
        Node *clause = bare_clause(lfirst(cell));
        const Oid op = clause_operator(clause);
        if (!OidIsValid(op) ||
            !is_rechecked(get_op_opfamily_strategy(op, info->opfamily[searched_column(info)])))
            continue;
        QualCost one;
        cost_qual_eval_node(&one, clause, root);
        auto *value = static_cast<Node *>(
            linitial(IsA(clause, OpExpr) ? reinterpret_cast<OpExpr *>(clause)->args
                                         : reinterpret_cast<ScalarArrayOpExpr *>(clause)->args));
        cost += one.per_tuple * distinct_part(root, info, value);
    }
    return cost;
}

// The searches of a scan.
struct Searches {
    double number; // in one scan
    double loops;  // number of scans
};

// Returns the cost of searches that each take as much as the estimate. Pages that are read again and again are cached.
Cost price_searches(PlannerInfo *root, const IndexOptInfo *info, const SearchEstimate &estimate,
                    const Searches &searches)
{
    const PageCosts costs = page_costs(info->reltablespace);
    const double read = estimate.pages * searches.number;
    const Cost time = time_cost(estimate.microseconds * searches.number);
    if (searches.loops * searches.number > 1) {
        const double fetched = index_pages_fetched(read * searches.loops, info->pages, info->pages, root);
        return pages_together(fetched, info->pages, costs) / searches.loops + time;
    }
    const double in_order = estimate.pages - estimate.random;
    const Cost page =
        (estimate.random * costs.random + in_order * page_cost(estimate.fraction, costs)) / estimate.pages;
    return read * page + time;
}

// Returns what a scan reads of its searches before its first row, if there is one. They read the likeliest leaves first:
// of many, fewer than the square root until the first row (bench/papers). So LIMIT, EXISTS and cursors expect it early. The
// total is that of a search that finds nothing, or whose rows are all wanted.
Cost before_first_row(Cost searches, const SearchEstimate &estimate, double number)
{
    return searches / number / std::sqrt(Max(1.0, estimate.pages));
}

// ORDER BY ------------------------------------------------------------------------------------------------

// Returns the number of rows, nearest first, that the index has to return until the query has as many as it
// needs. This includes rows that other conditions reject.
double wanted_rows(const PlannerInfo *root, const IndexPath *path, double rows)
{
    const double kept = Min(
        path->path.param_info != nullptr ? path->path.param_info->ppi_rows : path->path.parent->rows, rows);
    double wanted = root->limit_tuples > 0      ? root->limit_tuples
                    : root->tuple_fraction >= 1 ? root->tuple_fraction
                    : root->tuple_fraction > 0  ? root->tuple_fraction * kept
                                                : kept;
    return Max(1.0, Min(rows, wanted * rows / Max(1.0, kept)));
}

// Returns the distance within which a part of the rows is expected.
int expected_radius(PlannerInfo *root, const IndexPath *path, double fraction)
{
    const auto *order = static_cast<OpExpr *>(linitial(path->indexorderbys));
    Oid type, query_type;
    op_input_types(order->opno, &type, &query_type);
    auto *left = static_cast<Node *>(linitial(order->args));
    Node *right = constant_center(static_cast<Node *>(lsecond(order->args)), type, query_type);
    const RelOptInfo *rel = path->indexinfo->rel;
    return estimate_nearest(
        root, {left, right, type, estimate_bits(type, left, right), 0, get_opcode(order->opno), false},
        static_cast<int>(rel->relid), fraction);
}

// A ball in ORDER BY permits a recall below 1.
PlannedBall ordering_ball(const IndexPath *path, int radius)
{
    const auto *order = static_cast<OpExpr *>(linitial(path->indexorderbys));
    Oid type, query_type;
    op_input_types(order->opno, &type, &query_type);
    PlannedBall ball = {radius, true, kExactRecall};
    if (type == BITOID && query_type != BITOID && searched_column(path->indexinfo) == 0)
        ball = planned_ball(static_cast<Node *>(lsecond(order->args)), query_type,
                            declared_bits(static_cast<Node *>(linitial(order->args))));
    ball.radius = radius;
    return ball;
}

// Returns the cost of the searches before the first row is returned. If rows are distributed as the
// statistics say, everything nearer than the farthest row wanted is searched. But the statistics do not know
// whether the query has near-duplicates, and if so, the first ring is enough. The geometric mean of the two
// costs is off by the same factor in both cases.
Cost first_search(PlannerInfo *root, const PlannedIndex &index, const IndexPath *path, int radius,
                  double wanted, double loops)
{
    const PlannedBall ball = ordering_ball(path, radius);
    const double fraction = Min(1.0, wanted / Max(1.0, index.info->tuples));
    const OrderEstimate order = search_costs(index).order(index, {ball, false, fraction});
    return std::sqrt(price_searches(root, index.info, order.near, {1, loops}) *
                     price_searches(root, index.info, order.far, {1, loops}));
}

// The cost that ORDER BY adds to a search.
struct RingCost {
    Cost first; // before the first row is returned
    Cost rest;
};

RingCost ring_cost(double rows, double wanted, Cost search)
{
    // Rows that turn out to be too far away are collected, too, until the ring has become narrower. The index is
    // searched again for each ring, of whose limit about half is used.
    constexpr double kFirst = kFirstLimit / 2.0, kGrowth = 1 + kLimitGrowth / 2.0;
    const double rings = std::log(Max(1.0, wanted / kFirst)) / std::log(kGrowth);
    const double collected = Min(rows, 2 * wanted + kFirstLimit);
    const double comparisons = std::log2(Max(2.0, collected));
    RingCost cost;
    cost.first =
        rings * search + time_cost(kCollectMicroseconds * (collected + Min(wanted, collected) * comparisons));
    // Successive rows are at unrelated places in the table.
    const double room = Max(kFirst, work_mem * 1024.0 / sizeof(Hit) / 2);
    cost.rest = time_cost(rows * (kOrderedRowMicroseconds + kCollectMicroseconds * comparisons)) +
                rows / room * search;
    return cost;
}

// PostgreSQL charges the pages of the table for each row alike, but the first of many rows read most of them. Returns
// what the rows wanted read more than their share, each page once and in order: then it compares with a bitmap scan, if
// the pages are in memory.
Cost first_pages(PlannerInfo *root, const IndexOptInfo *info, double rows, double wanted, double loop_count)
{
    const PageCosts costs = page_costs(info->rel->reltablespace);
    const double first = distinct_pages(table_pages(info->rel), wanted) / loop_count;
    const double all = pages_read(root, info, rows * loop_count) / loop_count;
    return Max(0.0, first * costs.sequential - wanted / rows * all * costs.random);
}

// Counts the searches of conditions = ANY (array) on the columns before the searched one.
void count_arrays(PlannerInfo *root, List *quals, Conditions *all)
{
    ListCell *cell;
    foreach (cell, quals) {
        Node *clause = bare_clause(lfirst(cell));
        if (!IsA(clause, ScalarArrayOpExpr))
            continue;
        auto *array = static_cast<Node *>(lsecond(reinterpret_cast<ScalarArrayOpExpr *>(clause)->args));
        all->searches *= Max(1.0, array_length_estimate(root, array));
    }
}

// Returns the cost of the rows with other values of the columns before the searched one that are as near by chance. They
// are fetched, one by one, and dropped. It is assumed that one query in two has near-duplicates, and needs none of them.
Cost others_cost(PlannerInfo *root, const IndexOptInfo *info, double fraction, double loop_count)
{
    const double rows = fraction * info->tuples / 2;
    if (rows < 1)
        return 0;
    return time_cost(rows * kOrderedRowMicroseconds) + rows * cpu_tuple_cost +
           pages_read(root, info, rows * loop_count) / loop_count *
               page_costs(info->rel->reltablespace).random;
}

// A query that needs no columns is planned only as an index-only scan of any index that needs no key. This
// index cannot return keys (see README.md), so the scan becomes a plain one. Returns the cost that PostgreSQL
// omits in this case: that of the table pages that are all-visible.
Cost plain_scan(IndexPath *path, const Fetched &heap)
{
    const RelOptInfo *rel = path->indexinfo->rel;
    if (path->path.pathtype != T_IndexOnlyScan)
        return 0;
    path->path.pathtype = T_IndexScan;
    return rel->allvisfrac * heap.pages *
           page_cost(heap.pages / table_pages(rel), page_costs(rel->reltablespace));
}

} // namespace

bool is_own_operator(const PlannedIndex &index, int column, Oid op, bool order)
{
    int strategy;
    Oid left, right;
    get_op_opfamily_properties(op, index.info->opfamily[column], order, &strategy, &left, &right);
    return get_opcode(op) == planned_function(index, column, strategy);
}

bool can_search(const IndexOptInfo *index)
{
    return has_cost_estimate(index, estimate_cost) && !index->hypothetical &&
           (index->indpred == NIL || index->predOK);
}

Cost time_cost(double microseconds) { return microseconds / kOperatorMicroseconds * cpu_operator_cost; }

PlannedBall condition_ball(Oid op, Oid family, int bits, Node *argument)
{
    const int strategy = get_op_opfamily_strategy(op, family);
    Oid type, ball_type;
    op_input_types(op, &type, &ball_type);
    if (is_equality(strategy))
        return {0, true, kExactRecall};
    if (strategy == kNearDuplicate)
        return {kNearRadius, true, kExactRecall};
    if (strategy == kNearText)
        return {kNearTextRadius, true, kExactRecall};
    if (strategy == kTextBallsMeet)
        return {planned_text_ball(argument, ball_type).radius, true, kExactRecall};
    if (strategy == kInTextBall || strategy == kInTitleBall) {
        const PlannedTextBall ball = planned_text_ball(argument, ball_type);
        if (!ball.known && ball.radius >= 0 && strategy == kInTitleBall)
            return {text_radius(TextUnit::kCharacter, kUsualTitles), true, kExactRecall};
        const bool other = ball.known && text_ball_strategy(ball.unit) != strategy;
        return {other ? bits : ball.radius, true, kExactRecall};
    }
    return planned_ball(argument, ball_type, bits);
}

int affordable_radius(PlannerInfo *root, const IndexPath *path, Cost most, Cost *near)
{
    const IndexOptInfo *info = path->indexinfo;
    if (wanted_rows(root, path, info->rel->rows) > kMostNear)
        return -1;
    const PlannedIndex index = {info, info->hypothetical ? nullptr : index_open(info->indexoid, NoLock)};
    const SearchCosts &costs = search_costs(index);
    const int bits = costs.bits(index);
    const PlannedSearch nearest = {{kNearRadius, true, kExactRecall}, false, 0};
    *near = price_searches(root, info, costs.order(index, nearest).near, {1, 1});
    int affordable = -1, beyond = *near <= most ? bits + 1 : 0;
    while (affordable + 1 < beyond) {
        const int radius = (affordable + beyond) / 2;
        const double chance = ball_volume(bits, radius);
        const SearchEstimate search = costs.search(index, {{radius, true, kExactRecall}, false, chance});
        const Cost all = price_searches(root, info, search, {1, 1}) + 2 * others_cost(root, info, chance, 1);
        (all <= most ? affordable : beyond) = radius;
    }
    if (index.relation != nullptr)
        index_close(index.relation, NoLock);
    return affordable;
}

void estimate_cost(PlannerInfo *root, IndexPath *path, double loop_count, Cost *startup_cost,
                   Cost *total_cost, Selectivity *selectivity, double *correlation, double *pages)
{
    IndexOptInfo *info = path->indexinfo;
    const RelOptInfo *rel = info->rel;
    List *quals = get_quals_from_indexclauses(path->indexclauses);
    const PlannedIndex index = {info, info->hypothetical ? nullptr : index_open(info->indexoid, NoLock)};
    const Columns columns = divide_conditions(path);
    // Without a value of each column, all rows are read. PostgreSQL would have to keep them to sort them.
    if (!has_own_operators(index, path) || (!columns.masked && path->indexorderbys != NIL)) {
        *startup_cost = *total_cost = kNeverCost;
        disable_path(&path->path);
        *correlation = *pages = 0;
        *selectivity = 1; // or a bitmap scan is considered, too
        if (index.relation != nullptr)
            index_close(index.relation, NoLock);
        return;
    }
    const SearchCosts &costs = search_costs(index);
    Conditions conditions =
        read_conditions(root, columns.searched, info->opfamily[searched_column(info)], costs.bits(index));
    *selectivity = clauselist_selectivity(root, add_predicate_to_index_quals(info, quals),
                                          static_cast<int>(rel->relid), JOIN_INNER, nullptr);
    Selectivity own = 1; // the rows with the values of the other columns
    if (searched_column(info) > 0) {
        own = clauselist_selectivity(root, columns.others, static_cast<int>(rel->relid), JOIN_INNER, nullptr);
        count_arrays(root, columns.others, &conditions);
        conditions.only_nulls = conditions.only_nulls && columns.masked;
        conditions.ball = {conditions.ball.radius, true, kExactRecall};
        if (!columns.masked)
            conditions.ball.radius = costs.bits(index);
    }
    // The rows found are those near by chance, too.
    const Cost recheck = recheck_cost(root, info, columns.searched);
    if ((searched_column(info) > 0 || recheck > 0) && path->indexorderbys == NIL && !conditions.only_nulls)
        *selectivity = Min(1.0, *selectivity + conditions.searches *
                                                   ball_volume(costs.bits(index), conditions.ball.radius));
    const Fetched heap = fetched_rows(rel, *selectivity);
    const double rows = Max(1.0, Min(*selectivity * rel->tuples, info->tuples));
    const double fraction = rows / Max(1.0, info->tuples) / conditions.searches;
    const SearchEstimate search = costs.search(index, {conditions.ball, conditions.only_nulls, fraction});
    const Cost searches = price_searches(root, info, search, {conditions.searches, loop_count});

    *startup_cost = index_other_operands_eval_cost(root, quals) +
                    index_other_operands_eval_cost(root, path->indexorderbys) +
                    time_cost(kSearchMicroseconds);
    *total_cost = *startup_cost + searches + rows * (cpu_index_tuple_cost + recheck) + plain_scan(path, heap);
    *correlation = 0;
    *pages = search.pages * conditions.searches;
    if (path->indexorderbys != NIL) {
        const double wanted = wanted_rows(root, path, rows);
        const int radius = expected_radius(root, path, Min(1.0, wanted / Max(1.0, own * rel->tuples)));
        const RingCost ring = ring_cost(rows, wanted, searches);
        // Within a ball, rings search no more than the ball.
        Cost first = ring.first + first_pages(root, info, rows, wanted, loop_count);
        if (searched_column(info) > 0)
            first += others_cost(
                root, info, ball_volume(costs.bits(index), Min(radius, conditions.ball.radius)), loop_count);
        *startup_cost += Min(searches, first_search(root, index, path, radius, wanted, loop_count)) + first;
        *total_cost += first + ring.rest;
    } else {
        *startup_cost += before_first_row(searches, search, conditions.searches);
        *total_cost += time_cost(heap.scattered * kScatteredRowMicroseconds);
        if (table_pages(rel) <= effective_cache_size && heap.scattered == 0)
            *correlation = loop_count > 1 ? repeated_correlation(root, info, heap, selectivity, loop_count)
                                          : plain_correlation(root, info, heap, *selectivity);
    }
    if (index.relation != nullptr)
        index_close(index.relation, NoLock);
}

} // namespace simhash
