// All differences between PostgreSQL 13 and 19.
#pragma once

#include "pg/server/postgres.hpp"

extern "C" {
#include "access/amapi.h"
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relscan.h"
#include "access/stratnum.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "access/xlog.h"
#include "access/xloginsert.h"
#include "catalog/catalog.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "commands/explain.h"
#include "commands/vacuum.h"
#include "common/md5.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "nodes/extensible.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/appendinfo.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "pgstat.h"
#include "postmaster/autovacuum.h"
#include "storage/buf_internals.h"
#include "storage/buffile.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "storage/sharedfileset.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/rel.h"
#include "utils/selfuncs.h"
#include "utils/sortsupport.h"
#include "utils/syscache.h"
#include "utils/tuplesort.h"
#if PG_VERSION_NUM >= 140000
#include "utils/wait_event.h"
#endif
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#endif
#if PG_VERSION_NUM >= 160000
#include "nodes/miscnodes.h"
#include "varatt.h"
#else
// Since 16 fmgr.h declares it.
__attribute__((visibility("default"))) void _PG_init(void);
#endif
}

// Reports invalid input from a type's input function. The error is soft, and the function returns, if the
// caller asked for that (16 and later: pg_input_is_valid, COPY ON_ERROR).
#if PG_VERSION_NUM >= 160000
#define SIMHASH_INPUT_ERROR(fcinfo, ...) ereturn((fcinfo)->context, (Datum)0, __VA_ARGS__)
#else
#define SIMHASH_INPUT_ERROR(fcinfo, ...) ereport(ERROR, __VA_ARGS__)
#endif

