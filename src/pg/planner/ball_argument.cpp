#include "pg/planner/ball_argument.hpp"

#include "pg/types/ball.hpp"
#include "pg/types/signature_ball.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
}

namespace simhash
{

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

} // namespace simhash
