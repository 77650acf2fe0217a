// The entry points of a search of signatures, which scans call (search/value_search.hpp): they read the keys, choose one
// of the four searches, and continue it.
#include "am/signatures/signature_search.hpp"

#include "am/index/strategy.hpp"
#include "am/search/search.hpp"
#include "am/signatures/list_search.hpp"
#include "am/signatures/probe_search.hpp"
#include "am/signatures/signature_kind.hpp"
#include "am/signatures/tree_search.hpp"

#include "core/bits/split_mix.hpp"
#include "pg/types/signature_type.hpp"

extern "C" {
#include "utils/memutils.h"
}

namespace simhash
{

namespace
{

// The stored form of a signature of the index's length.
const std::uint8_t *masked(const SignatureTerms &terms, const std::uint8_t *signature)
{
    const auto bytes = static_cast<Size>(signature_bytes(terms.bits));
    auto *stored = allocate<std::uint8_t>(bytes);
    std::memcpy(stored, signature, bytes);
    mask_signature(stored, terms.bits, terms.keys->mask);
    return stored;
}

SignatureSearch *signatures(ValueSearch *search) { return static_cast<SignatureSearch *>(search); }

void forget_query(SignatureSearch *search)
{
    MemoryContextReset(search->query_context);
    search->lists = nullptr;
    search->probes = nullptr;
    search->by_recall = search->by_trees = {search->query_context, nullptr, 0, 0};
}

void read_keys(ValueSearch *base, IndexScanDesc scan)
{
    SignatureSearch *search = signatures(base);
    check_declared_bits(search->index, *search->meta);
    forget_query(search);
    MemoryContext caller = MemoryContextSwitchTo(search->query_context);
    read_scan_keys(SignatureTerms{search->meta->bits, &search->asked}, scan, &search->asked);
    MemoryContextSwitchTo(caller);
}

// Estimates the size of the index, by which searches are planned.
void start_search(ValueSearch *base)
{
    SignatureSearch *search = signatures(base);
    search->reader.snapshot = search->snapshot;
    search->size = signature_index_size(search->meta->layout, RelationGetNumberOfBlocks(search->index));
    clear_set(&search->by_recall);
}

void begin_conditions(ValueSearch *base)
{
    // Below this, an exact search costs hardly more than the first leaves of one with a recall.
    constexpr double kCheap = 100; // microseconds
    static const std::uint8_t kNowhere[kMostSignatureBits / 8] = {};
    SignatureSearch *search = signatures(base);
    if (search->asked.balls == 0) { // all rows
        plan_exact(search, kNowhere, search->meta->bits);
        begin_exact(search);
        return;
    }
    const auto &lead = *search->asked.ball;
    plan_exact(search, lead.center, lead.radius);
    if (!lead.exact && search->exact_cost > kCheap && search->meta->trees > 0)
        begin_probes(search, *lead.guide);
    else if (!lead.exact || search->all_wanted)
        begin_exact(search);
    else
        begin_likeliest(search, lead.guide == nullptr ? nullptr : ball_weights(*lead.guide));
}

bool next_rows(ValueSearch *base, Results *results)
{
    SignatureSearch *search = signatures(base);
    for (;;) {
        const auto more = search->more;
        if (more(search, results))
            return true;
        if (search->more == more)
            break;
    }
    *results = {search->hit, 0, 0};
    return false;
}

bool copy_row(const SignatureSearch &search, const char *page, int slot, Datum *stored, std::uint64_t *tid)
{
    *tid = body_tid(page, slot);
    if (*tid == kNoRow)
        return false;
    std::uint8_t *data;
    *stored = make_signature(search.meta->bits, &data);
    std::memcpy(data, body_signature(page, search.shape.bytes, slot), static_cast<Size>(search.shape.bytes));
    return true;
}

// Draws a slot of the store: by its page, or by an entry of a tree.
bool draw_row(ValueSearch *base, std::uint64_t random, Datum *stored, std::uint64_t *tid)
{
    SignatureSearch *search = signatures(base);
    const std::uint64_t second = split_mix(random);
    Buffer buffer = draw_page(search->index, random);
    if (!BufferIsValid(buffer))
        return false;
    const char *page = buffer_page(buffer);
    int slot = -1;
    if (is_store_page(page)) {
        if ((page_tail(page)->flags & kBodyPage) && body_count(page) > 0)
            slot = static_cast<int>(second % static_cast<std::uint64_t>(body_count(page)));
    } else if (is_leaf(page) && page_tail(page)->tree < search->meta->trees) {
        const int count = leaf_read(page, search->found);
        UnlockReleaseBuffer(buffer);
        if (count == 0)
            return false;
        const std::uint64_t position = search->found[second % static_cast<std::uint64_t>(count)].tid;
        buffer = read_store_page(search->index, search->shape, position_block(position), kBodyPage,
                                 BUFFER_LOCK_SHARE);
        page = buffer_page(buffer);
        slot = position_slot(position) < body_count(page) ? position_slot(position) : -1;
    }
    const bool found = slot >= 0 && copy_row(*search, page, slot, stored, tid);
    UnlockReleaseBuffer(buffer);
    return found;
}

void begin_around(ValueSearch *base, Datum stored, int radius)
{
    SignatureSearch *search = signatures(base);
    forget_query(search);
    const std::uint8_t *center = indexed_signature(search->index, *search->meta, stored);
    search->asked.ball[0] = {center, radius, true, nullptr};
    search->asked.balls = 1;
    search->asked.orders = 0;
    plan_exact(search, center, radius);
    begin_exact(search);
}

Ring begin_ring(ValueSearch *base, int high, RingKind)
{
    SignatureSearch *search = signatures(base);
    if (search->asked.centered)
        plan_exact(search, search->asked.lead_query().value, high);
    else
        plan_exact(search, search->asked.ball[0].center, search->asked.ball[0].radius);
    begin_exact(search);
    return {false, false, high};
}

void narrow(ValueSearch *base, int radius)
{
    SignatureSearch *search = signatures(base);
    search->radius = Min(search->radius, radius);
    search->trees->source.radius = Min(search->trees->source.radius, radius);
}

int ring_end(const ValueSearch *base, int done, int last)
{
    const auto &search = *static_cast<const SignatureSearch *>(base);
    if (search.lists != nullptr && search.lists->known > done)
        return search.lists->known;
    const SignatureLayout &layout = search.meta->layout;
    const double scan = scan_cost(layout, search.shape, layout.bits, search.size);
    return Min(next_ring_end(layout, done, scan, search.size), last);
}

double index_rows(const ValueSearch *base) { return static_cast<const SignatureSearch *>(base)->size.rows; }

bool begin_nearest(ValueSearch *base)
{
    SignatureSearch *search = signatures(base);
    const SignatureBall *guide = search->asked.lead_query().guide;
    if (guide == nullptr || search->asked.balls > 0)
        return false;
    plan_exact(search, guide->signature, search->meta->bits);
    return begin_list_search(search, *guide);
}

bool next_nearest(ValueSearch *base, Results *results, int *done)
{
    return next_listed(signatures(base), results, done);
}

constexpr NearestSearch kNearest = {begin_ring, narrow,        ring_end,    index_rows,
                                    nullptr,    begin_nearest, next_nearest};

} // namespace

// Behind other columns, searches are exact: lists and the statistics of bits say nothing of one tenant's rows.
BallKey<const std::uint8_t *, SignatureBall> SignatureTerms::ball(const ScanKeyData &key) const
{
    BallKey<Value, Guide> ball = unmasked_ball(key);
    if (keys->mask != kNoMask && ball.radius >= 0)
        ball = {masked(*this, ball.center), ball.radius, true, nullptr};
    return ball;
}

BallKey<const std::uint8_t *, SignatureBall> SignatureTerms::unmasked_ball(const ScanKeyData &key) const
{
    switch (key.sk_strategy) {
    case kInBall: {
        const SignatureBall &ball = datum_signature_ball(key.sk_argument);
        check_lengths(bits, ball.bits);
        return {ball.signature, ball.radius, is_exact(ball), &ball};
    }
    case kEqual: {
        // Strings of another length are not equal.
        SignatureView view = datum_signature(key.sk_argument);
        return {view.data, view.bits == bits ? 0 : -1, true, nullptr};
    }
    case kBallsMeet: {
        // Balls of another length are not met.
        const SignatureBall &ball = datum_signature_ball(key.sk_argument);
        return {ball.signature, ball.bits == bits ? ball.radius : -1, true, nullptr};
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
        if (keys->mask == kNoMask)
            return {ball.signature, is_exact(ball) ? nullptr : &ball};
        return {masked(*this, ball.signature), nullptr};
    }
    SignatureView view = datum_signature(key.sk_argument);
    check_lengths(bits, view.bits);
    return {keys->mask == kNoMask ? view.data : masked(*this, view.data), nullptr};
}

int SignatureTerms::distance(Value a, Value b) const { return signature_distance(a, b, (bits + 7) / 8); }

ValueSearch *prepare_signature_search(const OpenIndex &index, int nkeys, int norderbys)
{
    auto *search = prepare_search<SignatureSearch>(
        index, nkeys, norderbys,
        {read_keys, start_search, begin_conditions, next_rows, draw_row, begin_around, &kNearest});
    search->query_context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash query", ALLOCSET_SMALL_SIZES);
    search->index = index;
    search->meta = &signature_meta(*index.meta);
    search->shape = search->meta->shape();
    search->trees = allocate_zero<TreeSearch>();
    search->scan = allocate_zero<StoreScan>();
    Size rows = static_cast<Size>(Max(leaf_capacity(BLCKSZ), search->shape.rows()));
    search->scan->match = allocate<std::uint16_t>(rows);
    search->distance = allocate<std::uint16_t>(rows);
    // A search by probes collects the candidates of several leaves.
    search->position = allocate<std::uint64_t>(rows * 2);
    search->hit = allocate<Hit>(rows * 2);
    return search;
}

} // namespace simhash
