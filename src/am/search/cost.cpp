// The planner's estimate: the leaves that the search plan for the condition's radius reads.
//
// Pages are charged as the core charges them, so that the costs of this index compare with those of others.
// Processor time was measured against the core's: one unit of cost, which is what a sequential scan takes to
// read and test 80 narrow rows, was 3.5 microseconds. bench/plans/choices.sh compares the choices that follow
// from all this with what the plans take.
#include "am/search/scan.hpp"

#include "pg/planner/selectivity.hpp"
#include "pg/server/compat.hpp"
#include "pg/types/ball.hpp"
#include "pg/types/guided_ball.hpp"

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

// In operators, for each search: its plan, and its beginning and end.
constexpr double kSearchOperators = 20;

// For each leaf: to locate it in the copied inner pages, to wait for its memory, to pin and to lock it.
constexpr double kLeafOperators = 40;

// The kernel tests this many entries in the time of one operator call.
constexpr double kEntriesPerOperator = 20;

// With all pages in memory, fetching rows by a plain scan took less than by a bitmap up to about so many
// rows, and so many more for each page of the table that is fetched.
constexpr double kPlainRows = 100;
constexpr double kPlainRowsPerPage = 2;

// For each row where there are more: to bring it into the order of the table, or into a bitmap. Both sorts of
// scan are charged alike, there is no other way.
constexpr double kScatteredRowOperators = 12;

// ORDER BY: to put a row into a ring or to compare two of them, and to fetch a row out of all order; and how
// many rows the first large ring has.
constexpr double kCollectOperators = 0.25;
constexpr double kOrderedRowOperators = 100;
constexpr double kRingRows = 8192;

// Arguments of simhash_ball, where they are known.
Node *ball_argument(Node *call, int number, Oid type)
{
    if (!IsA(call, FuncExpr) || list_length(reinterpret_cast<FuncExpr *>(call)->args) <= number)
        return nullptr;
    auto *argument = static_cast<Node *>(list_nth(reinterpret_cast<FuncExpr *>(call)->args, number));
    if (!IsA(argument, Const) || reinterpret_cast<Const *>(argument)->constisnull ||
        reinterpret_cast<Const *>(argument)->consttype != type)
        return nullptr;
    return argument;
}

Datum constant(Node *node) { return reinterpret_cast<Const *>(node)->constvalue; }

int ball_radius(Node *argument, bool guided)
{
    if (IsA(argument, Const)) {
        auto *constant = reinterpret_cast<Const *>(argument);
        if (constant->constisnull)
            return kEmptyRadius;
        if (guided)
            return datum_guided_ball(constant->constvalue).radius;
        return reinterpret_cast<Ball *>(DatumGetPointer(constant->constvalue))->radius;
    }
    Node *radius = ball_argument(argument, 1, INT8OID);
    return radius == nullptr ? kUnknownRadius : clamp_radius(DatumGetInt64(constant(radius)));
}

// Whether a ball around weights is searched exactly all the same.
bool exact_ball(Node *argument)
{
    if (argument == nullptr)
        return false;
    if (IsA(argument, Const))
        return reinterpret_cast<Const *>(argument)->constisnull ||
               is_exact(datum_guided_ball(constant(argument)));
    Node *recall = ball_argument(argument, 2, FLOAT8OID);
    return recall != nullptr && DatumGetFloat8(constant(recall)) >= kExactRecall;
}

struct Conditions {
    int radius; // the least of all balls; kBits if there is none
    bool only_nulls;
    bool guided;     // the least ball is one around weights, not searched exactly
    double searches; // more than one for = ANY (array)
};

int operator_radius(Oid op, Oid family, Node *argument, bool *guided)
{
    int strategy = get_op_opfamily_strategy(op, family);
    bool weights = strategy == kInGuidedBall;
    *guided = weights && !exact_ball(argument);
    return strategy == kEqual           ? 0
           : strategy == kNearDuplicate ? kNearRadius
           : argument == nullptr        ? kUnknownRadius
                                        : ball_radius(argument, weights);
}

