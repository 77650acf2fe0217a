// The conditions by which an index finds the values near a query.
#pragma once

#include "pg/server/postgres.hpp"

extern "C" {
#include "nodes/supportnodes.h"
}

namespace simhash
{

// The values of the index's key that are within a radius of the query.
struct NearKey {
    Oid schema; // of our operators and functions
    Node *key, *query;
    Oid key_type, query_type;
    Node *radius; // a bigint
};

// A condition f(a, b, limit), one of whose first two arguments is the index's key.
struct LimitCall {
    const FuncExpr *call;
    Node *key, *query, *limit;
};

// Matches the condition that the planner asks about. Returns false if it is another one, or if the query or the
// limit is not constant during a scan of the index.
bool match_limit_call(const SupportRequestIndexCondition *request, LimitCall *out);

// Returns the condition key <@| ball(query, radius) for the index that the planner asks about. Returns null if
// the index does not have that operator.
Node *ball_condition(const SupportRequestIndexCondition *request, const NearKey &near);

} // namespace simhash
