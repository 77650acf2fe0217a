#include "am/index/open_index.hpp"

#include "am/index/kind.hpp"
#include "am/index/options.hpp"

#include "pg/server/tables.hpp"

extern "C" {
#include "access/relation.h"
#include "access/xlog.h"
#include "catalog/index.h"
#include "catalog/partition.h"
#include "catalog/pg_inherits.h"
#include "commands/defrem.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
}

#include <algorithm>

namespace simhash
{

void check_inspection_rights(Oid index, Oid table)
{
    if (!owns_relation(table, GetUserId()) && !has_privs_of_role(GetUserId(), kStatScanRole))
        aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_INDEX, get_rel_name(index));
}

namespace
{

[[noreturn]] void report_dropped(const char *name)
{
    ereport(ERROR, errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("index \"%s\" was concurrently dropped", name),
            errhint("If REINDEX CONCURRENTLY has replaced it, try again."));
    pg_unreachable();
}

// Raises an error unless the relation is a simhash index, of a kind that the caller can read.
void check_kind(Relation index, const IndexKind *readable)
{
    if (index->rd_indam == nullptr || index->rd_indam->amoptions != parse_index_options)
        ereport(ERROR, errcode(ERRCODE_WRONG_OBJECT_TYPE),
                errmsg("\"%s\" is not a simhash index", RelationGetRelationName(index)),
                errdetail("It is an index of access method \"%s\".", get_am_name(index->rd_rel->relam)));
    if (readable != nullptr && readable != &kind_of(index))
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                errmsg("index \"%s\" is on %s", RelationGetRelationName(index), kind_of(index).values),
                errdetail("This function reads indexes on %s.", readable->typed));
}

// Raises an error if the index's contents cannot be read now.
void check_state(Relation index)
{
    if (RELATION_IS_OTHER_TEMP(index))
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                errmsg("cannot access temporary indexes of other sessions"));
    if (index->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT && RecoveryInProgress())
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                errmsg("cannot access temporary or unlogged relations during recovery"));
    if (!index->rd_index->indisvalid)
        ereport(
            ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
            errmsg("index \"%s\" is not valid", RelationGetRelationName(index)),
            errhint("REINDEX it, or wait until it has been built. If REINDEX CONCURRENTLY has just replaced "
                    "it, try again."));
}

// Raises an error if the table's rows are elsewhere: its indexes hold none.
void check_rows_are_here(const char *index, Oid table)
{
    if (get_rel_relkind(table) == RELKIND_FOREIGN_TABLE)
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                errmsg("cannot read partitioned index \"%s\" of a table with foreign partitions", index),
                errdetail("Partition \"%s\" is a foreign table, whose rows are on another server.",
                          get_rel_name(table)),
                errhint("Call the function on the index of each other partition, and on that server."));
    if (is_distributed(table))
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                errmsg("cannot read index \"%s\" of a distributed table", index),
                errdetail("Citus keeps the rows of table \"%s\" in shards, which have indexes of their own.",
                          get_rel_name(table)),
                errhint("Call the function on the index of each shard, with run_command_on_shards()."));
}

struct TableIndex {
    Oid table, index;

    bool operator<(const TableIndex &other) const { return table < other.table; }
};

// Locks a partitioned index and those below it. Returns them, ordered by table, and their number.
TableIndex *lock_indexes(Oid index, LOCKMODE lock, int *count)
{
    List *all = find_all_inheritors(index, lock, nullptr);
    auto *found = allocate<TableIndex>(list_length(all));
    *count = 0;
    ListCell *cell;
    foreach (cell, all)
        found[(*count)++] = {IndexGetRelation(lfirst_oid(cell), true), lfirst_oid(cell)};
    list_free(all);
    std::sort(found, found + *count);
    return found;
}

// Opens the leaf partitions' indexes. As PostgreSQL does for queries, it checks no privileges on partitions.
void open_leaves(IndexSet *set, LOCKMODE lock)
{
    const char *name = get_rel_name(set->named);
    List *tables = find_all_inheritors(set->table, lock, nullptr);
    list_sort(tables, list_oid_cmp);
    int count;
    const TableIndex *indexes = lock_indexes(set->named, lock, &count);
    set->index = static_cast<Relation *>(palloc(sizeof(Relation) * static_cast<Size>(list_length(tables))));
    ListCell *cell;
    foreach (cell, tables) {
        Oid table = lfirst_oid(cell);
        check_rows_are_here(name, table);
        if (get_rel_relkind(table) == RELKIND_PARTITIONED_TABLE)
            continue;
        const TableIndex *found = std::lower_bound(indexes, indexes + count, TableIndex{table, InvalidOid});
        if (found == indexes + count || found->table != table)
            ereport(
                ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("partition \"%s\" has no index that belongs to \"%s\"", get_rel_name(table), name),
                errhint("Create an index on the partition and attach it with ALTER INDEX ATTACH PARTITION."));
        Relation index = relation_open(found->index, NoLock);
        check_state(index);
        set->index[set->count++] = index;
    }
}

} // namespace

IndexSet open_indexes(Oid oid, LOCKMODE lock, void (*check_rights)(Oid index, Oid table),
                      const IndexKind *readable)
{
    // Privileges are checked before locks are taken: a user without them must not make others wait. As
    // everywhere, a table is locked before its index.
    char kind = get_rel_relkind(oid);
    const char *name = get_rel_name(oid);
    bool is_index = kind == RELKIND_INDEX || kind == RELKIND_PARTITIONED_INDEX;
    IndexSet set = {oid, is_index ? IndexGetRelation(oid, true) : InvalidOid, 0, nullptr};
    if (name != nullptr && !is_index)
        ereport(ERROR, errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("\"%s\" is not a simhash index", name),
                errhint("Give the name of a simhash index instead of that of its table."));
    if (OidIsValid(set.table)) {
        check_rights(oid, set.table);
        LockRelationOid(set.table, lock);
    }
    Relation index = try_relation_open(oid, lock);
    if (index == nullptr && name != nullptr)
        report_dropped(name);
    if (index == nullptr)
        ereport(ERROR, errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("index with OID %u does not exist", oid),
                OidIsValid(oid)
                    ? errhint("If a view or function names the index, REINDEX CONCURRENTLY has replaced "
                              "it. Create it again, with 'schema.name'::text::regclass.")
                    : 0);
    check_kind(index, readable);
    check_rights(oid, index->rd_index->indrelid); // again, because the OID may belong to another index by now
    if (index->rd_index->indrelid != set.table)
        report_dropped(RelationGetRelationName(index));
    if (index->rd_rel->relkind == RELKIND_PARTITIONED_INDEX) {
        relation_close(index, NoLock);
        open_leaves(&set, lock);
        return set;
    }
    check_rows_are_here(RelationGetRelationName(index), set.table);
    check_state(index);
    set.index = static_cast<Relation *>(palloc(sizeof(Relation)));
    set.index[set.count++] = index;
    return set;
}

void close_indexes(const IndexSet &set)
{
    for (int i = 0; i < set.count; i++)
        relation_close(set.index[i], NoLock);
}

Oid whole_index(Oid index)
{
    const List *ancestors = get_rel_relispartition(index) ? get_partition_ancestors(index) : NIL;
    return ancestors == NIL ? InvalidOid : llast_oid(ancestors);
}

} // namespace simhash
