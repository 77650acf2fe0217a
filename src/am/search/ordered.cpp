// ORDER BY h <@> q: rows in rings of growing distance.
//
// A ring holds all rows farther than `done` and at most `high` away, sorted. Its search is a radius search;
// where `high` costs no more pages than a smaller radius it is taken, and where pages no longer matter it is
// every distance that is left. A ring that outgrows its limit gives up its farthest rows, and searches on for
// the nearer ones only: so a full pass for the nearest few keeps few, and memory stays within work_mem. If
// the rows of a single distance are too many, they need no sorting: they are streamed.
#include "am/search/scan.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/memutils.h"
}

namespace simhash
{

namespace
{

constexpr Size kFirstLimit = 1024; // rows of a ring; once one has been returned, later ones may be larger
constexpr Size kLimitGrowth = 8;
constexpr double kGoodPart = 32;

// In a ring a hit carries its distance to the leading query above the tid's 48 bits: the rank by which it is
// sorted.
constexpr int kRankShift = 48;

int ring_distance(const Hit &hit) { return static_cast<int>(hit.tid >> kRankShift); }

// True where the rows are searched around the ORDER BY's query; else around a WHERE ball of another center.
bool centered(const ScanKeys &keys) { return keys.balls == 0 || keys.ball[0].center == keys.lead; }

// Rings in a ball of weights: the recall they aim at is that of a search of the ring's radius. Farther out
// they are exact.
bool guided(const ScanState &state) { return state.keys.guided != nullptr; }

int farthest(const ScanKeys &keys) { return centered(keys) && keys.balls > 0 ? keys.ball[0].radius : kBits; }

// The distance within which that many evenly spread fingerprints hold a few neighbours.
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

// How far the next ring goes.
int choose_high(const ScanState &state)
{
    int done = state.rings.done, last = farthest(state.keys);
    if (!centered(state.keys))
        return last;
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
    // Where a ring takes a good part of a table it should be the last: as far as neighbours are where there
    // are no near-duplicates.
    if (plan.leaves > leaves / kGoodPart)
        high = Max(high, Min(last, expected_distance(leaves * leaf_capacity(BLCKSZ))));
    return high;
}

// Keeps the nearest rows, about half of the limit but all of a distance or none. Returns the new high.
int shrink_ring(Rings *rings, const Size *count, int high, Size limit, Size *kept)
{
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

void sort_ring(const ScanKeys &keys, Hit *ring, Size kept)
{
    if (keys.orders == 1) {
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

void search_up_to(ScanState *state, int high)
{
    const ScanKeys &keys = state->keys;
    if (centered(keys) && guided(*state) && high <= kFarthestGuided)
        begin_guided_search(&state->search, *keys.guided, high);
    else if (centered(keys))
        begin_search(&state->search, keys.lead, high);
    else
        begin_search(&state->search, keys.ball[0].center, keys.ball[0].radius);
}

// The rows of one distance, leaf by leaf.
bool next_streamed(ScanState *state)
{
    Results *results = &state->results;
    while (next_leaf(&state->search, results)) {
        Size to = 0;
        for (Size i = 0; i < results->hits; i++) {
            if (hamming_distance(results->hit[i].fingerprint, state->keys.lead) == state->rings.streaming)
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

// Makes room in a ring that has reached its limit. Returns the distance at which it ends now; sets streaming
// if the ring cannot hold the rows of its first distance.
int relieve_ring(ScanState *state, const Size *count, int high, Size *limit, Size *kept)
{
    Rings *rings = &state->rings;
    high = shrink_ring(rings, count, high, *limit, kept);
    if (*kept >= *limit / 2 && high == rings->done + 1) {
        if (state->keys.orders == 1) {
            rings->streaming = high;
            return high;
        }
        *limit *= 2;
    }
    if (centered(state->keys))
        narrow_search(&state->search, high);
    return high;
}

// Collects the ring (done, high], which may end nearer than asked. Returns its end.
int collect_ring(ScanState *state, int high, Size *kept)
{
    Rings *rings = &state->rings;
    Size count[kBits + 1] = {}, limit = rings->limit;
    *kept = 0;
    search_up_to(state, high);
    Results leaf;
    while (next_leaf(&state->search, &leaf)) {
        for (Size i = 0; i < leaf.hits; i++) {
            int distance = hamming_distance(leaf.hit[i].fingerprint, state->keys.lead);
            if (distance <= rings->done || distance > high)
                continue;
            if (*kept >= limit) {
                high = relieve_ring(state, count, high, &limit, kept);
                if (rings->streaming >= 0)
                    return high;
                if (distance > high)
                    continue;
            }
            add_to_ring(rings, leaf.hit[i], distance, kept);
            count[distance]++;
        }
    }
    return high;
}

// Limits grow: who has read many rows is likely to read more.
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
    if (rings->hit == nullptr) {
        rings->capacity = kFirstLimit;
        rings->hit = static_cast<Hit *>(MemoryContextAlloc(rings->context, sizeof(Hit) * rings->capacity));
    }
}

bool next_ring(ScanState *state)
{
    Rings *rings = &state->rings;
    for (;;) {
        if (rings->streaming >= 0) {
            if (next_streamed(state))
                return true;
            rings->done = rings->streaming;
            rings->streaming = -1;
        }
        if (rings->done >= farthest(state->keys))
            return false;

        Size kept;
        int high = collect_ring(state, choose_high(*state), &kept);
        release_pin(&state->search);
        if (rings->streaming >= 0) {
            search_up_to(state, high);
            continue;
        }
        rings->done = high;
        if (kept > 0) {
            raise_limit(rings);
            sort_ring(state->keys, rings->hit, kept);
            state->results = {rings->hit, kept, 0};
            return true;
        }
    }
}

} // namespace simhash
