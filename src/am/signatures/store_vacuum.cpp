// VACUUM, in three passes: it finds the dead rows in the store, removes their entries from the trees in the usual
// walk, and then frees their slots. So at any time each entry refers to the row that it was made for: if VACUUM is
// interrupted, dead rows without entries remain, and the next one finds them again. Rows that are inserted meanwhile
// are not among the dead, wherever they go: into a slot that was free, or into a new segment.
// A list in which slots are freed is opened before and after: inserts look for them from its first page on. If a crash or an
// error comes between, slots that inserts have passed wait for a VACUUM that frees others of the list. Pages without a row
// leave their list's chain, but for the first one, so that any list can use them. Otherwise each list would keep the pages
// of the largest size that it ever had.
//
// A scan may still hold the position of a slot that is freed and reused. It compares the signature that it finds
// there, and its snapshot does not see the new row.
#include "am/index/heap_tid.hpp"
#include "am/signatures/lists.hpp"
#include "am/signatures/signature_kind.hpp"
#include "am/tree/vacuum.hpp"

extern "C" {
#include "commands/vacuum.h"
#include "utils/memutils.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

struct DeadSlots : DeadEntries {
    StoreShape shape;
    Segments segments;
    Size words;          // of a segment's bits
    std::uint64_t *bits; // which slots of the segments are dead
    std::uint16_t
        *free;     // number of slots of each segment that are free, or will be; with lists, of pages of none
    bool *opened;  // which lists have freed slots, or will; null without lists
    bool *emptied; // which lists have pages without a row, or will
    std::uint32_t lists;
    double live, dead; // rows

    std::uint64_t *segment_bits(Size segment) const { return bits + segment * words; }
};

bool is_dead_position(const DeadEntries *entries, Tid position)
{
    const auto *rows = static_cast<const DeadSlots *>(entries);
    SegmentSlot at;
    return find_slot(rows->segments, rows->shape, position.packed(), &at) &&
           (rows->segment_bits(at.segment)[at.slot / 64] >> at.slot % 64 & 1);
}

void find_dead(const IndexVacuumInfo *info, DeadSlots *rows, Size segment, int body)
{
    BlockNumber block = rows->segments.plane[segment] + 1 + static_cast<BlockNumber>(body);
    Buffer buffer = read_store_page(info->index, rows->shape, block, kBodyPage, BUFFER_LOCK_SHARE,
                                    InvalidSnapshot, info->strategy);
    const char *page = buffer_page(buffer);
    int count = body_count(page), used = 0;
    bool frees = false;
    for (int i = 0; i < count; i++) {
        std::uint64_t tid = body_tid(page, i);
        if (tid == kNoRow)
            continue;
        if (!is_heap_tid(tid))
            report_corruption(info->index, block, "A row has an invalid tid.");
        int slot = body * rows->shape.body_rows + i;
        ItemPointerData pointer = pointer_of(Tid::unpack(tid));
        const bool dead = rows->callback(&pointer, rows->state);
        rows->segment_bits(segment)[slot / 64] |= std::uint64_t{dead} << slot % 64;
        rows->dead += dead;
        frees |= dead;
        used += !dead;
    }
    const std::uint32_t list = body_list(page);
    UnlockReleaseBuffer(buffer);
    rows->live += used;
    rows->free[segment] =
        static_cast<std::uint16_t>(rows->free[segment] - (rows->opened == nullptr ? used : list != kNoList));
    if (list < rows->lists) {
        rows->opened[list] |= frees;
        rows->emptied[list] |= used == 0;
    }
}

// Frees the dead slots of one body page, whose plane page is locked.
void free_slots(const IndexVacuumInfo *info, const DeadSlots &rows, Size segment, int body, Buffer plane)
{
    const std::uint64_t *bits = rows.segment_bits(segment);
    int first = body * rows.shape.body_rows;
    bool any = false;
    for (int i = first; i < first + rows.shape.body_rows; i++)
        any = any || (bits[i / 64] >> i % 64 & 1);
    if (!any)
        return;
    BlockNumber block = rows.segments.plane[segment] + 1 + static_cast<BlockNumber>(body);
    Buffer buffer = read_store_page(info->index, rows.shape, block, kBodyPage, BUFFER_LOCK_EXCLUSIVE,
                                    InvalidSnapshot, info->strategy);
    GenericXLogState *state = GenericXLogStart(info->index);
    char *plane_page = GenericXLogRegisterBuffer(state, plane, 0);
    char *body_page = GenericXLogRegisterBuffer(state, buffer, 0);
    for (int i = first; i < first + rows.shape.body_rows; i++) {
        if (bits[i / 64] >> i % 64 & 1) {
            plane_clear(plane_page, i);
            body_clear(body_page, i - first);
        }
    }
    failpoint(Failpoint::vacuum_slots);
    GenericXLogFinish(state);
    UnlockReleaseBuffer(buffer);
}

bool is_empty(const char *page)
{
    for (int slot = 0; slot < body_count(page); slot++) {
        if (body_tid(page, slot) != kNoRow)
            return false;
    }
    return true;
}

// Takes a page out of its chain if it is still empty and behind the other one. Returns whether it has. An insert that takes
// a slot of the page holds the lock of its plane page, too.
bool unlink_page(const IndexVacuumInfo *info, const StoreShape &shape, std::uint32_t list, BlockNumber before,
                 BlockNumber block, BlockNumber plane_block)
{
    failpoint(Failpoint::list_left);
    Buffer plane = read_store_page(info->index, shape, plane_block, kPlanePage, BUFFER_LOCK_EXCLUSIVE,
                                   InvalidSnapshot, info->strategy);
    Buffer previous = read_list_page(info->index, shape, before, list, BUFFER_LOCK_EXCLUSIVE, info->strategy);
    Buffer buffer = read_list_page(info->index, shape, block, list, BUFFER_LOCK_EXCLUSIVE, info->strategy);
    const bool empty = body_next(buffer_page(previous)) == block && is_empty(buffer_page(buffer));
    if (empty) {
        GenericXLogState *state = GenericXLogStart(info->index);
        set_body_list(GenericXLogRegisterBuffer(state, previous, 0), list, body_next(buffer_page(buffer)));
        set_body_list(GenericXLogRegisterBuffer(state, buffer, 0), kNoList, kNoBlock);
        GenericXLogFinish(state);
    }
    UnlockReleaseBuffer(buffer);
    UnlockReleaseBuffer(previous);
    UnlockReleaseBuffer(plane);
    return empty;
}

void unlink_empty_pages(const IndexVacuumInfo *info, const SignatureMeta &meta, DeadSlots *rows,
                        std::uint32_t list)
{
    const BlockNumber head = lists_of(info->index, meta).head[list];
    BlockNumber before = kNoBlock, block = head;
    SegmentSlot at;
    for (BlockNumber pages = 0; block != kNoBlock; pages++) {
        delay_vacuum();
        if (block == before || (block == head && pages > 0))
            report_circle(info->index, block);
        check_chain_end(info->index, block, pages);
        Buffer buffer =
            read_list_page(info->index, rows->shape, block, list, BUFFER_LOCK_SHARE, info->strategy);
        const BlockNumber next = body_next(buffer_page(buffer)),
                          plane = page_tail(buffer_page(buffer))->right;
        const bool empty = is_empty(buffer_page(buffer));
        UnlockReleaseBuffer(buffer);
        if (!empty || before == kNoBlock || !unlink_page(info, rows->shape, list, before, block, plane))
            before = block;
        else if (find_slot(rows->segments, rows->shape, store_position(block, 0), &at))
            rows->free[at.segment]++; // of a segment that is not new
        block = next;
    }
}

// Lets inserts begin at the first page of each list that has slots to free. Before these are freed, only where they do not:
// if VACUUM is cancelled then, the next one does not find these slots. Afterwards all: an insert may have passed some.
void open_lists(const IndexVacuumInfo *info, const SignatureMeta &meta, const DeadSlots &rows, bool freed)
{
    for (std::uint32_t list = 0; list < rows.lists; list++) {
        if (!rows.opened[list])
            continue;
        delay_vacuum();
        const BlockNumber head = lists_of(info->index, meta).head[list];
        Buffer buffer =
            read_list_page(info->index, rows.shape, head, list, BUFFER_LOCK_EXCLUSIVE, info->strategy);
        const ListOpening open = body_open(buffer_page(buffer));
        if (freed || open.block != head)
            open_list(info->index, buffer, {head, static_cast<std::uint16_t>(open.times + 1)});
        UnlockReleaseBuffer(buffer);
    }
}

void free_segment_slots(const IndexVacuumInfo *info, const DeadSlots &rows, Size segment)
{
    const std::uint64_t *bits = rows.segment_bits(segment);
    if (std::all_of(bits, bits + rows.words, [](std::uint64_t word) { return word == 0; }))
        return;
    Buffer plane = read_store_page(info->index, rows.shape, rows.segments.plane[segment], kPlanePage,
                                   BUFFER_LOCK_EXCLUSIVE, InvalidSnapshot, info->strategy);
    for (int body = 0; body < rows.shape.bodies; body++)
        free_slots(info, rows, segment, body, plane);
    UnlockReleaseBuffer(plane);
}

} // namespace

