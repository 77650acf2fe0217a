#include "am/index/kind.hpp"

#include "am/index/strategy.hpp"

#include "pg/server/sibling.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_am.h"
#include "catalog/pg_namespace.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

namespace simhash
{

namespace
{

constexpr int kMostKinds = 2;

const IndexKind *known[kMostKinds];
int count;

} // namespace

void define_kind(const IndexKind *kind)
{
    Assert(count < kMostKinds);
    known[count++] = kind;
}

const IndexKind &kind_for(Oid type)
{
    const IndexKind *other = nullptr;
    for (int i = 0; i < count; i++) {
        if (known[i]->type == type)
            return *known[i];
        if (known[i]->type == InvalidOid)
            other = known[i];
    }
    Assert(other != nullptr);
    return *other;
}

Oid access_method_handler(Oid method)
{
    HeapTuple tuple = SearchSysCache1(AMOID, ObjectIdGetDatum(method));
    if (!HeapTupleIsValid(tuple))
        elog(ERROR, "cache lookup failed for access method %u", method);
    const Oid handler = reinterpret_cast<Form_pg_am>(GETSTRUCT(tuple))->amhandler;
    ReleaseSysCache(tuple);
    return handler;
}

bool is_indexed_type(Oid handler, Oid type)
{
    const IndexKind &kind = kind_for(type);
    return kind.type == type || find_type(get_func_namespace(handler), kind.type_name) == type;
}

Oid class_operator(Oid handler, Oid type, int strategy)
{
    Assert(strategy >= 1 && strategy <= kStrategies);
    const ClassOperator &op = kind_for(type).operators[strategy];
    if (op.name == nullptr || !is_indexed_type(handler, type))
        return InvalidOid;
    const Oid schema = get_func_namespace(handler);
    const Oid right = op.right == nullptr ? type : find_type(schema, op.right);
    return find_operator(strategy == kEqual ? PG_CATALOG_NAMESPACE : schema, op.name, type, right);
}

} // namespace simhash
