#include "pg/server/table_column.hpp"

extern "C" {
#include "access/relation.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

namespace simhash
{

Relation open_relation(Oid oid, LOCKMODE lock)
{
    Relation relation = try_relation_open(oid, lock);
    if (relation == nullptr)
        ereport(ERROR, errcode(ERRCODE_UNDEFINED_TABLE), errmsg("relation with OID %u does not exist", oid));
    return relation;
}

void check_column(Relation table, const char *column, Oid type)
{
    AttrNumber number = get_attnum(RelationGetRelid(table), column);
    if (number == InvalidAttrNumber)
        ereport(ERROR, errcode(ERRCODE_UNDEFINED_COLUMN),
                errmsg("column \"%s\" of \"%s\" does not exist", column, RelationGetRelationName(table)));
    if (getBaseType(get_atttype(RelationGetRelid(table), number)) != type)
        ereport(ERROR, errcode(ERRCODE_DATATYPE_MISMATCH),
                errmsg("column \"%s\" of \"%s\" is not of type %s", column, RelationGetRelationName(table),
                       format_type_be(type)));
}

} // namespace simhash
