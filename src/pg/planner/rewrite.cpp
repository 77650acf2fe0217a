#include "pg/planner/rewrite.hpp"

#include "core/features/text_sketch.hpp"
#include "pg/features/document_arguments.hpp"
#include "pg/server/compat.hpp"
#include "pg/server/sibling.hpp"
#include "pg/types/ball.hpp"
#include "pg/types/signature_ball.hpp"
#include "pg/types/signature_type.hpp"
#include "pg/types/text_ball.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "utils/lsyscache.h"
}

namespace simhash
{

Node *call_function(Oid function, Oid result, List *arguments, CoercionForm form)
{
    return reinterpret_cast<Node *>(makeFuncExpr(function, result, arguments, InvalidOid, InvalidOid, form));
}

Node *call_operator(Oid op, Oid result, Node *left, Node *right)
{
    Expr *expr = make_opclause(op, result, false, reinterpret_cast<Expr *>(left),
                               reinterpret_cast<Expr *>(right), InvalidOid, InvalidOid);

    set_opfuncid(reinterpret_cast<OpExpr *>(expr));
    return reinterpret_cast<Node *>(expr);
}

Node *integer_constant(int32 value)
{
    return reinterpret_cast<Node *>(
        makeConst(INT4OID, -1, InvalidOid, sizeof(value), Int32GetDatum(value), false, true));
}

Node *bigint_constant(int64 value)
{
    return reinterpret_cast<Node *>(
        makeConst(INT8OID, -1, InvalidOid, sizeof(value), Int64GetDatum(value), false, true));
}

Node *as_built_in_type(Node *node, Oid base)
{
    node = strip_relabels(node);
    if (exprType(node) == base)
        return node;
    if (IsA(node, Const)) {
        Const *constant = static_cast<Const *>(copyObjectImpl(node));
        constant->consttype = base;
        return reinterpret_cast<Node *>(constant);
    }
    return reinterpret_cast<Node *>(
        makeRelabelType(reinterpret_cast<Expr *>(node), base, -1, InvalidOid, COERCE_IMPLICIT_CAST));
}

Node *as_fingerprint(Node *value, Oid type)
{
    value = strip_relabels(value);
    if (IsA(value, Const))
        reinterpret_cast<Const *>(value)->consttype = type;
    if (exprType(value) == type)
        return value;
    return reinterpret_cast<Node *>(
        makeRelabelType(reinterpret_cast<Expr *>(value), type, -1, InvalidOid, COERCE_EXPLICIT_CAST));
}

Node *cast_implicitly(Node *node, Oid type)
{
    const Oid from = exprType(node);
    Oid function;

    if (from == type)
        return node;
    if (find_coercion_pathway(type, from, COERCION_IMPLICIT, &function) != COERCION_PATH_FUNC)
        return nullptr;
    return call_function(function, type, list_make1(node), COERCE_IMPLICIT_CAST);
}

int declared_bits(Node *node)
{
    int32 length = exprTypmod(node);
    return getBaseTypeAndTypmod(exprType(node), &length) == BITOID ? length : -1;
}

int known_bits(Node *node)
{
    node = strip_relabels(node);
    const Const *constant = reinterpret_cast<const Const *>(node);
    if (IsA(node, Const) && !constant->constisnull && constant->consttype == BITOID)
        return datum_signature(constant->constvalue).bits;
    return declared_bits(node);
}

const Comparison *find_comparison(const char *Comparison::*of, const char *name)
{
    for (const Comparison &comparison : kComparisons)
        if (name != nullptr && std::strcmp(comparison.*of, name) == 0)
            return &comparison;
    return nullptr;
}

bool repeatable(Node *node)
{
    return !contain_volatile_functions(node) && !expression_returns_set(node) && !contain_subplans(node);
}

Node *ball_condition(const SupportRequestIndexCondition *request, const NearKey &near)
{
    const Oid ball = find_ball(near.schema, near.query_type);
    if (!OidIsValid(ball))
        return nullptr;
    const Oid ball_type = get_func_rettype(ball);
    const Oid op = find_operator(near.schema, "<@|", near.key_type, ball_type);
    if (!OidIsValid(op) || !op_in_opfamily(op, request->opfamily))
        return nullptr;

    List *arguments = list_make2(copyObjectImpl(near.query), copyObjectImpl(near.radius));
    if (get_func_nargs(ball) > list_length(arguments)) {
        // Weights tell an exact search where to begin.
        arguments = lappend(arguments, makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8),
                                                 Float8GetDatum(kExactRecall), false, FLOAT8PASSBYVAL));
        arguments = lappend(arguments, integer_constant(0));
    }
    Node *operand = eval_const_expressions(request->root, call_function(ball, ball_type, arguments));
    return call_operator(op, BOOLOID, near.key, operand);
}

