#include "am/signatures/signature_search.hpp"

#include "am/index/heap_tid.hpp"
#include "am/search/null_search.hpp"
#include "am/search/strategy.hpp"
#include "am/signatures/signature_kind.hpp"
#include "am/signatures/signature_probes.hpp"

#include "pg/server/settings.hpp"
#include "pg/types/signature_type.hpp"

#include <limits>

extern "C" {
#include "miscadmin.h"
#include "utils/memutils.h"
}

namespace simhash
{

BallKey<const std::uint8_t *, SignatureBall> SignatureTerms::ball(const ScanKeyData &key) const
{
    switch (key.sk_strategy) {
    case kInBall: {
        const SignatureBall &ball = datum_signature_ball(key.sk_argument);
        check_lengths(bits, ball.bits);
        return {ball.signature, ball.radius, is_exact(ball) ? nullptr : &ball};
    }
    case kEqual: {
        // Strings of another length are not equal.
        SignatureView view = datum_signature(key.sk_argument);
        return {view.data, view.bits == bits ? 0 : -1, nullptr};
    }
    default:
        elog(ERROR, "unrecognized strategy number %d of a simhash index", key.sk_strategy);
    }
    pg_unreachable();
}

QueryKey<const std::uint8_t *, SignatureBall> SignatureTerms::query(const ScanKeyData &key) const
{
    if (key.sk_strategy == kWeightsOrder) {
        const SignatureBall &ball = datum_signature_ball(key.sk_argument);
        check_lengths(bits, ball.bits);
        return {ball.signature, is_exact(ball) ? nullptr : &ball};
    }
    SignatureView view = datum_signature(key.sk_argument);
    check_lengths(bits, view.bits);
    return {view.data, nullptr};
}

int SignatureTerms::distance(Value a, Value b) const { return signature_distance(a, b, (bits + 7) / 8); }

void set_query_key(SignatureSearch *search, int table)
{
    std::uint64_t key[kMostKeyWords];
    signature_key(search->meta->layout, table, search->query, key);
    search->key[table] = key[0];
    search->second_word[table] = key[1];
}

int match_keys(SignatureSearch *search, const char *page, int table, int radius)
{
    std::uint64_t query[kMostKeyWords] = {search->key[table], search->second_word[table]};
    return has_pair_keys(page)
               ? match_plane(leaf_words(page), leaf_count(page), query, radius, search->match)
               : match_leaf(leaf_words(page), leaf_count(page), query[0], radius, search->match);
}

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

// Whether the step of the plan is the one that reports a row: the first whose window has few enough errors. The
// row has few enough in this one.
bool reported_by(const SignatureSearch &search, int step, const std::uint8_t *signature)
{
    for (int i = 0; i < step; i++) {
        const SearchStep &s = search.exact.plan.step[i];
        std::uint64_t errors = signature_key(search.meta->layout, s.table, signature) ^ search.key[s.table];
        if (std::popcount(errors & leading_bits(s.header_bits)) <= static_cast<int>(s.budget))
            return false;
    }
    return true;
}

// Adds a row of a locked body page to the hits if it is one. `distance` is to the query of the search.
void add_hit(SignatureSearch *search, const char *page, std::uint64_t position, int distance, Size *hits)
{
    int slot = position_slot(position);
    const std::uint8_t *signature = body_signature(page, search->shape.bytes, slot);
    std::uint64_t tid = body_tid(page, slot);
    if (tid == kNoRow || distance > search->radius || !accepted(*search, signature))
        return;
    // A search that has become exact, or a scan.
    if (search->probes != nullptr && !search->probing && was_returned(*search, position, tid))
        return;
    const std::uint64_t *returned = search->returned.tid;
    if (search->scanning && std::binary_search(returned, returned + search->returned.count, tid))
        return;
    const SignatureKeys &keys = search->asked;
    bool to_lead = keys.orders == 0 || keys.lead_query().value == search->query;
    search->hit[(*hits)++] =
        Hit::make(0, tid, to_lead ? distance : distance_to(*search, keys.lead_query().value, signature));
}

} // namespace

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
        if (distance <= search->radius && (step < 0 || reported_by(*search, step, signature)))
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
            Buffer buffer = read_store_page(search->index, search->shape, pages.block[p], kBodyPage,
                                            BUFFER_LOCK_SHARE, search->strategy, pages.buffer[p]);
            verify_page(search, buffer, position + i, next - i, step, &hits);
            UnlockReleaseBuffer(buffer);
            i = next;
        }
    }
    if (hits > 0)
        check_hits(search->index, position_block(position[0]), search->hit, hits);
    return hits;
}

