// The segments of a signature store: reads its pages, lists the segments, and finds one with a free slot or creates it.
// Why slots never move, and how free ones are found: store.hpp.
#include "am/signatures/store.hpp"

#include "pg/types/signature_type.hpp"

extern "C" {
#include "miscadmin.h"
#include "storage/lmgr.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

// Map pages follow each other by their right links, each later in the file than the one before.
void check_next_map(Relation index, BlockNumber block, BlockNumber next)
{
    if (next != kNoBlock && next <= block)
        report_corruption(index, block, "The map pages are out of order.");
}

// Sets *plane to a segment with free slots, if the map page has one; the last ones first.
bool find_free_entry(const char *page, BlockNumber *plane)
{
    for (int i = map_count(page) - 1; i >= 0; i--) {
        if (map_entries(page)[i].free > 0) {
            *plane = map_entries(page)[i].plane;
            return true;
        }
    }
    return false;
}

// Looks for a segment with free slots from map page `from` on. Returns the last map page if there is none.
bool find_free_segment(Relation index, const SignatureMeta &meta, BlockNumber from, StorePlace *place)
{
    BlockNumber block = from;
    for (;;) {
        CHECK_FOR_INTERRUPTS();
        Buffer buffer = read_store_page(index, meta.shape(), block, kMapPage, BUFFER_LOCK_SHARE);
        const char *page = buffer_page(buffer);
        BlockNumber next = page_tail(page)->right;
        place->map = block;
        bool found = find_free_entry(page, &place->plane);
        UnlockReleaseBuffer(buffer);
        if (found)
            return true;
        check_next_map(index, block, next);
        if (next == kNoBlock)
            return false;
        block = next;
    }
}

// Locks the last map page, at or after `block`, exclusively.
Buffer lock_last_map(Relation index, const SignatureMeta &meta, BlockNumber block)
{
    for (;;) {
        Buffer buffer = read_store_page(index, meta.shape(), block, kMapPage, BUFFER_LOCK_EXCLUSIVE);
        BlockNumber next = page_tail(buffer_page(buffer))->right;
        if (next == kNoBlock)
            return buffer;
        UnlockReleaseBuffer(buffer);
        check_next_map(index, block, next);
        block = next;
    }
}

// Creates an empty segment, and a map page for it if the last one is full, in one record.
void create_segment(Relation index, const SignatureMeta &meta, StorePlace *place)
{
    StoreShape shape = meta.shape();
    Buffer buffer[kMostImages]; // the segment, a new map page if there is one, and the last map page
    failpoint(Failpoint::segment_wanted);
    Buffer map = lock_last_map(index, meta, place->map);
    if (find_free_entry(buffer_page(map), &place->plane)) { // another process has created one meanwhile
        place->map = BufferGetBlockNumber(map);
        UnlockReleaseBuffer(map);
        return;
    }
    auto *image = allocate<char>(BLCKSZ * kMostImages);
    bool full = map_count(buffer_page(map)) >= map_page_segments();
    int pages = shape.pages() + full;
    extend_by_pages(index, RELATION_IS_LOCAL(index), pages, buffer);
    failpoint(Failpoint::segment_extended);

    place->plane = BufferGetBlockNumber(buffer[0]);
    init_plane_page(image, BLCKSZ);
    for (int i = 1; i <= shape.bodies; i++)
        init_body_page(image + BLCKSZ * i, BLCKSZ, place->plane);
    char *map_image = image + BLCKSZ * pages;
    std::memcpy(map_image, buffer_page(map), BLCKSZ);
    place->map = BufferGetBlockNumber(map);
    char *with_room = map_image;
    if (full) {
        with_room = image + BLCKSZ * shape.pages();
        init_map_page(with_room, BLCKSZ);
        place->map = page_tail(map_image)->right = BufferGetBlockNumber(buffer[shape.pages()]);
    }
    map_add(with_room, {place->plane, static_cast<std::uint32_t>(shape.rows())});
    // Replay restores the pages one by one. The map page is the last: before it, nothing leads to the others.
    buffer[pages] = map;
    write_page_images(index, buffer, image, pages + 1);
    pfree(image);
}

// Sets the hints of a map page. Returns whether one has changed.
bool set_hints(char *page, const Segments &segments, const std::uint16_t *free)
{
    bool changed = false;
    for (int i = 0; i < map_count(page); i++) {
        SegmentEntry *entry = &map_entries(page)[i];
        const BlockNumber *begin = segments.plane, *end = begin + segments.count;
        const BlockNumber *at = std::lower_bound(begin, end, entry->plane);
        if (at == end || *at != entry->plane || free[at - begin] == entry->free)
            continue;
        entry->free = free[at - begin];
        changed = true;
    }
    return changed;
}

} // namespace

Buffer read_store_page(Relation index, const StoreShape &shape, BlockNumber block, std::uint16_t kind,
                       int mode, Snapshot snapshot, BufferAccessStrategy strategy, Buffer recent)
{
    // A block that was in a buffer exists.
    if (block == kNoBlock || (!BufferIsValid(recent) && !block_exists(index, block)))
        report_corruption(index, block, "A page of the signature store does not exist.");
    Buffer buffer = strategy == nullptr
                        ? read_recent_buffer(index, block, recent)
                        : ReadBufferExtended(index, MAIN_FORKNUM, block, RBM_NORMAL, strategy);
    lock_buffer(buffer, mode);
    const char *fault = check_store_page(buffer_page(buffer), BLCKSZ, shape, kind);
    if (fault == nullptr)
        fault = check_own_block(buffer_page(buffer), block);
    if (fault != nullptr)
        report_corruption(index, block, fault);
    test_old_snapshot(snapshot, index, buffer_page(buffer));
    return buffer;
}

