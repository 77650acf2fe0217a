// Searches by weights (Sood and Loguinov 2011: PSM): cells of the tables are probed in the order in which
// they are likely to hold near-duplicates, until the target recall is reached. core/guided_plan.hpp says
// which; here they are read.
//
// A search that would probe more than an exact one reads gives up, and searches the rest exactly: so it never
// costs more than about twice as much, and always reaches its target.
#include "am/scan.hpp"

#include "pg/settings.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/memutils.h"
}

namespace simhash
{

namespace
{

constexpr Size kMostProbes = 4096;
constexpr Size kNodesPerProbe = 8;

// The keys of which a leaf holds every entry: equal keys may be cut by tid between two leaves. Empty if first
// > last.
struct WholeKeys {
    std::uint64_t first;
    std::uint64_t last;
};

WholeKeys whole_keys(Position lower, const char *page)
{
    WholeKeys keys = {lower.tid == 0 ? lower.key : lower.key + 1, ~std::uint64_t{0}};
    if (!is_rightmost(page)) {
        if (high_of(page).key == 0)
            return {1, 0};
        keys.last = high_of(page).key - 1;
    }
    return keys;
}

// Sets out for the next cell that can hold a match. False if there is none.
bool open_cell(ScanState *state)
{
    Search *search = &state->search;
    Guide *guide = search->guide;
    GuidedProbe &probe = guide->probe;
    while ((max_probes_setting == 0 || guide->plan.probes() < static_cast<Size>(max_probes_setting)) &&
           guide->plan.next(&probe)) {
        std::uint64_t key;
        search->step = probe.table;
        search->ball = {state->meta->key(probe.table, search->center), 0, 0, search->radius};
        if (!next_key(search->ball, probe.first_key, &key) || key > probe.last_key) {
            guide->plan.cover(probe.first_key, probe.last_key);
            continue;
        }
        guide->in_cell = true;
        guide->cell = {probe.first_key, probe.last_key};
        guide->read_from = probe.first_key;
        search->next = {key, 0};
        return true;
    }
    return false;
}

// Keeps the hits of the cell, all of whose leaves will be read, and those of which this leaf holds every
// entry. Others are reported by the probe that reads all of theirs.
void keep_whole_keys(ScanState *state, WholeKeys whole)
{
    const Guide &guide = *state->search.guide;
    Size kept = 0;
    for (Size i = 0; i < state->hits; i++) {
        std::uint64_t key = state->meta->key(state->search.step, state->hit[i].fingerprint);
        if ((key >= guide.cell.first && key <= guide.cell.last) || (key >= whole.first && key <= whole.last))
            state->hit[kept++] = state->hit[i];
    }
    state->hits = kept;
}

} // namespace

void begin_guided_search(IndexScanDesc scan, const GuidedBall &ball, int radius)
{
    ScanState *state = scan_state(scan);
    begin_search(scan, ball.center, radius); // what it falls back to
    if (state->guide == NULL) {
        MemoryContext caller = MemoryContextSwitchTo(state->context);
        state->guide = static_cast<Guide *>(palloc(sizeof(Guide)));
        state->guide->node = static_cast<VoshNode *>(palloc(sizeof(VoshNode) * kMostProbes * kNodesPerProbe));
        state->guide->range = static_cast<GuidedRange *>(palloc(sizeof(GuidedRange) * kMostProbes));
        MemoryContextSwitchTo(caller);
    }
    Guide *guide = state->guide;
    int prefix = guided_prefix_bits(index_leaves(scan->indexRelation));
    Size most = Max(16, Min(kMostProbes, static_cast<Size>(state->search.plan.leaves)));
    // The target is that of many queries together: one leaf often finds more than the target asks for, and
    // then another query may do with less.
    GuidedQuery query = {&ball.weights, &state->meta->model, radius, prefix, state->target, true};
    guide->plan.begin(&state->meta->order, query, guide->node, most * kNodesPerProbe, guide->range, most);
    guide->in_cell = guide->exact = false;
    state->search.guide = guide;
}

bool next_guided_leaf(IndexScanDesc scan)
{
    ScanState *state = scan_state(scan);
    Search *search = &state->search;
    Guide *guide = search->guide;

    state->hits = state->returned = 0;
    for (;;) {
        CHECK_FOR_INTERRUPTS();
        if (!guide->in_cell && !open_cell(state)) {
            if (guide->plan.reached() ||
                (max_probes_setting > 0 && guide->plan.probes() >= static_cast<Size>(max_probes_setting)))
                return false;
            guide->exact = true; // out of probes
            open_step(state, 0);
            return next_leaf(scan);
        }

        Position lower;
        Buffer buffer =
            descend(scan->indexRelation, search->step, search->next, BUFFER_LOCK_SHARE, 0, &lower);
        const char *page = buffer_page(buffer);
        WholeKeys whole = whole_keys(lower, page);
        Position high = high_of(page);
        bool rightmost = is_rightmost(page);
        test_old_snapshot(scan->xs_snapshot, scan->indexRelation, buffer_page(buffer));
        collect(state, page);
        keep_whole_keys(state, whole);
        if (state->trace != NULL)
            trace_leaf(*state, BufferGetBlockNumber(buffer), &guide->probe);
        if (state->hits > 0 && state->keep_pin) {
            LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
            state->pin = buffer;
        } else {
            UnlockReleaseBuffer(buffer);
        }

        // On within the cell, or it is done.
        guide->read_from = Min(guide->read_from, whole.first);
        std::uint64_t key;
        if (!rightmost && high.key <= guide->cell.last && next_key(search->ball, high.key, &key) &&
            key <= guide->cell.last) {
            search->next = key == high.key ? high : Position{key, 0};
        } else {
            guide->plan.cover(guide->read_from, Max(guide->cell.last, whole.last));
            guide->in_cell = false;
        }
        if (state->hits > 0)
            return true;
    }
}

} // namespace simhash