Conditions read_conditions(PlannerInfo *root, List *quals, Oid family)
{
    Conditions conditions = {kBits, false, false, 1};
    ListCell *cell;
    foreach (cell, quals) {
        auto *clause = static_cast<Node *>(lfirst(cell));
        if (IsA(clause, RestrictInfo))
            clause = reinterpret_cast<Node *>(reinterpret_cast<RestrictInfo *>(clause)->clause);
        int radius = kBits;
        bool guided = false;
        if (IsA(clause, NullTest)) {
            if (reinterpret_cast<NullTest *>(clause)->nulltesttype == IS_NULL)
                conditions.only_nulls = true;
        } else if (IsA(clause, OpExpr)) {
            auto *operation = reinterpret_cast<OpExpr *>(clause);
            radius = operator_radius(operation->opno, family, static_cast<Node *>(lsecond(operation->args)),
                                     &guided);
        } else if (IsA(clause, ScalarArrayOpExpr)) {
            auto *operation = reinterpret_cast<ScalarArrayOpExpr *>(clause);
            radius = operator_radius(operation->opno, family, nullptr, &guided);
            conditions.searches *=
                Max(1.0, array_length_estimate(root, static_cast<Node *>(lsecond(operation->args))));
        }
        if (radius < conditions.radius) {
            conditions.radius = radius;
            conditions.guided = guided;
        }
    }
    return conditions;
}

// What a search reads.
struct Reading {
    double tables; // in which it reads
    double leaves; // in all
    double part;   // of those tables
};

// The plan's own estimate is for keys spread evenly. Where many rows match there are more leaves among them:
// each table that is read has the matching rows in leaves of their own.
Reading plan_reading(const SearchPlan &plan, double leaves, double matching, bool guided)
{
    Reading reading;
    reading.tables = plan.steps;
    // By weights: on real texts some 2 to 12 leaves where an exact search reads 4 to 145.
    reading.leaves = guided ? std::sqrt(plan.leaves) : plan.leaves;
    reading.leaves = Max(1.0, Min(reading.leaves + plan.steps * matching * leaves, plan.steps * leaves));
    reading.tables = Min(reading.tables, reading.leaves);
    reading.part = Min(1.0, reading.leaves / (plan.steps * leaves));
    return reading;
}

// A page in the middle of many that are read in ascending order and ahead of their turn, as the core charges
// it.
Cost page_cost(double part, double random, double sequential)
{
    return random - (random - sequential) * std::sqrt(part);
}

// What a scan fetches from the table.
struct Fetched {
    double rows;
    double pages;     // distinct ones
    double scattered; // rows, if they are too many for a plain index scan to be the best
};

Fetched fetched_rows(const RelOptInfo *rel, Selectivity selectivity)
{
    double pages = Max(1.0, static_cast<double>(rel->pages));
    Fetched fetched;
    fetched.rows = clamp_row_est(selectivity * rel->tuples);
    fetched.pages = Min(pages, 2 * pages * fetched.rows / (2 * pages + fetched.rows));
    fetched.scattered = fetched.rows > kPlainRows + kPlainRowsPerPage * fetched.pages ? fetched.rows : 0;
    return fetched;
}

// The core takes a bitmap heap scan for cheaper than a plain index scan wherever more than one page of the
// table is fetched, since the pages come in order. That is so on a disk; with the pages in memory making the
// bitmap takes longer than it saves, until there are several rows to a page. A correlation is the only way to
// say so: this is the one with which a plain scan's pages cost just as much as the bitmap's. So the cheaper
// of the two is estimated as ever, and nothing else is compared differently.
double plain_correlation(PlannerInfo *root, const IndexOptInfo *info, const Fetched &fetched,
                         Selectivity selectivity, double loop_count)
{
    const RelOptInfo *rel = info->rel;
    double random, sequential;
    get_tablespace_page_costs(rel->reltablespace, &random, &sequential);
    double rows = fetched.rows, pages = Max(1.0, static_cast<double>(rel->pages));
    if (pages > effective_cache_size || fetched.scattered > 0)
        return 0;

    double together = std::ceil(selectivity * pages);
    double bitmap_pages, uncorrelated, correlated;
    if (loop_count > 1) {
        double index_pages = info->pages;
        bitmap_pages = index_pages_fetched(rows * loop_count, rel->pages, index_pages, root) / loop_count;
        uncorrelated = bitmap_pages * random;
        correlated =
            index_pages_fetched(together * loop_count, rel->pages, index_pages, root) * random / loop_count;
    } else {
        bitmap_pages = fetched.pages;
        uncorrelated = index_pages_fetched(rows, rel->pages, info->pages, root) * random;
        correlated = together > 0 ? random + (together - 1) * sequential : 0;
    }
    bitmap_pages = Min(pages, std::ceil(bitmap_pages));
    double bitmap =
        bitmap_pages * (bitmap_pages >= 2 ? page_cost(bitmap_pages / pages, random, sequential) : random);
    if (bitmap >= uncorrelated || correlated >= uncorrelated)
        return 0;
    return std::sqrt(Min(1.0, (uncorrelated - bitmap) / (uncorrelated - correlated)));
}

