#include "pg/planner/expression.hpp"

#include "pg/server/sibling.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "utils/lsyscache.h"
}

namespace simhash
{

Node *call_function(Oid function, Oid result, List *arguments, CoercionForm form)
{
    return reinterpret_cast<Node *>(makeFuncExpr(function, result, arguments, InvalidOid, InvalidOid, form));
}

Node *call_operator(Oid op, Oid result, Node *left, Node *right)
{
    Expr *expr = make_opclause(op, result, false, reinterpret_cast<Expr *>(left),
                               reinterpret_cast<Expr *>(right), InvalidOid, InvalidOid);

    set_opfuncid(reinterpret_cast<OpExpr *>(expr));
    return reinterpret_cast<Node *>(expr);
}

Node *as_built_in_type(Node *node, Oid base)
{
    node = strip_relabels(node);
    if (exprType(node) == base)
        return node;
    if (IsA(node, Const)) {
        Const *constant = static_cast<Const *>(copyObjectImpl(node));
        constant->consttype = base;
        return reinterpret_cast<Node *>(constant);
    }
    return reinterpret_cast<Node *>(
        makeRelabelType(reinterpret_cast<Expr *>(node), base, -1, InvalidOid, COERCE_IMPLICIT_CAST));
}

Node *cast_implicitly(Node *node, Oid type)
{
    const Oid from = exprType(node);
    Oid function;

    if (from == type)
        return node;
    if (find_coercion_pathway(type, from, COERCION_IMPLICIT, &function) != COERCION_PATH_FUNC)
        return nullptr;
    return call_function(function, type, list_make1(node), COERCE_IMPLICIT_CAST);
}

int declared_bits(Node *node)
{
    int32 length = exprTypmod(node);
    return getBaseTypeAndTypmod(exprType(node), &length) == BITOID ? length : -1;
}

bool repeatable(Node *node)
{
    return !contain_volatile_functions(node) && !expression_returns_set(node) && !contain_subplans(node);
}

bool is_sublink_output(Node *node)
{
    return IsA(node, Param) && reinterpret_cast<Param *>(node)->paramkind == PARAM_SUBLINK;
}

} // namespace simhash
