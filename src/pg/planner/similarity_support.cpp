// Planner support functions, through which minhash_similarity(s, q) >= 0.8 can use an index.
//
// A comparison of a similarity becomes minhash_at_least(s, q, 0.8). For an index on s, this becomes
// s <@| signature_ball(q, 25), where 25 is the largest distance, of the 256 bits of s, whose similarity is at
// least 0.8. Both are computed by similarity_estimate, so they agree for every threshold. An expression that
// is not recognized is left unchanged and is evaluated as it stands.
#include "pg/server/postgres.hpp"

#include "core/minhash/estimate.hpp"
#include "pg/planner/comparison.hpp"
#include "pg/planner/expression.hpp"
#include "pg/planner/index_condition.hpp"
#include "pg/planner/selectivity.hpp"
#include "pg/server/sibling.hpp"
#include "pg/types/ball.hpp"

extern "C" {
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace simhash
{

namespace
{

// The similarity that is assumed of a threshold that the planner does not know.
constexpr double kUnknownSimilarity = 0.8;

// A comparison of a similarity with a threshold.
struct SimilarityComparison {
    Oid schema;
    Rewrite rewrite; // of the comparison with a distance that has the same meaning
    DistanceCall call;
    Node *threshold; // a float8
    Node *core;      // the comparison by the core's operator
};

// Returns an argument of a comparison, of type `declared`, as a float8.
Node *as_float8(PlannerInfo *root, Node *node, Oid declared)
{
    return declared == FLOAT4OID ? eval_const_expressions(root, cast_implicitly(node, FLOAT8OID))
                                 : as_core_type(node, FLOAT8OID);
}

Node *negated(Node *condition)
{
    return condition == nullptr ? nullptr
                                : reinterpret_cast<Node *>(makeBoolExpr(NOT_EXPR, list_make1(condition), -1));
}

// Returns minhash_at_least(s, q, threshold), or null if that does not exist.
Node *at_least(const SimilarityComparison &comparison, Node *threshold)
{
    const Oid types[] = {BITOID, BITOID, FLOAT8OID};
    const Oid function = find_function(comparison.schema, "minhash_at_least", types, lengthof(types));

    if (!OidIsValid(function))
        return nullptr;
    return call_function(function, BOOLOID,
                         list_make3(copyObjectImpl(comparison.call.left),
                                    copyObjectImpl(comparison.call.right), copyObjectImpl(threshold)));
}

// Returns the condition that the similarity is greater than the threshold.
Node *above(PlannerInfo *root, const SimilarityComparison &comparison)
{
    const Oid types[] = {FLOAT8OID};
    const Oid function = find_function(comparison.schema, "minhash_threshold_above", types, lengthof(types));

    if (!OidIsValid(function))
        return nullptr;
    Node *next = call_function(function, FLOAT8OID, list_make1(copyObjectImpl(comparison.threshold)));
    return at_least(comparison, eval_const_expressions(root, next));
}

// A similarity that equals the threshold is at least that. The index serves this, and the rows found are
// compared.
Node *equal_to(const SimilarityComparison &comparison)
{
    Node *condition = at_least(comparison, comparison.threshold);

    if (condition == nullptr || is_sublink_output(comparison.threshold) || !repeatable(condition))
        return comparison.core;
    return reinterpret_cast<Node *>(makeBoolExpr(AND_EXPR, list_make2(condition, comparison.core), -1));
}

// Returns null if the comparison cannot be rewritten.
Node *rewrite_comparison(PlannerInfo *root, const SimilarityComparison &comparison)
{
    switch (comparison.rewrite) {
    case Rewrite::none:
        return nullptr;
    case Rewrite::within:
        return at_least(comparison, comparison.threshold);
    case Rewrite::within_below:
        return above(root, comparison);
    case Rewrite::not_within:
        return negated(at_least(comparison, comparison.threshold));
    case Rewrite::not_within_below:
        return negated(above(root, comparison));
    case Rewrite::at:
        return equal_to(comparison);
    }
    return nullptr;
}

Node *simplify_comparison(PlannerInfo *root, const FuncExpr *call)
{
    const Comparison *comparison = find_comparison(call->funcid, "jaccard_estimate");
    const Oid schema = get_func_namespace(call->funcid);
    DistanceCall similarity;
    Oid *types;
    int count;

    get_func_signature(call->funcid, &types, &count);
    if (comparison == nullptr || count != 2 || list_length(call->args) != 2)
        return nullptr;
    Node *left = as_float8(root, static_cast<Node *>(linitial(call->args)), types[0]);
    Node *right = as_float8(root, static_cast<Node *>(lsecond(call->args)), types[1]);
    const Oid op = find_operator(PG_CATALOG_NAMESPACE, comparison->op, FLOAT8OID, FLOAT8OID);
    if (!OidIsValid(op))
        return nullptr;

    Node *core = call_operator(op, BOOLOID, left, right);
    if (match_similarity_call(schema, left, &similarity))
        return rewrite_comparison(root, {schema, comparison->distance_last, similarity, right, core});
    if (match_similarity_call(schema, right, &similarity))
        return rewrite_comparison(root, {schema, comparison->distance_first, similarity, left, core});
    // The similarity is a stored one. With the core's operator it can be hashed, merged and found in a btree
    // like any float8.
    return core;
}

// Returns the radius that a threshold means for a key: a call that the planner evaluates if it can. An index's
// key has a declared length, which is that of the query, or else the search raises an error.
Node *radius_of(const SupportRequestIndexCondition *request, Oid schema, Node *key, Node *threshold)
{
    const Oid types[] = {FLOAT8OID, INT4OID};
    const Oid function = find_function(schema, "minhash_radius", types, lengthof(types));
    const int bits = declared_bits(strip_relabels(key));

    if (!OidIsValid(function) || bits <= 0)
        return nullptr;
    Node *length = reinterpret_cast<Node *>(
        makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(bits), false, true));
    Node *radius = call_function(function, INT4OID, list_make2(copyObjectImpl(threshold), length));
    return eval_const_expressions(request->root, cast_implicitly(radius, INT8OID));
}

// Returns minhash_at_least(s, q, t) as s <@| signature_ball(q, r), for an index on either of the first two
// arguments: a list of that condition, which is equivalent, or NIL.
List *index_condition(SupportRequestIndexCondition *request)
{
    LimitCall near;
    if (!match_limit_call(request, &near))
        return NIL;
    const Oid schema = get_func_namespace(near.call->funcid);
    Node *radius = radius_of(request, schema, near.key, near.limit);
    if (radius == nullptr)
        return NIL;
    Node *condition = ball_condition(request, {schema, near.key, near.query, BITOID, BITOID, radius});
    if (condition == nullptr)
        return NIL;
    request->lossy = false;
    return list_make1(condition);
}

// Returns the radius of a threshold if it can be estimated. A null threshold matches nothing.
int threshold_radius(PlannerInfo *root, Node *threshold, int bits)
{
    Node *node = estimate_expression_value(root, threshold);
    const Const *constant = reinterpret_cast<const Const *>(node);

    if (bits <= 0)
        return kEmptyRadius;
    if (!IsA(node, Const))
        return similarity_radius(kUnknownSimilarity, bits);
    return constant->constisnull ? kEmptyRadius
                                 : similarity_radius(DatumGetFloat8(constant->constvalue), bits);
}

Selectivity condition_selectivity(const SupportRequestSelectivity *request)
{
    auto *left = static_cast<Node *>(linitial(request->args));
    auto *right = static_cast<Node *>(lsecond(request->args));
    const int bits = estimate_bits(BITOID, left, right);
    const int radius = threshold_radius(request->root, static_cast<Node *>(lthird(request->args)), bits);
    const DistanceTerms terms = {left, right, BITOID, bits, radius, request->funcid, false};

    return estimate_for_request(request, terms);
}

} // namespace

// The support function of minhash_similarity. It also loads the library, and with it the planner's hook, before
// the paths of a query that sorts by a similarity are made: the planner simplifies all expressions first.
SIMHASH_FUNCTION(minhash_similarity_support)
{
    Node *request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));

    if (!IsA(request, SupportRequestCost))
        PG_RETURN_DATUM(0);
    set_comparison_cost(reinterpret_cast<SupportRequestCost *>(request));
    PG_RETURN_POINTER(request);
}

