// Cost estimates for the planner, from the number of leaves that the search plan for the condition's radius
// reads.
//
// Pages are charged like in the core, so that the costs can be compared with those of other indexes.
// Processor time was measured relative to the core's: one unit of cost, the time in which a sequential scan
// reads and tests 80 narrow rows, was 3.5 microseconds. bench/plans/choices.sh compares the planner's choices
// with the run times of the plans.
#include "am/search/scan.hpp"
#include "am/search/signature_cost.hpp"

#include "pg/planner/selectivity.hpp"
#include "pg/server/compat.hpp"
#include "pg/types/ball.hpp"
#include "pg/types/guided_ball.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_type.h"
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

constexpr int kUnknownRadius = kNearRadius; // assumed if the planner does not know the radius

// For each search: to plan, start and end it. This and the following costs are in operator calls.
constexpr double kSearchOperators = 20;

// For each leaf: to locate it in the copied inner pages, wait for its memory, pin it and lock it.
constexpr double kLeafOperators = 40;

// Entries that the kernel tests in the time of one operator call.
constexpr double kEntriesPerOperator = 20;

// With all pages in memory, a plain scan fetched rows faster than a bitmap scan up to about kPlainRows rows
// plus kPlainRowsPerPage for each table page fetched.
constexpr double kPlainRows = 100;
constexpr double kPlainRowsPerPage = 2;

// For each row if there are more: to sort it into table order or add it to a bitmap. Plain and bitmap scans
// are charged alike, because the interface does not tell them apart.
constexpr double kScatteredRowOperators = 12;

// ORDER BY: the cost of adding a row to a ring or comparing two rows, the cost of fetching a row in random
// order, and the number of rows in the first large ring.
constexpr double kCollectOperators = 0.25;
constexpr double kOrderedRowOperators = 100;
constexpr double kRingRows = 8192;

// Returns an argument of simhash_ball if it is a known constant of this type, otherwise null.
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

// Whether a ball around weights is searched exactly.
bool exact_ball(Node *argument)
{
    if (argument == nullptr)
        return false;
    if (IsA(argument, Const))
        return reinterpret_cast<Const *>(argument)->constisnull ||
               is_exact(datum_guided_ball(constant(argument)));
    Node *recall = ball_argument(argument, 2, FLOAT8OID);
    Node *most_probes = ball_argument(argument, 3, INT4OID);
    return recall != nullptr && most_probes != nullptr &&
           is_exact(DatumGetFloat8(constant(recall)), DatumGetInt32(constant(most_probes)));
}

struct Conditions {
    int radius; // the smallest of all balls; kBits if there are none
    bool only_nulls;
    bool guided;     // the smallest ball is one around weights and not searched exactly
    double searches; // more than one for = ANY (array)
};

// Returns the radius of a condition. `bits` is the length of the indexed signatures, 0 for fingerprints.
int operator_radius(Oid op, Oid family, int bits, Node *argument, bool *guided)
{
    int strategy = get_op_opfamily_strategy(op, family);
    if (bits > 0)
        return strategy == kEqual ? 0 : signature_radius(argument, bits);
    bool weights = strategy == kInGuidedBall;
    *guided = weights && !exact_ball(argument);
    return strategy == kEqual           ? 0
           : strategy == kNearDuplicate ? kNearRadius
           : argument == nullptr        ? kUnknownRadius
                                        : ball_radius(argument, weights);
}