namespace simhash
{

// Compares by-value datums as unsigned integers. Since 15 PostgreSQL has specialised sorts for its own
// function.
inline int compare_unsigned_datums(Datum x, Datum y, [[maybe_unused]] SortSupport ssup)
{
    return x < y ? -1 : x > y;
}

#if PG_VERSION_NUM >= 150000
inline constexpr auto unsigned_datum_comparator = ssup_datum_unsigned_cmp;
#else
inline constexpr auto unsigned_datum_comparator = compare_unsigned_datums;
#endif

#if PG_VERSION_NUM >= 140000
// Whether a shared buffer has the maximum usage count.
inline bool is_often_used(Buffer buffer)
{
    BufferDesc *descriptor = GetBufferDescriptor(buffer - 1);
#if PG_VERSION_NUM >= 190000
    const auto state = pg_atomic_read_u64(&descriptor->state);
#else
    const auto state = pg_atomic_read_u32(&descriptor->state);
#endif
    return BUF_STATE_GET_USAGECOUNT(state) == BM_MAX_USAGE_COUNT;
}
#endif

// Reads a block that was last found in buffer `recent`, which may be invalid. If the block is still there,
// this saves the lookup. A buffer below the maximum usage count is looked up nevertheless, because the lookup
// increments the count; so buffer replacement works as usual.
inline Buffer read_recent_buffer(Relation relation, BlockNumber block, [[maybe_unused]] Buffer recent)
{
#if PG_VERSION_NUM >= 140000
    // Before 14.5 ReadRecentBuffer takes a buffer of a temporary table for a shared one.
    if (BufferIsValid(recent) && (BufferIsLocal(recent) ? PG_VERSION_NUM >= 150000 : is_often_used(recent))) {
#if PG_VERSION_NUM >= 160000
        bool found = ReadRecentBuffer(relation->rd_locator, MAIN_FORKNUM, block, recent);
#else
        bool found = ReadRecentBuffer(relation->rd_node, MAIN_FORKNUM, block, recent);
#endif
        if (found) {
            pgstat_count_buffer_read(relation);
            pgstat_count_buffer_hit(relation);
#if PG_VERSION_NUM < 150000
            pgBufferUsage.shared_blks_hit++;
#endif
            return recent;
        }
    }
#endif
    return ReadBuffer(relation, block);
}

// Locks a buffer. Since 19 the mode is an enumeration, which does not convert from int in C++.
inline void lock_buffer(Buffer buffer, int mode)
{
#if PG_VERSION_NUM >= 190000
    LockBuffer(buffer, static_cast<BufferLockMode>(mode));
#else
    LockBuffer(buffer, mode);
#endif
}

// Appends zeroed pages to the main fork and returns them pinned but not locked. `alone` skips the extension
// lock: no other process may extend the relation then. Otherwise pages may be apart, since 16.
void extend_relation_by(Relation relation, bool alone, int count, Buffer *buffers);

// Since 19 scans take flags.
inline IndexFetchTableData *begin_index_fetch(Relation heap)
{
#if PG_VERSION_NUM >= 190000
    return table_index_fetch_begin(heap, SO_NONE);
#else
    return table_index_fetch_begin(heap);
#endif
}

inline TableScanDesc begin_parallel_scan(Relation heap, ParallelTableScanDesc scan)
{
#if PG_VERSION_NUM >= 190000
    return table_beginscan_parallel(heap, scan, SO_NONE);
#else
    return table_beginscan_parallel(heap, scan);
#endif
}

// Returns the number of parallel workers for an index build. Since 17 PostgreSQL asks the planner about access
// methods that support parallel builds; before, only about btrees. An empty table gets no workers; that
// covers all cases in which it would not ask.
inline int planned_build_workers([[maybe_unused]] Relation heap, [[maybe_unused]] Relation index,
                                 [[maybe_unused]] IndexInfo *info)
{
#if PG_VERSION_NUM >= 170000
    return info->ii_ParallelWorkers;
#else
    if (!IsNormalProcessingMode() || RelationGetNumberOfBlocks(heap) == 0)
        return 0;
    return plan_create_index_workers(RelationGetRelid(heap), RelationGetRelid(index));
#endif
}

// What an insert is told about the table: null before 14, which could not say which rows are dead (find_dead_rows).
struct InsertedInto {
    Relation heap;
    bool unchanged; // the row is a new version of one with the same indexed values
};

// An aminsert that calls insert.
template <bool (*insert)(Relation index, Datum *values, bool *isnull, ItemPointer tid,
                         const InsertedInto &into, IndexInfo *info)>
#if PG_VERSION_NUM >= 140000
bool insert_callback(Relation index, Datum *values, bool *isnull, ItemPointer tid, Relation heap,
                     IndexUniqueCheck, bool unchanged, IndexInfo *info)
{
    return insert(index, values, isnull, tid, {heap, unchanged}, info);
}
#else
bool insert_callback(Relation index, Datum *values, bool *isnull, ItemPointer tid, Relation, IndexUniqueCheck,
                     IndexInfo *info)
{
    return insert(index, values, isnull, tid, {nullptr, false}, info);
}
#endif

// A row of which an index has an entry.
struct OldRow {
    ItemPointerData tid;
    bool promising; // other entries are equal: it may be an old version
    bool dead;      // set by find_dead_rows
};

// Asks the table which of the rows are dead to every snapshot. It reads a few blocks, those with the most promising
// rows first, until the dead ones free `wanted` bytes, at `bytes` for an entry. Returns the last transaction that removed
// one of them, for log_conflict. Before 14 none is found.
TransactionId find_dead_rows(Relation heap, Relation index, BlockNumber block, OldRow *row, int rows,
                             int bytes, int wanted);

// Logs that rows have been removed which snapshots on a standby may still see. Replay waits for these snapshots or cancels
// them, and changes no page: it is the record with which a btree announces that it reuses a page.
void log_conflict(Relation heap, Relation index, BlockNumber block, TransactionId horizon);

// Whether inserts may write generic WAL's records themselves. The format is the same from 9.6 to 19.
#if PG_VERSION_NUM < 200000
inline constexpr bool kKnownGenericWal = true;
#else
inline constexpr bool kKnownGenericWal = false;
#endif

inline void set_can_build_parallel([[maybe_unused]] IndexAmRoutine *routine)
{
#if PG_VERSION_NUM >= 170000
    routine->amcanbuildparallel = true;
#endif
}

// Temporary files that the processes of a parallel operation share. One process creates a file and exports it
// when it is complete. Then all processes may open it.
inline BufFile *create_shared_file(SharedFileSet *files, const char *name)
{
#if PG_VERSION_NUM >= 150000
    return BufFileCreateFileSet(&files->fs, name);
#else
    return BufFileCreateShared(files, name);
#endif
}

inline void export_shared_file(BufFile *file)
{
#if PG_VERSION_NUM >= 150000
    BufFileExportFileSet(file);
#else
    BufFileExportShared(file);
#endif
}

inline BufFile *open_shared_file(SharedFileSet *files, const char *name)
{
#if PG_VERSION_NUM >= 150000
    return BufFileOpenFileSet(&files->fs, name, O_RDONLY, false);
#elif PG_VERSION_NUM >= 140000
    return BufFileOpenShared(files, name, O_RDONLY);
#else
    return BufFileOpenShared(files, name);
#endif
}

// Whether `expr` is constant during a scan of the index: it is not volatile and has no Vars of the index's
// table.
inline bool constant_for_index([[maybe_unused]] PlannerInfo *root, Node *expr, IndexOptInfo *index)
{
#if PG_VERSION_NUM >= 140000
    return is_pseudo_constant_for_index(root, expr, index);
#else
    return is_pseudo_constant_for_index(expr, index);
#endif
}

// Returns the expected number of elements of an array.
inline double array_length_estimate([[maybe_unused]] PlannerInfo *root, Node *array)
{
#if PG_VERSION_NUM >= 170000
    return estimate_array_length(root, array);
#else
    return estimate_array_length(array);
#endif
}

// Counts a scan for the statistics views, and since 18 for EXPLAIN (ANALYZE).
inline void count_index_search(IndexScanDesc scan)
{
    pgstat_count_index_scan(scan->indexRelation);
#if PG_VERSION_NUM >= 180000
    if (scan->instrument != nullptr)
        scan->instrument->nsearches++;
#endif
}

// Makes unknown settings with this prefix errors (since 15) or warnings.
inline void reserve_setting_prefix(const char *prefix)
{
#if PG_VERSION_NUM >= 150000
    MarkGUCPrefixReserved(prefix);
#else
    EmitWarningsOnPlaceholders(prefix);
#endif
}

inline AclResult schema_usage(Oid schema, Oid role)
{
#if PG_VERSION_NUM >= 160000
    return object_aclcheck(NamespaceRelationId, schema, role, ACL_USAGE);
#else
    return pg_namespace_aclcheck(schema, role, ACL_USAGE);
#endif
}

inline bool owns_relation(Oid relation, Oid role)
{
#if PG_VERSION_NUM >= 160000
    return object_ownercheck(RelationRelationId, relation, role);
#else
    return pg_class_ownercheck(relation, role);
#endif
}

// With old_snapshot_threshold, which 17 removed, VACUUM may remove rows that an old snapshot can still see. Whoever
// reads a page for the rows of a snapshot calls this under the page's lock: it fails if the page has changed since
// then. Without a snapshot it does nothing.
inline void test_old_snapshot([[maybe_unused]] Snapshot snapshot, [[maybe_unused]] Relation relation,
                              [[maybe_unused]] Page page)
{
#if PG_VERSION_NUM < 170000
    TestForOldSnapshot(snapshot, relation, page);
#endif
}

// Removes the caller's search_path, for code that runs with another user's privileges. It is undone at the
// end of the GUC nest level.
inline void restrict_search_path()
{
#if PG_VERSION_NUM >= 170000
    RestrictSearchPath();
#else
    set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true,
                      0, false);
#endif
}

