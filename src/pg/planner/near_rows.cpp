#include "pg/planner/near_rows.hpp"

#include "core/bits/split_mix.hpp"
#include "pg/planner/column_sample.hpp"
#include "pg/server/sibling.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "catalog/pg_statistic.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/appendinfo.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "parser/parse_coerce.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/typcache.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

const NearRowsSource *source;

// The column of a relation that an operand is, or 0.
AttrNumber column_of(const RelOptInfo *rel, Node *operand)
{
    operand = strip_relabels(operand);
    const auto *var = reinterpret_cast<const Var *>(operand);
    return IsA(operand, Var) && var->varlevelsup == 0 &&
                   var->varno == static_cast<decltype(var->varno)>(rel->relid)
               ? var->varattno
               : InvalidAttrNumber;
}

const Expr *member_of(const EquivalenceClass *equal, const NearRows &rows, int column)
{
    ListCell *cell;
    foreach (cell, equal->ec_members) {
        const auto *member = static_cast<const EquivalenceMember *>(lfirst(cell));
        if (match_index_to_operand(reinterpret_cast<Node *>(member->em_expr), column,
                                   const_cast<IndexOptInfo *>(rows.index)))
            return member->em_expr;
    }
    return nullptr;
}

double number_of_values(PlannerInfo *root, const Expr *value)
{
    VariableStatData statistics;
    bool is_default;
    examine_variable(root, reinterpret_cast<Node *>(const_cast<Expr *>(value)), 0, &statistics);
    const double values = get_variable_numdistinct(&statistics, &is_default);
    ReleaseVariableStats(statistics);
    return std::max(values, 1.0);
}

// The number of values of an index's column that both relations are joined by, or 0 if they are not.
double values_of_column(PlannerInfo *root, const NearRows &a, const NearRows &b, int column)
{
    ListCell *cell;
    foreach (cell, root->eq_classes) {
        const auto *equal = static_cast<const EquivalenceClass *>(lfirst(cell));
        const Expr *value = member_of(equal, a, column);
        if (value != nullptr && member_of(equal, b, column) != nullptr)
            return number_of_values(root, value);
    }
    return 0;
}

// The number of values of a column of both relations that are required to be equal, or 1.
double values_of_class(PlannerInfo *root, const EquivalenceClass *equal, const RelOptInfo *a,
                       const RelOptInfo *b)
{
    ListCell *cell, *other;
    foreach (cell, equal->ec_members) {
        Expr *value = static_cast<const EquivalenceMember *>(lfirst(cell))->em_expr;
        const AttrNumber column = column_of(a, reinterpret_cast<Node *>(value));
        if (column == InvalidAttrNumber)
            continue;
        foreach (other, equal->ec_members) {
            if (column_of(b, reinterpret_cast<Node *>(
                                 static_cast<const EquivalenceMember *>(lfirst(other))->em_expr)) == column)
                return number_of_values(root, value);
        }
    }
    return 1;
}

// What a backend remembers.
struct Remembered {
    Oid index;
    std::uint32_t number;
    int radius;
    StatisticsRow row;
    bool known;
    FoundRows found;
};
constexpr int kRemembered = 32;

constexpr int kSearched = 64, kFewestSearched = 8;

// Takes at most `limit` values of a slot of the statistics, evenly spaced. None if they have another type than the index's
// column: the other side of a condition may be weights or balls.
int take_values(HeapTuple statistics, int kind, int limit, double rest, Oid type, Datum *value,
                double *weight)
{
    AttStatsSlot slot;
    const int flags = ATTSTATSSLOT_VALUES | (kind == STATISTIC_KIND_MCV ? ATTSTATSSLOT_NUMBERS : 0);
    if (!get_attstatsslot(&slot, statistics, kind, InvalidOid, flags))
        return 0;
    const int count = IsBinaryCoercible(slot.valuetype, type) ? std::min(slot.nvalues, limit) : 0;
    int16 length;
    bool by_value;
    get_typlenbyval(slot.valuetype, &length, &by_value);
    for (int i = 0; i < count; i++) {
        const auto pick = static_cast<int>(static_cast<int64>(i) * slot.nvalues / count);
        value[i] = datumCopy(slot.values[pick], by_value, length);
        weight[i] = kind == STATISTIC_KIND_MCV
                        ? static_cast<double>(slot.numbers[pick]) * slot.nvalues / count
                        : rest / count;
    }
    free_attstatsslot(&slot);
    return count;
}

// Values are searched for in an order without regard to their size, as there may be time for a few only.
void shuffle(Datum *value, double *weight, int count)
{
    for (int i = count - 1; i > 0; i--) {
        const auto j =
            split_mix_number(kSearched, static_cast<std::uint64_t>(i)) % (static_cast<std::uint64_t>(i) + 1);
        std::swap(value[i], value[j]);
        std::swap(weight[i], weight[j]);
    }
}

// The planner waits for it, but once for each join in a session.
constexpr double kPlanningMicroseconds = 1000, kPartitionsMicroseconds = 4000;

