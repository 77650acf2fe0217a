// ORDER BY h <@> q: returns rows in rings of growing distance.
//
// A ring holds all rows that are farther than `done` and at most `high` away, sorted. It is collected by a
// radius search; the search decides where the next ring ends. A ring that exceeds its limit drops its farthest rows and
// continues to search only for nearer ones. So a search of the whole index for the few nearest rows keeps few
// rows, and memory stays within work_mem. If there are too many rows of a single distance, they are streamed,
// since they need no sorting, or are all kept if a second distance orders them.
//
// A ring searches the index anew, or goes on: it reads what the ring before has not. Then the rows beyond that ring are
// kept. A row is in one ring, by its distance. So what others insert in between is returned once or not at all, and every
// search finds the rows that the snapshot sees.
#include "am/search/scan.hpp"

#include "core/bits/ball_volume.hpp"

extern "C" {
#include "miscadmin.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

// A query that has read many rows is likely to read more. A ring costs a search, however few rows it keeps, and each
// row that it keeps costs time, wanted or not.
Size ring_limit(Size returned)
{
    const Size room = static_cast<Size>(work_mem) * 1024 / sizeof(Hit);
    return Max(kFirstLimit, Min(returned * kLimitGrowth, room));
}

// Returns the end of a ring that reads everything: as far as evenly spread rows fill half of it, so that few rows are
// collected in vain. If there are fewer rows there, the next ring has no such end.
int filled_end(const ScanState &state, int last)
{
    const Rings &rings = state.rings;
    const double rows = static_cast<double>(ring_limit(rings.returned)) / 2;
    const int filled =
        ball_radius(state.index.meta->bits, rows / Max(1.0, state.search->nearest->rows(state.search)));
    return filled > rings.done ? Min(filled, last) : last;
}

// Keeps the nearest rows, about half of the limit, but either all or none of each distance. Returns the new
// end of the ring.
int shrink_ring(Rings *rings, int high, Size limit)
{
    const Size *count = rings->count;
    Size sum = 0;
    int new_high = rings->done;
    while (new_high < high && (new_high == rings->done || sum + count[new_high + 1] <= limit / 2))
        sum += count[++new_high];
    Size to = 0;
    for (Size i = 0; i < rings->kept; i++) {
        if (rings->hit[i].distance() <= new_high)
            rings->hit[to++] = rings->hit[i];
    }
    rings->kept = to;
    return new_high;
}

// Whether the rank of a row is all that decides its order.
bool ranked(const ValueSearch &search)
{
    return search.keys->orders == 1 || search.nearest->other_distance == nullptr;
}

void sort_ring(const ValueSearch &search, Hit *ring, Size kept)
{
    if (ranked(search)) {
        std::sort(ring, ring + kept, [](const Hit &a, const Hit &b) { return a.rank < b.rank; });
        return;
    }
    const auto other_distance = search.nearest->other_distance;
    std::sort(ring, ring + kept, [&search, other_distance](const Hit &a, const Hit &b) {
        if (a.distance() != b.distance())
            return a.distance() < b.distance();
        for (int i = search.keys->lead + 1; i < search.keys->orders; i++) {
            if (search.keys->null_order[i])
                continue;
            int x = other_distance(&search, a, i), y = other_distance(&search, b, i);
            if (x != y)
                return x < y;
        }
        return a.rank < b.rank;
    });
}

// Sets the results to the next rows of the streamed distance, leaf by leaf. Returns false at the end.
bool next_streamed(ScanState *state)
{
    Results *results = &state->results;
    while (state->search->next(state->search, results)) {
        Size to = 0;
        for (Size i = 0; i < results->hits; i++) {
            if (results->hit[i].distance() == state->rings.streaming)
                results->hit[to++] = results->hit[i];
        }
        results->hits = to;
        if (to > 0)
            return true;
    }
    return false;
}

void add_to_ring(Rings *rings, const Hit &hit)
{
    if (rings->kept == rings->capacity) {
        rings->capacity *= 2;
        rings->hit = static_cast<Hit *>(repalloc_huge(rings->hit, rings->capacity * sizeof(Hit)));
    }
    rings->hit[rings->kept++] = hit;
    rings->count[hit.distance()]++;
}

// Drops rows from a ring that has reached its limit. Returns the distance at which the ring ends now. Sets
// `streaming` if the ring cannot hold the rows of its first distance.
int relieve_ring(ScanState *state, int high, Size *limit)
{
    Rings *rings = &state->rings;
    high = shrink_ring(rings, high, *limit);
    if (rings->kept >= *limit / 2 && high == rings->done + 1) {
        if (ranked(*state->search)) {
            rings->streaming = high;
            return high;
        }
        *limit *= 2;
    }
    if (state->search->keys->centered)
        state->search->nearest->narrow(state->search, high);
    return high;
}

// Lets the first ring end at the nearest distance found, so that the rest of it takes fewer leaves. A query that needs
// more rows than these begins the next ring anew, without the rows kept that are beyond this end.
int end_at_nearest(ScanState *state, const Results &leaf, int high)
{
    int nearest = high;
    for (Size i = 0; i < leaf.hits; i++)
        nearest = Min(nearest, leaf.hit[i].distance());
    if (nearest < high)
        state->search->nearest->narrow(state->search, nearest);
    return nearest;
}

// Leaves those of the rows kept that are beyond the last ring, if there are any and they are still wanted.
void keep_rest(Rings *rings, bool wanted)
{
    std::copy(rings->hit + rings->ring, rings->hit + rings->kept, rings->hit);
    rings->kept = wanted ? rings->kept - rings->ring : 0;
    rings->ring = 0;
    for (Size i = 0; i < rings->kept; i++)
        rings->count[rings->hit[i].distance()]++;
}

// Collects the ring (done, high], which may end earlier, and what else its search returns. Returns its end.
int collect_ring(ScanState *state, int high)
{
    Rings *rings = &state->rings;
    ValueSearch *search = state->search;
    Size limit = ring_limit(rings->returned);
    const Ring ring =
        search->nearest->begin_ring(search, high, rings->done < 0 ? RingKind::first : RingKind::next);
    int reach = ring.reach;
    std::fill(rings->count, rings->count + reach + 1, 0);
    keep_rest(rings, ring.goes_on);
    Results leaf;
    while (search->next(search, &leaf)) {
        if (ring.nearest_first)
            reach = end_at_nearest(state, leaf, reach);
        for (Size i = 0; i < leaf.hits; i++) {
            int distance = leaf.hit[i].distance();
            if (distance <= rings->done || distance > reach)
                continue;
            if (rings->kept >= limit) {
                reach = relieve_ring(state, reach, &limit);
                if (rings->streaming >= 0)
                    return reach;
                if (distance > reach)
                    continue;
            }
            add_to_ring(rings, leaf.hit[i]);
        }
    }
    return Min(high, reach);
}

} // namespace