namespace
{

constexpr double kUnknownRecall = 0.9;

// The radius that is assumed: near-duplicates are sought, in an eighth of the bits of a signature.
int unknown_radius(int bits) { return bits == kBits ? kNearRadius : bits / 8; }

PlannedBall constant_ball(const Const *constant, int bits)
{
    const Datum value = constant->constvalue;
    if (constant->constisnull)
        return {kEmptyRadius, true, kExactRecall};
    if (bits != kBits) {
        const SignatureBall &ball = datum_signature_ball(value);
        return {ball.radius, is_exact(ball), ball.recall};
    }
    GuidedBall ball;
    read_ball(value, &ball);
    return {ball.radius, is_exact(ball), ball.recall};
}

// Returns an argument if it is a constant of this type, otherwise null.
const Const *constant_argument(const List *arguments, int number, Oid type)
{
    if (list_length(arguments) <= number)
        return nullptr;
    const auto *constant = static_cast<const Const *>(list_nth(arguments, number));
    return IsA(constant, Const) && constant->consttype == type ? constant : nullptr;
}

// A call of simhash_ball or signature_ball (center, radius, recall, ...), or of signature_nearest.
PlannedBall called_ball(const FuncExpr *call, int bits)
{
    const bool weights = bits == kBits;
    const List *arguments = call->args;
    PlannedBall ball = {unknown_radius(bits), list_length(arguments) == 2, kUnknownRecall};
    if (const Const *radius = constant_argument(arguments, 1, INT8OID))
        ball.radius =
            radius->constisnull ? kEmptyRadius : clamp_radius(DatumGetInt64(radius->constvalue), bits);
    const Const *recall = constant_argument(arguments, 2, FLOAT8OID);
    if (recall == nullptr || recall->constisnull)
        return ball;
    ball.recall = clamp_recall(DatumGetFloat8(recall->constvalue));
    const Const *most_probes = weights ? constant_argument(arguments, 3, INT4OID) : nullptr;
    ball.exact =
        ball.recall >= kExactRecall && (!weights || (most_probes != nullptr && !most_probes->constisnull &&
                                                     DatumGetInt32(most_probes->constvalue) <= 0));
    return ball;
}

} // namespace

PlannedBall planned_ball(Node *argument, Oid type, int bits)
{
    if (argument == nullptr)
        return {unknown_radius(bits), true, kExactRecall};
    if (IsA(argument, Const) && exprType(argument) == type)
        return constant_ball(reinterpret_cast<const Const *>(argument), bits);
    if (IsA(argument, FuncExpr))
        return called_ball(reinterpret_cast<const FuncExpr *>(argument), bits);
    return {unknown_radius(bits), bits == kBits, kUnknownRecall};
}

PlannedTextBall planned_text_ball(Node *argument, Oid type)
{
    const PlannedTextBall unknown = {kNearTextRadius, TextUnit::kWord, false};
    if (argument == nullptr || (exprType(argument) != type && !is_null_constant(argument)))
        return unknown;
    if (is_null_constant(argument))
        return {kEmptyRadius, TextUnit::kWord, false};
    if (IsA(argument, Const)) {
        const TextBall ball = text_ball_terms(reinterpret_cast<const Const *>(argument)->constvalue);
        return {ball.radius, ball.unit, true};
    }
    // A function of the user's may return a ball, too.
    const auto *call = reinterpret_cast<const FuncExpr *>(argument);
    const Oid types[] = {TEXTOID, FLOAT8OID, TEXTOID};
    if (!IsA(argument, FuncExpr) ||
        find_function(get_func_namespace(call->funcid), "text_ball", types, lengthof(types)) != call->funcid)
        return unknown;
    const List *arguments = call->args;
    const Const *similarity = constant_argument(arguments, 1, FLOAT8OID);
    const Const *unit = constant_argument(arguments, 2, TEXTOID);
    if (similarity == nullptr || similarity->constisnull || unit == nullptr || unit->constisnull)
        return unknown;
    const double least = DatumGetFloat8(similarity->constvalue);
    const TextUnit chosen = text_unit(DatumGetTextPP(unit->constvalue));
    return {valid_similarity(least) ? text_radius(chosen, least) : kNearTextRadius, chosen, true};
}

} // namespace simhash
