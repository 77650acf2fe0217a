#include "pg/server/tables.hpp"

extern "C" {
#include "access/genam.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

namespace simhash
{

Relation open_relation(Oid oid, LOCKMODE lock)
{
    if (pg_class_aclcheck(oid, GetUserId(), ACL_SELECT) != ACLCHECK_OK &&
        pg_attribute_aclcheck_all(oid, GetUserId(), ACL_SELECT, ACLMASK_ANY) != ACLCHECK_OK)
        aclcheck_error(ACLCHECK_NO_PRIV, get_relkind_objtype(get_rel_relkind(oid)), get_rel_name(oid));
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

bool is_distributed(Oid table)
{
    // The catalog in which Citus lists these tables.
    Oid catalog = get_relname_relid("pg_dist_partition", PG_CATALOG_NAMESPACE);
    AttrNumber column = OidIsValid(catalog) ? get_attnum(catalog, "logicalrelid") : InvalidAttrNumber;
    if (column == InvalidAttrNumber || get_atttype(catalog, column) != REGCLASSOID)
        return false;
    Relation relation = table_open(catalog, AccessShareLock);
    ScanKeyData key;
    ScanKeyInit(&key, column, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(table));
    SysScanDesc scan = systable_beginscan(relation, InvalidOid, false, nullptr, 1, &key);
    const bool found = HeapTupleIsValid(systable_getnext(scan));
    systable_endscan(scan);
    table_close(relation, AccessShareLock);
    return found;
}

} // namespace simhash