// Handles interrupts and may sleep for vacuum_cost_delay.
inline void delay_vacuum()
{
#if PG_VERSION_NUM >= 180000
    vacuum_delay_point(false);
#else
    vacuum_delay_point();
#endif
}

// The memory for VACUUM in kilobytes.
inline int vacuum_work_mem()
{
#if PG_VERSION_NUM >= 170000
    bool automatic = AmAutoVacuumWorkerProcess();
#else
    bool automatic = IsAutoVacuumWorkerProcess();
#endif
    return automatic && autovacuum_work_mem != -1 ? autovacuum_work_mem : maintenance_work_mem;
}

// Returns the tables whose columns an expression uses.
inline Relids relations_of([[maybe_unused]] PlannerInfo *root, Node *expr)
{
#if PG_VERSION_NUM >= 140000
    return pull_varnos(root, expr);
#else
    return pull_varnos(expr);
#endif
}

// Calls walker(node, context) for the parts of an expression until it returns true. Returns whether it did.
inline bool walk_expression(Node *node, bool (*walker)(Node *, void *), void *context)
{
#if PG_VERSION_NUM >= 160000
    return expression_tree_walker_impl(node, walker, context);
#else
    return expression_tree_walker(node, reinterpret_cast<bool (*)()>(reinterpret_cast<void (*)()>(walker)),
                                  context);
#endif
}

// Returns a clause on a table, or a list of RestrictInfos, as it is on a partition or child of it.
inline Node *child_expression(PlannerInfo *root, Expr *clause, RelOptInfo *child, RelOptInfo *parent)
{
    auto *node = reinterpret_cast<Node *>(clause);
#if PG_VERSION_NUM >= 160000
    return adjust_appendrel_attrs_multilevel(root, node, child, parent);
#else
    return adjust_appendrel_attrs_multilevel(root, node, child->relids, parent->relids);
#endif
}

