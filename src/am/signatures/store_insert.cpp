// Inserting a row: first into the store, in one record of two pages, and then its entries into the trees. A crash or an
// error in between leaves a row that lacks some entries. No snapshot sees it, and VACUUM finds its slot and removes it.
// The opposite order would leave entries whose slot another row could take.
#include "am/index/heap_tid.hpp"
#include "am/signatures/lists.hpp"
#include "am/signatures/signature_kind.hpp"
#include "am/tree/insert.hpp"
#include "am/tree/page_delta.hpp"

#include "pg/server/settings.hpp"

extern "C" {
#include "miscadmin.h"
#include "storage/predicate.h"
}

namespace simhash
{

namespace
{

constexpr char kDisagreement[] = "The page does not agree with its plane page.";

struct NewRow {
    int bytes;
    int slot;      // of the segment
    int body_slot; // of the body page
    const std::uint8_t *signature;
    std::uint64_t sketch[2];
    Tid tid;
    std::uint32_t list; // kNoList in an index without lists; there are none of these then:
    // The first two pages of the list's chain, and a page that is linked in between.
    BlockNumber head, second, page;
};
// The changes of the body page: the bounds, a signature, a tid and a link.
static_assert(4 * PageDelta::kHead + 4 + kMostSignatureBytes + sizeof(Tid) + 8 <= PageDelta::kMost);

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
        report_corruption(index, block, kDisagreement);
    return buffer;
}

// Writes the row to its slot. The pages are locked: the plane page, the body page, and, if that is linked into a chain,
// the first page of the chain. Releases them. Returns the row's position.
std::uint64_t write_row(Relation index, const Buffer *buffer, int pages, PageChange change, const NewRow &row)
{
    // See insert_entries: a search may read the store instead of leaves.
    CheckForSerializableConflictIn(index, nullptr, InvalidBlockNumber);
    failpoint(Failpoint::store_insert);
    change_pages(index, buffer, pages, change, &row);
    std::uint64_t position = store_position(BufferGetBlockNumber(buffer[1]), row.body_slot);
    for (int i = pages - 1; i >= 0; i--)
        UnlockReleaseBuffer(buffer[i]);
    return position;
}

// Takes a slot of a segment, between the slots `begin` and `end`. Returns false if none is free, or if the page of the slot has
// left the row's list. A segment of a store without lists is then noted as full.
bool take_slot(Relation index, const SignatureMeta &meta, BlockNumber plane, int begin, int end, NewRow *row,
               std::uint64_t *position)
{
    const StoreShape shape = meta.shape();
    Buffer buffer[2];
    buffer[0] = read_store_page(index, shape, plane, kPlanePage, BUFFER_LOCK_EXCLUSIVE);
    row->slot = plane_free_slot(buffer_page(buffer[0]), begin, end);
    const auto fail = [&](int pages) {
        if (row->list == kNoList)
            mark_segment_full(index, meta);
        while (pages > 0)
            UnlockReleaseBuffer(buffer[--pages]);
        return false;
    };
    if (row->slot < 0)
        return fail(1);
    buffer[1] = lock_body(index, shape, plane, row);
    if (body_list(buffer_page(buffer[1])) != row->list)
        return fail(2);
    *position = write_row(index, buffer, 2, change_store, *row);
    return true;
}

// Adds the row to the store of an index without lists. Returns its position.
std::uint64_t add_to_store(Relation index, const SignatureMeta &meta, NewRow *row)
{
    row->list = kNoList;
    for (std::uint64_t position;;) {
        if (store_place(index)->plane == 0)
            choose_segment(index, meta);
        if (take_slot(index, meta, store_place(index)->plane, 0, meta.shape().rows(), row, &position))
            return position;
    }
}

// A page of a list that has a free slot.
struct ListSpot {
    BlockNumber plane, block; // kNoBlock if there is none
    BlockNumber second;       // the second page of the chain
};

// Reads a page of the row's list. Sets the spot if it has a free slot, and returns the next page: none if the page has left
// the list. The first one never does.
BlockNumber look_at_page(Relation index, const StoreShape &shape, BlockNumber block, const NewRow &row,
                         ListSpot *spot, ListOpening *open)
{
    Buffer buffer = block == row.head ? read_list_page(index, shape, block, row.list, BUFFER_LOCK_SHARE)
                                      : read_store_page(index, shape, block, kBodyPage, BUFFER_LOCK_SHARE);
    const char *page = buffer_page(buffer);
    const bool listed = body_list(page) == row.list;
    const BlockNumber next = listed ? body_next(page) : kNoBlock;
    *open = body_open(page);
    if (listed && body_free_slot(page, shape.body_rows) >= 0) {
        spot->block = block;
        spot->plane = page_tail(page)->right;
    }
    UnlockReleaseBuffer(buffer);
    return next;
}

// Finds a free slot from the page `open` on, and lets the list begin to look there from now on.
void find_behind(Relation index, const StoreShape &shape, const NewRow &row, ListOpening open, ListSpot *spot)
{
    BlockNumber block = open.block;
    ListOpening none;
    for (BlockNumber pages = 0; block != kNoBlock && spot->block == kNoBlock; pages++) {
        CHECK_FOR_INTERRUPTS();
        check_chain_end(index, block, pages);
        const BlockNumber next = look_at_page(index, shape, block, row, spot, &none);
        block = spot->block == kNoBlock ? next : block;
    }
    if (block == open.block)
        return;
    failpoint(Failpoint::list_searched);
    Buffer head = read_list_page(index, shape, row.head, row.list, BUFFER_LOCK_EXCLUSIVE);
    if (body_open(buffer_page(head)) == open)
        open_list(index, head, {block, open.times});
    UnlockReleaseBuffer(head);
}

ListSpot find_spot(Relation index, const StoreShape &shape, const NewRow &row)
{
    ListSpot spot = {kNoBlock, kNoBlock, kNoBlock};
    ListOpening open, none;
    spot.second = look_at_page(index, shape, row.head, row, &spot, &open);
    if (spot.block == kNoBlock && spot.second != kNoBlock)
        look_at_page(index, shape, spot.second, row, &spot, &none);
    if (spot.block == kNoBlock && open.block != kNoBlock)
        find_behind(index, shape, row, open, &spot);
    return spot;
}

// The row is on a new page, the second of its chain.
void change_chain(char *page, int i, const void *context, PageDelta *delta)
{
    const auto &row = *static_cast<const NewRow *>(context);
    if (i == 0)
        return change_plane(page, row, delta);
    if (i == 1)
        change_body(page, row, delta);
    set_body_list(page, row.list, i == 1 ? row.second : row.page);
    if (delta != nullptr)
        delta->add(page, page_header(page)->special + offsetof(PageTail, high_key), sizeof(std::uint64_t));
}

// Locks a page of a segment that belongs to no list. The plane page is locked. Returns an invalid buffer if there is none.
Buffer lock_page_of_no_list(Relation index, const StoreShape &shape, BlockNumber plane, NewRow *row)
{
    for (int body = 0; body < shape.bodies; body++) {
        BlockNumber block = plane + 1 + static_cast<BlockNumber>(body);
        Buffer buffer = read_store_page(index, shape, block, kBodyPage, BUFFER_LOCK_SHARE);
        const bool unused = body_list(buffer_page(buffer)) == kNoList;
        UnlockReleaseBuffer(buffer);
        row->slot = body * shape.body_rows;
        if (unused)
            return lock_body(index, shape, plane, row);
    }
    return InvalidBuffer;
}

// Adds the row on a page of the last segment that has one, and links that into the row's list. Returns false if another
// process has linked a page meanwhile, or if the segment has none.
bool link_page(Relation index, const SignatureMeta &meta, NewRow *row, std::uint64_t *position)
{
    StoreShape shape = meta.shape();
    if (store_place(index)->plane == 0)
        choose_segment(index, meta);
    const BlockNumber plane = store_place(index)->plane;
    Buffer buffer[3];
    buffer[0] = read_store_page(index, shape, plane, kPlanePage, BUFFER_LOCK_EXCLUSIVE);
    buffer[1] = lock_page_of_no_list(index, shape, plane, row);
    if (!BufferIsValid(buffer[1])) {
        mark_segment_full(index, meta);
        UnlockReleaseBuffer(buffer[0]);
        return false;
    }
    buffer[2] = read_list_page(index, shape, row->head, row->list, BUFFER_LOCK_EXCLUSIVE);
    if (body_next(buffer_page(buffer[2])) == row->second) {
        row->page = BufferGetBlockNumber(buffer[1]);
        failpoint(Failpoint::list_page);
        *position = write_row(index, buffer, 3, change_chain, *row);
        return true;
    }
    for (int i = 2; i >= 0; i--)
        UnlockReleaseBuffer(buffer[i]);
    return false;
}

// Raises an error if the plane page has no free slot for a page that has one: they change together, so the row would be
// tried there for ever.
void check_agreement(Relation index, const StoreShape &shape, const ListSpot &spot, int begin, int end)
{
    Buffer plane = read_store_page(index, shape, spot.plane, kPlanePage, BUFFER_LOCK_SHARE);
    Buffer body = read_store_page(index, shape, spot.block, kBodyPage, BUFFER_LOCK_SHARE);
    if (plane_free_slot(buffer_page(plane), begin, end) < 0 &&
        body_free_slot(buffer_page(body), shape.body_rows) >= 0)
        report_corruption(index, spot.block, kDisagreement);
    UnlockReleaseBuffer(body);
    UnlockReleaseBuffer(plane);
}

// Adds the row to its list. Returns its position.
std::uint64_t add_to_list(Relation index, const SignatureMeta &meta, NewRow *row)
{
    const Lists &lists = lists_of(index, meta);
    row->list = nearest_list(lists, find_distances, row->signature, lists.distance);
    row->head = lists.head[row->list];
    StoreShape shape = meta.shape();
    for (std::uint64_t position;;) {
        CHECK_FOR_INTERRUPTS();
        const ListSpot spot = find_spot(index, shape, *row);
        row->second = spot.second;
        if (spot.block == kNoBlock) {
            if (link_page(index, meta, row, &position))
                return position;
            continue;
        }
        const BlockNumber body = spot.block - spot.plane - 1;
        if (body >= static_cast<BlockNumber>(shape.bodies))
            report_corruption(index, spot.block, kDisagreement);
        const int begin = static_cast<int>(body) * shape.body_rows;
        const int end = begin + shape.body_rows;
        if (take_slot(index, meta, spot.plane, begin, end, row, &position))
            return position;
        check_agreement(index, shape, spot, begin, end);
    }
}

// The tids of the rows at store positions. An entry with such a position is in a leaf that the caller has locked, so
// VACUUM has not freed the slot.
void rows_at(const OpenIndex &index, std::uint64_t *position, int count)
{
    constexpr int kMostPages = 32; // the rest is not looked up, as the leaf is locked
    StoreShape shape = signature_meta(*index.meta).shape();
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

bool insert_signature(Relation index, const StoredValue &stored, ItemPointer pointer,
                      const InsertedInto &into, IndexInfo *info)
{
    const OpenIndex &open = use_in_statement(index, info);
    const SignatureMeta &meta = signature_meta(*open.meta);
    LeafKey key[kMaxTrees + 1] = {};
    if (stored.null) {
        insert_entries(open, meta.null_tree(), meta.all_trees(), key, tid_of(pointer), {into, nullptr});
        return false;
    }
    NewRow row = {};
    row.bytes = meta.layout.bytes();
    row.signature = indexed_signature(index, meta, stored.value);
    row.tid = tid_of(pointer);
    signature_sketch(meta.layout, row.signature, row.sketch);
    for (int tree = 0; tree < meta.trees; tree++)
        signature_key(meta.layout, tree, row.signature, key[tree].word);
    std::uint64_t position =
        meta.lists.lists > 0 ? add_to_list(index, meta, &row) : add_to_store(index, meta, &row);
    insert_entries(open, 0, meta.trees, key, Tid::unpack(position), {into, rows_at});
    return false;
}

} // namespace simhash
