#include "am/signatures/candidate_rows.hpp"
#include "am/signatures/tree_search.hpp"

#include <limits>

extern "C" {
#include "miscadmin.h"
#include "storage/predicate.h"
}

namespace simhash
{

namespace
{

Size body_rows(SignatureSearch *search, BlockNumber plane)
{
    Size hits = 0;
    const BlockNumber end = plane + 1 + static_cast<BlockNumber>(search->shape.bodies);
    Buffer next = find_body(*search, plane + 1);
    for (BlockNumber block = plane + 1; block < end; block++) {
        Buffer buffer = read_store_page(search->index, search->shape, block, kBodyPage, BUFFER_LOCK_SHARE,
                                        search->snapshot, nullptr, next);
        next = block + 1 < end ? find_body(*search, block + 1) : InvalidBuffer;
        hits = add_body_rows(search, buffer, next, hits);
    }
    return hits;
}

// Whether a scan with the present radius, which may have shrunk, reads the plane of a segment first.
bool reads_plane(SignatureSearch *search)
{
    StoreScan *scan = search->scan;
    if (scan->plane_radius != search->radius) {
        scan->plane_radius = search->radius;
        scan->by_plane =
            search->radius <= kSketchBits && plane_helps(search->meta->layout, search->shape, search->radius);
    }
    return scan->by_plane;
}

// Copies the positions of a plane's rows whose sketches are within the radius.
Size plane_candidates(SignatureSearch *search, BlockNumber block)
{
    const StoreScan &scan = *search->scan;
    Buffer buffer =
        read_store_page(search->index, search->shape, block, kPlanePage, BUFFER_LOCK_SHARE, search->snapshot);
    const char *page = buffer_page(buffer);
    int matches =
        match_plane(plane_sketches(page), plane_count(page), scan.sketch, search->radius, scan.match);
    Size count = 0;
    for (int i = 0; i < matches; i++) {
        int slot = scan.match[i];
        if (plane_uses(page, slot))
            search->position[count++] =
                store_position(block + 1 + static_cast<BlockNumber>(slot / search->shape.body_rows),
                               slot % search->shape.body_rows);
    }
    UnlockReleaseBuffer(buffer);
    return count;
}

// Sets the results to the rows of the next segment that has some. Returns false at the end.
bool next_segment_rows(SignatureSearch *search, Results *results)
{
    StoreScan *scan = search->scan;
    while (scan->segment < scan->segments.count) {
        CHECK_FOR_INTERRUPTS();
        BlockNumber plane = scan->segments.plane[scan->segment++];
        Size hits, candidates;
        bool by_plane = reads_plane(search);
        if (by_plane) {
            candidates = plane_candidates(search, plane);
            hits = verify(search, candidates);
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

} // namespace

void begin_store_scan(SignatureSearch *search)
{
    StoreScan *scan = search->scan;
    // Before the first page is read: see write_row.
    if (search->snapshot != nullptr)
        PredicateLockRelation(search->index, search->snapshot);
    if (scan->segments.plane != nullptr)
        pfree(scan->segments.plane);
    MemoryContext caller = MemoryContextSwitchTo(search->context);
    scan->segments = read_segments(search->index, *search->meta);
    MemoryContextSwitchTo(caller);
    signature_sketch(search->meta->layout, search->query, scan->sketch);
    scan->segment = 0;
    scan->plane_radius = -1;
    search->more = next_segment_rows;
}

} // namespace simhash