// An index that is planned for.
struct PlannedIndex {
    const IndexOptInfo *info;
    Relation relation; // null for an advisor's hypothetical one, where there is nothing to open
    TableDesign design;
    double leaves; // of each table
};

PlannedIndex open_planned(const IndexOptInfo *info)
{
    PlannedIndex index = {};
    index.info = info;
    if (info->hypothetical) {
        make_design(kDefaultDistance, default_tables(kDefaultDistance), &index.design);
        index.leaves = estimated_leaves(info->pages, index.design.tables);
        return index;
    }
    index.relation = index_open(info->indexoid, NoLock);
    index.leaves = estimated_leaves(info->pages, index_meta(index.relation)->tables());
    return index;
}

void close_planned(const PlannedIndex &index)
{
    if (index.relation != nullptr)
        index_close(index.relation, NoLock);
}

SearchPlan search_plan(const PlannedIndex &index, int radius)
{
    SearchPlan plan = {};
    if (index.relation != nullptr)
        index_plan(index.relation, radius, &plan);
    else
        plan_search(index.design, radius, index.leaves, &plan);
    return plan;
}

// The searches of a scan.
struct Searches {
    double number; // in one scan
    double loops;  // number of scans
    double read;   // leaves read in one scan
    Cost cost;
};

// Each table is entered somewhere, and read on from there.
Cost leaf_page_cost(const IndexOptInfo *info, const Reading &reading)
{
    double random, sequential;
    get_tablespace_page_costs(info->reltablespace, &random, &sequential);
    return (reading.tables * random +
            (reading.leaves - reading.tables) * page_cost(reading.part, random, sequential)) /
           reading.leaves;
}

void price_searches(PlannerInfo *root, const PlannedIndex &index, const Reading &reading, Searches *searches)
{
    const IndexOptInfo *info = index.info;
    double read = reading.leaves * searches->number, fetched = read;
    if (searches->loops * searches->number > 1)
        fetched =
            index_pages_fetched(read * searches->loops, info->pages, info->pages, root) / searches->loops;
    searches->read = read;
    searches->cost =
        fetched * leaf_page_cost(info, reading) +
        cpu_operator_cost * read * (kLeafOperators + info->tuples / index.leaves / kEntriesPerOperator);
}

// The searches for all that the conditions ask for.
Searches condition_searches(PlannerInfo *root, const PlannedIndex &index, const Conditions &conditions,
                            double rows, double loops)
{
    SearchPlan plan = search_plan(index, Max(conditions.radius, 0));
    double matching = rows / Max(1.0, index.info->tuples) / conditions.searches;
    if (conditions.radius < 0 || conditions.only_nulls) {
        plan.steps = 1;
        plan.leaves = 1;
    }
    Searches searches = {conditions.searches, loops, 0, 0};
    price_searches(root, index, plan_reading(plan, index.leaves, matching, conditions.guided), &searches);
    return searches;
}

// ORDER BY ------------------------------------------------------------------------------------------------

// The rows that the index has to deliver, nearest first, until the query has what it wants: those that other
// conditions refuse are fetched in vain.
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

// The distance within which so many rows are expected.
int expected_radius(PlannerInfo *root, const IndexPath *path, double wanted)
{
    const auto *order = static_cast<OpExpr *>(linitial(path->indexorderbys));
    Oid type, query_type;
    op_input_types(order->opno, &type, &query_type);
    DistanceTerms terms = {static_cast<Node *>(linitial(order->args)),
                           static_cast<Node *>(lsecond(order->args)),
                           type,
                           0,
                           get_opcode(order->opno),
                           false};
    const RelOptInfo *rel = path->indexinfo->rel;
    int low = 0, high = kBits;
    while (low < high) {
        terms.radius = (low + high) / 2;
        if (estimate_within(root, terms, static_cast<int>(rel->relid)) * rel->tuples >= wanted)
            high = terms.radius;
        else
            low = terms.radius + 1;
    }
    return low;
}

// What rings up to a radius read. Each takes about twice as long as the one before, and one that would read
// half of a table reads all of it.
Cost ring_searches(PlannerInfo *root, const PlannedIndex &index, int radius, double rows, double loops)
{
    SearchPlan plan = search_plan(index, radius);
    const double matching = Min(1.0, rows / Max(1.0, index.info->tuples));
    if (2 * plan.leaves > index.leaves) {
        plan.steps = 1;
        plan.leaves = index.leaves;
    } else if (radius > kDefaultDistance) {
        plan.leaves *= 2;
    }
    Searches searches = {1, loops, 0, 0};
    price_searches(root, index, plan_reading(plan, index.leaves, matching, false), &searches);
    return searches.cost;
}

