#include "pg/server/sibling.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_language.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

namespace simhash
{

Oid find_operator(Oid schema, const char *name, Oid left, Oid right)
{
    return GetSysCacheOid4(OPERNAMENSP, Anum_pg_operator_oid, CStringGetDatum(name), ObjectIdGetDatum(left),
                           ObjectIdGetDatum(right), ObjectIdGetDatum(schema));
}

Oid find_type(Oid schema, const char *name)
{
    return GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum(name), ObjectIdGetDatum(schema));
}

Oid find_function(Oid schema, const char *name, const Oid *arguments, int count)
{
    oidvector *types = buildoidvector(arguments, count);
    HeapTuple tuple = SearchSysCache3(PROCNAMEARGSNSP, CStringGetDatum(name), PointerGetDatum(types),
                                      ObjectIdGetDatum(schema));
    pfree(types);
    if (!HeapTupleIsValid(tuple))
        return InvalidOid;
    const FormData_pg_proc *form = reinterpret_cast<Form_pg_proc>(GETSTRUCT(tuple));
    const Oid function = form->prolang == ClanguageId ? form->oid : InvalidOid;
    ReleaseSysCache(tuple);
    return function;
}

Oid operator_schema(Oid op)
{
    const Oid function = get_opcode(op);
    return OidIsValid(function) ? get_func_namespace(function) : InvalidOid;
}

bool match_distance_call(Oid schema, Node *node, DistanceCall *call)
{
    node = strip_relabels(node);
    if (!is_opclause(node))
        return false;

    const OpExpr *expr = reinterpret_cast<OpExpr *>(node);
    HeapTuple tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(expr->opno));
    if (!HeapTupleIsValid(tuple))
        return false;
    const FormData_pg_operator *form = reinterpret_cast<Form_pg_operator>(GETSTRUCT(tuple));
    const bool matches = form->oprnamespace == schema && std::strcmp(NameStr(form->oprname), "<@>") == 0 &&
                         list_length(expr->args) == 2;
    if (matches)
        *call = DistanceCall{static_cast<Node *>(linitial(expr->args)),
                             static_cast<Node *>(lsecond(expr->args)), form->oprleft, form->oprright};
    ReleaseSysCache(tuple);
    return matches;
}

Oid find_ball(Oid schema, Oid center)
{
    const Oid arguments[] = {center, INT8OID, FLOAT8OID, INT4OID};
    const int count = center == find_type(schema, "simhash_weights") ? 4 : 2;

    return find_function(schema, center == BITOID ? "signature_ball" : "simhash_ball", arguments, count);
}

Node *strip_relabels(Node *node)
{
    while (node != nullptr && IsA(node, RelabelType))
        node = reinterpret_cast<Node *>(reinterpret_cast<RelabelType *>(node)->arg);
    return node;
}

} // namespace simhash
