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
bool centered(const ScanState &state) { return state.balls == 0 || state.ball[0].center == state.lead; }

// Rings by weights: the recall they aim at is that of a search of the ring's radius. Farther out they are
// exact.
bool guided(const ScanState &state)
{
    return state.lead_guided && state.target < 1 && (state.balls == 0 || state.guided != nullptr);
}

int farthest(const ScanState &state)
{
    return centered(state) && state.balls > 0 ? state.ball[0].radius : kBits;
}

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

int choose_high(IndexScanDesc scan)
{
    const ScanState &state = *scan_state(scan);
    int last = farthest(state);
    if (!centered(state))
        return last;
    if (state.done < 0)
        return Min(last, static_cast<int>(state.meta->order.design.distance));

    if (guided(state) && state.done < kFarthestGuided)
        return Min(last, Min(2 * state.done + 2, kFarthestGuided));

    int high = state.done + 1;
    double leaves = index_leaves(scan->indexRelation);
    SearchPlan plan;
    index_plan(scan->indexRelation, high, &plan);
    double worth = plan.leaves * 2;
    while (high < last) {
        if (plan.leaves > leaves / 2)
            return last;
        index_plan(scan->indexRelation, high + 1, &plan);
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
int shrink_ring(ScanState *state, const Size *count, int high, Size limit, Size *kept)
{
    Size sum = 0;
    int new_high = state->done;
    while (new_high < high && (new_high == state->done || sum + count[new_high + 1] <= limit / 2))
        sum += count[++new_high];
    Size to = 0;
    for (Size i = 0; i < *kept; i++) {
        if (ring_distance(state->ring[i]) <= new_high)
            state->ring[to++] = state->ring[i];
    }
    *kept = to;
    return new_high;
}

void sort_ring(ScanState *state, Size kept)
{
    if (state->orders == 1) {
        std::sort(state->ring, state->ring + kept, [](const Hit &a, const Hit &b) { return a.tid < b.tid; });
        return;
    }
    std::sort(state->ring, state->ring + kept, [state](const Hit &a, const Hit &b) {
        for (int i = 0; i < state->orders; i++) {
            if (state->order[i].null)
                continue;
            int x = hamming_distance(a.fingerprint, state->order[i].query);
            int y = hamming_distance(b.fingerprint, state->order[i].query);
            if (x != y)
                return x < y;
        }
        return a.tid < b.tid;
    });
}

void search_up_to(IndexScanDesc scan, int high)
{
    const ScanState &state = *scan_state(scan);
    if (centered(state) && guided(state) && high <= kFarthestGuided)
        begin_guided_search(scan, state.lead_ball, high);
    else if (centered(state))
        begin_search(scan, state.lead, high);
    else
        begin_search(scan, state.ball[0].center, state.ball[0].radius);
}

// The rows of one distance, leaf by leaf.
bool next_streamed(IndexScanDesc scan)
{
    ScanState *state = scan_state(scan);
    while (next_leaf(scan)) {
        Size to = 0;
        for (Size i = 0; i < state->hits; i++) {
            if (hamming_distance(state->hit[i].fingerprint, state->lead) == state->streaming)
                state->hit[to++] = state->hit[i];
        }
        state->hits = to;
        if (to > 0)
            return true;
    }
    return false;
}

// Collects the ring (done, high], which may end nearer than asked. Returns its end.
int collect_ring(IndexScanDesc scan, int high, Size *kept)
{
    ScanState *state = scan_state(scan);
    Size count[kBits + 1] = {}, limit = state->ring_limit;
    *kept = 0;
    search_up_to(scan, high);
    while (next_leaf(scan)) {
        for (Size i = 0; i < state->hits; i++) {
            Hit hit = state->hit[i];
            int distance = hamming_distance(hit.fingerprint, state->lead);
            if (distance <= state->done || distance > high)
                continue;
            if (*kept >= limit) {
                high = shrink_ring(state, count, high, limit, kept);
                if (*kept >= limit / 2 && high == state->done + 1) {
                    if (state->orders == 1) {
                        state->streaming = high;
                        return high;
                    }
                    limit *= 2;
                }
                if (centered(*state))
                    state->search.radius = Min(state->search.radius, high);
                if (distance > high)
                    continue;
            }
            if (*kept == state->ring_capacity) {
                state->ring_capacity *= 2;
                state->ring =
                    static_cast<Hit *>(repalloc_huge(state->ring, state->ring_capacity * sizeof(Hit)));
            }
            hit.tid |= static_cast<uint64>(distance) << kRankShift;
            state->ring[(*kept)++] = hit;
            count[distance]++;
        }
    }
    return high;
}

} // namespace

void begin_ordered(IndexScanDesc scan)
{
    ScanState *state = scan_state(scan);
    state->done = -1;
    state->streaming = -1;
    state->ring_limit = kFirstLimit;
    if (state->ring == nullptr) {
        state->ring_capacity = kFirstLimit;
        state->ring =
            static_cast<Hit *>(MemoryContextAlloc(state->context, sizeof(Hit) * state->ring_capacity));
    }
}

bool next_ring(IndexScanDesc scan)
{
    ScanState *state = scan_state(scan);
    for (;;) {
        if (state->streaming >= 0) {
            if (next_streamed(scan))
                return true;
            state->done = state->streaming;
            state->streaming = -1;
        }
        if (state->done >= farthest(*state))
            return false;

        Size kept;
        int high = collect_ring(scan, choose_high(scan), &kept);
        release_pin(state);
        if (state->streaming >= 0) {
            search_up_to(scan, high);
            continue;
        }
        state->done = high;
        if (kept > 0) {
            if (state->ring_limit < static_cast<Size>(work_mem) * 1024 / sizeof(Hit) / kLimitGrowth)
                state->ring_limit *= kLimitGrowth;
            sort_ring(state, kept);
            state->hit = state->ring;
            state->hits = kept;
            state->returned = 0;
            return true;
        }
    }
}

} // namespace simhash
