#include "am/signatures/candidate_rows.hpp"

#include "am/search/pins.hpp"

#include <algorithm>

namespace simhash
{

namespace
{

int distance_to(const SignatureSearch &search, const std::uint8_t *query, const std::uint8_t *signature)
{
    return signature_distance(query, signature, search.shape.bytes);
}

// Whether a row is in all balls.
bool accepted(const SignatureSearch &search, const std::uint8_t *signature)
{
    for (int i = 0; i < search.asked.balls; i++) {
        if (distance_to(search, search.asked.ball[i].center, signature) > search.asked.ball[i].radius)
            return false;
    }
    return true;
}

// Whether the leaf is the one that returns a row: it is that of the first step in whose window the row has few enough
// errors, or one of those that are read first. The row has few enough in this step.
bool reported_here(const SignatureSearch &search, int step, const std::uint8_t *signature)
{
    const SignatureSource &exact = search.exact;
    const auto key = [&](int table) { return signature_key(search.meta->layout, table, signature); };
    if (search.likeliest)
        return exact.is_new(search.reader.leaf, key);
    for (int i = 0; i < step; i++) {
        const int table = exact.plan.step[i].table;
        if (exact.returns(table, key(table)))
            return false;
    }
    return !exact.returned_before(key);
}

} // namespace

void add_hit(SignatureSearch *search, const char *page, std::uint64_t position, int distance, Size *hits)
{
    int slot = position_slot(position);
    const std::uint8_t *signature = body_signature(page, search->shape.bytes, slot);
    std::uint64_t tid = body_tid(page, slot);
    if (tid == kNoRow || distance > search->radius || !accepted(*search, signature))
        return;
    if (search->skip_seen && contains(search->seen, search->seen_tids ? tid : position))
        return;
    const std::uint64_t *returned = search->returned.tid;
    if (search->scanning && std::binary_search(returned, returned + search->returned.count, tid))
        return;
    const SignatureKeys &keys = search->asked;
    bool to_lead = keys.orders == 0 || keys.lead_query().value == search->query;
    search->hit[(*hits)++] =
        Hit::make(0, tid, to_lead ? distance : distance_to(*search, keys.lead_query().value, signature));
}

namespace
{

// The pages of some candidates.
struct CandidatePages {
    static constexpr int kTogether = 16;
    int count;
    BlockNumber block[kTogether];
    Buffer buffer[kTogether]; // where the page is, or invalid
};

// Prefetches the pages of the next candidates from disk, or, if they are in buffers, what will be read of them into
// the processor's cache. As in tree/prefetch.hpp, a byte is read of each part to load the TLB. Returns the number of
// candidates whose pages these are.
Size prefetch_candidates(const SignatureSearch &search, const std::uint64_t *position, Size count,
                         CandidatePages *pages)
{
    constexpr int kLine = 64;
    pages->count = 0;
    unsigned char sum = 0;
    Size i = 0;
    for (; i < count; i++) {
        BlockNumber block = position_block(position[i]);
        if (pages->count == 0 || pages->block[pages->count - 1] != block) {
            if (pages->count == CandidatePages::kTogether)
                break;
            pages->block[pages->count] = block;
            pages->buffer[pages->count++] =
                block_exists(search.index, block)
                    ? PrefetchBuffer(search.index, MAIN_FORKNUM, block).recent_buffer
                    : InvalidBuffer;
        }
        Buffer buffer = pages->buffer[pages->count - 1];
        if (!BufferIsValid(buffer))
            continue;
        const char *page = BufferGetPage(buffer);
        Size at = sizeof(RawPageHeader) + static_cast<Size>(search.shape.bytes) *
                                              static_cast<Size>(Max(0, position_slot(position[i])));
        Size end = Min(at + static_cast<Size>(search.shape.bytes), static_cast<Size>(BLCKSZ - 1));
        at = Min(at, end);
        sum = static_cast<unsigned char>(sum + *static_cast<const volatile char *>(page + at));
        for (Size line = at + kLine; line < end; line += kLine)
            __builtin_prefetch(page + line);
        __builtin_prefetch(page + BLCKSZ - kLine);
        __builtin_prefetch(page);
    }
    asm volatile("" : : "r"(sum));
    return i;
}

// Adds the candidates of one page that match to the hits.
void verify_page(SignatureSearch *search, Buffer buffer, const std::uint64_t *position, Size count, int step,
                 Size *hits)
{
    const char *page = buffer_page(buffer);
    for (Size i = 0; i < count; i++) {
        int slot = position_slot(position[i]);
        if (slot < 0 || slot >= body_count(page))
            report_corruption(search->index, position_block(position[i]),
                              "An entry refers to a row that does not exist.");
        const std::uint8_t *signature = body_signature(page, search->shape.bytes, slot);
        int distance = distance_to(*search, search->query, signature);
        if (distance <= search->radius && (step < 0 || reported_here(*search, step, signature)))
            add_hit(search, page, position[i], distance, hits);
    }
}

} // namespace

Size verify(SignatureSearch *search, Size count, int step)
{
    std::uint64_t *position = search->position;
    std::sort(position, position + count);
    Size hits = 0;
    CandidatePages pages;
    for (Size i = 0; i < count;) {
        Size end = i + prefetch_candidates(*search, position + i, count - i, &pages);
        for (int p = 0; p < pages.count; p++) {
            Size next = i;
            while (next < end && position_block(position[next]) == pages.block[p])
                next++;
            Buffer buffer =
                read_store_page(search->index, search->shape, pages.block[p], kBodyPage, BUFFER_LOCK_SHARE,
                                search->snapshot, search->strategy, pages.buffer[p]);
            verify_page(search, buffer, position + i, next - i, step, &hits);
            UnlockReleaseBuffer(buffer);
            i = next;
        }
    }
    if (hits > 0)
        check_hits(search->index, position_block(position[0]), search->hit, hits);
    return hits;
}

} // namespace simhash
