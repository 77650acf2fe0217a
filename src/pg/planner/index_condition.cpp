#include "pg/planner/index_condition.hpp"

#include "pg/planner/expression.hpp"
#include "pg/server/compat.hpp"
#include "pg/server/sibling.hpp"
#include "pg/types/ball.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
}

namespace simhash
{

bool match_limit_call(const SupportRequestIndexCondition *request, LimitCall *out)
{
    if (!is_funcclause(request->node) || request->indexarg > 1)
        return false;
    out->call = reinterpret_cast<FuncExpr *>(request->node);
    if (list_length(out->call->args) != 3)
        return false;
    out->key = static_cast<Node *>(list_nth(out->call->args, request->indexarg));
    out->query = static_cast<Node *>(list_nth(out->call->args, 1 - request->indexarg));
    out->limit = static_cast<Node *>(lthird(out->call->args));
    return constant_for_index(request->root, out->query, request->index) &&
           constant_for_index(request->root, out->limit, request->index);
}

Node *ball_condition(const SupportRequestIndexCondition *request, const NearKey &near)
{
    const Oid ball = find_ball(near.schema, near.query_type);
    if (!OidIsValid(ball))
        return nullptr;
    const Oid ball_type = get_func_rettype(ball);
    const Oid op = find_operator(near.schema, "<@|", near.key_type, ball_type);
    if (!OidIsValid(op) || !op_in_opfamily(op, request->opfamily))
        return nullptr;

    List *arguments = list_make2(copyObjectImpl(near.query), copyObjectImpl(near.radius));
    if (get_func_nargs(ball) > list_length(arguments)) {
        // Weights tell an exact search where to begin.
        arguments = lappend(arguments, makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8),
                                                 Float8GetDatum(kExactRecall), false, FLOAT8PASSBYVAL));
        arguments = lappend(arguments,
                            makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(0), false, true));
    }
    Node *operand = eval_const_expressions(request->root, call_function(ball, ball_type, arguments));
    return call_operator(op, BOOLOID, near.key, operand);
}

} // namespace simhash
