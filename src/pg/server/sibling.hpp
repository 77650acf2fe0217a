// Finds the extension's own objects for its planner code: in the schema of the function or operator that the
// planner asks about, whatever the search_path is. Each lookup uses the server's catalog caches, so it sees
// the effects of DROP EXTENSION.
#pragma once

#include "pg/server/postgres.hpp"

extern "C" {
#include "nodes/primnodes.h"
}

namespace simhash
{

// Each returns InvalidOid if the object does not exist.
Oid find_operator(Oid schema, const char *name, Oid left, Oid right);
Oid find_type(Oid schema, const char *name);

// A function in C, which only a superuser can create: anybody who may create objects in the schema could add one of that
// name for types for which the extension has none, and the planner would have whoever runs a query call it.
Oid find_function(Oid schema, const char *name, const Oid *arguments, int count);

// Returns the schema of an operator's function, or InvalidOid if the operator does not exist. Comparison operators
// are themselves in pg_catalog.
Oid operator_schema(Oid op);

// A distance expression: its arguments and their types.
struct DistanceCall {
    Node *left, *right;
    Oid left_type, right_type; // as the operator declares them
};

// Whether `node`, without RelabelTypes, is a call of the operator <@> in `schema`. Fills `call` if so.
bool match_distance_call(Oid schema, Node *node, DistanceCall *call);

// Returns the function in `schema` that makes the ball of an exact search: signature_ball(bit, bigint) if the center
// is a bit string, simhash_ball(center, bigint, float8, integer) if it is weights, otherwise simhash_ball(center,
// bigint).
// Returns InvalidOid if it does not exist.
Oid find_ball(Oid schema, Oid center);

// Returns the expression without the RelabelTypes around it.
Node *strip_relabels(Node *node);

} // namespace simhash
