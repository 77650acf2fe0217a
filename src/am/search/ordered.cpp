// ORDER BY h <@> q: returns rows in rings of growing distance.
//
// A ring holds all rows that are farther than `done` and at most `high` away, sorted. It is collected by a
// radius search. The first ring ends at the distance that the index is designed for. Later, `high` is the
// largest radius that costs at most twice the pages of the next distance; once a search reads half of a
// table, the ring covers all remaining distances. A ring that exceeds its limit drops its farthest rows and
// continues to search only for nearer ones. So a search of the whole index for the few nearest rows keeps few
// rows, and memory stays within work_mem. If there are too many rows of a single distance, they are streamed,
// since they need no sorting.
#include "am/search/scan.hpp"
#include "am/signatures/signature_probes.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/memutils.h"
}

namespace simhash
{

namespace
{

constexpr Size kFirstLimit = 1024; // rows in the first ring; the limit grows with each ring returned
constexpr Size kLimitGrowth = 8;
constexpr double kGoodPart = 32;

// In a ring, the tid of a hit carries the distance to the leading query above its 48 bits. Rows are sorted by
// the result.
constexpr int kRankShift = 48;

int ring_distance(const Hit &hit) { return static_cast<int>(hit.tid >> kRankShift); }

// Whether rings are searched by weights, because the leading ball is one around weights. Each ring is a
// search within its end with the ball's recall and limit of probes. Rings beyond kFarthestGuided are exact, unless there
// is such a limit.
bool guided(const ScanState &state) { return state.keys.guided != nullptr; }

// Returns the distance within which a query has a few neighbors among `rows` evenly spread fingerprints.
int expected_distance(double rows)
{
    constexpr double kFew = 16;
    double ways = 1, within = rows * std::exp2(-kBits);
    int distance = 0;
    for (; within < kFew && distance < kBits; distance++) {
        ways = ways * (kBits - distance) / (distance + 1);
        within += ways * rows * std::exp2(-kBits);
    }
    return distance;
}

// Returns the end of the next ring.
int choose_high(const ScanState &state)
{
    int done = state.rings.done, last = farthest_distance(state);
    if (!is_centered(state))
        return last;
    if (state.signatures != nullptr) {
        int known = known_distance(*state.signatures, done);
        return known >= 0 ? known : Min(last, signature_ring(*state.signatures, done));
    }
    if (done < 0)
        return Min(last, static_cast<int>(state.meta->order.design.distance));

    if (guided(state) && done < kFarthestGuided)
        return Min(last, Min(2 * done + 2, kFarthestGuided));

    Relation index = state.search.reader.index;
    int high = done + 1;
    double leaves = index_leaves(index);
    SearchPlan plan;
    index_plan(index, high, &plan);
    double worth = plan.leaves * 2;
    while (high < last) {
        if (plan.leaves > leaves / 2)
            return last;
        index_plan(index, high + 1, &plan);
        if (plan.leaves > worth)
            break;
        high++;
    }
    // A ring that reads a large part of a table should be the last one. It extends to where the neighbors
    // are if there are no near-duplicates.
    if (plan.leaves > leaves / kGoodPart)
        high = Max(high, Min(last, expected_distance(leaves * leaf_capacity(BLCKSZ))));
    return high;
}

// Keeps the nearest rows, about half of the limit, but either all or none of each distance. Returns the new
// end of the ring.
int shrink_ring(Rings *rings, int high, Size limit, Size *kept)
{
    const Size *count = rings->count;
    Size sum = 0;
    int new_high = rings->done;
    while (new_high < high && (new_high == rings->done || sum + count[new_high + 1] <= limit / 2))
        sum += count[++new_high];
    Size to = 0;
    for (Size i = 0; i < *kept; i++) {
        if (ring_distance(rings->hit[i]) <= new_high)
            rings->hit[to++] = rings->hit[i];
    }
    *kept = to;
    return new_high;
}

void sort_ring(const ScanState &state, Hit *ring, Size kept)
{
    const ScanKeys &keys = state.keys;
    if (keys.orders == 1 || state.signatures != nullptr) {
        std::sort(ring, ring + kept, [](const Hit &a, const Hit &b) { return a.tid < b.tid; });
        return;
    }
    std::sort(ring, ring + kept, [&keys](const Hit &a, const Hit &b) {
        for (int i = 0; i < keys.orders; i++) {
            if (keys.order[i].null)
                continue;
            int x = hamming_distance(a.fingerprint, keys.order[i].query);
            int y = hamming_distance(b.fingerprint, keys.order[i].query);
            if (x != y)
                return x < y;
        }
        return a.tid < b.tid;
    });
}

// Sets the results to the next rows of the streamed distance, leaf by leaf. Returns false at the end.
bool next_streamed(ScanState *state)
{
    Results *results = &state->results;
    while (next_values(state, results)) {
        Size to = 0;
        for (Size i = 0; i < results->hits; i++) {
            if (lead_distance(*state, results->hit[i]) == state->rings.streaming)
                results->hit[to++] = results->hit[i];
        }
        results->hits = to;
        if (to > 0)
            return true;
    }
    return false;
}

void add_to_ring(Rings *rings, Hit hit, int distance, Size *kept)
{
    if (*kept == rings->capacity) {
        rings->capacity *= 2;
        rings->hit = static_cast<Hit *>(repalloc_huge(rings->hit, rings->capacity * sizeof(Hit)));
    }
    hit.tid |= static_cast<uint64>(distance) << kRankShift;
    rings->hit[(*kept)++] = hit;
}

// Drops rows from a ring that has reached its limit. Returns the distance at which the ring ends now. Sets
// `streaming` if the ring cannot hold the rows of its first distance.
int relieve_ring(ScanState *state, int high, Size *limit, Size *kept)
{
    Rings *rings = &state->rings;
    high = shrink_ring(rings, high, *limit, kept);
    if (*kept >= *limit / 2 && high == rings->done + 1) {
        if (state->keys.orders == 1 || state->signatures != nullptr) {
            rings->streaming = high;
            return high;
        }
        *limit *= 2;
    }
    if (is_centered(*state))
        narrow_ring(state, high);
    return high;
}

// Collects the ring (done, high], which may end earlier. Returns its end.
int collect_ring(ScanState *state, int high, Size *kept)
{
    Rings *rings = &state->rings;
    Size limit = rings->limit;
    std::fill(rings->count, rings->count + high + 1, 0);
    *kept = 0;
    search_ring(state, high);
    Results leaf;
    while (next_values(state, &leaf)) {
        for (Size i = 0; i < leaf.hits; i++) {
            int distance = lead_distance(*state, leaf.hit[i]);
            if (distance <= rings->done || distance > high)
                continue;
            if (*kept >= limit) {
                high = relieve_ring(state, high, &limit, kept);
                if (rings->streaming >= 0)
                    return high;
                if (distance > high)
                    continue;
            }
            add_to_ring(rings, leaf.hit[i], distance, kept);
            rings->count[distance]++;
        }
    }
    return high;
}

// The limit grows with each ring: a query that has read many rows is likely to read more.
void raise_limit(Rings *rings)
{
    if (rings->limit < static_cast<Size>(work_mem) * 1024 / sizeof(Hit) / kLimitGrowth)
        rings->limit *= kLimitGrowth;
}

} // namespace

void begin_ordered(ScanState *state)
{
    Rings *rings = &state->rings;
    rings->done = -1;
    rings->streaming = -1;
    rings->limit = kFirstLimit;
    rings->approximate = begin_neighbors(state);
    if (rings->hit == nullptr) {
        rings->capacity = kFirstLimit;
        rings->hit = static_cast<Hit *>(MemoryContextAlloc(rings->context, sizeof(Hit) * rings->capacity));
        Size distances = static_cast<Size>(state->meta->wide ? state->meta->layout.bits : kBits) + 1;
        rings->count = static_cast<Size *>(MemoryContextAlloc(rings->context, sizeof(Size) * distances));
    }
}

bool next_ring(ScanState *state)
{
    Rings *rings = &state->rings;
    if (rings->approximate) {
        if (next_neighbors(state->signatures, &state->results, &rings->done))
            return true;
        rings->approximate = false;
    }
    for (;;) {
        if (rings->streaming >= 0) {
            if (next_streamed(state))
                return true;
            rings->done = rings->streaming;
            rings->streaming = -1;
        }
        if (rings->done >= farthest_distance(*state))
            return false;

        Size kept;
        int high = collect_ring(state, choose_high(*state), &kept);
        release_pin(&state->search);
        if (rings->streaming >= 0) {
            search_ring(state, high);
            continue;
        }
        rings->done = high;
        if (kept > 0) {
            raise_limit(rings);
            sort_ring(*state, rings->hit, kept);
            state->results = {rings->hit, kept, 0};
            return true;
        }
    }
}

} // namespace simhash
