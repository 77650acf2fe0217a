// simhash_index_check(…, true): checks that the index has exactly the entries of its table's rows.
//
// Every row that a fresh snapshot sees must have its entries. An entry whose tid leads to such a row must
// belong to it: the fingerprint must be equal, and in a partial index the row must satisfy the predicate. An
// entry that leads to no visible row is one that VACUUM has yet to remove. A tuple's place is not reused
// before that, so in an intact index no entry of an old row leads to a new row.
#include "am/index/heap_tid.hpp"
#include "am/index/kind.hpp"
#include "am/inspect/check.hpp"

extern "C" {
#include "access/tableam.h"
#include "catalog/index.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/snapmgr.h"
}

namespace simhash
{

void report_missing(const Check &check, ItemPointer pointer, const char *place)
{
    ereport(ERROR, errcode(ERRCODE_INDEX_CORRUPTED),
            errmsg("index \"%s\" lacks an entry for a row", RelationGetRelationName(check.index)),
            errdetail("The row at (%u,%u) is missing from %s.", ItemPointerGetBlockNumber(pointer),
                      ItemPointerGetOffsetNumber(pointer), place),
            errhint("Please REINDEX it."));
    pg_unreachable();
}

void require_entries(const Check &check, int first, int end, const LeafKey *key, Tid tid, ItemPointer pointer)
{
    for (int table = first; table < end; table++) {
        CHECK_FOR_INTERRUPTS();
        if (!has_entry(check, table, key[table], tid))
            report_missing(check, pointer, psprintf("table %d of %d", table + 1, check.meta->tables));
    }
}

RowFetch begin_fetch(Relation heap, IndexInfo *info, Snapshot snapshot)
{
    RowFetch rows = {};
    rows.info = info;
    rows.estate = CreateExecutorState();
    rows.slot = table_slot_create(heap, nullptr);
    GetPerTupleExprContext(rows.estate)->ecxt_scantuple = rows.slot;
    rows.predicate = ExecPrepareQual(info->ii_Predicate, rows.estate);
    rows.fetch = begin_index_fetch(heap);
    rows.snapshot = snapshot;
    return rows;
}

void end_fetch(RowFetch *rows)
{
    table_index_fetch_end(rows->fetch);
    ExecDropSingleTupleTableSlot(rows->slot);
    FreeExecutorState(rows->estate);
    // They were allocated in the executor state's memory.
    rows->info->ii_ExpressionsState = NIL;
    rows->info->ii_PredicateState = nullptr;
}

bool fetch_value(RowFetch *rows, Tid tid, Datum *value, bool *isnull, const char **fault)
{
    ItemPointerData pointer = pointer_of(tid);
    bool again = false;
    ExecClearTuple(rows->slot);
    if (!table_index_fetch_tuple(rows->fetch, &pointer, rows->snapshot, rows->slot, &again, nullptr))
        return false;
    ResetPerTupleExprContext(rows->estate);
    Datum values[INDEX_MAX_KEYS];
    bool nulls[INDEX_MAX_KEYS];
    *isnull = true;
    if (!ExecQual(rows->predicate, GetPerTupleExprContext(rows->estate))) {
        *fault = "An entry points to a row that should not be indexed.";
        return true;
    }
    FormIndexDatum(rows->info, rows->slot, rows->estate, values, nulls);
    *value = values[0];
    *isnull = nulls[0];
    return true;
}

namespace
{

// Returns what is wrong with an entry, or null.
const char *check_entry(const CheckKind &kind, RowFetch *rows, bool null, std::uint64_t word, Tid tid)
{
    const char *fault = nullptr;
    Datum value = 0;
    bool isnull;
    if (!fetch_value(rows, tid, &value, &isnull, &fault) || fault != nullptr)
        return fault;
    if (isnull != null || (!null && !kind.same_value(value, word)))
        return "An entry's fingerprint differs from that of its row.";
    return nullptr;
}

// Checks every entry of a table. The snapshot is older than the pages read here. If a standby replays the
// reuse of a tuple's place during the check, the new row is not visible to it.
void check_entries(const Check &check, RowFetch *rows, int table)
{
    for (BlockNumber block = kMetaBlock + 1; block < check.blocks; block++) {
        CHECK_FOR_INTERRUPTS();
        PGAlignedBlock copy;
        copy_page(check, block, &copy);
        const char *page = copy.data;
        if (PageIsNew(copy.data))
            continue;
        const char *fault = check_any_page(*check.meta, page, block);
        bool here = fault == nullptr && is_leaf(page) && page_tail(page)->table == table;
        if (here) {
            visit_leaf(page, [&](int, const LeafEntry &entry) {
                CHECK_FOR_INTERRUPTS();
                if (fault == nullptr)
                    fault = check_entry(*check.meta->kind->check, rows, table == check.meta->null_table(),
                                        check.meta->word(table, entry.key.word[0]), Tid::unpack(entry.tid));
            });
        }
        if (fault != nullptr)
            report_corruption(check.index, block, fault);
    }
}

// If the sums are equal, a table has exactly the entries of the rows. Otherwise its surplus entries are
// checked, but only once if the next table has the same ones.
void check_surplus(const Check &check, const Expected &expected, RowFetch *rows)
{
    int64 entries[2] = {expected.entries[0], expected.entries[1]};
    uint64 sum[2] = {expected.sum[0], expected.sum[1]};
    bool tables = check.meta->kind->check->same_value != nullptr;
    for (int table = tables ? 0 : check.meta->null_table(); table < check.meta->trees(); table++) {
        bool null = table == check.meta->null_table();
        if (check.entries[table] == entries[null] && check.sum[table] == sum[null])
            continue;
        check_entries(check, rows, table);
        entries[null] = check.entries[table];
        sum[null] = check.sum[table];
    }
}

} // namespace

// The index's expressions run as the owner of the table.
void check_heap(Check *check, Relation heap)
{
    Oid user;
    int security;
    GetUserIdAndSecContext(&user, &security);
    SetUserIdAndSecContext(heap->rd_rel->relowner, security | SECURITY_RESTRICTED_OPERATION);
    int settings = NewGUCNestLevel();
    restrict_search_path();

    Snapshot snapshot = RegisterSnapshot(GetLatestSnapshot());
    IndexInfo *info = BuildIndexInfo(check->index);
    info->ii_Concurrent = true; // makes the scan use the snapshot
    info->ii_Unique = false;
    info->ii_ExclusionOps = nullptr;
    info->ii_ExclusionProcs = nullptr;
    info->ii_ExclusionStrats = nullptr;
    Expected expected = check->meta->kind->check->check_rows(check, heap, info, snapshot);

    RowFetch fetch = begin_fetch(heap, info, snapshot);
    check_surplus(*check, expected, &fetch);
    end_fetch(&fetch);
    UnregisterSnapshot(snapshot);

    AtEOXact_GUC(false, settings);
    SetUserIdAndSecContext(user, security);
}

} // namespace simhash