namespace
{

// Copies the positions of a locked leaf's entries that may be within the radius.
Size leaf_candidates(SignatureSearch *search, const char *page, const SearchStep &step)
{
    std::uint64_t query = search->key[step.table], header = leading_bits(step.header_bits);
    int radius = Min(search->radius, search->meta->layout.key_length());
    int matches = match_keys(search, page, step.table, radius);
    Size count = 0;
    for (int i = 0; i < matches; i++) {
        std::uint64_t errors = leaf_key(page, search->match[i]) ^ query;
        if (std::popcount(errors & header) <= static_cast<int>(step.budget))
            search->position[count++] = leaf_tid(page, search->match[i]).packed();
    }
    return count;
}

// A search that returns more rows than this is not slow because of its trees.
constexpr Size kMostReturned = 65536;

void note_returned(SignatureSearch *search, Size hits)
{
    if (search->returned.count + hits > kMostReturned) {
        search->scan_cost = std::numeric_limits<double>::infinity();
        return;
    }
    if (search->returned.tid == nullptr)
        search->returned.tid = static_cast<std::uint64_t *>(
            MemoryContextAlloc(search->context, sizeof(std::uint64_t) * kMostReturned));
    for (Size i = 0; i < hits; i++)
        search->returned.tid[search->returned.count++] = search->hit[i].tid();
}

// Whether a scan of the store would cost less than the rest of the search of the trees.
bool scan_is_cheaper(const SignatureSearch &search)
{
    // A part of the scan's cost shows what the leaves hold; if it has been paid twice, the plan was wrong.
    constexpr double kSample = 0.25, kMost = 2;
    double left = Max(0.0, search.exact.plan.leaves - search.leaves);
    return search.spent > search.scan_cost * kMost ||
           (search.spent > search.scan_cost * kSample &&
            search.spent / search.leaves * left > search.scan_cost);
}

void change_to_scan(SignatureSearch *search)
{
    std::sort(search->returned.tid, search->returned.tid + search->returned.count);
    search->scanning = true;
    begin_scan_of_store(search);
}

// Returns false at the end, and if a scan of the store must find the other rows.
bool next_leaf_rows(SignatureSearch *search, Results *results)
{
    while (!scan_is_cheaper(*search)) {
        Buffer buffer = read_next_leaf(&search->reader);
        if (!BufferIsValid(buffer))
            return false;
        int step = search->exact.step_of(search->reader.leaf);
        Size count = leaf_candidates(search, buffer_page(buffer), search->exact.plan.step[step]);
        BlockNumber block = BufferGetBlockNumber(buffer);
        UnlockReleaseBuffer(buffer);
        trace_read(*search, {SignatureRead::tree, search->reader.leaf.table, block, count,
                             std::numeric_limits<double>::quiet_NaN()});
        Size hits = verify(search, count, step);
        search->spent += kLeafCost + static_cast<double>(count) * kCandidateCost;
        search->leaves++;
        if (hits > 0) {
            note_returned(search, hits);
            *results = {search->hit, hits, 0};
            return true;
        }
    }
    change_to_scan(search);
    return false;
}

} // namespace

Size plane_candidates(SignatureSearch *search, BlockNumber block, int radius)
{
    Buffer buffer =
        read_store_page(search->index, search->shape, block, kPlanePage, BUFFER_LOCK_SHARE, search->strategy);
    const char *page = buffer_page(buffer);
    int matches = match_plane(plane_sketches(page), plane_count(page), search->sketch, radius, search->match);
    Size count = 0;
    for (int i = 0; i < matches; i++) {
        int slot = search->match[i];
        if (!plane_uses(page, slot))
            continue;
        const std::uint64_t *sketch = plane_sketches(page) + 2 * slot;
        search->distance[count] = static_cast<std::uint16_t>(std::popcount(sketch[0] ^ search->sketch[0]) +
                                                             std::popcount(sketch[1] ^ search->sketch[1]));
        search->position[count++] =
            store_position(block + 1 + static_cast<BlockNumber>(slot / search->shape.body_rows),
                           slot % search->shape.body_rows);
    }
    UnlockReleaseBuffer(buffer);
    return count;
}

