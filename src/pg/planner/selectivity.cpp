// Selectivity of distance conditions.
//
// A column's most common values and histogram bounds are a sample of its fingerprints or bit strings. The estimate
// for a known query is the weight of the sample values within the ball. For an unknown query it is the mean over the
// sample, and for joins the weight of the pairs within the radius. If the sample is too coarse to contain
// near-duplicates, a few matching rows are assumed, because near-duplicates are what users search for.
#include "pg/server/postgres.hpp"

#include "core/signature/ball_volume.hpp"
#include "pg/planner/column_sample.hpp"
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
#include "access/transam.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
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

// The most common values, and the most histogram bounds, that are compared with those of another column.
constexpr int kPairSample = 100;

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
