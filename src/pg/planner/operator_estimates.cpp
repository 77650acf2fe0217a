// The estimators of the operators <@| and ~=, and of comparisons of distances that have not been rewritten.
#include "pg/planner/rewrite.hpp"

#include "core/features/text_sketch.hpp"
#include "pg/planner/column_sample.hpp"
#include "pg/server/sibling.hpp"
#include "pg/types/ball.hpp"
#include "pg/types/signature_ball.hpp"
#include "pg/types/signature_type.hpp"
#include "pg/types/text_ball.hpp"
#include "pg/types/weights_type.hpp"

extern "C" {
#include "access/transam.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
}

#include <algorithm>

namespace simhash
{

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

// Whether this is the type of balls of values of a type. A user's operator can have our estimators, too.
bool is_ball(Oid schema, Oid type, Oid ball_type)
{
    if (type == BITOID)
        return ball_type == find_type(schema, "signature_ball");
    return type == find_type(schema, "simhash") && ball_type == find_type(schema, "simhash_ball");
}

Node *fingerprint_constant(Oid type, Fingerprint value)
{
    return reinterpret_cast<Node *>(
        makeConst(type, -1, InvalidOid, sizeof(Fingerprint), fingerprint_datum(value), false, true));
}

// Returns the center of a ball, and its radius, as constants.
Node *ball_center(Datum value, Oid type, Node **radius)
{
    if (type != BITOID) {
        const Ball ball = datum_ball(value);
        *radius = bigint_constant(ball.radius);
        return fingerprint_constant(type, ball.center);
    }
    const SignatureBall &ball = datum_signature_ball(value);
    *radius = bigint_constant(ball.radius);
    return reinterpret_cast<Node *>(
        makeConst(type, -1, InvalidOid, -1, signature_value(ball_signature(ball)), false, false));
}

} // namespace

Node *constant_center(Node *query, Oid type, Oid query_type)
{
    if (query_type == type || !IsA(query, Const) || is_null_constant(query))
        return query;
    const Datum value = reinterpret_cast<Const *>(query)->constvalue;
    if (type != BITOID)
        return fingerprint_constant(type, weights_signs(value));
    Node *radius;
    return ball_center(value, type, &radius);
}

namespace
{

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
        terms.right = ball_center(reinterpret_cast<Const *>(node)->constvalue, type, &radius);
    } else if (is_ball_call(node, ball_type)) {
        const List *arguments = reinterpret_cast<FuncExpr *>(node)->args;
        radius = static_cast<Node *>(lsecond(arguments));
        terms.right = static_cast<Node *>(linitial(arguments));
    }
    if (type == TEXTOID) {
        const Oid text_ball = find_type(request.schema, "text_ball");
        const PlannedTextBall ball = planned_text_ball(node, text_ball);
        terms.radius = ball.radius;
        terms.unit = ball.unit;
        if (ball.known && IsA(node, Const))
            terms.right = bigint_constant(static_cast<std::int64_t>(
                text_ball_terms(reinterpret_cast<Const *>(node)->constvalue).center));
        return terms;
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
                         type == TEXTOID ? kNearTextRadius : kNearRadius,
                         get_opcode(request.op),
                         false};
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
    const Comparison *comparison = find_comparison(&Comparison::op, get_opname(request.op));
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

// The operator tells by its name what it is. A user's operator can have our estimators, too.
double operator_estimate(FunctionCallInfo fcinfo, bool join)
{
    const Request request = {reinterpret_cast<PlannerInfo *>(PG_GETARG_POINTER(0)),
                             get_func_namespace(fcinfo->flinfo->fn_oid),
                             PG_GETARG_OID(1),
                             reinterpret_cast<List *>(PG_GETARG_POINTER(2)),
                             join ? 0 : PG_GETARG_INT32(3),
                             join ? reinterpret_cast<SpecialJoinInfo *>(PG_GETARG_POINTER(4)) : nullptr};
    const char *name = get_opname(request.op);
    if (find_comparison(&Comparison::op, name) != nullptr)
        return compare_estimate(request, fcinfo);
    return estimate(request, name != nullptr && std::strcmp(name, "~=") == 0 ? near_terms : ball_terms);
}

} // namespace

SIMHASH_FUNCTION(simhash_operator_sel)
{
    PG_RETURN_FLOAT8(operator_estimate(fcinfo, false));
}

SIMHASH_FUNCTION(simhash_operator_joinsel)
{
    PG_RETURN_FLOAT8(operator_estimate(fcinfo, true));
}

} // namespace simhash
