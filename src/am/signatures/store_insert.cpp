// Inserting a row: first into the store, in one record of two pages, and then its entries into the trees. A crash or an
// error in between leaves a row that lacks some entries. No snapshot sees it, and VACUUM finds its slot and removes it.
// The opposite order would leave entries whose slot another row could take.
#include "am/index/heap_tid.hpp"
#include "am/signatures/signature_kind.hpp"
#include "am/signatures/store.hpp"
#include "am/tree/insert.hpp"
#include "am/tree/page_delta.hpp"

#include "core/kernels/signature_match.hpp"

extern "C" {
#include "storage/predicate.h"
}

namespace simhash
{

namespace
{

struct NewRow {
    int bytes;
    int slot;      // of the segment
    int body_slot; // of the body page
    const std::uint8_t *signature;
    std::uint64_t sketch[2];
    Tid tid;
};
// The changes of the body page: the bounds, a signature and a tid.
static_assert(3 * PageDelta::kHead + 4 + kMostSignatureBytes + sizeof(Tid) <= PageDelta::kMost);

void change_plane(char *page, const NewRow &row, PageDelta *delta)
{
    plane_set(page, row.slot, row.sketch);
    if (delta == nullptr)
        return;
    delta->add_bounds(page);
    delta->add(page, sizeof(RawPageHeader) + kSketchBytes * static_cast<Size>(row.slot), kSketchBytes);
    delta->add(page, page_header(page)->upper + static_cast<Size>(row.slot) / 8, 1);
}

void change_body(char *page, const NewRow &row, PageDelta *delta)
{
    body_set(page, row.bytes, row.body_slot, row.signature, row.tid);
    if (delta == nullptr)
        return;
    Size length = static_cast<Size>(row.bytes), slot = static_cast<Size>(row.body_slot);
    delta->add_bounds(page);
    delta->add(page, sizeof(RawPageHeader) + length * slot, length);
    delta->add(page, page_header(page)->special - sizeof(Tid) * (slot + 1), sizeof(Tid));
}

void change_store(char *page, int i, const void *context, PageDelta *delta)
{
    const auto &row = *static_cast<const NewRow *>(context);
    i == 0 ? change_plane(page, row, delta) : change_body(page, row, delta);
}

// Locks the body page of the row's slot, whose plane page is locked.
Buffer lock_body(Relation index, const StoreShape &shape, BlockNumber plane, NewRow *row)
{
    BlockNumber block = plane + 1 + static_cast<BlockNumber>(row->slot / shape.body_rows);
    row->body_slot = row->slot % shape.body_rows;
    Buffer buffer = read_store_page(index, shape, block, kBodyPage, BUFFER_LOCK_EXCLUSIVE);
    const char *page = buffer_page(buffer);
    // A slot beyond the next one, or one with a tid, would be damage.
    if (page_tail(page)->right != plane || row->body_slot > body_count(page) ||
        (row->body_slot < body_count(page) && body_tid(page, row->body_slot) != kNoRow))
        report_corruption(index, block, "The page does not agree with its plane page.");
    return buffer;
}

// Adds the row to the store. Returns its position.
std::uint64_t add_to_store(Relation index, const SignatureMeta &meta, NewRow *row)
{
    StoreShape shape = meta.shape();
    for (;;) {
        if (store_place(index)->plane == 0)
            choose_segment(index, meta);
        BlockNumber plane = store_place(index)->plane;
        Buffer buffer[2];
        buffer[0] = read_store_page(index, shape, plane, kPlanePage, BUFFER_LOCK_EXCLUSIVE);
        row->slot = plane_free_slot(buffer_page(buffer[0]), shape.rows());
        if (row->slot < 0) {
            UnlockReleaseBuffer(buffer[0]);
            mark_segment_full(index, meta);
            continue;
        }
        buffer[1] = lock_body(index, shape, plane, row);
        // See insert_entries: a search may read the store instead of leaves.
        CheckForSerializableConflictIn(index, nullptr, InvalidBlockNumber);
        failpoint(Failpoint::store_insert);
        change_pages(index, buffer, 2, change_store, row);
        std::uint64_t position = store_position(BufferGetBlockNumber(buffer[1]), row->body_slot);
        UnlockReleaseBuffer(buffer[1]);
        UnlockReleaseBuffer(buffer[0]);
        return position;
    }
}

// The tids of the rows at store positions. An entry with such a position is in a leaf that the caller has locked, so
// VACUUM has not freed the slot.
void rows_at(Relation index, const IndexMeta &meta, std::uint64_t *position, int count)
{
    constexpr int kMostPages = 32; // the rest is not looked up, as the leaf is locked
    StoreShape shape = signature_meta(meta).shape();
    Buffer buffer = InvalidBuffer;
    int pages = 0;
    for (int i = 0; i < count; i++) {
        BlockNumber block = position_block(position[i]);
        int slot = position_slot(position[i]);
        if (!BufferIsValid(buffer) || BufferGetBlockNumber(buffer) != block) {
            if (BufferIsValid(buffer))
                UnlockReleaseBuffer(buffer);
            buffer = InvalidBuffer;
            if (pages++ < kMostPages)
                buffer = read_store_page(index, shape, block, kBodyPage, BUFFER_LOCK_SHARE);
        }
        bool known = BufferIsValid(buffer) && slot >= 0 && slot < body_count(buffer_page(buffer));
        position[i] = known ? body_tid(buffer_page(buffer), slot) : kNoRow;
    }
    if (BufferIsValid(buffer))
        UnlockReleaseBuffer(buffer);
}

} // namespace

bool insert_signature(Relation index, Datum *values, bool *isnull, ItemPointer pointer, Relation updated,
                      IndexInfo *info)
{
    const SignatureMeta &meta = signature_meta(statement_meta(index, info));
    LeafKey key[kMaxTables + 1] = {};
    if (isnull[0]) {
        insert_entries(index, meta, meta.null_table(), meta.trees(), key, tid_of(pointer),
                       {updated, nullptr});
        return false;
    }
    NewRow row = {};
    row.bytes = meta.layout.bytes();
    row.signature = indexed_signature(index, meta, values[0]);
    row.tid = tid_of(pointer);
    signature_sketch(meta.layout, row.signature, row.sketch);
    for (int table = 0; table < meta.tables; table++)
        signature_key(meta.layout, table, row.signature, key[table].word);
    std::uint64_t position = add_to_store(index, meta, &row);
    insert_entries(index, meta, 0, meta.tables, key, Tid::unpack(position), {updated, rows_at});
    return false;
}

} // namespace simhash