// Searches the index, or those of the partitions.
int search_partitions(const NearRows &near, const Datum *value, int count, int radius, double *rows)
{
    if (near.partitions == NIL)
        return source->search(near.index, value, count, radius, kPlanningMicroseconds, rows);
    const double each = kPartitionsMicroseconds / list_length(near.partitions);
    std::fill(rows, rows + count, 0);
    ListCell *cell;
    foreach (cell, near.partitions) {
        double found[kSearched];
        count = source->search(static_cast<const IndexOptInfo *>(lfirst(cell)), value, count, radius, each,
                               found);
        for (int i = 0; i < count; i++)
            rows[i] += found[i] * near.all;
    }
    return count;
}

std::uint32_t number_of(const NearRows &near)
{
    std::uint32_t number = source->number(near.index);
    ListCell *cell;
    foreach (cell, near.partitions)
        number = number * 31 + source->number(static_cast<const IndexOptInfo *>(lfirst(cell)));
    return number;
}

bool search_values(HeapTuple statistics, const NearRows &near, int radius, FoundRows *found)
{
    Datum value[kSearched];
    double weight[kSearched], rows[kSearched];
    const Oid type = near.index->opcintype[near.index->nkeycolumns - 1];
    const int common = take_values(statistics, STATISTIC_KIND_MCV, kSearched / 2, 0, type, value, weight);
    double rest =
        1 - static_cast<double>(reinterpret_cast<Form_pg_statistic>(GETSTRUCT(statistics))->stanullfrac);
    for (int i = 0; i < common; i++)
        rest -= weight[i];
    int count = common + take_values(statistics, STATISTIC_KIND_HISTOGRAM, kSearched - common,
                                     std::max(rest, 0.0), type, value + common, weight + common);
    if (count < kFewestSearched)
        return false;
    shuffle(value, weight, count);
    count = search_partitions(near, value, count, radius, rows);
    if (count < kFewestSearched)
        return false;
    double weights = 0;
    *found = {0, 0};
    for (int i = 0; i < count; i++) {
        weights += weight[i];
        found->mean += weight[i] * rows[i];
        found->share += rows[i] > 0 ? weight[i] : 0;
    }
    if (weights <= 0)
        return false;
    // Where rows have neighbors, some rows of another table may be near them, too, though none of so few is.
    const double some = 0.5 / count;
    *found = {std::max(found->mean / weights, std::min(some, near.mean(radius))),
              std::max(found->share / weights, std::min(some, near.share(radius)))};
    return true;
}

// Whether no value stands in this relation to itself: <, >, <>.
bool is_irreflexive(Oid op)
{
    Oid left, right;
    op_input_types(op, &left, &right);
    const Oid family = lookup_type_cache(left, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
    const int strategy = OidIsValid(family) ? get_op_opfamily_strategy(op, family) : 0;
    if (strategy == BTLessStrategyNumber || strategy == BTGreaterStrategyNumber)
        return true;
    const Oid negator = get_negator(op);
    return OidIsValid(negator) && get_mergejoin_opfamilies(negator) != NIL;
}

// Whether two expressions are the same, of one relation and of another.
bool same_of_both(const void *x, const void *y, Index x_relation, Index y_relation)
{
    auto *moved = static_cast<Node *>(copyObjectImpl(x));
    ChangeVarNodes(moved, static_cast<int>(x_relation), static_cast<int>(y_relation), 0);
    return equal(moved, y);
}

bool is_partitioned(const RelOptInfo *rel)
{
    return IS_SIMPLE_REL(rel) && rel->nparts > 0 && rel->part_rels != nullptr;
}

// At each level of a partitioned table so many of the partitions are asked.
constexpr int kAsked = 16;

// Adds those of a partition to the figures that are the mean of so many rows.
void add_figures(const NearRows &part, double part_rows, NearRows *all, double rows)
{
    const double weight = part_rows / (rows + part_rows);
    NeighborFigures &sum = all->figures;
    const auto steps = rows > 0 ? std::min(sum.steps, part.figures.steps) : part.figures.steps;
    for (std::uint32_t i = 0; i < steps; i++) {
        const auto mix = [weight](float &mean, float one) {
            mean = static_cast<float>(static_cast<double>(mean) * (1 - weight) +
                                      static_cast<double>(one) * weight);
        };
        mix(sum.mean[i], part.figures.mean[i]);
        mix(sum.share[i], part.figures.share[i]);
        mix(sum.typical[i], part.figures.typical[i]);
    }
    sum.steps = steps;
    sum.rows += part.figures.rows;
}

// Indexes of several columns are left out: how many rows are near among those with equal values of the others they tell of
// a partition.
void find_in_partitions(PlannerInfo *root, const RelOptInfo *rel, Node *value, TextUnit unit, NearRows *found)
{
    double rows = 0;
    const int step = (rel->nparts + kAsked - 1) / kAsked;
    for (int i = 0; i < rel->nparts; i += step) {
        const RelOptInfo *part = rel->part_rels[i];
        NearRows near;
        const double part_rows = part != nullptr ? table_rows(part) : 0;
        if (part_rows <= 0 ||
            !find_near_rows(root, part,
                            adjust_appendrel_attrs(root, value, 1, &root->append_rel_array[part->relid]),
                            unit, &near) ||
            near.index->nkeycolumns > 1)
            continue;
        add_figures(near, part_rows, found, rows);
        rows += part_rows;
        if (found->index == nullptr)
            found->index = near.index;
        found->bits = near.bits;
        found->partitions = near.partitions != NIL
                                ? list_concat(found->partitions, near.partitions)
                                : lappend(found->partitions, const_cast<IndexOptInfo *>(near.index));
    }
    found->all = std::max(table_rows(rel) / std::max(rows, 1.0), 1.0);
}

} // namespace

