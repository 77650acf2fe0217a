// Planner support functions, through which h <@> q <= 3 can use an index.
//
// A comparison of a distance becomes hamming_within(h, q, 3) or hamming_at(h, q, 3). For an index on h, these
// become h <@| simhash_ball(q, 3), or signature_ball(q, 3) for bit strings. An expression that is not
// recognized is left unchanged and is evaluated as it stands.
#include "pg/server/postgres.hpp"

#include "pg/planner/comparison.hpp"
#include "pg/planner/expression.hpp"
#include "pg/planner/index_condition.hpp"
#include "pg/planner/selectivity.hpp"
#include "pg/planner/stored_distance.hpp"
#include "pg/server/compat.hpp"
#include "pg/server/sibling.hpp"

extern "C" {
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "utils/lsyscache.h"
}

namespace simhash
{

namespace
{

// The two arguments of a comparison, with distances as plain integers, and the core's operator for them.
struct IntegerComparison {
    Node *left, *right;
    Oid op;
};

// Returns false if the call is not a comparison.
bool as_integer_comparison(const FuncExpr *call, const Comparison &comparison, IntegerComparison *out)
{
    Oid *types;
    int count;

    get_func_signature(call->funcid, &types, &count);
    if (count != 2 || list_length(call->args) != 2)
        return false;
    out->left = static_cast<Node *>(linitial(call->args));
    out->right = static_cast<Node *>(lsecond(call->args));
    // All integer types are built in, so the other type is the domain.
    if (types[0] >= FirstNormalObjectId) {
        out->left = as_core_type(out->left, INT4OID);
        types[0] = INT4OID;
    }
    if (types[1] >= FirstNormalObjectId) {
        out->right = as_core_type(out->right, INT4OID);
        types[1] = INT4OID;
    }
    out->op = find_operator(PG_CATALOG_NAMESPACE, comparison.op, types[0], types[1]);
    pfree(types);
    return OidIsValid(out->op);
}

bool is_constant_up_to(Node *bound, int64 limit)
{
    const Const *constant = reinterpret_cast<Const *>(bound);

    return IsA(bound, Const) && !constant->constisnull && DatumGetInt64(constant->constvalue) <= limit;
}

// A comparison of a distance with a radius.
struct DistanceComparison {
    Oid schema;
    Rewrite rewrite;
    DistanceCall call;
    Node *distance, *radius;
    const IntegerComparison *integers;
};

// Returns the radius as a bigint; for "less than", the next smaller one. Returns null if that is not
// possible.
Node *bigint_bound(PlannerInfo *root, const DistanceComparison &comparison)
{
    Node *bound = cast_implicitly(static_cast<Node *>(copyObjectImpl(comparison.radius)), INT8OID);

    if (bound == nullptr)
        return nullptr;
    if (comparison.rewrite == Rewrite::within_below || comparison.rewrite == Rewrite::not_within_below) {
        const Oid types[] = {INT8OID};
        const Oid below = find_function(comparison.schema, "hamming_radius_below", types, lengthof(types));
        if (!OidIsValid(below))
            return nullptr;
        bound = call_function(below, INT8OID, list_make1(bound));
    }
    return eval_const_expressions(root, bound);
}

// Returns a call of name(left, right, bound), or of name(right, left, bound) if only that exists. Returns
// null if neither exists.
Node *call_condition(const char *name, const DistanceComparison &comparison, Node *bound)
{
    const DistanceCall &call = comparison.call;
    Node *left = static_cast<Node *>(copyObjectImpl(call.left));
    Node *right = static_cast<Node *>(copyObjectImpl(call.right));
    Oid function = find_condition(comparison.schema, name, call.left_type, call.right_type);

    if (!OidIsValid(function)) {
        function = find_condition(comparison.schema, name, call.right_type, call.left_type);
        std::swap(left, right);
    }
    if (!OidIsValid(function))
        return nullptr;
    return call_function(function, BOOLOID, list_make3(left, right, bound));
}

// Returns the comparison with the core's operator.
Node *core_comparison(const IntegerComparison &integers)
{
    return call_operator(integers.op, BOOLOID, integers.left, integers.right);
}

// Returns the comparison in the form that is needed for partition keys of type hamming_distance: the planner
// strips one RelabelType and compares the rest with the key. Since 18.4 it strips all of them, so that it cannot
// prune partitions with such a key, only with one cast to integer.
Node *domain_comparison(const DistanceComparison &comparison)
{
    IntegerComparison integers = *comparison.integers;
    const Oid domain = find_type(comparison.schema, "hamming_distance");
    Node *distance = reinterpret_cast<Node *>(
        makeRelabelType(reinterpret_cast<Expr *>(copyObjectImpl(comparison.distance)), domain, -1, InvalidOid,
                        COERCE_IMPLICIT_CAST));
    distance = reinterpret_cast<Node *>(
        makeRelabelType(reinterpret_cast<Expr *>(distance), INT4OID, -1, InvalidOid, COERCE_IMPLICIT_CAST));

    (integers.left == comparison.distance ? integers.left : integers.right) = distance;
    return core_comparison(integers);
}

// Adds to a condition the comparison that it replaces, if an index on the distance or a partition key can use
// that. Returns null if the condition is null.
Node *with_comparisons(PlannerInfo *root, Node *condition, const DistanceComparison &comparison)
{
    if (condition == nullptr || !repeatable(condition))
        return condition;
    const StoredDistance stored = find_stored_distance(root, comparison.schema, comparison.call);
    List *all = list_make1(condition);

    if (stored.indexed || stored.partitioned_by_integer)
        all = lappend(all, core_comparison(*comparison.integers));
    if (stored.partitioned_by_distance)
        all = lappend(all, domain_comparison(comparison));
    return list_length(all) > 1 ? reinterpret_cast<Node *>(makeBoolExpr(AND_EXPR, all, -1)) : condition;
}

// Returns null if the comparison cannot be rewritten.
Node *rewrite_comparison(PlannerInfo *root, const DistanceComparison &comparison)
{
    if (comparison.rewrite == Rewrite::none)
        return nullptr;
    Node *bound = bigint_bound(root, comparison);
    if (bound == nullptr)
        return nullptr;

    switch (comparison.rewrite) {
    case Rewrite::none:
        return nullptr;
    case Rewrite::within:
    case Rewrite::within_below:
        return with_comparisons(root, call_condition("hamming_within", comparison, bound), comparison);
    case Rewrite::not_within:
    case Rewrite::not_within_below: {
        // Only an index on the distance itself can serve this, unless the condition is negated once more.
        if (find_stored_distance(root, comparison.schema, comparison.call).indexed)
            return core_comparison(*comparison.integers);
        Node *within = call_condition("hamming_within", comparison, bound);
        return within == nullptr ? nullptr
                                 : reinterpret_cast<Node *>(makeBoolExpr(NOT_EXPR, list_make1(within), -1));
    }
    case Rewrite::at:
        if (is_sublink_output(comparison.radius))
            return core_comparison(*comparison.integers);
        return with_comparisons(
            root,
            call_condition(is_constant_up_to(bound, 0) ? "hamming_within" : "hamming_at", comparison, bound),
            comparison);
    }
    return nullptr;
}

Node *simplify_comparison(PlannerInfo *root, const FuncExpr *call)
{
    const Comparison *comparison = find_comparison(call->funcid, "hamming_distance");
    const Oid schema = get_func_namespace(call->funcid);
    IntegerComparison integers;
    DistanceCall distance;

    if (comparison == nullptr || !as_integer_comparison(call, *comparison, &integers))
        return nullptr;
    if (match_distance_call(schema, integers.left, &distance))
        return rewrite_comparison(
            root, {schema, comparison->distance_first, distance, integers.left, integers.right, &integers});
    if (match_distance_call(schema, integers.right, &distance))
        return rewrite_comparison(
            root, {schema, comparison->distance_last, distance, integers.right, integers.left, &integers});

    // The distance is not computed by <@> here, so it is a stored one. With the core's operator it can be
    // hashed, merged and found in a btree like any integer.
    return core_comparison(integers);
}

// Returns a call of a distance function as its operator, with result type integer, in a RelabelType to the
// domain. ORDER BY strips that RelabelType, which leaves the bare operator that an index can be ordered by. A
// RelabelType from the domain to integer would not be stripped. The type of the whole expression does not
// change.
Node *simplify_distance(const FuncExpr *call)
{
    Oid *types;
    int count;

    if (call->funcresulttype == INT4OID) // already simplified
        return nullptr;
    get_func_signature(call->funcid, &types, &count);
    if (count != 2 || list_length(call->args) != 2)
        return nullptr;
    const Oid op = find_operator(get_func_namespace(call->funcid), "<@>", types[0], types[1]);
    pfree(types);
    if (!OidIsValid(op) || get_opcode(op) != call->funcid)
        return nullptr;

    Node *distance = call_operator(op, INT4OID, static_cast<Node *>(linitial(call->args)),
                                   static_cast<Node *>(lsecond(call->args)));
    return reinterpret_cast<Node *>(makeRelabelType(reinterpret_cast<Expr *>(distance), call->funcresulttype,
                                                    -1, InvalidOid, COERCE_IMPLICIT_CAST));
}

// Returns hamming_within(h, q, r) as h <@| ball(q, r), for an index on either of the first two arguments: a
// list of that condition, which is equivalent, or NIL. For hamming_at the condition is necessary but not
// sufficient.
List *index_condition(SupportRequestIndexCondition *request, bool exact)
{
    LimitCall near;
    if (!match_limit_call(request, &near))
        return NIL;

    Oid *types;
    int count;
    get_func_signature(near.call->funcid, &types, &count);
    Node *condition =
        ball_condition(request, {get_func_namespace(near.call->funcid), near.key, near.query,
                                 types[request->indexarg], types[1 - request->indexarg], near.limit});
    if (condition == nullptr)
        return NIL;
    request->lossy = !exact;
    return list_make1(condition);
}

// Whether the distance is indexed. Then the core's comparison has been added to the condition, and is
// estimated from the statistics of the indexed expression.
bool estimated_beside(const SupportRequestSelectivity *request, const DistanceTerms &terms, Oid right_type)
{
    const DistanceCall call = {terms.left, terms.right, terms.type, right_type};

    return !request->is_join &&
           find_stored_distance(request->root, get_func_namespace(request->funcid), call).indexed;
}

Selectivity condition_selectivity(const SupportRequestSelectivity *request, bool at)
{
    Oid *types;
    int count;

    get_func_signature(request->funcid, &types, &count);
    auto *left = static_cast<Node *>(linitial(request->args));
    auto *right = static_cast<Node *>(lsecond(request->args));
    auto *radius = static_cast<Node *>(lthird(request->args));
    const int bits = estimate_bits(types[0], left, right);
    const DistanceTerms terms = {
        left, right, types[0], bits, estimate_radius(request->root, radius, bits), request->funcid, at};
    if (estimated_beside(request, terms, types[1]))
        return 1;
    return estimate_for_request(request, terms);
}

// The support function of hamming_within (at = false) and hamming_at (at = true).
Node *support_condition(Node *request, bool at)
{
    switch (nodeTag(request)) {
    case T_SupportRequestIndexCondition:
        return reinterpret_cast<Node *>(
            index_condition(reinterpret_cast<SupportRequestIndexCondition *>(request), !at));
    case T_SupportRequestSelectivity: {
        auto *selectivity = reinterpret_cast<SupportRequestSelectivity *>(request);
        if (list_length(selectivity->args) != 3)
            return nullptr;
        selectivity->selectivity = condition_selectivity(selectivity, at);
        return request;
    }
    case T_SupportRequestCost:
        set_comparison_cost(reinterpret_cast<SupportRequestCost *>(request));
        return request;
    default:
        return nullptr;
    }
}

} // namespace

// The support function of the distance functions.
SIMHASH_FUNCTION(hamming_operator_support)
{
    Node *request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));

    if (IsA(request, SupportRequestSimplify))
        PG_RETURN_POINTER(simplify_distance(reinterpret_cast<SupportRequestSimplify *>(request)->fcall));
    if (!IsA(request, SupportRequestCost))
        PG_RETURN_DATUM(0);
    set_comparison_cost(reinterpret_cast<SupportRequestCost *>(request));
    PG_RETURN_POINTER(request);
}

// The support function of all comparisons of a hamming_distance.
SIMHASH_FUNCTION(hamming_distance_support)
{
    Node *request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));

    if (IsA(request, SupportRequestSimplify)) {
        auto *simplify = reinterpret_cast<SupportRequestSimplify *>(request);
        PG_RETURN_POINTER(simplify_comparison(simplify->root, simplify->fcall));
    }
    PG_RETURN_DATUM(0);
}

SIMHASH_FUNCTION(hamming_within_support)
{
    PG_RETURN_POINTER(support_condition(reinterpret_cast<Node *>(PG_GETARG_POINTER(0)), false));
}

SIMHASH_FUNCTION(hamming_at_support)
{
    PG_RETURN_POINTER(support_condition(reinterpret_cast<Node *>(PG_GETARG_POINTER(0)), true));
}

} // namespace simhash
