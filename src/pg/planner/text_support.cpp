// The support function of text ~= text and text <@| text_ball. Both ignore collations, but PostgreSQL uses an index only for
// a condition of the index's own collation. So the condition is given that.
#include "pg/server/compat.hpp"

extern "C" {
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "utils/lsyscache.h"
}

namespace simhash
{

namespace
{

List *same_collation(const SupportRequestIndexCondition *request)
{
    if (!is_opclause(request->node) || request->indexarg > 1)
        return NIL;
    const auto *clause = reinterpret_cast<OpExpr *>(request->node);
    if (list_length(clause->args) != 2)
        return NIL;
    auto *key = static_cast<Node *>(list_nth(clause->args, request->indexarg));
    auto *query = static_cast<Node *>(list_nth(clause->args, 1 - request->indexarg));
    const Oid op = request->indexarg == 0 ? clause->opno : get_commutator(clause->opno);
    if (!OidIsValid(op) || !op_in_opfamily(op, request->opfamily) ||
        !constant_for_index(request->root, query, request->index))
        return NIL;
    return list_make1(make_opclause(op, BOOLOID, false, reinterpret_cast<Expr *>(key),
                                    reinterpret_cast<Expr *>(query), InvalidOid,
                                    request->index->indexcollations[request->indexcol]));
}

} // namespace

SIMHASH_FUNCTION(simhash_internal_text_support)
{
    auto *request = reinterpret_cast<SupportRequestIndexCondition *>(PG_GETARG_POINTER(0));
    if (!IsA(request, SupportRequestIndexCondition))
        PG_RETURN_POINTER(nullptr);
    List *conditions = same_collation(request);
    request->lossy = false;
    PG_RETURN_POINTER(conditions);
}

} // namespace simhash