// The support function of all comparisons of a jaccard_estimate.
SIMHASH_FUNCTION(jaccard_estimate_support)
{
    Node *request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));

    if (IsA(request, SupportRequestSimplify)) {
        auto *simplify = reinterpret_cast<SupportRequestSimplify *>(request);
        PG_RETURN_POINTER(simplify_comparison(simplify->root, simplify->fcall));
    }
    PG_RETURN_DATUM(0);
}

SIMHASH_FUNCTION(minhash_at_least_support)
{
    Node *request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));

    switch (nodeTag(request)) {
    case T_SupportRequestIndexCondition:
        PG_RETURN_POINTER(index_condition(reinterpret_cast<SupportRequestIndexCondition *>(request)));
    case T_SupportRequestSelectivity: {
        auto *selectivity = reinterpret_cast<SupportRequestSelectivity *>(request);
        if (list_length(selectivity->args) != 3)
            PG_RETURN_DATUM(0);
        selectivity->selectivity = condition_selectivity(selectivity);
        PG_RETURN_POINTER(request);
    }
    case T_SupportRequestCost:
        set_comparison_cost(reinterpret_cast<SupportRequestCost *>(request));
        PG_RETURN_POINTER(request);
    default:
        PG_RETURN_DATUM(0);
    }
}

} // namespace simhash
