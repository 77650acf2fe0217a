// simhash_index_check(…, true) of signatures: compares the signature store with the table's rows.
//
// The store has no order, so its rows are read in batches, each of a range of the table's blocks: as many as fit into
// maintenance_work_mem. The rows of the range are looked up among them.
#include "am/signatures/check_signatures.hpp"

#include "am/index/heap_tid.hpp"

extern "C" {
#include "access/heapam.h"
#include "access/tableam.h"
#include "catalog/index.h"
#include "miscadmin.h"
#include "utils/memutils.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

struct StoreRow {
    std::uint64_t tid;
    std::uint64_t position;
    bool found; // the snapshot sees its row, which has this signature

    auto operator<=>(const StoreRow &) const = default;
};

constexpr Size kFewestRows = 16384; // far more than a block of the table has

// The rows of the store whose tids lie in blocks `from` to before `end`.
struct Batch {
    Check *check;
    BlockNumber from, end;
    Size count, capacity;
    StoreRow *row;
    Expected expected;
    MemoryContext row_context; // for values that have to be detoasted
};

// Keeps about half of the rows, those in the first blocks.
void halve(Batch *batch)
{
    std::nth_element(batch->row, batch->row + batch->count / 2, batch->row + batch->count);
    batch->end = static_cast<BlockNumber>(batch->row[batch->count / 2].tid >> 16);
    const BlockNumber end = batch->end;
    StoreRow *last = std::remove_if(batch->row, batch->row + batch->count,
                                    [end](const StoreRow &row) { return row.tid >> 16 >= end; });
    batch->count = static_cast<Size>(last - batch->row);
    if (batch->end == batch->from)
        report_corruption(batch->check->index, kMetaBlock,
                          "Many rows of the signature store have the same tid.");
}

void add_row(Batch *batch, std::uint64_t tid, std::uint64_t position)
{
    if (tid == kNoRow || tid >> 16 < batch->from || tid >> 16 >= batch->end)
        return;
    if (batch->count == batch->capacity)
        halve(batch);
    if (tid >> 16 < batch->end)
        batch->row[batch->count++] = {tid, position, false};
}

// Reads the rows from block `from` on, as many as there is room for, and sets `end`.
void read_batch(Batch *batch)
{
    const Check &check = *batch->check;
    StoreShape shape = meta_of(check).shape();
    batch->count = 0;
    batch->end = InvalidBlockNumber;
    // On a standby there may be new segments, but none with rows that the snapshot sees.
    for (Size i = 0; i < store_of(check)->segments.count; i++) {
        for (int body = 0; body < shape.bodies; body++) {
            CHECK_FOR_INTERRUPTS();
            BlockNumber block = store_of(check)->segments.plane[i] + 1 + static_cast<BlockNumber>(body);
            Buffer buffer = read_store_page(check.index, shape, block, kBodyPage, BUFFER_LOCK_SHARE);
            for (int slot = 0; slot < body_count(buffer_page(buffer)); slot++)
                add_row(batch, body_tid(buffer_page(buffer), slot), store_position(block, slot));
            UnlockReleaseBuffer(buffer);
        }
    }
    std::sort(batch->row, batch->row + batch->count);
    for (Size i = 1; i < batch->count && check.still; i++) {
        if (batch->row[i].tid == batch->row[i - 1].tid)
            report_corruption(check.index, position_block(batch->row[i].position),
                              "Two rows of the signature store have the same tid.");
    }
}

bool holds(const Check &check, const StoreRow &row, const std::uint8_t *signature)
{
    StoreShape shape = meta_of(check).shape();
    Buffer buffer =
        read_store_page(check.index, shape, position_block(row.position), kBodyPage, BUFFER_LOCK_SHARE);
    const char *page = buffer_page(buffer);
    int slot = position_slot(row.position);
    bool equal =
        slot < body_count(page) && body_tid(page, slot) == row.tid &&
        std::memcmp(body_signature(page, shape.bytes, slot), signature, static_cast<Size>(shape.bytes)) == 0;
    UnlockReleaseBuffer(buffer);
    return equal;
}

void check_signature(Batch *batch, ItemPointer pointer, const std::uint8_t *signature)
{
    const Check &check = *batch->check;
    std::uint64_t tid = tid_of(pointer).packed();
    StoreRow *end = batch->row + batch->count;
    StoreRow *row = std::lower_bound(batch->row, end, StoreRow{tid, 0, false});
    if (row == end || row->tid != tid)
        report_missing(check, pointer, "the signature store");
    // On a standby an old row may have had the same tid.
    StoreRow *first = row;
    while (row < end && row->tid == tid && !holds(check, *row, signature))
        row++;
    if (row == end || row->tid != tid)
        report_corruption(check.index, position_block(first->position),
                          "A signature differs from that of its row.");
    row->found = true;
    if (!store_of(check)->trees_differ && check.still)
        return;
    LeafKey key[kMaxTables];
    for (int table = 0; table < check.meta->tables; table++)
        signature_key(meta_of(check).layout, table, signature, key[table].word);
    require_entries(check, 0, check.meta->tables, key, Tid::unpack(row->position), pointer);
}

void check_row(Relation, ItemPointer pointer, Datum *values, bool *isnull, bool, void *context)
{
    auto *batch = static_cast<Batch *>(context);
    Check *check = batch->check;
    CHECK_FOR_INTERRUPTS();
    check->heap_rows++;
    if (isnull[0]) {
        LeafKey none[kMaxTables + 1] = {};
        require_entries(*check, check->meta->null_table(), check->meta->trees(), none, tid_of(pointer),
                        pointer);
        batch->expected.entries[1]++;
        batch->expected.sum[1] += entry_hash(Fingerprint{0}, tid_of(pointer).packed());
        return;
    }
    MemoryContext caller = MemoryContextSwitchTo(batch->row_context);
    check_signature(batch, pointer, indexed_signature(check->index, meta_of(*check), values[0]));
    MemoryContextSwitchTo(caller);
    MemoryContextReset(batch->row_context);
}

// A row of the store that no row of the table has asked for must be one that the snapshot does not see.
void check_others(const Batch &batch, RowFetch *fetch)
{
    for (Size i = 0; i < batch.count; i++) {
        CHECK_FOR_INTERRUPTS();
        const StoreRow &row = batch.row[i];
        const char *fault = nullptr;
        Datum value;
        bool isnull;
        if (!row.found && fetch_value(fetch, Tid::unpack(row.tid), &value, &isnull, &fault))
            report_corruption(batch.check->index, position_block(row.position),
                              fault != nullptr ? fault
                                               : "A signature belongs to a row that has another one.");
    }
}

// Passes the rows that the snapshot sees in some blocks of the table to check_row.
void scan_blocks(Batch *batch, Relation heap, IndexInfo *info, Snapshot snapshot, BlockNumber count)
{
    Relation index = batch->check->index;
    TableScanDesc scan = table_beginscan_strat(heap, snapshot, 0, nullptr, true, false);
    // A heap takes a range only of a scan that it begins itself, but it observes the limits of another.
    if (heap->rd_tableam == GetHeapamTableAmRoutine()) {
        heap_setscanlimits(scan, batch->from, count);
        table_index_build_scan(heap, index, info, true, false, check_row, batch, scan);
    } else {
        table_index_build_range_scan(heap, index, info, false, false, false, batch->from, count, check_row,
                                     batch, scan);
    }
}

void check_batch(Batch *batch, Relation heap, IndexInfo *info, Snapshot snapshot)
{
    BlockNumber blocks = RelationGetNumberOfBlocks(heap), end = Min(batch->end, blocks);
    if (batch->from < end)
        scan_blocks(batch, heap, info, snapshot, end - batch->from);
    RowFetch fetch = begin_fetch(heap, info, snapshot);
    check_others(*batch, &fetch);
    end_fetch(&fetch);
}

} // namespace

Expected check_signatures(Check *check, Relation heap, IndexInfo *info, Snapshot snapshot)
{
    Batch batch = {};
    batch.check = check;
    Size fitting = static_cast<Size>(maintenance_work_mem) * 1024 / sizeof(StoreRow);
    batch.capacity = Max(kFewestRows, Min(fitting, static_cast<Size>(store_of(*check)->rows) + 1));
    batch.row = static_cast<StoreRow *>(
        MemoryContextAllocHuge(CurrentMemoryContext, sizeof(StoreRow) * batch.capacity));
    batch.row_context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash check row", ALLOCSET_DEFAULT_SIZES);
    do {
        read_batch(&batch);
        check_batch(&batch, heap, info, snapshot);
        batch.from = batch.end;
    } while (batch.end != InvalidBlockNumber);
    MemoryContextDelete(batch.row_context);
    pfree(batch.row);
    return batch.expected;
}

} // namespace simhash
