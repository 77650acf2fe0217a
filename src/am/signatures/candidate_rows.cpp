#include "am/signatures/candidate_rows.hpp"

#include "pg/server/settings.hpp"

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

// Adds a row of a locked body page to the hits unless its slot is free, it is outside one of the balls, or it is not
// returned again. `distance` is to the query of the search.
void add_hit(SignatureSearch *search, const char *page, int slot, int distance, Size *hits)
{
    const std::uint8_t *signature = body_signature(page, search->shape.bytes, slot);
    const std::uint64_t tid = body_tid(page, slot);
    if (tid == kNoRow || distance > search->radius || !accepted(*search, signature) ||
        contains(search->by_recall, tid) || contains(search->by_trees, tid))
        return;
    const SignatureKeys &keys = search->asked;
    bool to_lead = keys.orders == 0 || keys.lead_query().value == search->query;
    search->hit[(*hits)++] =
        Hit::make(0, tid, to_lead ? distance : distance_to(*search, keys.lead_query().value, signature));
}

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
            pages->buffer[pages->count++] = find_body(search, block);
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

using RowTest = bool (*)(const SignatureSearch &search, const std::uint8_t *signature);

void verify_page(SignatureSearch *search, Buffer buffer, const std::uint64_t *position, Size count,
                 RowTest returns, Size *hits)
{
    const char *page = buffer_page(buffer);
    for (Size i = 0; i < count; i++) {
        int slot = position_slot(position[i]);
        if (slot < 0 || slot >= body_count(page))
            report_corruption(search->index, position_block(position[i]),
                              "An entry refers to a row that does not exist.");
        const std::uint8_t *signature = body_signature(page, search->shape.bytes, slot);
        int distance = distance_to(*search, search->query, signature);
        if (distance <= search->radius && (returns == nullptr || returns(*search, signature)))
            add_hit(search, page, slot, distance, hits);
    }
}

// Sets the distances of the rows of a body page.
void compare_body(const SignatureSearch &search, const char *page, Buffer next)
{
    constexpr int kLine = 64, kGroup = 1024; // bytes compared between two groups of prefetches
    const int bytes = search.shape.bytes, count = body_count(page);
    const int group = Max(kGroup / bytes, 16);
    const char *ahead = BufferIsValid(next) ? static_cast<const char *>(BufferGetPage(next)) : nullptr;
    int fetched = 0;
    for (int row = 0; row < count; row += group) {
        const int end = Min(row + group, count);
        const int wanted = end == count ? BLCKSZ : end * bytes;
        for (; ahead != nullptr && fetched < wanted; fetched += kLine)
            __builtin_prefetch(ahead + fetched);
        find_distances(search.query, bytes, body_signature(page, bytes, row), static_cast<Size>(bytes),
                       end - row, search.distance + row);
    }
}

} // namespace

void set_query_key(SignatureSearch *search, int tree)
{
    std::uint64_t key[kMostKeyWords];
    signature_key(search->meta->layout, tree, search->query, key);
    search->key[tree] = key[0];
    search->second_word[tree] = key[1];
}

LeafQuery key_query(const SignatureSearch &search, int tree, int radius)
{
    return {{{search.key[tree], search.meta->words == 2 ? search.second_word[tree] : 0}}, radius, 0, 0, 0};
}

Size verify(SignatureSearch *search, Size count, RowTest returns)
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
            Buffer buffer = read_store_page(search->index, search->shape, pages.block[p], kBodyPage,
                                            BUFFER_LOCK_SHARE, search->snapshot, nullptr, pages.buffer[p]);
            verify_page(search, buffer, position + i, next - i, returns, &hits);
            UnlockReleaseBuffer(buffer);
            i = next;
        }
    }
    if (hits > 0)
        check_hits(search->index, position_block(position[0]), search->hit, hits);
    return hits;
}

Buffer find_body(const SignatureSearch &search, BlockNumber block)
{
    return block_exists(search.index, block) ? PrefetchBuffer(search.index, MAIN_FORKNUM, block).recent_buffer
                                             : InvalidBuffer;
}

Size add_body_rows(SignatureSearch *search, Buffer buffer, Buffer next, Size hits)
{
    const char *page = buffer_page(buffer);
    const BlockNumber block = BufferGetBlockNumber(buffer);
    const int count = body_count(page);
    const Size before = hits;
    compare_body(*search, page, next);
    for (int slot = 0; slot < count; slot++) {
        if (search->distance[slot] <= search->radius)
            add_hit(search, page, slot, search->distance[slot], &hits);
    }
    UnlockReleaseBuffer(buffer);
    if (hits > before)
        check_hits(search->index, block, search->hit + before, hits - before);
    return hits;
}

} // namespace simhash
