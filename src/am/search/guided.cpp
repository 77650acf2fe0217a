// Searches by weights (Sood and Loguinov 2011: PSM): cells of the tables are probed in the order in which
// they are likely to hold near-duplicates, until the target recall is reached.
// core/volatility/guided_plan.hpp says which; here they are read.
//
// A search that would probe more than an exact one reads gives up, and searches the rest exactly: so it never
// costs more than about twice as much, and always reaches its target.
#include "am/search/scan.hpp"
#include "am/tree/failpoint.hpp"

#include "pg/server/settings.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/memutils.h"
}

namespace simhash
{

namespace
{

constexpr Size kFewestProbes = 16;
constexpr Size kMostProbes = 4096;
constexpr Size kNodesPerProbe = 8;

// Of the leaf at a place, together with those that it is split into.
WholeKeys whole_keys(const LeafPlace &place)
{
    constexpr WholeKeys kNone = {~std::uint64_t{0}, 0};
    WholeKeys keys = {place.lower.key, ~std::uint64_t{0}};
    if (place.lower.tid != 0 && keys.first++ == ~std::uint64_t{0})
        return kNone;
    if (!place.rightmost) {
        if (place.upper.key == 0)
            return kNone;
        keys.last = place.upper.key - 1;
    }
    return keys;
}

bool at_most_probes(const Guide &guide)
{
    return max_probes_setting > 0 && guide.plan.probes() >= static_cast<Size>(max_probes_setting);
}

// Sets out for the next cell that can hold a match. False if there is none.
bool open_cell(ScanState *state)
{
    Search *search = &state->search;
    Guide *guide = search->guide;
    GuidedProbe &probe = guide->probe;
    while (!at_most_probes(*guide) && guide->plan.next(&probe)) {
        std::uint64_t key;
        search->ball = {state->meta->key(probe.table, search->center), 0, 0, search->radius};
        if (!next_key(search->ball, probe.first_key, &key) || key > probe.last_key) {
            guide->plan.cover(probe.first_key, probe.last_key);
            continue;
        }
        guide->in_cell = true;
        guide->read_from = probe.first_key;
        search->next = {key, 0};
        return true;
    }
    return false;
}

// Finds the next leaf to read. What it holds counts as covered from here on: the plan goes on as if it had
// been read. False if there is none.
bool locate_leaf(Relation index, ScanState *state, GuidedLeaf *leaf)
{
    Search *search = &state->search;
    Guide *guide = search->guide;
    if (!guide->in_cell && !open_cell(state))
        return false;
    const GuidedProbe &probe = guide->probe;
    find_leaf(index, probe.table, search->next, &leaf->place);
    leaf->whole = whole_keys(leaf->place);
    leaf->probe = probe;
    leaf->earlier = guide->plan.probes() - 1;

    // On within the cell, or it is done.
    guide->read_from = Min(guide->read_from, leaf->whole.first);
    Position upper = leaf->place.upper;
    std::uint64_t key;
    if (!leaf->place.rightmost && upper.key <= probe.last_key && next_key(search->ball, upper.key, &key) &&
        key <= probe.last_key) {
        search->next = key == upper.key ? upper : Position{key, 0};
    } else {
        guide->plan.cover(guide->read_from, Max(probe.last_key, leaf->whole.last));
        guide->in_cell = false;
    }
    return true;
}

// Locates leaves until there are so many, and has them fetched.
void look_ahead(Relation index, ScanState *state, int most)
{
    Guide *guide = state->search.guide;
    int located = guide->ahead_count;
    while (guide->ahead_count < most &&
           locate_leaf(index, state, &guide->ahead[(guide->ahead_from + guide->ahead_count) % kAhead]))
        guide->ahead_count++;
    if (guide->ahead_count < 2)
        return; // it is read at once
    Buffer buffer[kAhead];
    int buffers = 0;
    for (int i = located; i < guide->ahead_count; i++) {
        LeafPlace *place = &guide->ahead[(guide->ahead_from + i) % kAhead].place;
        fetch_leaf(index, place);
        if (BufferIsValid(place->buffer))
            buffer[buffers++] = place->buffer;
    }
    prefetch_buffers(buffer, buffers);
}

// Takes the next leaf. False if there is none.
bool take_leaf(Relation index, ScanState *state)
{
    Guide *guide = state->search.guide;
    // The first leaf is read alone. Often it holds a match, and a search for any one match ends there.
    if (guide->ahead_count <= kAhead / 2)
        look_ahead(index, state, guide->plan.probes() == 0 ? 1 : kAhead);
    if (guide->ahead_count == 0)
        return false;
    guide->leaf = guide->ahead[guide->ahead_from];
    guide->ahead_from = (guide->ahead_from + 1) % kAhead;
    guide->ahead_count--;
    state->search.step = guide->leaf.probe.table;
    return true;
}

// The page that is next, locked. All pages that the leaf has been split into are read, since all of its range
// counts as read.
Buffer next_buffer(Relation index, const Guide &guide)
{
    const LeafPlace &place = guide.leaf.place;
    int table = guide.leaf.probe.table;
    if (guide.right == kNoBlock) {
        if (place.root)
            return descend(index, table, {0, 0}, BUFFER_LOCK_SHARE);
        return read_leaf(index, place, table, BUFFER_LOCK_SHARE);
    }
    // By the link read with the last page, not by its present one: what a later split moved was seen.
    Buffer buffer = read_tree_page(index, guide.right, BUFFER_LOCK_SHARE, table, 0);
    const char *page = buffer_page(buffer);
    if (!is_rightmost(page) && high_of(page) <= guide.high)
        report_corruption(index, guide.right, "the page is out of order with its left sibling");
    check_reach(index, place, buffer);
    return buffer;
}

// Decides, from the page just read, whether the leaf goes on to the right.
void look_right(Relation index, Guide *guide, const char *page)
{
    const LeafPlace &place = guide->leaf.place;
    guide->right = kNoBlock;
    if (is_rightmost(page) || (!place.rightmost && high_of(page) >= place.upper))
        return;
    forget_parent(index, place);
    guide->right = page_tail(page)->right;
    guide->high = high_of(page);
}

// Keeps the hits of the cell, all of whose leaves are read, and those of which this leaf holds every entry.
// Others are reported by the probe that reads all of theirs.
void keep_whole_keys(ScanState *state)
{
    const GuidedLeaf &leaf = state->search.guide->leaf;
    Size kept = 0;
    for (Size i = 0; i < state->hits; i++) {
        std::uint64_t key = state->meta->key(leaf.probe.table, state->hit[i].fingerprint);
        if ((key >= leaf.probe.first_key && key <= leaf.probe.last_key) ||
            (key >= leaf.whole.first && key <= leaf.whole.last))
            state->hit[kept++] = state->hit[i];
    }
    state->hits = kept;
}

// Memory for a search of so many probes.
Guide *prepare_guide(IndexScanDesc scan, Size probes)
{
    ScanState *state = scan_state(scan);
    MemoryContext caller = MemoryContextSwitchTo(state->context);
    Guide *guide = state->guide;
    if (guide == nullptr) {
        guide = state->guide = static_cast<Guide *>(palloc(sizeof(Guide)));
        guide->probes = 0;
        guide->plan.set_tables(&state->meta->order, guided_prefix_bits(index_leaves(scan->indexRelation)));
    }
    if (guide->probes < probes) {
        if (guide->probes > 0) {
            pfree(guide->node);
            pfree(guide->range);
        }
        guide->node = static_cast<VoshNode *>(palloc(sizeof(VoshNode) * probes * kNodesPerProbe));
        guide->range = static_cast<GuidedRange *>(palloc(sizeof(GuidedRange) * probes));
        guide->probes = probes;
    }
    MemoryContextSwitchTo(caller);
    return guide;
}

} // namespace

void begin_guided_search(IndexScanDesc scan, const GuidedBall &ball, int radius)
{
    ScanState *state = scan_state(scan);
    begin_search(scan, ball.center, radius); // what it falls back to
    Size most = Max(kFewestProbes, Min(kMostProbes, static_cast<Size>(state->search.plan.leaves)));
    Guide *guide = prepare_guide(scan, most);
    // The target is that of many queries together: one leaf often finds more than the target asks for, and
    // then another query may do with less.
    GuidedQuery query = {&ball.weights, &state->meta->model, radius, state->target, true};
    guide->plan.begin(query, guide->node, most * kNodesPerProbe, guide->range, most);
    guide->in_cell = guide->exact = false;
    guide->right = kNoBlock;
    guide->ahead_from = guide->ahead_count = 0;
    state->search.guide = guide;
}

bool next_guided_leaf(IndexScanDesc scan)
{
    ScanState *state = scan_state(scan);
    Relation index = scan->indexRelation;
    Guide *guide = state->search.guide;

    state->hits = state->returned = 0;
    while (guide->right != kNoBlock || take_leaf(index, state)) {
        CHECK_FOR_INTERRUPTS();
        failpoint(Failpoint::scan_leaf);
        Buffer buffer = next_buffer(index, *guide);
        const char *page = buffer_page(buffer);
        test_old_snapshot(scan->xs_snapshot, index, buffer_page(buffer));
        collect(scan, buffer);
        keep_whole_keys(state);
        if (state->trace != nullptr)
            trace_leaf(*state, BufferGetBlockNumber(buffer), &guide->leaf.probe);
        look_right(index, guide, page);
        if (state->hits > 0 && state->keep_pin) {
            LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
            state->pin = buffer;
        } else {
            UnlockReleaseBuffer(buffer);
        }
        if (state->hits > 0)
            return true;
    }
    if (guide->plan.reached() || at_most_probes(*guide))
        return false;
    guide->exact = true; // out of probes
    open_step(state, 0);
    return next_leaf(scan);
}

} // namespace simhash
