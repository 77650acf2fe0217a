// Expression trees: makes calls and casts, and asks what the planner may do with an expression.
#pragma once

#include "pg/server/postgres.hpp"

extern "C" {
#include "nodes/primnodes.h"
}

namespace simhash
{

Node *call_function(Oid function, Oid result, List *arguments, CoercionForm form = COERCE_EXPLICIT_CALL);
Node *call_operator(Oid op, Oid result, Node *left, Node *right);

// Returns a value of a type of ours, or of the type of PostgreSQL that it stands for, as the latter.
Node *as_built_in_type(Node *node, Oid base);

// Returns the value as `type`, or null if there is no function that casts it implicitly.
Node *cast_implicitly(Node *node, Oid type);

// Returns the length in the type of an expression, bit(n) or a domain over it, or -1.
int declared_bits(Node *node);

// Whether the expression may be evaluated twice. A sub-select would be planned and executed twice.
bool repeatable(Node *node);

// The test of NOT IN (SELECT ...) can be hashed only if it is a single operator.
bool is_sublink_output(Node *node);

} // namespace simhash
