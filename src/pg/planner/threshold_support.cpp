// Planner support functions, through which h <@> q <= 3 and minhash_at_least(s, q, 0.8) can use an index.
//
// A comparison of a distance becomes hamming_within(h, q, 3) or simhash_internal_at(h, q, 3). For an index on h, these become
// h <@| simhash_ball(q, 3), or signature_ball(q, 3) for bit strings; so does minhash_at_least, with the largest distance
// whose similarity is at least the threshold as the radius. An expression that is not recognized is left unchanged and
// is evaluated as it stands.
#include "pg/server/postgres.hpp"

#include "core/features/minhash_sketch.hpp"
#include "pg/planner/grouped_distance.hpp"
#include "pg/planner/rewrite.hpp"
#include "pg/planner/stored_distance.hpp"
#include "pg/server/compat.hpp"
#include "pg/server/sibling.hpp"
#include "pg/types/ball.hpp"

extern "C" {
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
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

// Sets the types of the two arguments of a call. Returns false if it has another number of them.
bool operand_types(const FuncExpr *call, Oid *left, Oid *right)
{
    Oid *types;
    int count;
    get_func_signature(call->funcid, &types, &count);
    const bool two = count == 2 && list_length(call->args) == 2;
    if (two) {
        *left = types[0];
        *right = types[1];
    }
    pfree(types);
    return two;
}

// Returns an operand of a comparison of numbers as PostgreSQL's operator takes it. All types of numbers are built in, so
// another type is that of distances.
Node *as_integer(Node *operand, Oid *type)
{
    if (*type < FirstNormalObjectId)
        return operand;
    *type = INT4OID;
    return as_built_in_type(operand, INT4OID);
}

// A comparison by PostgreSQL's operator.
struct BuiltInComparison {
    Node *left, *right;
    Oid op;
};

// Reads a call of a comparison function as a comparison of integers, which distances are. Returns false if it is none.
bool as_built_in(const FuncExpr *call, const char *op, BuiltInComparison *out)
{
    Oid left, right;
    if (!operand_types(call, &left, &right))
        return false;
    out->left = as_integer(static_cast<Node *>(linitial(call->args)), &left);
    out->right = as_integer(static_cast<Node *>(lsecond(call->args)), &right);
    out->op = find_operator(PG_CATALOG_NAMESPACE, op, left, right);
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
    // An operator of the user's own may compare a bigint with something else.
    const bool bigints = call.left_type == INT8OID && call.right_type == INT8OID;
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

// Whether the number that the distance in one table has to be is from another table.
bool joins_number(PlannerInfo *root, const DistanceCall &call, Node *number)
{
    if (root == nullptr)
        return false;
    const Bitmapset *others = relations_of(root, number);
    const Bitmapset *tables = bms_union(relations_of(root, call.left), relations_of(root, call.right));
    return bms_membership(tables) == BMS_SINGLETON && !bms_is_empty(others) && !bms_overlap(tables, others);
}

// Returns the comparison in the forms that an index or a partition key on the distance, or a join by hashing or merging,
// can use.
List *usable_comparisons(PlannerInfo *root, const ThresholdComparison &comparison)
{
    const StoredDistance stored = find_stored_distance(root, comparison.schema, comparison.call);
    const bool joins =
        comparison.rewrite == Rewrite::at && joins_number(root, comparison.call, comparison.threshold);
    List *usable = NIL;
    if (stored.indexed || stored.partitioned_by_integer || joins)
        usable = lappend(usable, call_built_in(comparison.built_in));
    if (stored.partitioned_by_distance)
        usable = lappend(usable, domain_comparison(comparison));
    return usable;
}

// Adds to a condition the usable forms of the comparison that it replaces. Returns null if the condition is null.
Node *with_comparisons(PlannerInfo *root, Node *condition, const ThresholdComparison &comparison)
{
    if (condition == nullptr || !repeatable(condition))
        return condition;
    return reinterpret_cast<Node *>(
        make_ands_explicit(list_concat(list_make1(condition), usable_comparisons(root, comparison))));
}

// Only an index or a partition key on the distance itself can serve a negated condition, unless it is negated once more.
Node *negated(PlannerInfo *root, const ThresholdComparison &comparison, Node *limit)
{
    const List *usable = usable_comparisons(root, comparison);
    if (usable != NIL)
        return static_cast<Node *>(linitial(usable));
    Node *within = limit_condition(comparison, limit);
    return within == nullptr ? nullptr
                             : reinterpret_cast<Node *>(makeBoolExpr(NOT_EXPR, list_make1(within), -1));
}

// The test of NOT IN (SELECT ...) can be hashed only if it is a single operator.
bool is_sublink_output(Node *node)
{
    return IsA(node, Param) && reinterpret_cast<Param *>(node)->paramkind == PARAM_SUBLINK;
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
    Oid left, right;
    // After the first time the type is integer.
    if (call->funcresulttype == INT4OID || !operand_types(call, &left, &right))
        return nullptr;
    const Oid op = find_operator(get_func_namespace(call->funcid), "<@>", left, right);
    if (!OidIsValid(op) || get_opcode(op) != call->funcid)
        return nullptr;

    Node *distance = call_operator(op, INT4OID, static_cast<Node *>(linitial(call->args)),
                                   static_cast<Node *>(lsecond(call->args)));
    return reinterpret_cast<Node *>(makeRelabelType(reinterpret_cast<Expr *>(distance), call->funcresulttype,
                                                    -1, InvalidOid, COERCE_IMPLICIT_CAST));
}

// A function f(a, b, limit) that is a condition: the distance is at most the limit, or is just that (`at`), or the similarity
// that min-hash signatures estimate is at least that.
struct LimitFunction {
    Oid type[2]; // of a and b
    bool similarity;
    bool at;
};

// Returns false if it is no such function.
bool read_limit_function(Oid function, LimitFunction *out)
{
    Oid *types;
    int count;
    get_func_signature(function, &types, &count);
    const bool limits = count == 3 && (types[2] == FLOAT8OID || types[2] == INT8OID);
    const char *name = get_func_name(function);
    if (limits)
        *out = {{types[0], types[1]},
                types[2] == FLOAT8OID,
                name != nullptr && std::strcmp(name, kAtFunction) == 0};
    pfree(types);
    return limits;
}

// Returns the radius, a bigint, that a similarity means for bit strings of this length: a call that the planner evaluates if
// it can, or null if the radius is not known. It computes it by similarity_estimate, as the condition computes the
// similarity, so both agree for every threshold.
Node *similarity_limit_radius(PlannerInfo *root, Oid schema, Node *limit, int bits)
{
    const Oid types[] = {FLOAT8OID, INT4OID};
    const Oid function = find_function(schema, "minhash_radius", types, lengthof(types));

    if (!OidIsValid(function) || bits <= 0)
        return nullptr;
    Node *radius =
        call_function(function, INT4OID, list_make2(copyObjectImpl(limit), integer_constant(bits)));
    return eval_const_expressions(root, cast_implicitly(radius, INT8OID));
}

// Returns a condition f(a, b, limit) as a <@| ball(b, radius), for an index on either of the first two arguments: a
// list of that condition, which is only necessary if the distance has to be just the limit, or NIL. An index's key has a
// declared length, which is that of the query, or else the search raises an error.
List *index_condition(SupportRequestIndexCondition *request)
{
    LimitFunction function;
    if (!is_funcclause(request->node) || request->indexarg > 1 ||
        !read_limit_function(request->funcid, &function))
        return NIL;
    const List *arguments = reinterpret_cast<FuncExpr *>(request->node)->args;
    if (list_length(arguments) != 3)
        return NIL;
    auto *key = static_cast<Node *>(list_nth(arguments, request->indexarg));
    auto *query = static_cast<Node *>(list_nth(arguments, 1 - request->indexarg));
    auto *limit = static_cast<Node *>(lthird(arguments));
    if (!constant_for_index(request->root, query, request->index) ||
        !constant_for_index(request->root, limit, request->index))
        return NIL;
    // A search raises an error for a query of another length, which a condition that may not raise one must not reach.
    if (function.type[0] == BITOID && get_func_leakproof(request->funcid) &&
        !equally_long({key, query, function.type[0], function.type[1]}))
        return NIL;
    const Oid schema = get_func_namespace(request->funcid);
    Node *radius = !function.similarity ? limit
                                        : similarity_limit_radius(request->root, schema, limit,
                                                                  declared_bits(strip_relabels(key)));
    if (radius == nullptr)
        return NIL;
    Node *condition = ball_condition(request, {schema, key, query, function.type[request->indexarg],
                                               function.type[1 - request->indexarg], radius});
    if (condition == nullptr)
        return NIL;
    request->lossy = function.at;
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
    if (IsA(condition, BooleanTest))
        return has_estimated_comparison(
            root, schema, reinterpret_cast<Node *>(reinterpret_cast<BooleanTest *>(condition)->arg), terms);
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
    if (root == nullptr || root->simple_rel_array == nullptr || relation <= 0 ||
        relation >= root->simple_rel_array_size || root->simple_rel_array[relation] == nullptr)
        return false;
    const RelOptInfo *rel = root->simple_rel_array[relation];
    for (const List *conditions : {rel->baserestrictinfo, rel->joininfo}) {
        ListCell *cell;
        foreach (cell, conditions) {
            if (has_estimated_comparison(
                    root, schema, reinterpret_cast<Node *>(static_cast<RestrictInfo *>(lfirst(cell))->clause),
                    terms))
                return true;
        }
    }
    return false;
}

// Returns the radius of a similarity for the estimate of selectivity. A null limit matches nothing.
int estimate_similarity_radius(PlannerInfo *root, Node *limit, int bits)
{
    constexpr double kUnknownSimilarity = 0.8;
    Node *node = estimate_expression_value(root, limit);
    const Const *constant = reinterpret_cast<const Const *>(node);

    if (bits <= 0)
        return kEmptyRadius;
    if (!IsA(node, Const) || constant->consttype != FLOAT8OID)
        return similarity_radius(kUnknownSimilarity, bits);
    return constant->constisnull ? kEmptyRadius
                                 : similarity_radius(DatumGetFloat8(constant->constvalue), bits);
}

Node *estimate_condition(SupportRequestSelectivity *request)
{
    LimitFunction function;
    if (list_length(request->args) != 3 || !read_limit_function(request->funcid, &function))
        return nullptr;
    auto *left = static_cast<Node *>(linitial(request->args));
    auto *right = static_cast<Node *>(lsecond(request->args));
    auto *limit = static_cast<Node *>(lthird(request->args));
    const int bits = estimate_bits(function.type[0], left, right);
    int radius = function.similarity ? estimate_similarity_radius(request->root, limit, bits)
                                     : estimate_radius(request->root, limit, bits + 1);
    if (radius > bits) // no distance is just that
        radius = function.at ? kEmptyRadius : bits;
    const DistanceTerms terms = {left, right, function.type[0], bits, radius, request->funcid, function.at};
    const bool beside = request->is_join
                            ? function.at && repeatable(limit) &&
                                  joins_number(request->root, {left, right, InvalidOid, InvalidOid}, limit)
                            : !function.similarity && estimated_beside(request, terms, function.type[1]);
    if (beside)
        request->selectivity = 1;
    else if (request->is_join)
        request->selectivity = estimate_within_join(request->root, terms, request->sjinfo);
    else
        request->selectivity = estimate_within(request->root, terms, request->varRelid);
    return reinterpret_cast<Node *>(request);
}

// Sets the cost of comparing two values. For fingerprints an exclusive or, a population count and a comparison cost
// about as much as one operator; for bit strings the cost grows with the length.
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

Node *simplify(const SupportRequestSimplify *request)
{
    const Oid function = request->fcall->funcid;
    const bool compares = find_comparison(&Comparison::function, get_func_name(function)) != nullptr;
    const GroupedDistances distances = find_grouped_distances(request->root, function);
    // Where an expression is, is not known: those of WHERE are rewritten if there are none elsewhere.
    if (compares ? distances.compared : distances.grouped)
        return nullptr;
    return compares ? simplify_comparison(request->root, request->fcall) : simplify_distance(request->fcall);
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
        PG_RETURN_POINTER(index_condition(reinterpret_cast<SupportRequestIndexCondition *>(request)));
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
