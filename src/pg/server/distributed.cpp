#include "pg/server/distributed.hpp"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

namespace simhash
{

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
