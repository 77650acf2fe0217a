// The rewriting of a condition f(left, right, limit): expression trees, the comparisons that it replaces, the balls by which
// an index finds the same rows, and what the planner knows of a ball.
#pragma once

#include "core/text/text_features.hpp"
#include "pg/planner/selectivity.hpp"

namespace simhash
{

// -- Expression trees --

Node *call_function(Oid function, Oid result, List *arguments, CoercionForm form = COERCE_EXPLICIT_CALL);
Node *call_operator(Oid op, Oid result, Node *left, Node *right);
Node *integer_constant(int32 value);
Node *bigint_constant(int64 value);

inline bool is_null_constant(Node *node)
{
    return IsA(node, Const) && reinterpret_cast<Const *>(node)->constisnull;
}

// Returns a value of a type of ours, or of the type of PostgreSQL that it stands for, as the latter.
Node *as_built_in_type(Node *node, Oid base);

// Returns a fingerprint, which may be a bigint, as `type`, which is simhash. Changes a constant.
Node *as_fingerprint(Node *value, Oid type);

// Returns the value as `type`, or null if there is no function that casts it implicitly.
Node *cast_implicitly(Node *node, Oid type);

// Returns the length in the type of an expression, bit(n) or a domain over it, or -1.
int declared_bits(Node *node);

// The same; of a constant, its own length.
int known_bits(Node *node);

// Whether the expression may be evaluated twice. A sub-select would be planned and executed twice.
bool repeatable(Node *node);

// -- Comparisons between a hamming_distance and integers, each of which hamming_within or hamming_at can express --

enum class Rewrite {
    within,           // distance <= r
    within_below,     // distance < r
    not_within,       // distance > r
    not_within_below, // distance >= r
    at,               // distance = r
};

struct Comparison {
    const char *function;
    const char *op;
    Rewrite distance_first; // distance op r
    Rewrite distance_last;  // r op distance
};

inline constexpr Comparison kComparisons[] = {
    {"simhash_internal_eq", "=", Rewrite::at, Rewrite::at},
    {"simhash_internal_lt", "<", Rewrite::within_below, Rewrite::not_within},
    {"simhash_internal_le", "<=", Rewrite::within, Rewrite::not_within_below},
    {"simhash_internal_gt", ">", Rewrite::not_within, Rewrite::within_below},
    {"simhash_internal_ge", ">=", Rewrite::not_within_below, Rewrite::within},
};

// Returns the comparison whose function or operator has the name, or null.
const Comparison *find_comparison(const char *Comparison::*of, const char *name);

// -- Conditions by which an index finds the values near a query --

// The values of the index's key that are within a radius of the query.
struct NearKey {
    Oid schema; // of our operators and functions
    Node *key, *query;
    Oid key_type, query_type;
    Node *radius; // a bigint
};

// Returns the condition key <@| ball(query, radius) for the index that the planner asks about. Returns null if
// the index does not have that operator.
Node *ball_condition(const SupportRequestIndexCondition *request, const NearKey &near);

// -- What the planner knows of the ball that an index is searched for --

struct PlannedBall {
    int radius;    // -1 to the number of bits
    bool exact;    // otherwise the index may miss rows
    double recall; // with which it finds them
};

// Reads a ball of values of this many bits: a constant, or a call of a function that makes it. What is not known is
// assumed. A null argument stands for any element of an array. `type` is one of the extension's types of balls, which the
// operator requires: a constant of another type is not read.
PlannedBall planned_ball(Node *argument, Oid type, int bits);
struct PlannedTextBall {
    int radius; // -1 to 64
    TextUnit unit;
    bool known; // otherwise the ball is assumed to be that of ~=
};
// Reads a ball of texts, whose type is `type`: a constant, or a call of text_ball with constants.
PlannedTextBall planned_text_ball(Node *argument, Oid type);

} // namespace simhash