void extend_by_pages(Relation index, bool alone, int pages, Buffer *buffer)
{
    for (;;) {
        // PostgreSQL may add fewer pages at a time than are wanted, and takes its lock for each time.
        if (!alone)
            LockRelationForExtension(index, ExclusiveLock);
        extend_relation_by(index, true, pages, buffer);
        if (!alone)
            UnlockRelationForExtension(index, ExclusiveLock);
        // A split may have taken a page from an old free space map. The others are unused then, until VACUUM finds them.
        bool usable = true;
        for (int i = 0; i < pages; i++) {
            LockBuffer(buffer[i], BUFFER_LOCK_EXCLUSIVE);
            usable = usable && PageIsNew(buffer_page(buffer[i])) &&
                     BufferGetBlockNumber(buffer[i]) ==
                         BufferGetBlockNumber(buffer[0]) + static_cast<BlockNumber>(i);
        }
        if (usable)
            return;
        for (int i = 0; i < pages; i++)
            UnlockReleaseBuffer(buffer[i]);
    }
}

Segments read_segments(Relation index, const SignatureMeta &meta)
{
    Size capacity = 256;
    Segments segments = {0, allocate<BlockNumber>(capacity)};
    for (BlockNumber block = meta.map, next; block != kNoBlock; block = next) {
        CHECK_FOR_INTERRUPTS();
        Buffer buffer = read_store_page(index, meta.shape(), block, kMapPage, BUFFER_LOCK_SHARE);
        const char *page = buffer_page(buffer);
        Size count = static_cast<Size>(map_count(page));
        if (segments.count + count > capacity) {
            capacity = 2 * (segments.count + count);
            segments.plane =
                static_cast<BlockNumber *>(repalloc_huge(segments.plane, sizeof(BlockNumber) * capacity));
        }
        for (Size i = 0; i < count; i++)
            segments.plane[segments.count++] = map_entries(page)[i].plane;
        next = page_tail(page)->right;
        UnlockReleaseBuffer(buffer);
        check_next_map(index, block, next);
    }
    std::sort(segments.plane, segments.plane + segments.count);
    return segments;
}

bool find_slot(const Segments &segments, const StoreShape &shape, std::uint64_t position, SegmentSlot *found)
{
    BlockNumber block = position_block(position);
    const BlockNumber *begin = segments.plane,
                      *after = std::upper_bound(begin, begin + segments.count, block);
    if (after == begin)
        return false;
    BlockNumber body = block - after[-1]; // 0 is the plane page
    int slot = position_slot(position);
    if (body < 1 || body > static_cast<BlockNumber>(shape.bodies) || slot < 0 || slot >= shape.body_rows)
        return false;
    *found = {static_cast<Size>(after - begin) - 1, static_cast<int>(body - 1) * shape.body_rows + slot};
    return true;
}

void choose_segment(Relation index, const SignatureMeta &meta)
{
    StorePlace place = *store_place(index);
    BlockNumber from = place.map == 0 ? meta.map : place.map;
    bool found = find_free_segment(index, meta, from, &place);
    BlockNumber last = place.map;
    if (!found && from != meta.map)
        found = find_free_segment(index, meta, meta.map, &place);
    if (!found) {
        place.map = last;
        create_segment(index, meta, &place);
    }
    *store_place(index) = place;
}

void mark_segment_full(Relation index, const SignatureMeta &meta)
{
    StorePlace *place = store_place(index);
    failpoint(Failpoint::segment_full);
    if (place->plane != 0 && place->map != 0) {
        Buffer buffer = read_store_page(index, meta.shape(), place->map, kMapPage, BUFFER_LOCK_EXCLUSIVE);
        GenericXLogState *state = GenericXLogStart(index);
        char *page = GenericXLogRegisterBuffer(state, buffer, 0);
        // All entries: a damaged page may list the segment twice, and find_free_entry would choose the other again.
        for (int i = 0; i < map_count(page); i++) {
            if (map_entries(page)[i].plane == place->plane)
                map_entries(page)[i].free = 0;
        }
        GenericXLogFinish(state);
        UnlockReleaseBuffer(buffer);
    }
    store_place(index)->plane = 0;
}

void set_free_slots(Relation index, const SignatureMeta &meta, const Segments &segments,
                    const std::uint16_t *free, BufferAccessStrategy strategy)
{
    for (BlockNumber block = meta.map, next; block != kNoBlock; block = next) {
        Buffer buffer = read_store_page(index, meta.shape(), block, kMapPage, BUFFER_LOCK_EXCLUSIVE,
                                        InvalidSnapshot, strategy);
        // Logged, so that neither a crash nor a promotion loses a hint that is raised.
        GenericXLogState *state = GenericXLogStart(index);
        if (set_hints(GenericXLogRegisterBuffer(state, buffer, 0), segments, free))
            GenericXLogFinish(state);
        else
            GenericXLogAbort(state);
        next = page_tail(buffer_page(buffer))->right;
        UnlockReleaseBuffer(buffer);
        check_next_map(index, block, next);
    }
}

const std::uint8_t *indexed_signature(Relation index, const SignatureMeta &meta, Datum value)
{
    SignatureView signature = datum_signature(value);
    if (signature.bits != meta.layout.bits) {
        check_declared_bits(index, meta);
        ereport(ERROR, errcode(ERRCODE_STRING_DATA_LENGTH_MISMATCH),
                errmsg("bit string length %d does not match index \"%s\"", signature.bits,
                       RelationGetRelationName(index)),
                errdetail("The index holds signatures of %d bits.", static_cast<int>(meta.layout.bits)));
    }
    return signature.data;
}

} // namespace simhash
