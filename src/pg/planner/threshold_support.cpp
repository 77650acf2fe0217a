// Planner support functions, through which h <@> q <= 3 and minhash_at_least(s, q, 0.8) can use an index.
//
// A comparison of a distance becomes hamming_within(h, q, 3) or simhash_internal_at(h, q, 3). For an index on h, these become
// h <@| simhash_ball(q, 3), or signature_ball(q, 3) for bit strings; so does minhash_at_least, with the largest distance
// whose similarity is at least the threshold as the radius. An expression that is not recognized is left unchanged and
// is evaluated as it stands.
#include "pg/server/postgres.hpp"

#include "pg/planner/rewrite.hpp"
#include "pg/planner/stored_distance.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
}

#include <cstdlib>
#include <utility>

namespace simhash
{

namespace
{

constexpr char kAtFunction[] = "simhash_internal_at";

// A comparison by PostgreSQL's operator.
struct BuiltInComparison {
    Node *left, *right;
    Oid op;
};

// Reads a call of a comparison function as a comparison of integers, which distances are. Returns false if it is none.
bool as_built_in(const FuncExpr *call, const char *op, BuiltInComparison *out)
{
    Oid *types;
    int count;

    get_func_signature(call->funcid, &types, &count);
    if (count != 2 || list_length(call->args) != 2)
        return false;
    out->left = static_cast<Node *>(linitial(call->args));
    out->right = static_cast<Node *>(lsecond(call->args));
    // All types of numbers are built in, so another type is that of distances.
    if (types[0] >= FirstNormalObjectId) {
        out->left = as_built_in_type(out->left, INT4OID);
        types[0] = INT4OID;
    }
    if (types[1] >= FirstNormalObjectId) {
        out->right = as_built_in_type(out->right, INT4OID);
        types[1] = INT4OID;
    }
    out->op = find_operator(PG_CATALOG_NAMESPACE, op, types[0], types[1]);
    pfree(types);
    return OidIsValid(out->op);
}

Node *call_built_in(const BuiltInComparison &built_in)
{
    return call_operator(built_in.op, BOOLOID, built_in.left, built_in.right);
}

bool is_constant_up_to(Node *bound, int64 limit)
{
    const Const *constant = reinterpret_cast<Const *>(bound);

    return IsA(bound, Const) && !constant->constisnull && DatumGetInt64(constant->constvalue) <= limit;
}

// A comparison of a distance with a threshold.
struct ThresholdComparison {
    Oid schema;
    Rewrite rewrite;
    DistanceCall call;
    Node *measured, *threshold;
    BuiltInComparison built_in;
};

// Returns the threshold as the limit of a condition; for a comparison that is strict, the next limit. Returns null if
// that is not possible.
Node *condition_limit(PlannerInfo *root, const ThresholdComparison &comparison)
{
    Node *limit = cast_implicitly(static_cast<Node *>(copyObjectImpl(comparison.threshold)), INT8OID);

    if (limit == nullptr)
        return nullptr;
    if (comparison.rewrite == Rewrite::within_below || comparison.rewrite == Rewrite::not_within_below) {
        const Oid type = INT8OID,
                  next = find_function(comparison.schema, "simhash_internal_radius_below", &type, 1);
        if (!OidIsValid(next))
            return nullptr;
        limit = call_function(next, INT8OID, list_make1(limit));
    }
    return eval_const_expressions(root, limit);
}

// Whether both values are bit strings of the same length. Then a function that raises no error can compare them, so
// row-level security lets an index evaluate the condition.
bool equally_long(const DistanceCall &call)
{
    if (call.left_type != BITOID || call.right_type != BITOID)
        return false;
    const int bits = known_bits(call.left);
    return bits > 0 && bits == known_bits(call.right);
}

// Returns a call of name(left, right, limit), or of name(right, left, limit) if only that exists. Returns null if
// neither exists.
Node *call_condition(const char *name, const ThresholdComparison &comparison, Node *limit)
{
    const DistanceCall &call = comparison.call;
    Node *left = static_cast<Node *>(copyObjectImpl(call.left));
    Node *right = static_cast<Node *>(copyObjectImpl(call.right));
    const bool bigints = call.left_type == INT8OID;
    const Oid fingerprint = bigints ? find_type(comparison.schema, "simhash") : InvalidOid;
    const Oid types[] = {bigints ? fingerprint : call.left_type, bigints ? fingerprint : call.right_type,
                         INT8OID};
    if (bigints) {
        left = as_fingerprint(left, fingerprint);
        right = as_fingerprint(right, fingerprint);
    }
    const Oid exchanged[] = {types[1], types[0], types[2]};
    Oid function = find_function(comparison.schema, name, types, lengthof(types));

    if (!OidIsValid(function)) {
        function = find_function(comparison.schema, name, exchanged, lengthof(exchanged));
        std::swap(left, right);
    }
    if (!OidIsValid(function))
        return nullptr;
    return call_function(function, BOOLOID, list_make3(left, right, limit));
}

// Returns the condition that the distance is at most the limit.
Node *limit_condition(const ThresholdComparison &comparison, Node *limit)
{
    return call_condition(equally_long(comparison.call) ? "simhash_internal_within" : "hamming_within",
                          comparison, limit);
}

// Returns the comparison in the form that is needed for partition keys of type hamming_distance: the planner
// strips one RelabelType and compares the rest with the key. Since 18.4 it strips all of them, so that it cannot
// prune partitions with such a key, only with one cast to integer.
Node *domain_comparison(const ThresholdComparison &comparison)
{
    BuiltInComparison built_in = comparison.built_in;
    const Oid domain = find_type(comparison.schema, "hamming_distance");
    Node *distance = reinterpret_cast<Node *>(
        makeRelabelType(reinterpret_cast<Expr *>(copyObjectImpl(comparison.measured)), domain, -1, InvalidOid,
                        COERCE_IMPLICIT_CAST));
    distance = reinterpret_cast<Node *>(
        makeRelabelType(reinterpret_cast<Expr *>(distance), INT4OID, -1, InvalidOid, COERCE_IMPLICIT_CAST));

    (built_in.left == comparison.measured ? built_in.left : built_in.right) = distance;
    return call_built_in(built_in);
}

StoredDistance find_stored(PlannerInfo *root, const ThresholdComparison &comparison)
{
    return find_stored_distance(root, comparison.schema, comparison.call);
}

Node *both(List *conditions) { return reinterpret_cast<Node *>(makeBoolExpr(AND_EXPR, conditions, -1)); }

// Adds to a condition the comparison that it replaces, if an index on the distance or a partition key can use
// that. Returns null if the condition is null.
Node *with_comparisons(PlannerInfo *root, Node *condition, const ThresholdComparison &comparison)
{
    if (condition == nullptr || !repeatable(condition))
        return condition;
    const StoredDistance stored = find_stored(root, comparison);
    List *all = list_make1(condition);

    if (stored.indexed || stored.partitioned_by_integer)
        all = lappend(all, call_built_in(comparison.built_in));
    if (stored.partitioned_by_distance)
        all = lappend(all, domain_comparison(comparison));
    return list_length(all) > 1 ? both(all) : condition;
}

// Only an index on the distance itself can serve a negated condition, unless it is negated once more.
Node *negated(PlannerInfo *root, const ThresholdComparison &comparison, Node *limit)
{
    if (find_stored(root, comparison).indexed)
        return call_built_in(comparison.built_in);
    Node *within = limit_condition(comparison, limit);
    return within == nullptr ? nullptr
                             : reinterpret_cast<Node *>(makeBoolExpr(NOT_EXPR, list_make1(within), -1));
}

Node *equal_to(PlannerInfo *root, const ThresholdComparison &comparison, Node *limit)
{
    if (is_sublink_output(comparison.threshold))
        return call_built_in(comparison.built_in);
    Node *condition = is_constant_up_to(limit, 0) ? limit_condition(comparison, limit)
                                                  : call_condition(kAtFunction, comparison, limit);
    return with_comparisons(root, condition, comparison);
}

// Returns null if the comparison cannot be rewritten.
Node *rewrite_comparison(PlannerInfo *root, const ThresholdComparison &comparison)
{
    Node *limit = condition_limit(root, comparison);
    if (limit == nullptr)
        return nullptr;

    switch (comparison.rewrite) {
    case Rewrite::within:
    case Rewrite::within_below:
        return with_comparisons(root, limit_condition(comparison, limit), comparison);
    case Rewrite::not_within:
    case Rewrite::not_within_below:
        return negated(root, comparison, limit);
    case Rewrite::at:
        return equal_to(root, comparison, limit);
    }
    return nullptr;
}

Node *simplify_comparison(PlannerInfo *root, const FuncExpr *call)
{
    const Comparison *comparison = find_comparison(&Comparison::function, get_func_name(call->funcid));
    const Oid schema = get_func_namespace(call->funcid);
    BuiltInComparison built_in;
    DistanceCall measured;

    if (comparison == nullptr || !as_built_in(call, comparison->op, &built_in))
        return nullptr;
    if (match_distance_call(schema, built_in.left, &measured))
        return rewrite_comparison(
            root, {schema, comparison->distance_first, measured, built_in.left, built_in.right, built_in});
    if (match_distance_call(schema, built_in.right, &measured))
        return rewrite_comparison(
            root, {schema, comparison->distance_last, measured, built_in.right, built_in.left, built_in});

    // The value is not computed here, so it is a stored one. With PostgreSQL's operator it can be hashed, merged and
    // found in a btree like any number.
    return call_built_in(built_in);
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

// Returns a condition f(a, b, limit) as a <@| ball(b, radius), for an index on either of the first two arguments: a
// list of that condition, which is equivalent if `exact` and otherwise only necessary, or NIL. An index's key has a
// declared length, which is that of the query, or else the search raises an error.
List *index_condition(SupportRequestIndexCondition *request, const Measure &measure, bool exact)
{
    LimitCall near;
    if (!match_limit_call(request, &near))
        return NIL;

    Oid *types;
    int count;
    get_func_signature(near.call->funcid, &types, &count);
    if (count != 3 || types[2] != (measure.similarity ? FLOAT8OID : INT8OID))
        return NIL;
    // A search raises an error for a query of another length, which a condition that may not raise one must not reach.
    if (types[0] == BITOID && get_func_leakproof(near.call->funcid) &&
        !equally_long({near.key, near.query, types[0], types[1]}))
        return NIL;
    const Oid schema = get_func_namespace(near.call->funcid);
    Node *radius = measure.radius(request->root, schema, near.limit, declared_bits(strip_relabels(near.key)));
    if (radius == nullptr)
        return NIL;
    Node *condition = ball_condition(request, {schema, near.key, near.query, types[request->indexarg],
                                               types[1 - request->indexarg], radius});
    if (condition == nullptr)
        return NIL;
    request->lossy = !exact;
    return list_make1(condition);
}

// Whether both are the same value, which may be a bigint in one and a fingerprint in the other.
bool same_value(Node *left, Node *right)
{
    left = strip_relabels(left);
    right = strip_relabels(right);
    if (!IsA(left, Const) || !IsA(right, Const))
        return equal(left, right);
    Const constant = *reinterpret_cast<Const *>(left);
    constant.consttype = reinterpret_cast<Const *>(right)->consttype;
    return equal(&constant, right);
}

// Whether there are statistics of an expression, such as those of an index's key.
bool has_statistics(PlannerInfo *root, Node *expression)
{
    VariableStatData statistics;
    examine_variable(root, expression, 0, &statistics);
    const bool found = HeapTupleIsValid(statistics.statsTuple);
    ReleaseVariableStats(statistics);
    return found;
}

// Whether a condition contains PostgreSQL's comparison of the same distance with the radius of `terms`, and that is
// estimated from statistics. The limit of a strict comparison is one more.
bool has_estimated_comparison(PlannerInfo *root, Oid schema, Node *condition, const DistanceTerms &terms)
{
    ListCell *cell;
    if (IsA(condition, BoolExpr)) {
        foreach (cell, reinterpret_cast<BoolExpr *>(condition)->args) {
            if (has_estimated_comparison(root, schema, static_cast<Node *>(lfirst(cell)), terms))
                return true;
        }
        return false;
    }
    if (!is_opclause(condition) || list_length(reinterpret_cast<OpExpr *>(condition)->args) != 2)
        return false;
    auto *left = static_cast<Node *>(linitial(reinterpret_cast<OpExpr *>(condition)->args));
    auto *right = static_cast<Node *>(lsecond(reinterpret_cast<OpExpr *>(condition)->args));
    DistanceCall call;
    if (!match_distance_call(schema, left, &call)) {
        std::swap(left, right);
        if (!match_distance_call(schema, left, &call))
            return false;
    }
    return same_value(call.left, terms.left) && same_value(call.right, terms.right) &&
           IsA(estimate_expression_value(root, right), Const) &&
           std::abs(estimate_radius(root, right, terms.bits) - terms.radius) <= 1 &&
           has_statistics(root, left);
}

// Whether PostgreSQL's comparison has been added to the condition and estimates it. It is not added to every condition,
// and guesses if the radius is not known, or the index has no statistics.
bool estimated_beside(const SupportRequestSelectivity *request, const DistanceTerms &terms, Oid right_type)
{
    const Oid schema = get_func_namespace(request->funcid);
    PlannerInfo *root = request->root;
    const int relation = distance_relation({terms.left, terms.right, terms.type, right_type});
    if (request->is_join || root == nullptr || root->simple_rel_array == nullptr || relation <= 0 ||
        relation >= root->simple_rel_array_size || root->simple_rel_array[relation] == nullptr)
        return false;
    ListCell *cell;
    foreach (cell, root->simple_rel_array[relation]->baserestrictinfo) {
        if (has_estimated_comparison(
                root, schema, reinterpret_cast<Node *>(static_cast<RestrictInfo *>(lfirst(cell))->clause),
                terms))
            return true;
    }
    return false;
}

Selectivity condition_selectivity(const SupportRequestSelectivity *request, const Measure &measure, bool at)
{
    Oid *types;
    int count;

    get_func_signature(request->funcid, &types, &count);
    auto *left = static_cast<Node *>(linitial(request->args));
    auto *right = static_cast<Node *>(lsecond(request->args));
    auto *limit = static_cast<Node *>(lthird(request->args));
    const int bits = estimate_bits(types[0], left, right);
    const int radius = measure.estimate_radius(request->root, limit, bits);
    const DistanceTerms terms = {left, right, types[0], bits, radius, request->funcid, at};
    if (!measure.similarity && estimated_beside(request, terms, types[1]))
        return 1;
    return estimate_for_request(request, terms);
}

// What the limit of a condition is of, by its type.
const Measure &measure_of(Oid function)
{
    Oid *types;
    int count;
    get_func_signature(function, &types, &count);
    const bool similarity = count == 3 && types[2] == FLOAT8OID;
    pfree(types);
    return similarity ? kSimilarityMeasure : kDistanceMeasure;
}

// Whether the limit is the distance itself, not the largest one.
bool is_exact_distance(Oid function)
{
    const char *name = get_func_name(function);
    return name != nullptr && std::strcmp(name, kAtFunction) == 0;
}

Node *simplify(const SupportRequestSimplify *request)
{
    return find_comparison(&Comparison::function, get_func_name(request->fcall->funcid)) != nullptr
               ? simplify_comparison(request->root, request->fcall)
               : simplify_distance(request->fcall);
}

List *find_index_condition(SupportRequestIndexCondition *request)
{
    return index_condition(request, measure_of(request->funcid), !is_exact_distance(request->funcid));
}

Node *estimate_condition(SupportRequestSelectivity *request)
{
    if (list_length(request->args) != 3)
        return nullptr;
    request->selectivity =
        condition_selectivity(request, measure_of(request->funcid), is_exact_distance(request->funcid));
    return reinterpret_cast<Node *>(request);
}

} // namespace

// The support function of distances, of comparisons of them, and of conditions.
SIMHASH_FUNCTION(simhash_planner_support)
{
    auto *request = reinterpret_cast<Node *>(PG_GETARG_POINTER(0));

    switch (nodeTag(request)) {
    case T_SupportRequestSimplify:
        PG_RETURN_POINTER(simplify(reinterpret_cast<SupportRequestSimplify *>(request)));
    case T_SupportRequestIndexCondition:
        PG_RETURN_POINTER(find_index_condition(reinterpret_cast<SupportRequestIndexCondition *>(request)));
    case T_SupportRequestSelectivity:
        PG_RETURN_POINTER(estimate_condition(reinterpret_cast<SupportRequestSelectivity *>(request)));
    case T_SupportRequestCost:
        set_comparison_cost(reinterpret_cast<SupportRequestCost *>(request));
        PG_RETURN_POINTER(request);
    default:
        PG_RETURN_POINTER(nullptr);
    }
}

} // namespace simhash