// Completes the path of a custom scan that can project and tests these conditions. Since 17 PostgreSQL finds conditions
// without columns among them; before 15 every custom scan can project.
inline void set_custom_path([[maybe_unused]] CustomPath *path, [[maybe_unused]] List *conditions)
{
#if PG_VERSION_NUM >= 150000
    path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
#endif
#if PG_VERSION_NUM >= 170000
    path->custom_restrictinfo = conditions;
#endif
}

// Since 18 a path counts the nodes below it that settings disable, instead of adding to its cost.
inline void add_disabled_nodes([[maybe_unused]] const Path *from, [[maybe_unused]] Path *to)
{
#if PG_VERSION_NUM >= 180000
    to->disabled_nodes += from->disabled_nodes;
#endif
}

// Since 16 a column knows the outer joins that may make it null.
inline void make_nullable_as([[maybe_unused]] Var *var, [[maybe_unused]] const Var *other)
{
#if PG_VERSION_NUM >= 160000
    var->varnullingrels = other->varnullingrels;
#endif
}

// Such a path is not taken, even if settings disable all others.
inline void disable_path([[maybe_unused]] Path *path)
{
#if PG_VERSION_NUM >= 180000
    path->disabled_nodes = 2;
#endif
}

inline RestrictInfo *make_condition([[maybe_unused]] PlannerInfo *root, Expr *clause)
{
#if PG_VERSION_NUM >= 140000
    return make_simple_restrictinfo(root, clause);
#else
    return make_simple_restrictinfo(clause);
#endif
}

// Whether a function estimates the costs of an index. The types of the pointers differ.
template <typename Estimate> bool has_cost_estimate(const IndexOptInfo *index, Estimate *estimate)
{
    return reinterpret_cast<void (*)()>(index->amcostestimate) == reinterpret_cast<void (*)()>(estimate);
}

// Whether it is a column that stands for that of any of the tables that UPDATE or DELETE changes. Since 14 there are such.
inline bool is_row_identity([[maybe_unused]] const Node *node)
{
#if PG_VERSION_NUM >= 140000
    return IsA(node, Var) && reinterpret_cast<const Var *>(node)->varno == ROWID_VAR;
#else
    return false;
#endif
}

// Whether a sort key is descending.
inline bool is_descending(const PathKey *key)
{
#if PG_VERSION_NUM >= 180000
    return key->pk_cmptype == COMPARE_GT;
#else
    return key->pk_strategy == BTGreaterStrategyNumber;
#endif
}

// Whether the planner looks for indexes that are ordered by the first of several sort keys. Since 17 it does.
inline constexpr bool kFindsLeadingOrders = PG_VERSION_NUM >= 170000;

// Returns the members of an equivalence class that use the columns of the given relations alone.
List *class_members(EquivalenceClass *members, Relids relids);

// PostgreSQL 14 renamed DEFAULT_ROLE_STAT_SCAN_TABLES.
#if PG_VERSION_NUM >= 140000
inline constexpr Oid kStatScanRole = ROLE_PG_STAT_SCAN_TABLES;
#else
inline constexpr Oid kStatScanRole = DEFAULT_ROLE_STAT_SCAN_TABLES;
#endif

// What unicode_normalize reads and returns.
#if PG_VERSION_NUM >= 190000
using UnicodeCharacter = char32_t;
#else
using UnicodeCharacter = pg_wchar;
#endif

// Converts text to UTF-8 up to the first character that cannot be. Returns how many bytes were converted; the result is
// terminated by 0. Requires: size > length * MAX_CONVERSION_GROWTH.
int convert_up_to_error(Oid conversion, int encoding, const char *from, int length, char *to, int size);

// Computes the 16 bytes of an MD5 hash. Returns false if OpenSSL forbids MD5, as in FIPS mode.
inline bool md5_bytes(const void *bytes, std::size_t length, unsigned char out[16],
                      [[maybe_unused]] const char **error)
{
#if PG_VERSION_NUM >= 150000
    return pg_md5_binary(bytes, length, out, error);
#else
    return pg_md5_binary(bytes, length, out);
#endif
}

// Sets the next value of a sort; returns false at the end. The value is valid until the next call, and since before 16 it
// is a copy, as long as the current memory context.
inline bool next_sorted(Tuplesortstate *sort, Datum *value)
{
    bool null;
#if PG_VERSION_NUM >= 160000
    return tuplesort_getdatum(sort, true, false, value, &null, nullptr);
#else
    return tuplesort_getdatum(sort, true, value, &null, nullptr);
#endif
}

} // namespace simhash
