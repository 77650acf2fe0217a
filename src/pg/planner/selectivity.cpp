// Selectivity of distance conditions.
//
// A column's most common values and histogram bounds are a sample of its fingerprints or bit strings. The estimate
// for a known query is the weight of the sample values within the ball. For an unknown query it is the mean over the
// sample, and for joins the weight of the pairs within the radius. If the sample is too coarse to contain
// near-duplicates, a few matching rows are assumed, because near-duplicates are what users search for.
#include "pg/server/postgres.hpp"

#include "core/bits/ball_volume.hpp"
#include "core/bits/bisect.hpp"
#include "pg/planner/column_sample.hpp"
#include "pg/planner/rewrite.hpp"
#include "pg/planner/selectivity.hpp"
#include "pg/server/settings.hpp"
#include "pg/server/sibling.hpp"
#include "pg/types/ball.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
}

#include <algorithm>
#include <cmath>

namespace simhash
{

namespace
{

// The length assumed for bit strings of unknown length.
constexpr int kUnknownBits = 256;

// Rows near a fingerprint for each bit of the radius, not counting those equal to it. Measured on texts with
// revisions: 0.6 at radius 3, 0.5 at radius 8. For bit strings of n bits, the radius is scaled by 64 / n.
constexpr double kNearRowsPerBit = 0.5;

double assumed_rows(const ColumnSample &sample, int radius)
{
    return kNearRowsPerBit * radius * kBits / std::max(sample.bits, 1);
}

// Returns the fraction of rows assumed to be near a value that is not a common one, which the sample is too
// small to show: its duplicates and a few near-duplicates.
double few_rows(const ColumnSample &sample, int radius)
{
    if (sample.near.known())
        return std::min((1 + sample.near.typical(radius)) / sample.rows, 1.0);
    return std::min(1 / sample.rest_distinct + assumed_rows(sample, radius) / sample.rows, 1.0);
}

// Returns the fraction of rows within `radius` of a known query. `distance` has those of the values to it, or is null for
// fingerprints, which are compared as quickly.
double fraction_around(const ColumnSample &sample, const Fingerprint *center, const int *distance, int radius)
{
    double common = 0, rest = 0;
    auto add = [&](int i) { (i < sample.common ? common : rest) += sample.weights[i]; };
    if (distance == nullptr) {
        std::uint16_t match[2 * kMostValues];
        const int matches =
            match_leaf(sample.words, sample.count, *center, std::min(radius, kFullRadius), match);
        for (int i = 0; i < matches; i++)
            add(match[i]);
    } else {
        for (int i = 0; i < sample.count; i++)
            if (distance[i] <= radius)
                add(i);
    }
    rest = std::max(rest, sample.rest * few_rows(sample, radius));
    const double values = 1 - sample.nulls;
    return std::min(std::max(common + rest, ball_volume(sample.bits, radius) * values), values);
}

// Returns the fraction of pairs of rows within the radius, if `found` of those of the samples are.
double fraction_of_pairs(const ColumnSample &a, const ColumnSample &b, double found, int radius)
{
    const double pairs = (1 - a.nulls) * (1 - b.nulls);
    const double few = a.rest * b.rest * std::min(few_rows(a, radius), few_rows(b, radius));
    return std::min(std::max({found, few, ball_volume(a.bits, radius) * pairs}), pairs);
}

double fraction_of_pairs(const ColumnSample &a, const ColumnSample &b, const PairFractions &pairs, int radius)
{
    const int place = radius >> pairs.shift;
    return fraction_of_pairs(a, b, pairs.common == nullptr ? 0 : pairs.common[place] + pairs.others[place],
                             radius);
}

// A join of a table with itself, on the column of an index that has measured how many neighbors its rows have.
struct OwnPairs {
    const ColumnSample *sample;
    const PairFractions *pairs; // of the statistics
    double groups;              // of rows, within which they are joined
    double itself;              // a row joined with itself; 0 if it is not
    bool many;                  // rows are joined, so that planning may take some time
};

// Returns how many other rows of its table are near a row. Indexes of partitions tell of those in the same one. Where no rows
// are searched for in all of them, it is the geometric mean of their number and the assumed one.
FoundRows own_near(const OwnPairs &own, int radius)
{
    const ColumnSample &sample = *own.sample;
    const NearRows &near = sample.near;
    FoundRows found = {near.mean(radius), near.share(radius)}, all;
    if (near.partitions == NIL)
        return found;
    const double within = found.mean;
    const bool searchable = own.many && near.all < 1.01 && sample.statistics != nullptr && sample.readable;
    const double seen = std::max(within, 0.5 / near.figures.rows);
    found.mean = searchable && search_near_rows(sample.statistics, near, radius, &all)
                     ? std::max(within, all.mean - 1)
                     : std::max(within, std::sqrt(seen * assumed_rows(sample, radius)));
    if (within <= 0)
        found.share = std::min(found.mean, 1.0);
    else
        found.share = 1 - std::pow(1 - found.share, found.mean / within);
    return found;
}

// Returns the fraction of pairs of rows within the radius. Statistics show how many rows are equal more exactly, and more
// than the measured distances.
double own_pairs(const OwnPairs &own, int radius)
{
    const ColumnSample &sample = *own.sample;
    const double values = 1 - sample.nulls;
    double found = 0;
    if (own.pairs->common != nullptr) {
        const int place = radius >> own.pairs->shift;
        found = own.pairs->common[place] + (sample.near.reaches(radius) ? 0 : own.pairs->others[place]);
    }
    const double near = values * (own_near(own, radius).mean * own.groups + own.itself) / sample.rows;
    return std::min(std::max({near, found, ball_volume(sample.bits, radius) * values * values}), values);
}

// The share of rows that have a near row among a part of the rows.
double matched_share(double mean, double share, double part)
{
    const double each = share > 0 ? mean / share : 0; // near rows of a row that has some
    return share * (1 - std::pow(1 - part, each));
}

double own_matched(const OwnPairs &own, int radius, double part)
{
    const FoundRows near = own_near(own, radius);
    const double matched = matched_share(near.mean, near.share, part);
    return (1 - own.sample->nulls) * (own.itself > 0 ? 1 - (1 - part) * (1 - matched) : matched);
}

// Returns the words of a constant, or null if the node is not a constant of the type and length compared. That of a ball of
// texts is its sketch, a bigint.
Fingerprint *known_value(Node *node, const DistanceTerms &terms, const ColumnSample &sample)
{
    const Const *constant = reinterpret_cast<const Const *>(node);

    if (!IsA(node, Const) || constant->constisnull)
        return nullptr;
    const Oid type = terms.type == TEXTOID && constant->consttype == INT8OID ? INT8OID : terms.type;
    if (constant->consttype != type)
        return nullptr;
    auto *words = static_cast<Fingerprint *>(
        palloc(static_cast<Size>(signature_words(terms.bits)) * sizeof(Fingerprint)));
    return read_words(constant->constvalue, type, sample, words) ? words : nullptr;
}

// Returns the fraction of rows near a value that is unknown at plan time, such as a parameter. It is the mean
// over the distinct values, because PostgreSQL also treats an unknown constant as any of the distinct values. A
// common value then has no more weight than the others, and a generic plan does not appear more expensive
// than the custom plans for the values that are actually used.
double fraction_around_unknown(const ColumnSample &sample, const PairFractions &pairs, int radius)
{
    ColumnSample values = sample;
    const int others = sample.count - sample.common;
    const double all = sample.common + (others > 0 ? sample.rest_distinct : 0);

    values.nulls = 0;
    values.rest = others > 0 ? sample.rest_distinct / all : sample.common > 0 ? 0 : 1;
    double found = 0;
    if (pairs.common != nullptr) {
        const int place = radius >> pairs.shift;
        found = pairs.common[place] / all + (others > 0 ? pairs.others[place] * values.rest / others : 0);
    }
    return fraction_of_pairs(values, sample, found, radius);
}

// Returns the fraction of rows at the distance or within the radius of `terms`. `within` returns the fraction
// within a radius, which grows with it.
template <typename Fraction> double fraction_of_terms(const DistanceTerms &terms, const Fraction &within)
{
    const double all = within(terms.radius);

    if (!terms.at || terms.radius == 0)
        return all;
    const double nearer = within(terms.radius - 1);
    return all > nearer ? all - nearer : all / (1 + terms.radius);
}

// The part of a table's rows that satisfies the conditions on it alone.
double part_of_rows(const RelOptInfo *rel)
{
    const double all = table_rows(rel);
    return rel->rows > 0 && all > 0 ? std::min(rel->rows / all, 1.0) : 1;
}

// For a few rows planning should not take the time to search, for those of a join of partitions less still.
constexpr double kManyRows = 1000, kSomeRows = 100;

struct Column {
    VariableStatData data;
    ColumnSample sample;
};

// Describes a join of a table with itself; if it is another join, the sample is null.
OwnPairs own_join(PlannerInfo *root, const Column &a, const Column &b, const PairFractions &pairs)
{
    if (!same_rows(root, a.sample.near, b.sample.near))
        return {};
    const RelOptInfo *left = a.data.rel, *right = b.data.rel;
    // A row that satisfies the other conditions on one side most often does so on the other side.
    const double part = std::max(part_of_rows(left), part_of_rows(right));
    const JoinedValues joined = joined_values(root, a.sample.near, b.sample.near);
    return {&b.sample, &pairs, joined.of_columns, excludes_itself(left, right) ? 0 : joined.of_all / part,
            std::min(left->rows, right->rows) >= kSomeRows};
}

// The rows of one table that are near those of another one, as searches have found. That may tell whether the table has a
// certain row, so it is for those who may read it.
bool found_near(const Column &asked, const Column &searched, int radius, FoundRows *found)
{
    const ColumnSample &sample = searched.sample;
    return asked.sample.statistics != nullptr && asked.sample.readable && sample.statistics != nullptr &&
           sample.readable && asked.data.rel != nullptr && asked.data.rel->rows >= kManyRows &&
           search_near_rows(asked.sample.statistics, sample.near, radius, found);
}

// Returns the fraction of pairs of rows within the radius.
double found_pairs(const Column &asked, const Column &searched, const FoundRows &found)
{
    return (1 - asked.sample.nulls) * std::min(found.mean / searched.sample.rows, 1.0);
}

struct JoinSides {
    Column left, right;
    PairFractions pairs; // of the statistics
    OwnPairs own;
};

double fraction_joined(const JoinSides &sides, int radius)
{
    if (sides.own.sample != nullptr)
        return own_pairs(sides.own, radius);
    // The larger table is searched, if it has an index.
    const Column *asked = &sides.left, *searched = &sides.right;
    if (searched->sample.rows < asked->sample.rows)
        std::swap(asked, searched);
    FoundRows found;
    if (found_near(*asked, *searched, radius, &found))
        return found_pairs(*asked, *searched, found);
    if (found_near(*searched, *asked, radius, &found))
        return found_pairs(*searched, *asked, found);
    return fraction_of_pairs(sides.left.sample, sides.right.sample, sides.pairs, radius);
}

// The fraction of outer rows with a match.
double fraction_matched(const JoinSides &sides, bool reversed, int radius)
{
    const Column &outer = reversed ? sides.right : sides.left;
    const Column &inner = reversed ? sides.left : sides.right;
    const RelOptInfo *searched = inner.data.rel;
    const double rows = searched != nullptr && searched->rows > 0 ? searched->rows : kUnknownRows;
    const double part = clamp_fraction(rows / inner.sample.rows);
    if (sides.own.sample != nullptr)
        return own_matched(sides.own, radius, part);
    FoundRows found;
    if (found_near(outer, inner, radius, &found))
        return (1 - outer.sample.nulls) * matched_share(found.mean, found.share, part);
    // If matches are spread evenly.
    return 1 -
           std::exp(-fraction_of_pairs(sides.left.sample, sides.right.sample, sides.pairs, radius) * rows);
}

// Calls use(within), where within(radius) is the fraction of a column's rows within a radius of the query, from 0 to the
// number of bits, and returns its result. A null query means that nothing is known about it.
template <typename Use>
auto use_fractions(PlannerInfo *root, const VariableStatData &vardata, Node *query,
                   const DistanceTerms &terms, const Use &use)
{
    Column column = {vardata, describe_column(root, vardata, terms)};
    ColumnSample &sample = column.sample;
    const Fingerprint *center = query == nullptr ? nullptr : known_value(query, terms, sample);

    if (center != nullptr) {
        read_all_values(&sample, terms.type);
        int *distance = nullptr;
        if (value_words(sample) != 1) {
            distance = static_cast<int *>(palloc((static_cast<Size>(sample.count) + 1) * sizeof(int)));
            value_distances(sample, center, distance);
        }
        return use([&](int radius) { return fraction_around(sample, center, distance, radius); });
    }
    if (query == nullptr) { // assumed to be distributed like the column
        const PairFractions pairs = read_pairs(&sample, &sample, terms.type, false);
        const double values = std::max(1 - sample.nulls, 1e-6);
        return use([&](int radius) { return fraction_of_pairs(sample, sample, pairs, radius) / values; });
    }
    if (contain_var_clause(query)) { // a row of another table
        Column asked;
        examine_variable(root, query, 0, &asked.data);
        asked.sample = describe_column(root, asked.data, terms);
        const PairFractions pairs = read_pairs(&asked.sample, &sample, terms.type, false);
        const OwnPairs own = own_join(root, asked, column, pairs);
        auto result = use([&](int radius) {
            FoundRows found;
            return own.sample != nullptr ? own_pairs(own, radius)
                   : found_near(asked, column, radius, &found)
                       ? found_pairs(asked, column, found)
                       : fraction_of_pairs(asked.sample, sample, pairs, radius);
        });
        ReleaseVariableStats(asked.data);
        return result;
    }
    const PairFractions pairs = read_pairs(&sample, &sample, terms.type, true);
    return use([&](int radius) { return fraction_around_unknown(sample, pairs, radius); });
}

// The column of a restriction, and what it is compared with: null if that is unknown.
struct Restriction {
    VariableStatData column;
    Node *query;
};

Restriction read_restriction(PlannerInfo *root, const DistanceTerms &terms, int varRelid)
{
    Restriction found = {};
    bool var_on_left;
    if (!get_restriction_variable(root, list_make2(terms.left, terms.right), varRelid, &found.column,
                                  &found.query, &var_on_left)) {
        // For example, both are columns of one table.
        examine_variable(root, terms.left, varRelid, &found.column);
        found.query = nullptr;
    }
    return found;
}

} // namespace

int estimate_bits(Oid type, Node *left, Node *right)
{
    if (type != BITOID)
        return kBits;
    const int known = std::max(known_bits(left), known_bits(right));
    return known > 0 ? known : kUnknownBits;
}

int estimate_radius(PlannerInfo *root, Node *radius, int bits)
{
    Node *node = estimate_expression_value(root, radius);
    const Const *constant = reinterpret_cast<Const *>(node);

    if (is_null_constant(node))
        return kEmptyRadius;
    const int unknown = static_cast<int>(static_cast<std::int64_t>(kNearRadius) * bits / kBits);
    if (!IsA(node, Const))
        return unknown;
    switch (getBaseType(constant->consttype)) {
    case INT2OID:
        return clamp_radius(DatumGetInt16(constant->constvalue), bits);
    case INT4OID:
        return clamp_radius(DatumGetInt32(constant->constvalue), bits);
    case INT8OID:
        return clamp_radius(DatumGetInt64(constant->constvalue), bits);
    default:
        return unknown;
    }
}

Selectivity estimate_within(PlannerInfo *root, const DistanceTerms &terms, int varRelid)
{
    if (terms.radius < 0)
        return 0;
    Restriction restriction = read_restriction(root, terms, varRelid);
    Node *query = restriction.query;
    double fraction = 0;
    if (query == nullptr || !is_null_constant(query))
        fraction = use_fractions(root, restriction.column, query, terms,
                                 [&](const auto &within) { return fraction_of_terms(terms, within); });
    ReleaseVariableStats(restriction.column);
    return clamp_fraction(fraction);
}

int estimate_nearest(PlannerInfo *root, const DistanceTerms &terms, int varRelid, double fraction)
{
    Restriction restriction = read_restriction(root, terms, varRelid);
    Node *query = restriction.query;
    int radius = terms.bits;
    if (query == nullptr || !is_null_constant(query))
        radius = use_fractions(root, restriction.column, query, terms, [&](const auto &within) {
            return first_enough(0, terms.bits, [&](int distance) { return within(distance) >= fraction; });
        });
    ReleaseVariableStats(restriction.column);
    return radius;
}

Selectivity estimate_within_join(PlannerInfo *root, const DistanceTerms &terms, SpecialJoinInfo *sjinfo)
{
    // hamming_within(a.h, constant, b.radius) is a join clause, too, but has a single fingerprint column.
    if (IsA(strip_relabels(terms.left), Const) || IsA(strip_relabels(terms.right), Const))
        return estimate_within(root, terms, 0);
    if (terms.radius < 0)
        return 0;

    JoinSides sides;
    bool reversed;
    get_join_variables(root, list_make2(terms.left, terms.right), sjinfo, &sides.left.data, &sides.right.data,
                       &reversed);
    for (Column *side : {&sides.left, &sides.right})
        side->sample = describe_column(root, side->data, terms);
    sides.pairs = read_pairs(&sides.left.sample, &sides.right.sample, terms.type, false);
    sides.own = own_join(root, sides.left, sides.right, sides.pairs);
    const bool matched = sjinfo->jointype == JOIN_SEMI || sjinfo->jointype == JOIN_ANTI;
    const double fraction = fraction_of_terms(terms, [&](int radius) {
        return matched ? fraction_matched(sides, reversed, radius) : fraction_joined(sides, radius);
    });
    ReleaseVariableStats(sides.left.data);
    ReleaseVariableStats(sides.right.data);
    return clamp_fraction(fraction);
}

} // namespace simhash