namespace
{

// Prefetches a body page, of which all will be read. Returns its buffer, or an invalid one.
Buffer prefetch_body(const SignatureSearch &search, BlockNumber block)
{
    constexpr int kLine = 64;
    Buffer buffer = block_exists(search.index, block)
                        ? PrefetchBuffer(search.index, MAIN_FORKNUM, block).recent_buffer
                        : InvalidBuffer;
    if (BufferIsValid(buffer)) {
        const char *page = BufferGetPage(buffer);
        for (int at = 0; at < BLCKSZ; at += kLine)
            __builtin_prefetch(page + at);
    }
    return buffer;
}

Size body_rows(SignatureSearch *search, BlockNumber plane)
{
    Size hits = 0;
    Size bytes = static_cast<Size>(search->shape.bytes);
    Buffer next = prefetch_body(*search, plane + 1);
    for (int body = 1; body <= search->shape.bodies; body++) {
        BlockNumber block = plane + static_cast<BlockNumber>(body);
        Buffer buffer = read_store_page(search->index, search->shape, block, kBodyPage, BUFFER_LOCK_SHARE,
                                        search->strategy, next);
        if (body < search->shape.bodies)
            next = prefetch_body(*search, block + 1);
        const char *page = buffer_page(buffer);
        int count = body_count(page);
        find_distances(search->query, search->shape.bytes, body_signature(page, search->shape.bytes, 0),
                       bytes, count, search->distance);
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

bool next_segment_rows(SignatureSearch *search, Results *results)
{
    while (search->segment < search->segments.count) {
        CHECK_FOR_INTERRUPTS();
        BlockNumber plane = search->segments.plane[search->segment++];
        Size hits, candidates;
        bool by_plane = reads_plane(search);
        if (by_plane) {
            candidates = plane_candidates(search, plane, search->radius);
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

} // namespace

void begin_scan_of_store(SignatureSearch *search)
{
    if (search->segments.plane != nullptr)
        pfree(search->segments.plane);
    MemoryContext caller = MemoryContextSwitchTo(search->context);
    search->segments = read_segments(search->index, *search->meta);
    MemoryContextSwitchTo(caller);
    search->segment = 0;
    search->plane_radius = -1;
}

namespace
{

double tree_cost(const SignatureSearch &search, int radius, SearchPlan *plan)
{
    return plan_trees(search.meta->layout, radius, search.size, plan);
}

} // namespace

double store_cost(const SignatureSearch &search, int radius)
{
    return scan_cost(search.meta->layout, search.shape, radius, search.size);
}

SignatureIndexSize signature_index_size(const SignatureLayout &layout, BlockNumber blocks)
{
    StoreShape shape = store_shape(layout.bytes(), BLCKSZ);
    double leaves_of_segment = layout.tables * shape.rows() / signature_leaf_rows(layout, BLCKSZ);
    double segments = blocks / (shape.pages() + leaves_of_segment);
    return signature_index_size(layout, shape, BLCKSZ, segments * shape.rows());
}

namespace
{

std::uint64_t source_key(const ExactSource *source, int table)
{
    return static_cast<const SignatureSource *>(source)->keys[table];
}

} // namespace

void begin_exact(SignatureSearch *search)
{
    search->probing = false;
    search->spent = search->leaves = 0;
    search->returned.count = 0;
    if (search->scanning) {
        begin_scan_of_store(search);
        return;
    }
    const SearchPlan &plan = search->exact.plan;
    for (int i = 0; i < plan.steps; i++)
        set_query_key(search, plan.step[i].table);
    search->exact.keys = search->key;
    search->exact.key_of = source_key;
    begin_exact_source(&search->exact, search->radius);
    begin_reading(&search->reader, &search->exact);
}

namespace
{

// Sets the query, and plans an exact search for it.
void set_query(SignatureSearch *search, const std::uint8_t *query, int radius)
{
    search->query = query;
    search->radius = radius;
    signature_sketch(search->meta->layout, query, search->sketch);
    double trees = tree_cost(*search, radius, &search->exact.plan);
    search->scan_cost = store_cost(*search, radius);
    search->scanning = trees > search->scan_cost;
    search->exact_cost = Min(trees, search->scan_cost);
}

SignatureSearch *signatures(ValueSearch *search) { return static_cast<SignatureSearch *>(search); }

// Estimates the size of the index, by which searches are planned.
void start_search(ValueSearch *base)
{
    SignatureSearch *search = signatures(base);
    search->reader.snapshot = search->snapshot;
    search->size = signature_index_size(search->meta->layout, RelationGetNumberOfBlocks(search->index));
}

void begin_exactly(SignatureSearch *search, const std::uint8_t *query, int radius)
{
    set_query(search, query, radius);
    begin_exact(search);
}

// Starts an approximate search if the ball's recall is below 1 and an exact one is not cheap; otherwise an exact one.
// Returns whether it is approximate.
bool begin_guided(SignatureSearch *search, const SignatureBall &ball, int radius)
{
    // Below this, an exact search costs hardly more than the first leaves of an approximate one.
    constexpr double kCheap = 100; // microseconds
    set_query(search, ball.signature, radius);
    if (search->exact_cost <= kCheap)
        begin_exact(search);
    else
        begin_probes(search, ball);
    return search->probing;
}

void begin_conditions(ValueSearch *base)
{
    SignatureSearch *search = signatures(base);
    const auto *lead = search->asked.ball;
    if (search->asked.balls == 0)
        begin_exactly(search, search->nowhere, search->meta->bits);
    else if (lead->guide != nullptr)
        begin_guided(search, *lead->guide, lead->radius);
    else
        begin_exactly(search, lead->center, lead->radius);
}

bool begin_nearest(ValueSearch *base)
{
    SignatureSearch *search = signatures(base);
    const SignatureBall *guide = search->asked.lead_query().guide;
    return guide != nullptr && search->asked.balls == 0 && begin_guided(search, *guide, search->meta->bits);
}

void begin_ring(ValueSearch *base, int high)
{
    SignatureSearch *search = signatures(base);
    if (search->asked.centered)
        begin_exactly(search, search->asked.lead_query().value, high);
    else
        begin_exactly(search, search->asked.ball[0].center, search->asked.ball[0].radius);
}

void narrow(ValueSearch *base, int radius)
{
    SignatureSearch *search = signatures(base);
    search->radius = Min(search->radius, radius);
    search->exact.radius = Min(search->exact.radius, radius);
}

bool next_rows(ValueSearch *base, Results *results)
{
    SignatureSearch *search = signatures(base);
    if (search->probing && next_probed(search, results))
        return true;
    if (!search->probing && !search->scanning && next_leaf_rows(search, results))
        return true;
    if (!search->probing && search->scanning && next_segment_rows(search, results))
        return true;
    *results = {search->hit, 0, 0};
    return false;
}

bool next_nearest(ValueSearch *base, Results *results, int *done)
{
    return next_neighbors(signatures(base), results, done);
}

int ring_end(const ValueSearch *base, int done, int last)
{
    const auto &search = *static_cast<const SignatureSearch *>(base);
    const int known = known_distance(search, done);
    if (known >= 0)
        return known;
    const double scan = store_cost(search, search.meta->bits);
    return Min(next_ring_end(search.meta->layout, done, scan, search.size), last);
}

void read_keys(ValueSearch *base, IndexScanDesc scan)
{
    SignatureSearch *search = signatures(base);
    free_probes(search);
    MemoryContextReset(search->key_context);
    MemoryContext caller = MemoryContextSwitchTo(search->key_context);
    read_scan_keys(SignatureTerms{search->meta->bits}, scan, &search->asked);
    MemoryContextSwitchTo(caller);
}

void end_search(ValueSearch *base)
{
    SignatureSearch *search = signatures(base);
    free_probes(search);
    MemoryContextDelete(search->key_context);
    if (search->segments.plane != nullptr)
        pfree(search->segments.plane);
    if (search->returned.tid != nullptr)
        pfree(search->returned.tid);
    free_scan_keys(&search->asked);
    pfree(search->match);
    pfree(search->distance);
    pfree(search->position);
    pfree(search->hit);
    pfree(search);
}

} // namespace

ValueSearch *prepare_signature_search(Relation index, const IndexMeta *meta, int nkeys, int norderbys)
{
    check_declared_bits(index, signature_meta(*meta));
    auto *search = static_cast<SignatureSearch *>(palloc0(sizeof(SignatureSearch)));
    search->read_keys = read_keys;
    search->start = start_search;
    search->begin = begin_conditions;
    search->next = next_rows;
    search->end = end_search;
    search->begin_ring = begin_ring;
    search->narrow = narrow;
    search->ring_end = ring_end;
    search->begin_nearest = begin_nearest;
    search->next_nearest = next_nearest;

    prepare_scan_keys(&search->asked, nkeys, norderbys);
    search->keys = &search->asked;
    search->key_context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash scan keys", ALLOCSET_SMALL_SIZES);
    search->index = search->reader.index = index;
    search->meta = &signature_meta(*meta);
    search->shape = search->meta->shape();
    search->context = CurrentMemoryContext;
    Size rows = static_cast<Size>(Max(leaf_capacity(BLCKSZ), search->shape.rows()));
    search->match = static_cast<std::uint16_t *>(palloc(sizeof(std::uint16_t) * rows));
    search->distance = static_cast<std::uint16_t *>(palloc(sizeof(std::uint16_t) * rows));
    // An approximate search collects the candidates of several leaves.
    search->position = static_cast<std::uint64_t *>(palloc(sizeof(std::uint64_t) * rows * 2));
    search->hit = static_cast<Hit *>(palloc(sizeof(Hit) * rows * 2));
    search->nowhere = static_cast<std::uint8_t *>(palloc0(static_cast<Size>(search->shape.bytes)));
    return search;
}

} // namespace simhash