// What is searched before the first row comes out: everything nearer than the farthest row wanted, if rows
// lie as the statistics say. But these do not know whether the query has near-duplicates, and if it has, the
// first ring is enough. The mean of the two differs as little from either as it can, in proportion.
Cost first_search(PlannerInfo *root, const PlannedIndex &index, const IndexPath *path, double wanted,
                  double loops)
{
    const int radius = expected_radius(root, path, wanted);
    const Cost far = ring_searches(root, index, radius, wanted, loops);
    const Cost near = ring_searches(root, index, Min(radius, kDefaultDistance), wanted, loops);
    return std::sqrt(near * far);
}

// What ORDER BY adds to a search.
struct RingCost {
    Cost first; // before a row comes out
    Cost rest;
};

RingCost ring_cost(double rows, double wanted, Cost search)
{
    // Rows that are not near enough in the end are collected, too, until the ring has narrowed.
    double comparisons = std::log2(Max(2.0, Min(rows, kRingRows)));
    double collected = Min(rows, wanted + kRingRows);
    RingCost cost;
    cost.first = cpu_operator_cost * kCollectOperators * (collected + Min(wanted, kRingRows) * comparisons);
    // A row's place in the table has nothing to do with the last one's. And when there are more than fit into
    // memory, about half of which is used, they are searched again for the next ring.
    double room = Max(kRingRows, work_mem * 1024.0 / sizeof(Hit) / 8);
    cost.rest = rows * cpu_operator_cost * (kOrderedRowOperators + kCollectOperators * comparisons) +
                rows / room * search;
    return cost;
}

// A query that needs no column at all is planned as an index-only scan of any index that needs no key, and as
// nothing else. This index returns no key (see README.md), so the scan becomes a plain one. Returns what the
// core then leaves out: the pages of the table that are visible to all.
Cost plain_scan(IndexPath *path, const Fetched &heap)
{
    const RelOptInfo *rel = path->indexinfo->rel;
    double random, sequential;
    if (path->path.pathtype != T_IndexOnlyScan)
        return 0;
    path->path.pathtype = T_IndexScan;
    get_tablespace_page_costs(rel->reltablespace, &random, &sequential);
    return rel->allvisfrac * heap.pages *
           page_cost(heap.pages / Max(1.0, static_cast<double>(rel->pages)), random, sequential);
}

} // namespace

void estimate_cost(PlannerInfo *root, IndexPath *path, double loop_count, Cost *startup_cost,
                   Cost *total_cost, Selectivity *selectivity, double *correlation, double *pages)
{
    IndexOptInfo *info = path->indexinfo;
    List *quals = get_quals_from_indexclauses(path->indexclauses);
    *selectivity = clauselist_selectivity(root, add_predicate_to_index_quals(info, quals),
                                          static_cast<int>(info->rel->relid), JOIN_INNER, nullptr);
    const Fetched heap = fetched_rows(info->rel, *selectivity);
    const double rows = Max(1.0, Min(*selectivity * info->rel->tuples, info->tuples));

    const PlannedIndex index = open_planned(info);
    const Conditions conditions = read_conditions(root, quals, info->opfamily[0]);
    const Searches searches = condition_searches(root, index, conditions, rows, loop_count);

    *startup_cost = index_other_operands_eval_cost(root, quals) +
                    index_other_operands_eval_cost(root, path->indexorderbys) +
                    cpu_operator_cost * kSearchOperators;
    *total_cost = *startup_cost + searches.cost + rows * cpu_index_tuple_cost + plain_scan(path, heap);
    *correlation = 0;
    *pages = searches.read;
    if (path->indexorderbys != NIL) {
        const double wanted = wanted_rows(root, path, rows);
        const RingCost ring = ring_cost(rows, wanted, searches.cost);
        // Within a ball, rings search no more than it.
        *startup_cost += Min(searches.cost, first_search(root, index, path, wanted, loop_count)) + ring.first;
        *total_cost += ring.first + ring.rest;
    } else {
        *total_cost += heap.scattered * kScatteredRowOperators * cpu_operator_cost;
        *correlation = plain_correlation(root, info, heap, *selectivity, loop_count);
    }
    close_planned(index);
}

} // namespace simhash
