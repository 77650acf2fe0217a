// simhash_index_check(…, true): checks that the index has exactly the entries of its table's rows.
//
// Every row that a fresh snapshot sees must have its entries. An entry whose tid leads to such a row must
// belong to it: the fingerprint must be equal, and in a partial index the row must satisfy the predicate. An
// entry that leads to no visible row is one that VACUUM has yet to remove. A tuple's place is not reused
// before that, so in an intact index no entry of an old row leads to a new row.
//
// Rows and entries are compared by sums of their hashes. If these differ, so do the sums of some buckets. Only the rows of
// these are fetched: their entries and the rows must have the same sums. If they do not, rows lack entries.
#include "am/index/heap_tid.hpp"
#include "am/index/kind.hpp"
#include "am/inspect/buckets.hpp"

extern "C" {
#include "access/tableam.h"
#include "catalog/index.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
}

namespace simhash
{

namespace
{

[[noreturn]] void report_missing(const Check &check, std::uint64_t tid, const char *place)
{
    ItemPointerData pointer = pointer_of(Tid::unpack(tid));
    ereport(ERROR, errcode(ERRCODE_INDEX_CORRUPTED),
            errmsg("index \"%s\" lacks an entry for a row", RelationGetRelationName(check.index)),
            errdetail("The row at (%u,%u) is missing from %s.", ItemPointerGetBlockNumber(&pointer),
                      ItemPointerGetOffsetNumber(&pointer), place),
            errhint("Please REINDEX it."));
    pg_unreachable();
}

RowFetch begin_fetch(Relation heap, Relation index, IndexInfo *info, Snapshot snapshot)
{
    RowFetch rows = {};
    rows.index = index;
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

constexpr int kStore = -1;

// What has an entry for each row, or one for each NULL: a tree, or the signature store.
struct Holder {
    int tree; // or kStore
    bool null;
    uint64 sum;
};

template <typename Visit> void visit_holder(const Check &check, const Holder &holder, Visit visit)
{
    if (holder.tree != kStore) {
        visit_entries(check, holder.tree, [&](BlockNumber block, const LeafEntry &entry) {
            visit(block, check.index.meta->word(holder.tree, entry.key.word[0]), entry.tid);
        });
        return;
    }
    check.index.meta->kind->check->visit_store(
        check,
        [](BlockNumber block, std::uint64_t word, std::uint64_t tid, void *context) {
            (*static_cast<Visit *>(context))(block, word, tid);
        },
        &visit);
}

// Raises an error if the holder lacks a row's entry or, if nobody writes, has it twice.
void require_entry(const Check &check, const Holder &holder, std::uint64_t word, std::uint64_t tid)
{
    if (holder.tree != kStore) {
        if (!has_entry(check, holder.tree, {{check.index.meta->key(holder.tree, word), 0}}, tid))
            report_missing(check, tid, holder.tree);
        return;
    }
    int64 found = 0;
    BlockNumber last = kNoBlock;
    visit_holder(check, holder, [&](BlockNumber block, std::uint64_t other, std::uint64_t of) {
        if (of == tid && other == word) {
            found++;
            last = block;
        }
    });
    if (found == 0)
        report_missing(check, tid, "the signature store");
    if (found > 1 && check.still)
        report_corruption(check.index, last, "Two rows of the signature store have the same tid.");
}

// The rows of the table.
struct HeapRows {
    Check *check;
    Relation heap;
    IndexInfo *info;
    Snapshot snapshot;
    MemoryContext context; // for values that have to be detoasted
    void (*visit)(HeapRows *rows, bool null, std::uint64_t word, std::uint64_t tid);
    uint64 sum[2]; // [0] of those with a value, [1] of those without
    SumBuckets buckets[2];
    // Of the search for a row without an entry:
    const Holder *holder;
    const SumBuckets *lacking;
};

void visit_row(Relation index, ItemPointer pointer, Datum *values, bool *isnull, bool, void *context)
{
    auto *rows = static_cast<HeapRows *>(context);
    MemoryContext caller = MemoryContextSwitchTo(rows->context);
    const StoredValue stored = stored_value(index, values, isnull);
    std::uint64_t word =
        stored.null ? 0 : rows->check->index.meta->kind->check->word(*rows->check, stored.value);
    rows->visit(rows, stored.null, word, tid_of(pointer).packed());
    MemoryContextSwitchTo(caller);
    MemoryContextReset(rows->context);
}

void visit_rows(HeapRows *rows,
                void (*visit)(HeapRows *rows, bool null, std::uint64_t word, std::uint64_t tid))
{
    rows->visit = visit;
    TableScanDesc scan = table_beginscan_strat(rows->heap, rows->snapshot, 0, nullptr, true, true);
    table_index_build_scan(rows->heap, rows->check->index, rows->info, true, false, visit_row, rows, scan);
}

void sum_row(HeapRows *rows, bool null, std::uint64_t word, std::uint64_t tid)
{
    uint64 hash = entry_hash(*rows->check, word, tid);
    rows->sum[null] += hash;
    rows->buckets[null].sum[rows->buckets[null].at(tid)] += hash;
    rows->check->heap_rows++;
}

void require_row(HeapRows *rows, bool null, std::uint64_t word, std::uint64_t tid)
{
    if (null == rows->holder->null && rows->lacking->differs[rows->lacking->at(tid)])
        require_entry(*rows->check, *rows->holder, word, tid);
}

// Whether the snapshot sees the row of an entry. Raises an error if it is not the entry's row.
bool sees_row(const HeapRows &rows, RowFetch *fetch, const Holder &holder, BlockNumber block,
              std::uint64_t word, std::uint64_t tid)
{
    const Check &check = *rows.check;
    const char *fault = nullptr;
    Datum value = 0;
    bool isnull;
    if (!fetch_value(fetch, Tid::unpack(tid), &value, &isnull, &fault))
        return false;
    MemoryContext caller = MemoryContextSwitchTo(rows.context);
    if (fault == nullptr &&
        (isnull != holder.null || (!isnull && check.index.meta->kind->check->word(check, value) != word)))
        fault = holder.tree == kStore ? "A signature differs from that of its row."
                                      : "An entry's fingerprint differs from that of its row.";
    MemoryContextSwitchTo(caller);
    MemoryContextReset(rows.context);
    if (fault != nullptr)
        report_corruption(check.index, block, fault);
    return true;
}

// The snapshot is older than the pages that are read here. If a standby replays the reuse of a tuple's place during
// the check, the new row is not visible to it.
void compare_holder(HeapRows *rows, RowFetch *fetch, const Holder &holder)
{
    const Check &check = *rows->check;
    SumBuckets part = rows->buckets[holder.null]; // shared: where the entries differ from the rows
    SumBuckets left = make_buckets(part.bits);
    std::memcpy(left.sum, part.sum, part.count() * sizeof(uint64));
    visit_holder(check, holder, [&](BlockNumber, std::uint64_t word, std::uint64_t tid) {
        left.sum[left.at(tid)] -= entry_hash(check, word, tid);
    });
    for (Size i = 0; i < part.count(); i++) {
        part.differs[i] = left.sum[i] != 0;
        left.sum[i] = part.differs[i] ? part.sum[i] : 0;
    }
    visit_holder(check, holder, [&](BlockNumber block, std::uint64_t word, std::uint64_t tid) {
        if (part.differs[part.at(tid)] && sees_row(*rows, fetch, holder, block, word, tid))
            left.sum[left.at(tid)] -= entry_hash(check, word, tid);
    });
    left.mark();
    if (left.any()) {
        rows->holder = &holder;
        rows->lacking = &left;
        visit_rows(rows, require_row);
        if (check.still)
            report_corruption(check.index, kMetaBlock, "An entry is there twice.");
    }
    free_buckets(left);
}

// What holds the same entries as another that was compared need not be compared.
void compare_holders(HeapRows *rows, RowFetch *fetch)
{
    const Check &check = *rows->check;
    const CheckKind &kind = *check.index.meta->kind->check;
    uint64 sound[2] = {rows->sum[0], rows->sum[1]};
    for (int tree = kind.visit_store != nullptr ? kStore : 0; tree < check.index.meta->all_trees(); tree++) {
        bool null = tree == check.index.meta->null_tree();
        if (kind.visit_store != nullptr && tree != kStore && !null)
            continue;
        Holder holder = {tree, null, tree == kStore ? kind.stored_sum(check) : check.sum[tree]};
        if (holder.sum == sound[null])
            continue;
        compare_holder(rows, fetch, holder);
        sound[null] = holder.sum;
    }
}

} // namespace

void report_missing(const Check &check, std::uint64_t tid, int tree)
{
    report_missing(check, tid,
                   tree == check.index.meta->null_tree()
                       ? "the tree of NULLs"
                       : psprintf("tree %d of %d", tree + 1, check.index.meta->trees));
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
    const StoredValue stored = stored_value(rows->index, values, nulls);
    *value = stored.value;
    *isnull = stored.null;
    return true;
}

// The index's expressions run as the owner of the table.
void check_heap(Check *check)
{
    Relation heap = check->heap;
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
    const CheckKind &kind = *check->index.meta->kind->check;
    HeapRows rows = {};
    rows.check = check;
    rows.heap = heap;
    rows.info = info;
    rows.snapshot = snapshot;
    rows.context = AllocSetContextCreate(CurrentMemoryContext, "simhash check row", ALLOCSET_DEFAULT_SIZES);
    rows.buckets[0] =
        make_buckets(bucket_bits(kind.visit_store != nullptr ? check->stored : check->entries[0]));
    rows.buckets[1] = make_buckets(bucket_bits(check->entries[check->index.meta->null_tree()]));
    visit_rows(&rows, sum_row);

    RowFetch fetch = begin_fetch(heap, check->index.relation, info, snapshot);
    compare_holders(&rows, &fetch);
    if (kind.check_stored != nullptr)
        kind.check_stored(check, &fetch);
    end_fetch(&fetch);
    UnregisterSnapshot(snapshot);

    AtEOXact_GUC(false, settings);
    SetUserIdAndSecContext(user, security);
}

} // namespace simhash
