// Selectivity of distance conditions.
//
// A column's most common values and histogram bounds are a sample of its fingerprints or bit strings. The estimate
// for a known query is the weight of the sample values within the ball. For an unknown query it is the mean over the
// sample, and for joins the weight of the pairs within the radius. If the sample is too coarse to contain
// near-duplicates, a few matching rows are assumed, because near-duplicates are what users search for.
#include "pg/server/postgres.hpp"

#include "core/signature/ball_volume.hpp"
#include "pg/planner/comparison.hpp"
#include "pg/planner/expression.hpp"
#include "pg/planner/selectivity.hpp"
#include "pg/server/settings.hpp"
#include "pg/server/sibling.hpp"
#include "pg/types/ball.hpp"
#include "pg/types/guided_ball.hpp"
#include "pg/types/signature_ball.hpp"
#include "pg/types/signature_type.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"
}

#include <algorithm>
#include <cmath>

namespace simhash
{

namespace
{

// Number of rows assumed for a table of unknown size.
constexpr double kUnknownRows = 1000;

// The length assumed for bit strings of unknown length.
constexpr int kUnknownBits = 256;

// Rows near a fingerprint for each bit of the radius, not counting those equal to it. Measured on texts with
// revisions: 0.6 at radius 3, 0.5 at radius 8. For bit strings of n bits, the radius is scaled by 64 / n.
constexpr double kNearRowsPerBit = 0.5;

// The most common values, and the most histogram bounds, that are compared with those of another column.
constexpr int kPairSample = 100;

// Values of a column, from its statistics. A fingerprint is one word; a bit string is its bytes, padded with
// zeros to whole words.
struct SampleValues {
    int bits;           // the length of each value; values of other lengths are omitted
    Fingerprint *words; // of common values first, then of histogram bounds
    double *weights;    // the fraction of rows that each represents
    int common, count;
    double common_rows;     // fraction of rows with a common value, including values omitted here
    double common_distinct; // the number of such values
};

int value_words(const SampleValues &sample) { return signature_words(sample.bits); }

Fingerprint *value_at(const SampleValues &sample, int i)
{
    return sample.words + static_cast<Size>(i) * static_cast<Size>(value_words(sample));
}

// A column's distribution.
struct Sample : SampleValues {
    double rows;          // of the table
    double nulls;         // fraction of rows that are null
    double rest;          // fraction of rows that are neither null nor a common value
    double distinct;      // number of distinct values
    double rest_distinct; // number of distinct values in the rest
};

double clamp_fraction(double x) { return x > 0 ? std::min(x, 1.0) : 0; }

// Writes the words of a value of `type`. Returns false if its length is not `bits`.
bool read_words(Datum value, Oid type, int bits, Fingerprint *words)
{
    if (type != BITOID) {
        *words = datum_fingerprint(value);
        return bits == kBits;
    }
    const SignatureView signature = datum_signature(value);
    if (signature.bits != bits)
        return false;
    const int count = signature_words(bits);
    if (count > 0)
        words[count - 1] = 0;
    std::memcpy(words, signature.data, static_cast<Size>(signature.bytes));
    return true;
}

bool holds_values(const AttStatsSlot &slot, Oid type)
{
    int16 length;
    bool by_value;

    if (type == BITOID) {
        const Oid base = getBaseType(slot.valuetype); // ANALYZE stores the values of a domain as such
        return base == BITOID || base == VARBITOID;
    }
    get_typlenbyval(slot.valuetype, &length, &by_value);
    return length == sizeof(Fingerprint) && by_value;
}

int slot_values(bool exists, const AttStatsSlot &slot, Oid type, int limit)
{
    return exists && holds_values(slot, type) ? std::min(slot.nvalues, limit) : 0;
}

// Adds a value that represents a fraction of the rows.
void add_value(SampleValues *sample, Datum value, Oid type, double weight)
{
    if (read_words(value, type, sample->bits, value_at(*sample, sample->count)))
        sample->weights[sample->count++] = weight;
}

// Loads at most `limit` of the most common values, and as many evenly spaced histogram bounds. `rows` is the
// fraction of rows that are not null.
SampleValues load_values(HeapTuple statistics, Oid type, int bits, double rows, int limit)
{
    AttStatsSlot common, histogram;
    const bool has_common = get_attstatsslot(&common, statistics, STATISTIC_KIND_MCV, InvalidOid,
                                             ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS);
    const bool has_histogram =
        get_attstatsslot(&histogram, statistics, STATISTIC_KIND_HISTOGRAM, InvalidOid, ATTSTATSSLOT_VALUES);
    const int n_common = slot_values(has_common, common, type, limit);
    const int n_histogram = slot_values(has_histogram, histogram, type, limit);
    const Size room = static_cast<Size>(n_common) + static_cast<Size>(n_histogram);
    SampleValues sample = {};

    sample.bits = bits;
    sample.words = static_cast<Fingerprint *>(
        palloc(room * static_cast<Size>(value_words(sample)) * sizeof(Fingerprint)));
    sample.weights = static_cast<double *>(palloc(room * sizeof(double)));
    if (has_common) {
        for (int i = 0; i < common.nnumbers; i++)
            sample.common_rows += static_cast<double>(common.numbers[i]);
        sample.common_distinct = common.nvalues;
        for (int i = 0; i < n_common; i++)
            add_value(&sample, common.values[i], type, static_cast<double>(common.numbers[i]));
        free_attstatsslot(&common);
    }
    sample.common = sample.count;
    if (has_histogram) {
        const double rest = clamp_fraction(rows - sample.common_rows);
        for (int i = 0; i < n_histogram; i++) {
            const int64 pick = n_histogram == histogram.nvalues
                                   ? i
                                   : static_cast<int64>(i) * histogram.nvalues / n_histogram;
            add_value(&sample, histogram.values[pick], type, rest / n_histogram);
        }
        free_attstatsslot(&histogram);
    }
    return sample;
}

// Cache of all values of the last column used, and the pg_statistic row that they come from. The elements of
// an array are estimated one by one, and loading the values takes far longer than comparing them.
struct KnownValues {
    MemoryContext context; // null if the cache is empty
    ItemPointerData row;
    TransactionId written;
    char key[sizeof(FormData_pg_statistic)]; // its fixed columns
    SampleValues values;
};

KnownValues known_values;

bool is_known(HeapTuple statistics, int bits)
{
    return known_values.context != nullptr && known_values.values.bits == bits &&
           ItemPointerEquals(&known_values.row, &statistics->t_self) &&
           known_values.written == HeapTupleHeaderGetRawXmin(statistics->t_data) &&
           std::memcmp(known_values.key, GETSTRUCT(statistics), sizeof(known_values.key)) == 0;
}

// Returns all values. The caller must not free them. They are valid until the next call.
SampleValues all_values(HeapTuple statistics, const DistanceTerms &terms, double rows)
{
    if (is_known(statistics, terms.bits))
        return known_values.values;
    if (known_values.context != nullptr)
        MemoryContextDelete(known_values.context);
    known_values.context = nullptr;
    auto row = reinterpret_cast<Form_pg_statistic>(GETSTRUCT(statistics));
    elog(DEBUG2, "loading the statistics of column %d of relation %u", row->staattnum, row->starelid);

    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash statistics", ALLOCSET_SMALL_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(context);
    known_values.values = load_values(statistics, terms.type, terms.bits, rows, PG_INT32_MAX);
    MemoryContextSwitchTo(caller);
    known_values.row = statistics->t_self;
    known_values.written = HeapTupleHeaderGetRawXmin(statistics->t_data);
    std::memcpy(known_values.key, GETSTRUCT(statistics), sizeof(known_values.key));
    MemoryContextSetParent(context, CacheMemoryContext);
    known_values.context = context;
    return known_values.values;
}

// Loads at most `limit` values, or all for kAllValues. Statistics that come from an extension's hook are not
// cached.
constexpr int kAllValues = PG_INT32_MAX;

Sample load_sample(VariableStatData *vardata, const DistanceTerms &terms, int limit)
{
    Sample sample = {};
    bool is_default;

    sample.bits = terms.bits;
    sample.rest = 1;
    sample.rows = vardata->rel != nullptr && vardata->rel->tuples > 0 ? vardata->rel->tuples : kUnknownRows;
    sample.distinct = get_variable_numdistinct(vardata, &is_default);
    if (is_default)
        sample.distinct = sample.rows;
    sample.distinct = sample.rest_distinct = std::max(sample.distinct, 1.0);

    if (!HeapTupleIsValid(vardata->statsTuple))
        return sample;
    sample.nulls =
        clamp_fraction(reinterpret_cast<Form_pg_statistic>(GETSTRUCT(vardata->statsTuple))->stanullfrac);
    sample.rest = 1 - sample.nulls;
    if (!statistic_proc_security_check(vardata, terms.function))
        return sample;

    static_cast<SampleValues &>(sample) =
        limit == kAllValues && vardata->freefunc == ReleaseSysCache
            ? all_values(vardata->statsTuple, terms, sample.rest)
            : load_values(vardata->statsTuple, terms.type, terms.bits, sample.rest, limit);
    sample.rest = clamp_fraction(sample.rest - sample.common_rows);
    sample.rest_distinct = std::max(sample.distinct - sample.common_distinct, 1.0);
    return sample;
}

void free_sample(Sample &sample)
{
    if (sample.words == nullptr || sample.words == known_values.values.words)
        return;
    pfree(sample.words);
    pfree(sample.weights);
}

// Returns the fraction of rows assumed to be near a value that is not a common one, which the sample is too
// small to show: its duplicates and a few near-duplicates.
double few_rows(const Sample &sample, int radius)
{
    const double near_rows = kNearRowsPerBit * radius * kBits / std::max(sample.bits, 1);

    return std::min(1 / sample.rest_distinct + near_rows / sample.rows, 1.0);
}

// Writes the positions of the values within `radius` of a value of the same length to matches, ascending, and
// returns how many there are. Requires: matches has room for all.
int match_values(const SampleValues &sample, const Fingerprint *center, int radius, std::uint16_t *matches)
{
    const int words = value_words(sample), bytes = words * static_cast<int>(sizeof(Fingerprint));
    int found = 0;

    if (words == 1)
        return match_leaf(sample.words, sample.count, *center, std::min(radius, kFullRadius), matches);
    if (bytes <= kMostSignatureBytes) {
        find_distances(reinterpret_cast<const std::uint8_t *>(center), bytes,
                       reinterpret_cast<const std::uint8_t *>(sample.words), static_cast<Size>(bytes),
                       sample.count, matches);
        for (int i = 0; i < sample.count; i++) {
            if (matches[i] <= radius)
                matches[found++] = static_cast<std::uint16_t>(i);
        }
        return found;
    }
    for (int i = 0; i < sample.count; i++) {
        const Fingerprint *value = value_at(sample, i);
        int distance = 0;
        for (int word = 0; word < words; word++)
            distance += hamming_distance(value[word], center[word]);
        if (distance <= radius)
            matches[found++] = static_cast<std::uint16_t>(i);
    }
    return found;
}

// Returns the fraction of rows within `radius` of a known query.
double fraction_around(const Sample &sample, const Fingerprint *center, int radius)
{
    double common = 0, rest = 0;
    auto *match = static_cast<std::uint16_t *>(palloc(sample.count * sizeof(std::uint16_t)));
    const int matches = match_values(sample, center, radius, match);

    for (int i = 0; i < matches; i++)
        (match[i] < sample.common ? common : rest) += sample.weights[match[i]];
    pfree(match);
    rest = std::max(rest, sample.rest * few_rows(sample, radius));
    const double values = 1 - sample.nulls;
    return std::min(std::max(common + rest, ball_volume(sample.bits, radius) * values), values);
}

// Returns the fraction of pairs of rows within the radius. A value that is a bound of both histograms says
// nothing about its frequency, so such pairs are not counted.
double fraction_of_pairs(const Sample &a, const Sample &b, int radius)
{
    const double pairs = (1 - a.nulls) * (1 - b.nulls);
    double found = 0;
    std::uint16_t match[2 * kPairSample];
    Assert(b.count <= 2 * kPairSample);

    for (int i = 0; i < a.count; i++) {
        const Fingerprint *value = value_at(a, i);
        const int matches = match_values(b, value, radius, match);
        for (int k = 0; k < matches; k++) {
            const int j = match[k];
            if (i < a.common || j < b.common || !std::equal(value, value + value_words(a), value_at(b, j)))
                found += a.weights[i] * b.weights[j];
        }
    }
    const double few = a.rest * b.rest * std::min(few_rows(a, radius), few_rows(b, radius));
    return std::min(std::max({found, few, ball_volume(a.bits, radius) * pairs}), pairs);
}

// Returns the words of a constant, or null if the node is not a constant of the type and length compared.
Fingerprint *known_value(Node *node, const DistanceTerms &terms)
{
    const Const *constant = reinterpret_cast<const Const *>(node);

    if (!IsA(node, Const) || constant->constisnull || constant->consttype != terms.type)
        return nullptr;
    auto *words = static_cast<Fingerprint *>(
        palloc(static_cast<Size>(signature_words(terms.bits)) * sizeof(Fingerprint)));
    return read_words(constant->constvalue, terms.type, terms.bits, words) ? words : nullptr;
}

bool is_null_constant(Node *node) { return IsA(node, Const) && reinterpret_cast<Const *>(node)->constisnull; }

// Returns the fraction of rows near a value that is unknown at plan time, such as a parameter. It is the mean
// over the distinct values, because PostgreSQL also treats an unknown constant as any of the distinct values. A
// common value then has no more weight than the others, and a generic plan does not appear more expensive
// than the custom plans for the values that are actually used.
double fraction_around_unknown(const Sample &sample, int radius)
{
    Sample values = sample;
    const int others = sample.count - sample.common;
    const double all = sample.common + (others > 0 ? sample.rest_distinct : 0);

    values.nulls = 0;
    values.rest = others > 0 ? sample.rest_distinct / all : sample.common > 0 ? 0 : 1;
    values.weights = static_cast<double *>(palloc((sample.count + 1) * sizeof(double)));
    for (int i = 0; i < sample.count; i++)
        values.weights[i] = i < sample.common ? 1 / all : values.rest / others;
    const double fraction = fraction_of_pairs(values, sample, radius);
    pfree(values.weights);
    return fraction;
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

// Returns the fraction of a column's rows that satisfy `terms`. A null query means that nothing is known
// about it.
double fraction_of_column(PlannerInfo *root, VariableStatData *vardata, Node *query,
                          const DistanceTerms &terms)
{
    const Fingerprint *center = query == nullptr ? nullptr : known_value(query, terms);
    Sample sample = load_sample(vardata, terms, center != nullptr ? kAllValues : kPairSample);
    double fraction;

    if (center != nullptr) {
        fraction =
            fraction_of_terms(terms, [&](int radius) { return fraction_around(sample, center, radius); });
    } else if (query == nullptr) { // assumed to be distributed like the column
        fraction =
            fraction_of_terms(terms, [&](int radius) { return fraction_of_pairs(sample, sample, radius); }) /
            std::max(1 - sample.nulls, 1e-6);
    } else if (contain_var_clause(query)) { // a row of another table
        VariableStatData asked;
        examine_variable(root, query, 0, &asked);
        Sample asked_sample = load_sample(&asked, terms, kPairSample);
        fraction = fraction_of_terms(
            terms, [&](int radius) { return fraction_of_pairs(asked_sample, sample, radius); });
        free_sample(asked_sample);
        ReleaseVariableStats(asked);
    } else {
        fraction =
            fraction_of_terms(terms, [&](int radius) { return fraction_around_unknown(sample, radius); });
    }
    free_sample(sample);
    return clamp_fraction(fraction);
}

} // namespace

int estimate_bits(Oid type, Node *left, Node *right)
{
    if (type != BITOID)
        return kBits;
    int declared = -1;
    for (Node *node : {left, right}) {
        node = strip_relabels(node);
        const Const *constant = reinterpret_cast<const Const *>(node);
        if (IsA(node, Const) && !constant->constisnull && constant->consttype == BITOID)
            return datum_signature(constant->constvalue).bits;
        declared = std::max(declared, declared_bits(node));
    }
    return declared > 0 ? declared : kUnknownBits;
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
    VariableStatData vardata;
    Node *query = nullptr;
    bool var_on_left;

    if (terms.radius < 0)
        return 0;
    if (!get_restriction_variable(root, list_make2(terms.left, terms.right), varRelid, &vardata, &query,
                                  &var_on_left)) {
        // For example, both are columns of one table.
        examine_variable(root, terms.left, varRelid, &vardata);
        query = nullptr;
    }
    const double fraction =
        query != nullptr && is_null_constant(query) ? 0 : fraction_of_column(root, &vardata, query, terms);
    ReleaseVariableStats(vardata);
    return fraction;
}

static Selectivity estimate_within_join(PlannerInfo *root, const DistanceTerms &terms,
                                        SpecialJoinInfo *sjinfo)
{
    // hamming_within(a.h, constant, b.radius) is a join clause, too, but has a single fingerprint column.
    if (IsA(strip_relabels(terms.left), Const) || IsA(strip_relabels(terms.right), Const))
        return estimate_within(root, terms, 0);
    if (terms.radius < 0)
        return 0;

    VariableStatData left, right;
    bool reversed;
    get_join_variables(root, list_make2(terms.left, terms.right), sjinfo, &left, &right, &reversed);
    Sample left_sample = load_sample(&left, terms, kPairSample);
    Sample right_sample = load_sample(&right, terms, kPairSample);
    double fraction = fraction_of_terms(
        terms, [&](int radius) { return fraction_of_pairs(left_sample, right_sample, radius); });

    if (sjinfo->jointype == JOIN_SEMI || sjinfo->jointype == JOIN_ANTI) {
        // The fraction of outer rows with a match, if matches are spread evenly.
        const RelOptInfo *inner = reversed ? left.rel : right.rel;
        const double rows = inner != nullptr && inner->rows > 0 ? inner->rows : kUnknownRows;
        fraction = 1 - std::exp(-fraction * rows);
    }
    free_sample(left_sample);
    free_sample(right_sample);
    ReleaseVariableStats(left);
    ReleaseVariableStats(right);
    return clamp_fraction(fraction);
}

namespace
{

// The arguments of the operators' estimators, for restrictions and joins.
struct Request {
    PlannerInfo *root;
    Oid schema; // of the estimator
    Oid op;
    List *arguments;
    int varRelid;            // restrictions only
    SpecialJoinInfo *sjinfo; // null for restrictions
};

Request restriction_request(FunctionCallInfo fcinfo)
{
    return Request{reinterpret_cast<PlannerInfo *>(PG_GETARG_POINTER(0)),
                   get_func_namespace(fcinfo->flinfo->fn_oid),
                   PG_GETARG_OID(1),
                   reinterpret_cast<List *>(PG_GETARG_POINTER(2)),
                   PG_GETARG_INT32(3),
                   nullptr};
}

Request join_request(FunctionCallInfo fcinfo)
{
    return Request{reinterpret_cast<PlannerInfo *>(PG_GETARG_POINTER(0)),
                   get_func_namespace(fcinfo->flinfo->fn_oid),
                   PG_GETARG_OID(1),
                   reinterpret_cast<List *>(PG_GETARG_POINTER(2)),
                   0,
                   reinterpret_cast<SpecialJoinInfo *>(PG_GETARG_POINTER(4))};
}

double estimate(const Request &request, const DistanceTerms &terms)
{
    return request.sjinfo != nullptr ? estimate_within_join(request.root, terms, request.sjinfo)
                                     : estimate_within(request.root, terms, request.varRelid);
}

constexpr double kUnknownFraction = 0.5;

// Only operators of two operands have terms. A user's operator may have one.
double estimate(const Request &request, DistanceTerms (*terms)(const Request &request))
{
    return list_length(request.arguments) == 2 ? estimate(request, terms(request)) : kUnknownFraction;
}

// Whether the node is a call of simhash_ball(center, radius, ...).
bool is_ball_call(Node *node, Oid ball_type)
{
    if (!is_funcclause(node))
        return false;
    const auto *call = reinterpret_cast<FuncExpr *>(node);
    return call->funcresulttype == ball_type && list_length(call->args) >= 2 &&
           exprType(static_cast<Node *>(lsecond(call->args))) == INT8OID;
}

Node *bigint_constant(std::int64_t value)
{
    return reinterpret_cast<Node *>(
        makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(value), false, true));
}

// Whether this is the type of balls of values of a type. A user's operator can have our estimators, too.
bool is_ball(Oid schema, Oid type, Oid ball_type)
{
    if (type == BITOID)
        return ball_type == find_type(schema, "signature_ball");
    return type == find_type(schema, "simhash") && (ball_type == find_type(schema, "simhash_ball") ||
                                                    ball_type == find_type(schema, "simhash_weights_ball"));
}

// Returns the center of a ball, and its radius, as constants.
Node *ball_center(Datum value, Oid type, Oid ball_type, Node **radius)
{
    Const *center;

    if (type == BITOID) {
        const SignatureBall &ball = datum_signature_ball(value);
        *radius = bigint_constant(ball.radius);
        const SignatureView signature = ball_signature(ball);
        std::uint8_t *data;
        const Datum copy = make_signature(signature.bits, &data);
        std::memcpy(data, signature.data, static_cast<Size>(signature.bytes));
        center = makeConst(type, -1, InvalidOid, -1, copy, false, false);
    } else {
        const bool weights = get_typlen(ball_type) == sizeof(GuidedBall);
        const Ball ball = weights ? Ball{datum_guided_ball(value).center, datum_guided_ball(value).radius, 0}
                                  : *reinterpret_cast<const Ball *>(DatumGetPointer(value));
        *radius = bigint_constant(ball.radius);
        center =
            makeConst(type, -1, InvalidOid, sizeof(Fingerprint), fingerprint_datum(ball.center), false, true);
    }
    return reinterpret_cast<Node *>(center);
}

// Returns the terms of value <@| ball. The ball may be a constant or a call of the function that
// makes it.
DistanceTerms ball_terms(const Request &request)
{
    Oid type, ball_type;
    op_input_types(request.op, &type, &ball_type);

    Node *node = estimate_expression_value(request.root, static_cast<Node *>(lsecond(request.arguments)));
    DistanceTerms terms = {static_cast<Node *>(linitial(request.arguments)),
                           node,
                           type,
                           kBits,
                           kNearRadius,
                           get_opcode(request.op),
                           false};
    Node *radius = nullptr;

    if (IsA(node, Const) && !is_null_constant(node) && is_ball(request.schema, type, exprType(node))) {
        terms.right = ball_center(reinterpret_cast<Const *>(node)->constvalue, type, exprType(node), &radius);
    } else if (is_ball_call(node, ball_type)) {
        const List *arguments = reinterpret_cast<FuncExpr *>(node)->args;
        radius = static_cast<Node *>(lsecond(arguments));
        terms.right = static_cast<Node *>(linitial(arguments));
    }
    terms.bits = estimate_bits(type, terms.left, terms.right);
    // A null ball, like a null radius, matches nothing.
    terms.radius = estimate_radius(request.root, radius != nullptr ? radius : node, terms.bits);
    return terms;
}

DistanceTerms near_terms(const Request &request)
{
    Oid type, query_type;

    op_input_types(request.op, &type, &query_type);
    return DistanceTerms{static_cast<Node *>(linitial(request.arguments)),
                         static_cast<Node *>(lsecond(request.arguments)),
                         type,
                         kBits,
                         kNearRadius,
                         get_opcode(request.op),
                         false};
}

const Comparison *find_comparison(Oid op)
{
    const char *name = get_opname(op);

    for (const Comparison &comparison : kComparisons)
        if (name != nullptr && std::strcmp(comparison.op, name) == 0)
            return &comparison;
    return nullptr;
}

// Estimates a comparison of a stored distance like PostgreSQL's operator.
double built_in_estimate(const Request &request, const Comparison &comparison, FunctionCallInfo fcinfo)
{
    Oid left, right;

    // All integer types are built in, so the other type is the domain.
    op_input_types(request.op, &left, &right);
    const Oid op =
        find_operator(PG_CATALOG_NAMESPACE, comparison.op, left >= FirstNormalObjectId ? INT4OID : left,
                      right >= FirstNormalObjectId ? INT4OID : right);
    const RegProcedure estimator = request.sjinfo != nullptr ? get_oprjoin(op) : get_oprrest(op);

    if (!OidIsValid(estimator))
        return kUnknownFraction;
    if (request.sjinfo == nullptr)
        return DatumGetFloat8(OidFunctionCall4Coll(estimator, PG_GET_COLLATION(), PG_GETARG_DATUM(0),
                                                   ObjectIdGetDatum(op), PG_GETARG_DATUM(2),
                                                   PG_GETARG_DATUM(3)));
    return DatumGetFloat8(OidFunctionCall5Coll(estimator, PG_GET_COLLATION(), PG_GETARG_DATUM(0),
                                               ObjectIdGetDatum(op), PG_GETARG_DATUM(2), PG_GETARG_DATUM(3),
                                               PG_GETARG_DATUM(4)));
}

// Estimates a comparison of a distance with an integer. Most comparisons are rewritten as hamming_within
// before they are estimated, but = ANY is not.
double compare_estimate(const Request &request, FunctionCallInfo fcinfo)
{
    const Comparison *comparison = find_comparison(request.op);
    if (comparison == nullptr || list_length(request.arguments) != 2)
        return kUnknownFraction;
    const Oid schema = operator_schema(request.op);
    Node *left = static_cast<Node *>(linitial(request.arguments));
    Node *right = static_cast<Node *>(lsecond(request.arguments));
    DistanceCall call;
    Rewrite rewrite = comparison->distance_first;
    Node *radius = right;
    if (!match_distance_call(schema, left, &call)) {
        if (!match_distance_call(schema, right, &call))
            return built_in_estimate(request, *comparison, fcinfo);
        rewrite = comparison->distance_last;
        radius = left;
    }

    const int bits = estimate_bits(call.left_type, call.left, call.right);
    DistanceTerms terms = {call.left,
                           call.right,
                           call.left_type,
                           bits,
                           estimate_radius(request.root, radius, bits),
                           get_opcode(request.op),
                           rewrite == Rewrite::at};
    if (rewrite == Rewrite::within_below || rewrite == Rewrite::not_within_below)
        terms.radius = std::max(terms.radius - 1, kEmptyRadius);
    const double fraction = estimate(request, terms);

    switch (rewrite) {
    case Rewrite::within:
    case Rewrite::within_below:
    case Rewrite::at:
        return fraction;
    case Rewrite::not_within:
    case Rewrite::not_within_below:
        return clamp_fraction(1 - fraction);
    }
    return kUnknownFraction;
}

} // namespace

SIMHASH_FUNCTION(simhash_ball_sel)
{
    PG_RETURN_FLOAT8(estimate(restriction_request(fcinfo), ball_terms));
}

SIMHASH_FUNCTION(simhash_ball_joinsel)
{
    PG_RETURN_FLOAT8(estimate(join_request(fcinfo), ball_terms));
}

SIMHASH_FUNCTION(simhash_near_sel)
{
    PG_RETURN_FLOAT8(estimate(restriction_request(fcinfo), near_terms));
}

SIMHASH_FUNCTION(simhash_near_joinsel)
{
    PG_RETURN_FLOAT8(estimate(join_request(fcinfo), near_terms));
}

SIMHASH_FUNCTION(hamming_distance_sel)
{
    PG_RETURN_FLOAT8(compare_estimate(restriction_request(fcinfo), fcinfo));
}

SIMHASH_FUNCTION(hamming_distance_joinsel)
{
    PG_RETURN_FLOAT8(compare_estimate(join_request(fcinfo), fcinfo));
}

Selectivity estimate_for_request(const SupportRequestSelectivity *request, const DistanceTerms &terms)
{
    return request->is_join ? estimate_within_join(request->root, terms, request->sjinfo)
                            : estimate_within(request->root, terms, request->varRelid);
}

void set_comparison_cost(SupportRequestCost *request)
{
    // A sequential scan took as long for each 128 bits of a bit string as for an operator call.
    constexpr double kBitsPerOperator = 128;
    Oid *types;
    int count;
    get_func_signature(request->funcid, &types, &count);
    Node *node = request->node;
    List *arguments = node == nullptr       ? NIL
                      : IsA(node, FuncExpr) ? reinterpret_cast<FuncExpr *>(node)->args
                      : IsA(node, OpExpr)   ? reinterpret_cast<OpExpr *>(node)->args
                                            : NIL;

    request->startup = 0;
    request->per_tuple = cpu_operator_cost;
    if (count >= 2 && types[0] == BITOID && list_length(arguments) >= 2)
        request->per_tuple *= 1 + estimate_bits(BITOID, static_cast<Node *>(linitial(arguments)),
                                                static_cast<Node *>(lsecond(arguments))) /
                                      kBitsPerOperator;
    pfree(types);
}

} // namespace simhash
