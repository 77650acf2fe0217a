#include "am/signatures/store_scan.hpp"

#include "am/search/pins.hpp"
#include "am/signatures/candidate_rows.hpp"

#include "pg/server/settings.hpp"

#include <limits>

extern "C" {
#include "miscadmin.h"
#include "storage/predicate.h"
}

namespace simhash
{

void begin_scan_of_store(SignatureSearch *search)
{
    // Before the first page is read: see write_row.
    if (search->snapshot != nullptr)
        PredicateLockRelation(search->index, search->snapshot);
    if (search->segments.plane != nullptr)
        pfree(search->segments.plane);
    MemoryContext caller = MemoryContextSwitchTo(search->context);
    search->segments = read_segments(search->index, *search->meta);
    MemoryContextSwitchTo(caller);
    search->segment = 0;
    search->plane_radius = -1;
}

Buffer find_body(const SignatureSearch &search, BlockNumber block)
{
    return block_exists(search.index, block) ? PrefetchBuffer(search.index, MAIN_FORKNUM, block).recent_buffer
                                             : InvalidBuffer;
}

void compare_body(const SignatureSearch &search, const char *page, Buffer next)
{
    constexpr int kLine = 64, kPart = 1024; // bytes compared between two groups of prefetches
    const int bytes = search.shape.bytes, count = body_count(page);
    const int part = Max(kPart / bytes, 16);
    const char *ahead = BufferIsValid(next) ? static_cast<const char *>(BufferGetPage(next)) : nullptr;
    int fetched = 0;
    for (int row = 0; row < count; row += part) {
        const int end = Min(row + part, count);
        const int wanted = end == count ? BLCKSZ : end * bytes;
        for (; ahead != nullptr && fetched < wanted; fetched += kLine)
            __builtin_prefetch(ahead + fetched);
        find_distances(search.query, bytes, body_signature(page, bytes, row), static_cast<Size>(bytes),
                       end - row, search.distance + row);
    }
}

namespace
{

Size body_rows(SignatureSearch *search, BlockNumber plane)
{
    Size hits = 0;
    Buffer next = find_body(*search, plane + 1);
    for (int body = 1; body <= search->shape.bodies; body++) {
        BlockNumber block = plane + static_cast<BlockNumber>(body);
        Buffer buffer = read_store_page(search->index, search->shape, block, kBodyPage, BUFFER_LOCK_SHARE,
                                        search->snapshot, search->strategy, next);
        if (body < search->shape.bodies)
            next = find_body(*search, block + 1);
        else
            next = InvalidBuffer;
        const char *page = buffer_page(buffer);
        int count = body_count(page);
        compare_body(*search, page, next);
        for (int slot = 0; slot < count; slot++) {
            if (search->distance[slot] <= search->radius)
                add_hit(search, page, store_position(block, slot), search->distance[slot], &hits);
        }
        UnlockReleaseBuffer(buffer);
    }
    if (hits > 0)
        check_hits(search->index, plane, search->hit, hits);
    return hits;
}

// Whether a scan with the present radius, which may have shrunk, reads the plane of a segment first.
bool reads_plane(SignatureSearch *search)
{
    if (search->plane_radius != search->radius) {
        search->plane_radius = search->radius;
        search->by_plane =
            search->radius <= kSketchBits && plane_helps(search->meta->layout, search->shape, search->radius);
    }
    return search->by_plane;
}

// Copies the positions of a plane's rows whose sketches are within the radius.
Size plane_candidates(SignatureSearch *search, BlockNumber block)
{
    Buffer buffer = read_store_page(search->index, search->shape, block, kPlanePage, BUFFER_LOCK_SHARE,
                                    search->snapshot, search->strategy);
    const char *page = buffer_page(buffer);
    int matches =
        match_plane(plane_sketches(page), plane_count(page), search->sketch, search->radius, search->match);
    Size count = 0;
    for (int i = 0; i < matches; i++) {
        int slot = search->match[i];
        if (plane_uses(page, slot))
            search->position[count++] =
                store_position(block + 1 + static_cast<BlockNumber>(slot / search->shape.body_rows),
                               slot % search->shape.body_rows);
    }
    UnlockReleaseBuffer(buffer);
    return count;
}

} // namespace

bool next_segment_rows(SignatureSearch *search, Results *results)
{
    while (search->segment < search->segments.count) {
        CHECK_FOR_INTERRUPTS();
        BlockNumber plane = search->segments.plane[search->segment++];
        Size hits, candidates;
        bool by_plane = reads_plane(search);
        if (by_plane) {
            candidates = plane_candidates(search, plane);
            hits = verify(search, candidates, -1);
        } else {
            candidates = static_cast<Size>(search->shape.rows());
            hits = body_rows(search, plane);
        }
        trace_read(*search, {by_plane ? SignatureRead::plane : SignatureRead::store, 0, plane, candidates,
                             std::numeric_limits<double>::quiet_NaN()});
        if (hits > 0) {
            *results = {search->hit, hits, 0};
            return true;
        }
    }
    return false;
}

} // namespace simhash
