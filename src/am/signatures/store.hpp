// The signature store: the signatures and tids of its rows in slots that never move, and a plane
// of sketches. core/page/store_page.hpp defines its pages.
//
//   segments       listing, creating and choosing segments     store_insert   inserting a row
//   store_vacuum   removing rows                               store_writer   the store of a build
//
// Slots. A row keeps its slot until VACUUM frees it. So positions in the trees stay valid, and entries of equal keys
// are ordered by position as others are by tid.
//
// Locks are taken in this order: map page, relation extension, the pages of a new segment; plane page before body page.
// They are all released before leaves are locked.
//
// Free slots are counted in the map, as a hint. A backend remembers a segment with free slots in the relcache entry and
// inserts there until it is full; then it sets the hint to 0 and looks for another one, first from the map page of the
// last one on. If there is none, it creates a segment. Hints that are too high cost one look at a plane page; hints that
// are too low leave slots unused until VACUUM counts them.
#pragma once

#include "am/index/failpoint.hpp"
#include "am/signatures/signature_meta.hpp"
#include "am/tree/tree_page.hpp"

extern "C" {
#include "miscadmin.h"
}

namespace simhash
{

// segments.cpp

// Reads, locks and checks a page of the store. `kind` is one of kMapPage, kPlanePage and kBodyPage. `snapshot` is that of a
// reader of rows; VACUUM, inserts and checks have none. `recent` is where the page may be found, or invalid.
Buffer read_store_page(Relation index, const StoreShape &shape, BlockNumber block, std::uint16_t kind,
                       int mode, Snapshot snapshot = InvalidSnapshot, BufferAccessStrategy strategy = nullptr,
                       Buffer recent = InvalidBuffer);

// The plane blocks of all segments, ascending, allocated in the current memory context.
struct Segments {
    Size count;
    BlockNumber *plane;
};
Segments read_segments(Relation index, const SignatureMeta &meta);

// Calls visit(position, tid, signature) for each row of these segments, in order: with a lock on its page, unless there is
// memory for a copy of that.
template <typename Visit>
void visit_rows(Relation index, const StoreShape &shape, const Segments &segments, char *copy, Visit visit)
{
    BufferAccessStrategy strategy = GetAccessStrategy(BAS_BULKREAD);
    for (Size i = 0; i < segments.count; i++) {
        for (int body = 0; body < shape.bodies; body++) {
            CHECK_FOR_INTERRUPTS();
            const BlockNumber block = segments.plane[i] + 1 + static_cast<BlockNumber>(body);
            Buffer buffer =
                read_store_page(index, shape, block, kBodyPage, BUFFER_LOCK_SHARE, InvalidSnapshot, strategy);
            const char *page = buffer_page(buffer);
            if (copy != nullptr) {
                std::memcpy(copy, page, BLCKSZ);
                UnlockReleaseBuffer(buffer);
                page = copy;
            }
            for (int slot = 0; slot < body_count(page); slot++) {
                const std::uint64_t tid = body_tid(page, slot);
                if (tid != kNoRow)
                    visit(store_position(block, slot), tid, body_signature(page, shape.bytes, slot));
            }
            if (copy == nullptr)
                UnlockReleaseBuffer(buffer);
        }
    }
    FreeAccessStrategy(strategy);
}

// Finds the segment of a store position, and its slot there. Returns false if it is in none of the segments.
struct SegmentSlot {
    Size segment; // its number in the list
    int slot;
};
bool find_slot(const Segments &segments, const StoreShape &shape, std::uint64_t position, SegmentSlot *found);

// The number of segments that a map page lists: few in a build for tests, so that there are several pages.
inline int map_page_segments() { return kFailpoints ? 3 : map_capacity(BLCKSZ); }

// Extends the index by consecutive pages, all zeros. Returns their buffers, locked exclusively.
void extend_by_pages(Relation index, bool alone, int pages, Buffer *buffer);

// The store's segment that this backend used last, and its map page, both 0 if unknown. The state in the relcache
// entry.
struct StorePlace {
    BlockNumber map;
    BlockNumber plane;
};
inline StorePlace *store_place(Relation index) { return static_cast<StorePlace *>(kind_state(index)); }

// Finds a segment that has free slots, or creates one, and sets *store_place(index).
void choose_segment(Relation index, const SignatureMeta &meta);
// Notes that the segment of *store_place(index) has no free slots, or no free pages. Its plane page is locked: VACUUM, which
// frees slots under that lock and raises the hint afterwards, cannot do so in between.
void mark_segment_full(Relation index, const SignatureMeta &meta);
// Sets the number of free slots of each segment; planes are as in `segments`.
void set_free_slots(Relation index, const SignatureMeta &meta, const Segments &segments,
                    const std::uint16_t *free, BufferAccessStrategy strategy);

// The bits of a `bit` value whose length is the index's. Raises an error if it has another length.
// The datum is detoasted if necessary.
const std::uint8_t *indexed_signature(Relation index, const SignatureMeta &meta, Datum value);

} // namespace simhash
