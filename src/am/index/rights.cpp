#include "am/index/rights.hpp"

#include "am/index/stored_value.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/sysattr.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_index.h"
#include "miscadmin.h"
#include "nodes/bitmapset.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/syscache.h"
}

namespace simhash
{

namespace
{

void add_columns(HeapTuple tuple, AttrNumber attribute, Bitmapset **columns)
{
    bool null;
    Datum value = SysCacheGetAttr(INDEXRELID, tuple, attribute, &null);
    if (null)
        return;
    char *string = TextDatumGetCString(value);
    pull_varattnos(static_cast<Node *>(stringToNode(string)), 1, columns);
    pfree(string);
}

// Returns the columns whose contents the index reveals, numbered as by pull_varattnos.
Bitmapset *index_columns(Oid index)
{
    HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
    if (!HeapTupleIsValid(tuple))
        ereport(ERROR, errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("index %u does not exist", index));
    auto *form = reinterpret_cast<Form_pg_index>(GETSTRUCT(tuple));
    Bitmapset *columns = nullptr;
    for (int i = 0; i < form->indnatts; i++) {
        if (form->indkey.values[i] != 0)
            columns = bms_add_member(columns, form->indkey.values[i] - FirstLowInvalidHeapAttributeNumber);
    }
    add_columns(tuple, Anum_pg_index_indexprs, &columns);
    add_columns(tuple, Anum_pg_index_indpred, &columns);
    ReleaseSysCache(tuple);
    return columns;
}

// Checks the same privileges as PostgreSQL: USAGE on the schema, which is needed to name the table, and SELECT
// on the table or on each of the columns.
void check_columns(Oid heap, const Bitmapset *columns)
{
    Oid schema = get_rel_namespace(heap);
    AclResult named = schema_usage(schema, GetUserId());
    if (named != ACLCHECK_OK)
        aclcheck_error(named, OBJECT_SCHEMA, get_namespace_name(schema));
    if (pg_class_aclcheck(heap, GetUserId(), ACL_SELECT) == ACLCHECK_OK)
        return;
    bool permitted = !bms_is_empty(columns);
    for (int member = -1; (member = bms_next_member(columns, member)) >= 0;) {
        auto column = static_cast<AttrNumber>(member + FirstLowInvalidHeapAttributeNumber);
        AclResult result = column == InvalidAttrNumber // the row as a whole
                               ? pg_attribute_aclcheck_all(heap, GetUserId(), ACL_SELECT, ACLMASK_ALL)
                               : pg_attribute_aclcheck(heap, column, GetUserId(), ACL_SELECT);
        permitted = permitted && result == ACLCHECK_OK;
    }
    if (!permitted)
        aclcheck_error(ACLCHECK_NO_PRIV, get_relkind_objtype(get_rel_relkind(heap)), get_rel_name(heap));
}

} // namespace

bool may_read_any(Oid table)
{
    const Oid user = GetUserId();
    return owns_relation(table, user) || has_privs_of_role(user, kStatScanRole) ||
           pg_class_aclcheck(table, user, ACL_SELECT) == ACLCHECK_OK ||
           pg_attribute_aclcheck_all(table, user, ACL_SELECT, ACLMASK_ANY) == ACLCHECK_OK;
}

void check_ownership(Oid index, Oid heap)
{
    if (!owns_relation(heap, GetUserId()))
        aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_INDEX, get_rel_name(index));
}

void check_reading_rights(Oid index, Oid heap) { check_columns(heap, index_columns(index)); }

void check_tid_reading_rights(Oid index, Oid heap)
{
    Bitmapset *columns = bms_add_member(index_columns(index),
                                        SelfItemPointerAttributeNumber - FirstLowInvalidHeapAttributeNumber);
    // Which partition a row is in, the user must be allowed to read as well.
    if (get_rel_relkind(heap) == RELKIND_PARTITIONED_TABLE)
        columns = bms_add_member(columns, TableOidAttributeNumber - FirstLowInvalidHeapAttributeNumber);
    check_columns(heap, columns);
}

void refuse_row_security(const IndexSet &set)
{
    for (int i = 0; i < set.count; i++)
        if (value_column(set.index[i]) > 0)
            ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("cannot read index \"%s\", which has several columns",
                           RelationGetRelationName(set.index[i])),
                    errdetail("It stores what only a row's values of the other columns reveal."));
    if (check_enable_rls(set.table, InvalidOid, false) == RLS_ENABLED)
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                errmsg("cannot read index \"%s\" past row-level security", get_rel_name(set.named)),
                errdetail("Row-level security on table \"%s\" applies to the current user.",
                          get_rel_name(set.table)));
}

} // namespace simhash
