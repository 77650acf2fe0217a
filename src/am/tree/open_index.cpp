// Opens an index for the SQL functions that take one.
#include "am/tree/index.hpp"

extern "C" {
#include "access/relation.h"
#include "access/xlog.h"
#include "catalog/index.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
}

namespace simhash
{

void check_inspection_rights(Oid index, Oid heap)
{
    if (!owns_relation(heap, GetUserId()) && !has_privs_of_role(GetUserId(), kStatScanRole))
        aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_INDEX, get_rel_name(index));
}

namespace
{

[[noreturn]] void report_dropped(const char *name)
{
    ereport(ERROR, errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("index \"%s\" was concurrently dropped", name));
    pg_unreachable();
}

} // namespace

Relation open_index(Oid oid, LOCKMODE lock, void (*check_rights)(Oid index, Oid heap), bool wide)
{
    // Privileges are checked before locks are taken: a user without them must not make others wait. As
    // everywhere, the heap is locked before the index.
    char kind = get_rel_relkind(oid);
    const char *name = get_rel_name(oid);
    Oid heap = kind == RELKIND_INDEX ? IndexGetRelation(oid, true) : InvalidOid;
    if (OidIsValid(heap)) {
        check_rights(oid, heap);
        LockRelationOid(heap, lock);
    } else {
        lock = AccessShareLock; // only for the error message
    }
    Relation index = try_relation_open(oid, lock);
    if (index == nullptr && name != nullptr)
        report_dropped(name);
    if (index == nullptr)
        ereport(ERROR, errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("index with OID %u does not exist", oid));
    if (index->rd_rel->relkind != RELKIND_INDEX || index->rd_indam->amoptions != parse_index_options)
        ereport(ERROR, errcode(ERRCODE_WRONG_OBJECT_TYPE),
                errmsg("\"%s\" is not a simhash index", RelationGetRelationName(index)),
                index->rd_rel->relkind == RELKIND_PARTITIONED_INDEX
                    ? errhint("The index is partitioned. Give the index of a partition.")
                    : 0);
    if (is_wide_index(index) && !wide)
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                errmsg("index \"%s\" is on signatures", RelationGetRelationName(index)),
                errdetail("This function reads indexes on fingerprints, of type simhash."));
    check_rights(oid, index->rd_index->indrelid); // again, because the OID may belong to another index by now
    if (index->rd_index->indrelid != heap)
        report_dropped(RelationGetRelationName(index));
    if (RELATION_IS_OTHER_TEMP(index))
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                errmsg("cannot access temporary indexes of other sessions"));
    if (index->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT && RecoveryInProgress())
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                errmsg("cannot access temporary or unlogged relations during recovery"));
    if (!index->rd_index->indisvalid)
        ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("index \"%s\" is not valid", RelationGetRelationName(index)));
    return index;
}

} // namespace simhash
