// The entry points of a search of a signature index, which scans call (search/value_search.hpp): reading the keys,
// choosing between an exact and an approximate search, and the memory of both.
#include "am/search/nearest_search.hpp"
#include "am/signatures/list_search.hpp"
#include "am/signatures/probe_search.hpp"
#include "am/signatures/signature_kind.hpp"
#include "am/signatures/tree_search.hpp"

extern "C" {
#include "utils/memutils.h"
}

namespace simhash
{

namespace
{

SignatureSearch *signatures(ValueSearch *search) { return static_cast<SignatureSearch *>(search); }

// Estimates the size of the index, by which searches are planned.
void start_search(ValueSearch *base)
{
    SignatureSearch *search = signatures(base);
    search->reader.snapshot = search->snapshot;
    search->size = signature_index_size(search->meta->layout, RelationGetNumberOfBlocks(search->index));
}

// Below this, an exact search costs hardly more than the first leaves of one with a recall.
constexpr double kCheap = 100; // microseconds

void begin_exactly(SignatureSearch *search, const std::uint8_t *query, int radius)
{
    set_query(search, query, radius);
    begin_exact(search);
}

// Starts an approximate search for a ball whose recall is below 1, unless an exact one is cheap.
void begin_guided(SignatureSearch *search, const SignatureBall &ball, int radius)
{
    set_query(search, ball.signature, radius);
    if (search->exact_cost <= kCheap || search->meta->tables == 0)
        begin_exact(search);
    else
        begin_probes(search, ball);
}

void begin_conditions(ValueSearch *base)
{
    SignatureSearch *search = signatures(base);
    const auto *lead = search->asked.ball;
    if (search->asked.balls == 0)
        begin_exactly(search, search->nowhere, search->meta->bits);
    else if (!lead->exact)
        begin_guided(search, *lead->guide, lead->radius);
    else if (search->all_wanted)
        begin_exactly(search, lead->center, lead->radius);
    else {
        set_query(search, lead->center, lead->radius);
        begin_likeliest(search, lead->guide == nullptr ? nullptr : ball_weights(*lead->guide));
    }
}

bool begin_ring(ValueSearch *base, int high, bool)
{
    SignatureSearch *search = signatures(base);
    if (search->asked.centered)
        begin_exactly(search, search->asked.lead_query().value, high);
    else
        begin_exactly(search, search->asked.ball[0].center, search->asked.ball[0].radius);
    return false;
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
    if (!search->probing && next_exact(search, results))
        return true;
    *results = {search->hit, 0, 0};
    return false;
}

int ring_end(const ValueSearch *base, int done, int last)
{
    const auto &search = *static_cast<const SignatureSearch *>(base);
    const int known = search.listed != nullptr ? search.listed->known : -1;
    return known > done ? known : Min(planned_ring_end(search, done), last);
}

double index_rows(const ValueSearch *base) { return static_cast<const SignatureSearch *>(base)->size.rows; }

bool begin_nearest(ValueSearch *base)
{
    SignatureSearch *search = signatures(base);
    const SignatureBall *guide = search->asked.lead_query().guide;
    if (guide == nullptr || search->asked.balls > 0)
        return false;
    set_query(search, guide->signature, search->meta->bits);
    return begin_list_search(search, *guide);
}

bool next_nearest(ValueSearch *base, Results *results, int *done)
{
    return next_listed(signatures(base), results, done);
}

constexpr NearestSearch kNearest = {begin_ring, narrow,        ring_end,    index_rows,
                                    nullptr,    begin_nearest, next_nearest};

void read_keys(ValueSearch *base, IndexScanDesc scan)
{
    SignatureSearch *search = signatures(base);
    free_probes(search);
    free_list_search(search);
    MemoryContextReset(search->key_context);
    MemoryContext caller = MemoryContextSwitchTo(search->key_context);
    read_scan_keys(SignatureTerms{search->meta->bits}, scan, &search->asked);
    MemoryContextSwitchTo(caller);
}

} // namespace

ValueSearch *prepare_signature_search(const OpenIndex &index, int nkeys, int norderbys)
{
    check_declared_bits(index, signature_meta(*index.meta));
    auto *search = static_cast<SignatureSearch *>(palloc0(sizeof(SignatureSearch)));
    search->read_keys = read_keys;
    search->start = start_search;
    search->begin = begin_conditions;
    search->next = next_rows;
    search->nearest = &kNearest;

    prepare_scan_keys(&search->asked, nkeys, norderbys);
    search->keys = &search->asked;
    search->key_context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash scan keys", ALLOCSET_SMALL_SIZES);
    search->index = search->reader.index = index;
    search->meta = &signature_meta(*index.meta);
    search->shape = search->meta->shape();
    search->context = CurrentMemoryContext;
    Size rows = static_cast<Size>(Max(leaf_capacity(BLCKSZ), search->shape.rows()));
    search->found =
        static_cast<LeafEntry *>(palloc(sizeof(LeafEntry) * static_cast<Size>(leaf_capacity(BLCKSZ))));
    search->match = static_cast<std::uint16_t *>(palloc(sizeof(std::uint16_t) * rows));
    search->distance = static_cast<std::uint16_t *>(palloc(sizeof(std::uint16_t) * rows));
    // An approximate search collects the candidates of several leaves.
    search->position = static_cast<std::uint64_t *>(palloc(sizeof(std::uint64_t) * rows * 2));
    search->hit = static_cast<Hit *>(palloc(sizeof(Hit) * rows * 2));
    search->nowhere = static_cast<std::uint8_t *>(palloc0(static_cast<Size>(search->shape.bytes)));
    return search;
}

} // namespace simhash