Conditions read_conditions(PlannerInfo *root, List *quals, Oid family, int bits)
{
    Conditions conditions = {bits > 0 ? bits : kBits, false, false, 1};
    ListCell *cell;
    foreach (cell, quals) {
        auto *clause = static_cast<Node *>(lfirst(cell));
        if (IsA(clause, RestrictInfo))
            clause = reinterpret_cast<Node *>(reinterpret_cast<RestrictInfo *>(clause)->clause);
        int radius = bits > 0 ? bits : kBits;
        bool guided = false;
        if (IsA(clause, NullTest)) {
            if (reinterpret_cast<NullTest *>(clause)->nulltesttype == IS_NULL)
                conditions.only_nulls = true;
        } else if (IsA(clause, OpExpr)) {
            auto *operation = reinterpret_cast<OpExpr *>(clause);
            radius = operator_radius(operation->opno, family, bits,
                                     static_cast<Node *>(lsecond(operation->args)), &guided);
        } else if (IsA(clause, ScalarArrayOpExpr)) {
            auto *operation = reinterpret_cast<ScalarArrayOpExpr *>(clause);
            radius = operator_radius(operation->opno, family, bits, nullptr, &guided);
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

// The leaves that a search reads.
struct Reading {
    double tables; // that it reads
    double leaves; // total number of leaves
    double part;   // fraction of those tables
};

// The plan's own estimate assumes evenly spread keys. Matching rows add to it: in each table that is read,
// they occupy leaves of their own.
Reading plan_reading(const SearchPlan &plan, double leaves, double matching, bool guided)
{
    Reading reading;
    reading.tables = plan.steps;
    // A search by weights read about 2 to 12 leaves on real texts where an exact search reads 4 to 145.
    reading.leaves = guided ? std::sqrt(plan.leaves) : plan.leaves;
    reading.leaves = Max(1.0, Min(reading.leaves + plan.steps * matching * leaves, plan.steps * leaves));
    reading.tables = Min(reading.tables, reading.leaves);
    reading.part = Min(1.0, reading.leaves / (plan.steps * leaves));
    return reading;
}

// Returns the cost of one of many pages that are read in ascending order and prefetched, computed like in the
// core.
Cost page_cost(double part, double random, double sequential)
{
    return random - (random - sequential) * std::sqrt(part);
}

// The rows and pages that a scan fetches from the table.
struct Fetched {
    double rows;
    double pages;     // distinct pages
    double scattered; // the rows if too many for a plain index scan to be best, otherwise 0
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

// The core considers a bitmap heap scan cheaper than a plain index scan whenever more than one page of the
// table is fetched, because the pages are read in order. That is right for a disk. With the pages in memory,
// building the bitmap takes longer than it saves until there are several rows per page. The correlation is
// the only way to express this. This function returns the correlation with which a plain scan's pages cost
// exactly as much as those of the bitmap scan. So the cheaper of the two has its usual cost, and no other
// comparison changes.
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

// An index whose scan is being planned.
struct PlannedIndex {
    const IndexOptInfo *info;
    Relation relation; // null for an advisor's hypothetical index, which cannot be opened
    int bits;          // the length of its signatures, 0 if it is on fingerprints
    TableDesign design;
    double leaves; // of each table
};

PlannedIndex open_planned(const IndexOptInfo *info)
{
    PlannedIndex index = {};
    index.info = info;
    if (!info->hypothetical)
        index.relation = index_open(info->indexoid, NoLock);
    if (info->opcintype[0] == BITOID) {
        index.bits = planned_signature_bits(index.relation);
        return index;
    }
    if (info->hypothetical) {
        make_design(kDefaultDistance, default_tables(kDefaultDistance), &index.design);
        index.leaves = estimated_leaves(info->pages, index.design.tables);
        return index;
    }
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

// The first leaf in each table is a random access, and the others follow it in order.
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

// Returns the searches for all of the conditions.
Searches condition_searches(PlannerInfo *root, const PlannedIndex &index, const Conditions &conditions,
                            double rows, double loops)
{
    if (index.bits > 0) {
        SignaturePrice price = conditions.radius < 0 || conditions.only_nulls
                                   ? SignaturePrice{1, cpu_operator_cost}
                                   : price_signatures(root, index.info, index.relation, conditions.radius,
                                                      loops * conditions.searches);
        return {conditions.searches, loops, price.pages * conditions.searches,
                price.cost * conditions.searches};
    }
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

// Returns the distance within which `wanted` rows are expected.
int expected_radius(PlannerInfo *root, const IndexPath *path, double wanted)
{
    const auto *order = static_cast<OpExpr *>(linitial(path->indexorderbys));
    Oid type, query_type;
    op_input_types(order->opno, &type, &query_type);
    auto *left = static_cast<Node *>(linitial(order->args));
    auto *right = static_cast<Node *>(lsecond(order->args));
    DistanceTerms terms = {left, right, type, estimate_bits(type, left, right), 0, get_opcode(order->opno),
                           false};
    const RelOptInfo *rel = path->indexinfo->rel;
    int low = 0, high = terms.bits;
    while (low < high) {
        terms.radius = (low + high) / 2;
        if (estimate_within(root, terms, static_cast<int>(rel->relid)) * rel->tuples >= wanted)
            high = terms.radius;
        else
            low = terms.radius + 1;
    }
    return low;
}

// Returns the cost of searching all rings up to a radius. Each ring takes about twice as long as the previous
// one. A ring that would read half of a table reads all of it.
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

// Returns the cost of the searches before the first row is returned. If rows are distributed as the
// statistics say, everything nearer than the farthest row wanted is searched. But the statistics do not know
// whether the query has near-duplicates, and if so, the first ring is enough. The geometric mean of the two
// costs is off by the same factor in both cases.
Cost first_search(PlannerInfo *root, const PlannedIndex &index, const IndexPath *path, double wanted,
                  double loops)
{
    if (index.bits > 0)
        return price_signature_order(root, index.info, index.relation, loops).cost;
    const int radius = expected_radius(root, path, wanted);
    const Cost far = ring_searches(root, index, radius, wanted, loops);
    const Cost near = ring_searches(root, index, Min(radius, kDefaultDistance), wanted, loops);
    return std::sqrt(near * far);
}

// The cost that ORDER BY adds to a search.
struct RingCost {
    Cost first; // before the first row is returned
    Cost rest;
};

RingCost ring_cost(double rows, double wanted, Cost search)
{
    // Rows that turn out to be too far away are collected, too, until the ring has become narrower.
    double comparisons = std::log2(Max(2.0, Min(rows, kRingRows)));
    double collected = Min(rows, wanted + kRingRows);
    RingCost cost;
    cost.first = cpu_operator_cost * kCollectOperators * (collected + Min(wanted, kRingRows) * comparisons);
    // Successive rows are at unrelated places in the table. If there are more rows than fit into memory, of
    // which about half is used, the index is searched again for the next ring.
    double room = Max(kRingRows, work_mem * 1024.0 / sizeof(Hit) / 8);
    cost.rest = rows * cpu_operator_cost * (kOrderedRowOperators + kCollectOperators * comparisons) +
                rows / room * search;
    return cost;
}

// A query that needs no columns is planned only as an index-only scan of any index that needs no key. This
// index cannot return keys (see README.md), so the scan becomes a plain one. Returns the cost that the core
// omits in this case: that of the table pages that are all-visible.
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
    const Conditions conditions = read_conditions(root, quals, info->opfamily[0], index.bits);
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
        // Within a ball, rings search no more than the ball.
        *startup_cost += Min(searches.cost, first_search(root, index, path, wanted, loop_count)) + ring.first;
        *total_cost += ring.first + ring.rest;
    } else {
        *total_cost += heap.scattered * kScatteredRowOperators * cpu_operator_cost;
        *correlation = plain_correlation(root, info, heap, *selectivity, loop_count);
    }
    close_planned(index);
}

} // namespace simhash