bool parts_rows(const Expr *clause, Index x, Index y)
{
    if (!IsA(clause, OpExpr) && !IsA(clause, DistinctExpr))
        return false;
    const auto *operation = reinterpret_cast<const OpExpr *>(clause);
    const bool parts = IsA(clause, OpExpr) ? is_irreflexive(operation->opno)
                                           : get_mergejoin_opfamilies(operation->opno) != NIL;
    if (!parts || list_length(operation->args) != 2 ||
        contain_volatile_functions(reinterpret_cast<Node *>(const_cast<Expr *>(clause))))
        return false;
    const void *left = linitial(operation->args), *right = lsecond(operation->args);
    return same_of_both(left, right, x, y) || same_of_both(right, left, x, y);
}

bool NearRows::reaches(int radius) const
{
    return known() && radius <= neighbor_distance(bits, static_cast<int>(figures.steps) - 1);
}

double NearRows::at(const float *figure, int radius) const
{
    const int last = static_cast<int>(figures.steps) - 1;
    if (radius < 0)
        return 0;
    int step = 0;
    while (step < last && neighbor_distance(bits, step + 1) <= radius)
        step++;
    const int from = neighbor_distance(bits, step);
    const double here = static_cast<double>(figure[step]);
    if (step == last || radius == from)
        return here;
    const int to = neighbor_distance(bits, step + 1);
    return here + (static_cast<double>(figure[step + 1]) - here) * (radius - from) / (to - from);
}

void set_near_rows_source(const NearRowsSource *of) { source = of; }

double table_rows(const RelOptInfo *rel)
{
    if (!is_partitioned(rel))
        return rel->tuples;
    double rows = 0;
    for (int i = 0; i < rel->nparts; i++)
        rows += rel->part_rels[i] != nullptr ? table_rows(rel->part_rels[i]) : 0;
    return rows;
}

bool find_near_rows(PlannerInfo *root, const RelOptInfo *rel, Node *value, TextUnit unit, NearRows *found)
{
    *found = {};
    if (source == nullptr || rel == nullptr || !IS_SIMPLE_REL(rel) || value == nullptr)
        return false;
    if (is_partitioned(rel))
        find_in_partitions(root, rel, value, unit, found);
    else
        source->find(rel, value, unit, found);
    found->rel = rel;
    return found->known();
}

bool search_near_rows(HeapTuple statistics, const NearRows &near, int radius, FoundRows *found)
{
    if (!near.reaches(radius) || near.index->nkeycolumns > 1)
        return false;
    static Remembered remembered[kRemembered];
    static int next;
    const std::uint32_t number = number_of(near);
    for (Remembered &one : remembered) {
        if (one.index == near.index->indexoid && one.number == number && one.radius == radius &&
            is_row(one.row, statistics)) {
            *found = one.found;
            return one.known;
        }
    }
    Remembered one = {near.index->indexoid, number, radius, {}, false, {}};
    note_row(statistics, &one.row);
    one.known = search_values(statistics, near, radius, &one.found);
    remembered[next] = one;
    next = (next + 1) % kRemembered;
    *found = one.found;
    return one.known;
}

bool same_table(PlannerInfo *root, const RelOptInfo &a, const RelOptInfo &b)
{
    return planner_rt_fetch(a.relid, root)->relid == planner_rt_fetch(b.relid, root)->relid;
}

bool same_rows(PlannerInfo *root, const NearRows &a, const NearRows &b)
{
    return a.known() && b.known() && same_table(root, *a.rel, *b.rel) &&
           a.index->indexoid == b.index->indexoid;
}

bool excludes_itself(const RelOptInfo *a, const RelOptInfo *b)
{
    ListCell *cell;
    foreach (cell, a->joininfo) {
        if (parts_rows(static_cast<const RestrictInfo *>(lfirst(cell))->clause, a->relid, b->relid))
            return true;
    }
    return false;
}

JoinedValues joined_values(PlannerInfo *root, const NearRows &a, const NearRows &b)
{
    JoinedValues joined = {1, 1};
    for (int column = 0; column < a.index->nkeycolumns - 1; column++)
        joined.of_columns *= values_of_column(root, a, b, column);
    joined.of_columns = std::max(joined.of_columns, 1.0);
    ListCell *cell;
    foreach (cell, root->eq_classes) {
        const auto *equal = static_cast<const EquivalenceClass *>(lfirst(cell));
        if (!equal->ec_has_const)
            joined.of_all *= values_of_class(root, equal, a.rel, b.rel);
    }
    return joined;
}

} // namespace simhash