void begin_ordered(ScanState *state)
{
    Rings *rings = &state->rings;
    rings->done = -1;
    rings->streaming = -1;
    rings->returned = rings->ring = rings->kept = 0;
    const auto begin_nearest = state->search->nearest->begin_nearest;
    rings->approximate = begin_nearest != nullptr && begin_nearest(state->search);
    if (rings->hit == nullptr) {
        rings->capacity = kFirstLimit;
        rings->hit = allocate_huge<Hit>(rings->capacity, state->context);
        rings->count = allocate_huge<Size>(static_cast<Size>(state->index.meta->bits) + 1, state->context);
    }
}

bool next_ring(ScanState *state)
{
    Rings *rings = &state->rings;
    ValueSearch *search = state->search;
    const NearestSearch &nearest = *search->nearest;
    const ScanKeys &keys = *search->keys;
    rings->returned += state->results.hits;
    if (rings->approximate) {
        if (nearest.next_nearest(search, &state->results, &rings->done))
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
        if (rings->done >= keys.farthest)
            return false;

        int last = keys.farthest;
        int high = keys.centered ? nearest.ring_end(search, rings->done, last) : last;
        if (keys.centered && high == last)
            high = filled_end(*state, last);
        high = collect_ring(state, high);
        release_pin(&search->pin);
        if (rings->streaming >= 0) {
            rings->ring = rings->kept = 0;
            nearest.begin_ring(search, high, RingKind::single);
            continue;
        }
        rings->done = high;
        Hit *end = std::partition(rings->hit, rings->hit + rings->kept,
                                  [high](const Hit &hit) { return hit.distance() <= high; });
        rings->ring = static_cast<Size>(end - rings->hit);
        if (rings->ring > 0) {
            sort_ring(*search, rings->hit, rings->ring);
            state->results = {rings->hit, rings->ring, 0};
            return true;
        }
    }
}

} // namespace simhash