IndexBulkDeleteResult *bulk_delete_signatures(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
                                              IndexBulkDeleteCallback callback, void *callback_state)
{
    if (stats == nullptr)
        stats = allocate_zero<IndexBulkDeleteResult>();
    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash vacuum", ALLOCSET_DEFAULT_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(context);
    const SignatureMeta *meta = &signature_meta(*use_index(info->index, context).meta);

    DeadSlots rows = {};
    rows.dead_position = is_dead_position;
    rows.callback = callback;
    rows.state = callback_state;
    rows.shape = meta->shape();
    rows.segments = read_segments(info->index, *meta);
    rows.words = static_cast<Size>(rows.shape.rows() + 63) / 64;
    Size segments = rows.segments.count;
    rows.bits = allocate_huge<std::uint64_t>(segments * rows.words, context, MCXT_ALLOC_ZERO);
    rows.free = allocate_huge<std::uint16_t>(segments);
    rows.lists = meta->lists.lists;
    rows.opened = rows.lists == 0 ? nullptr : allocate_zero<bool>(rows.lists);
    rows.emptied = rows.lists == 0 ? nullptr : allocate_zero<bool>(rows.lists);
    for (Size segment = 0; segment < segments; segment++) {
        rows.free[segment] =
            static_cast<std::uint16_t>(rows.opened == nullptr ? rows.shape.rows() : rows.shape.bodies);
        for (int body = 0; body < rows.shape.bodies; body++) {
            delay_vacuum();
            find_dead(info, &rows, segment, body);
        }
    }
    vacuum_trees(info, stats, &rows);
    if (meta->trees == 0) {
        stats->num_index_tuples += rows.live;
        stats->tuples_removed += rows.dead;
    }
    open_lists(info, *meta, rows, false);
    for (Size segment = 0; segment < segments; segment++) {
        delay_vacuum();
        free_segment_slots(info, rows, segment);
    }
    for (std::uint32_t list = 0; list < rows.lists; list++) {
        if (rows.emptied[list])
            unlink_empty_pages(info, *meta, &rows, list);
    }
    open_lists(info, *meta, rows, true);
    set_free_slots(info->index, *meta, rows.segments, rows.free, info->strategy);

    MemoryContextSwitchTo(caller);
    MemoryContextDelete(context);
    return stats;
}

} // namespace simhash
