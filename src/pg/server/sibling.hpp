// The extension's own objects, as its planner code finds them: in the schema of the function or operator that
// the planner asks about, whatever the search_path. Look-ups go to the server's catalogue caches every time,
// so they follow ALTER EXTENSION SET SCHEMA and DROP EXTENSION.
#pragma once

#include "pg/server/postgres.hpp"

extern "C" {
#include "nodes/primnodes.h"
}

namespace simhash
{

// Each returns InvalidOid if there is none.
Oid find_operator(Oid schema, const char *name, Oid left, Oid right);
Oid find_type(Oid schema, const char *name);
Oid find_function(Oid schema, const char *name, const Oid *arguments, int count);

// The schema of an operator, InvalidOid if it does not exist.
Oid operator_schema(Oid op);

// The types that a distance is measured between, and what is built on such a pair.
struct DistanceCall {
    Node *left, *right;
    Oid left_type, right_type; // as the operator declares them
};

// Is the expression, looked at through RelabelTypes, a call of the operator <@> in this schema?
bool match_distance_call(Oid schema, Node *node, DistanceCall *call);

// The function name(left, right, bigint) of the schema, InvalidOid if there is none.
Oid find_condition(Oid schema, const char *name, Oid left, Oid right);

// The function simhash_ball(center, bigint) of the schema, InvalidOid if there is none.
Oid find_ball(Oid schema, Oid center);

// The expression without the RelabelTypes around it.
Node *strip_relabels(Node *node);

} // namespace simhash
