#include "am/index/kind.hpp"

#include "am/index/strategy.hpp"

#include "pg/server/sibling.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_am.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
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

bool is_type(const IndexedType &indexed, Oid schema, Oid type)
{
    return indexed.name == nullptr ? indexed.type == type : find_type(schema, indexed.name) == type;
}

struct Indexed {
    const IndexKind *kind; // null if the type is not searched
    const IndexedType *type;
};

// The columns before the searched one.
constexpr ClassOperator kEqualities[] = {{kEqual, "=", nullptr, nullptr}};
constexpr ClassOperator kIntegerEqualities[] = {{kEqual, "=", nullptr, nullptr},
                                                {kEqualSmallint, "=", "int2", nullptr},
                                                {kEqualBigint, "=", "int8", nullptr}};
constexpr ClassOperator kSmallintEqualities[] = {{kEqual, "=", nullptr, nullptr},
                                                 {kEqualInteger, "=", "int4", nullptr},
                                                 {kEqualBigint, "=", "int8", nullptr}};
constexpr IndexedType kEqualityTypes[] = {
    {nullptr, INT2OID, kSmallintEqualities, nullptr}, {nullptr, INT4OID, kIntegerEqualities, nullptr},
    {nullptr, TEXTOID, kEqualities, nullptr},         {nullptr, BPCHAROID, kEqualities, nullptr},
    {nullptr, NAMEOID, kEqualities, nullptr},         {nullptr, UUIDOID, kEqualities, nullptr},
    {nullptr, DATEOID, kEqualities, nullptr},         {nullptr, BOOLOID, kEqualities, nullptr},
    {nullptr, OIDOID, kEqualities, nullptr}};

const IndexedType *find_equality(Oid type)
{
    for (const IndexedType &equality : kEqualityTypes)
        if (equality.type == type)
            return &equality;
    return nullptr;
}

Oid extraction(const IndexedType &indexed, Oid schema, Oid type)
{
    return indexed.extract == nullptr ? InvalidOid : find_function(schema, indexed.extract, &type, 1);
}

// What is searched. Of several ways to index a type it is that of the operator family, or the first.
Indexed find_indexed(Oid schema, Oid family, Oid type)
{
    Indexed first = {};
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < known[i]->type_count; j++) {
            const IndexedType &indexed = known[i]->types[j];
            if (!is_type(indexed, schema, type))
                continue;
            if (first.kind == nullptr)
                first = {known[i], &indexed};
            else if (OidIsValid(family) &&
                     get_opfamily_proc(family, type, type, kExtractProc) == extraction(indexed, schema, type))
                return {known[i], &indexed};
        }
    }
    return first;
}

// Returns the type of an operand: PostgreSQL's of this name, or the extension's. In this order, since others may create
// types in the extension's schema: each table is the name of one.
Oid operand_type(Oid schema, const char *name, Oid type)
{
    if (name == nullptr)
        return type;
    const Oid built_in = find_type(PG_CATALOG_NAMESPACE, name);
    return OidIsValid(built_in) ? built_in : find_type(schema, name);
}

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
        for (int j = 0; j < known[i]->type_count; j++) {
            const IndexedType &indexed = known[i]->types[j];
            if (indexed.extract != nullptr)
                continue;
            if (indexed.name != nullptr)
                other = known[i];
            else if (indexed.type == type)
                return *known[i];
        }
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

bool has_distance(Oid index, int column)
{
    Oid family, type;
    return get_opclass_opfamily_and_input_type(get_index_column_opclass(index, column), &family, &type) &&
           OidIsValid(get_opfamily_member(family, type, type, kDistanceOrder));
}

bool is_equality_type(Oid type) { return find_equality(type) != nullptr; }

const IndexKind *kind_on(Oid handler, Oid type)
{
    return find_indexed(get_func_namespace(handler), InvalidOid, type).kind;
}

Oid class_extraction(Oid handler, Oid family, Oid type)
{
    const Oid schema = get_func_namespace(handler);
    const Indexed indexed = find_indexed(schema, family, type);
    return indexed.kind == nullptr ? InvalidOid : extraction(*indexed.type, schema, type);
}

Oid class_storage(Oid handler, Oid type)
{
    const Oid schema = get_func_namespace(handler);
    return operand_type(schema, find_indexed(schema, InvalidOid, type).kind->stored, type);
}

Oid class_operator(Oid handler, Oid family, Oid type, bool searched, int strategy)
{
    Assert(strategy >= 1 && strategy <= kStrategies);
    const Oid schema = get_func_namespace(handler);
    const IndexedType *indexed = searched ? nullptr : find_equality(type);
    if (indexed == nullptr)
        indexed = find_indexed(schema, family, type).type;
    if (indexed == nullptr)
        return InvalidOid;
    for (const ClassOperator &op : indexed->operators)
        if (op.strategy == strategy)
            return find_operator(is_equality(strategy) ? PG_CATALOG_NAMESPACE : schema, op.name,
                                 operand_type(schema, op.left, type), operand_type(schema, op.right, type));
    return InvalidOid;
}

bool indexes_texts(Relation index)
{
    const auto has = [&](Strategy strategy) {
        return OidIsValid(class_function(index, value_column(index), strategy));
    };
    return has(kNearText) || has(kInTitleBall) || has(kTextBallsMeet);
}

} // namespace simhash
