// The entry points of a search of signatures, which scans call (search/value_search.hpp): they read the keys, choose one
// of the four searches, and continue it.
#include "am/signatures/signature_search.hpp"

#include "am/index/strategy.hpp"
#include "am/search/nearest_search.hpp"
#include "am/signatures/list_search.hpp"
#include "am/signatures/probe_search.hpp"
#include "am/signatures/signature_kind.hpp"
#include "am/signatures/store_scan.hpp"
#include "am/signatures/tree_search.hpp"

#include "pg/types/signature_type.hpp"

extern "C" {
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
        return {ball.signature, is_exact(ball) ? nullptr : &ball};
    }
    SignatureView view = datum_signature(key.sk_argument);
    check_lengths(bits, view.bits);
    return {view.data, nullptr};
}

int SignatureTerms::distance(Value a, Value b) const { return signature_distance(a, b, (bits + 7) / 8); }

namespace
{

SignatureSearch *signatures(ValueSearch *search) { return static_cast<SignatureSearch *>(search); }

void read_keys(ValueSearch *base, IndexScanDesc scan)
{
    SignatureSearch *search = signatures(base);
    MemoryContextReset(search->query_context);
    search->lists = nullptr;
    search->probes = nullptr;
    search->by_recall = search->by_trees = {search->query_context, nullptr, 0, 0};
    MemoryContext caller = MemoryContextSwitchTo(search->query_context);
    read_scan_keys(SignatureTerms{search->meta->bits}, scan, &search->asked);
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
    if (!lead.exact && search->exact_cost > kCheap && search->meta->tables > 0)
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

bool begin_ring(ValueSearch *base, int high, bool)
{
    SignatureSearch *search = signatures(base);
    if (search->asked.centered)
        plan_exact(search, search->asked.lead_query().value, high);
    else
        plan_exact(search, search->asked.ball[0].center, search->asked.ball[0].radius);
    begin_exact(search);
    return false;
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

ValueSearch *prepare_signature_search(const OpenIndex &index, int nkeys, int norderbys)
{
    check_declared_bits(index, signature_meta(*index.meta));
    auto *search = prepare_search<SignatureSearch>(
        index, nkeys, norderbys, {read_keys, start_search, begin_conditions, next_rows, &kNearest});
    search->query_context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash query", ALLOCSET_SMALL_SIZES);
    search->index = index;
    search->meta = &signature_meta(*index.meta);
    search->shape = search->meta->shape();
    search->trees = static_cast<TreeSearch *>(palloc0(sizeof(TreeSearch)));
    search->scan = static_cast<StoreScan *>(palloc0(sizeof(StoreScan)));
    Size rows = static_cast<Size>(Max(leaf_capacity(BLCKSZ), search->shape.rows()));
    search->scan->match = static_cast<std::uint16_t *>(palloc(sizeof(std::uint16_t) * rows));
    search->distance = static_cast<std::uint16_t *>(palloc(sizeof(std::uint16_t) * rows));
    // A search by probes collects the candidates of several leaves.
    search->position = static_cast<std::uint64_t *>(palloc(sizeof(std::uint64_t) * rows * 2));
    search->hit = static_cast<Hit *>(palloc(sizeof(Hit) * rows * 2));
    return search;
}

} // namespace simhash
