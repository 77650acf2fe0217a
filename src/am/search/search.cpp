// Reading the leaves that can hold a match, each once.
#include "am/search/scan.hpp"
#include "am/tree/failpoint.hpp"

#include "pg/server/settings.hpp"

extern "C" {
#include "miscadmin.h"
}

namespace simhash
{

namespace
{

int step_table(const ScanState &state, int step)
{
    return state.search.nulls ? state.meta->null_table() : state.search.plan.step[step].table;
}

int step_count(const Search &search) { return search.nulls ? 1 : search.plan.steps; }

KeyBall step_ball(const ScanState &state, int step)
{
    if (state.search.nulls)
        return {0, 0, 0, kBits};
    const SearchStep &s = state.search.plan.step[step];
    return {state.meta->key(s.table, state.search.center), s.header_bits, s.budget, state.search.radius};
}

// The first position of the ball at or after `from`.
bool next_position(KeyBall *ball, int radius, Position from, Position *next)
{
    std::uint64_t key;
    ball->radius = radius; // which may have shrunk
    if (!next_key(*ball, from.key, &key))
        return false;
    *next = key == from.key ? from : Position{key, 0};
    return true;
}

bool more_ahead(const Search &search) { return search.ahead_step < step_count(search); }

// Sets out for the leaves of a step.
void begin_step(ScanState *state, int step)
{
    Search *search = &state->search;
    search->ahead_step = step;
    if (more_ahead(*search)) {
        search->ahead_ball = step_ball(*state, step);
        next_position(&search->ahead_ball, search->radius, {0, 0},
                      &search->ahead_next); // there is the center
    }
}

// Locates leaves until there are kAhead, and has them fetched.
void look_ahead(Relation index, ScanState *state)
{
    Search *search = &state->search;
    int located = search->ahead_count;
    while (search->ahead_count < kAhead && more_ahead(*search)) {
        LeafAhead *leaf = &search->ahead[(search->ahead_from + search->ahead_count++) % kAhead];
        leaf->step = search->ahead_step;
        leaf->radius = search->radius;
        leaf->first = search->ahead_next;
        find_leaf(index, step_table(*state, leaf->step), leaf->first, &leaf->place);
        if (leaf->place.rightmost ||
            !next_position(&search->ahead_ball, search->radius, leaf->place.upper, &search->ahead_next))
            begin_step(state, search->ahead_step + 1);
    }
    if (search->ahead_count < 2)
        return; // it is read at once
    Buffer buffer[kAhead];
    int buffers = 0;
    for (int i = located; i < search->ahead_count; i++) {
        LeafPlace *place = &search->ahead[(search->ahead_from + i) % kAhead].place;
        fetch_leaf(index, place);
        if (BufferIsValid(place->buffer))
            buffer[buffers++] = place->buffer;
    }
    prefetch_buffers(buffer, buffers);
}

// Whether a leaf that was located for a larger radius is still needed.
bool still_needed(const ScanState &state, const LeafAhead &leaf)
{
    if (leaf.radius == state.search.radius)
        return true;
    KeyBall ball = step_ball(state, leaf.step);
    Position first;
    return next_position(&ball, state.search.radius, leaf.first, &first) &&
           (leaf.place.rightmost || first < leaf.place.upper);
}

// Takes the next leaf. False if there is none.
bool take_leaf(Relation index, ScanState *state)
{
    Search *search = &state->search;
    for (;;) {
        // While half of the leaves are still on their way the others are located.
        if (search->ahead_count <= kAhead / 2)
            look_ahead(index, state);
        if (search->ahead_count == 0)
            return false;
        search->leaf = search->ahead[search->ahead_from];
        search->step = search->leaf.step;
        search->ahead_from = (search->ahead_from + 1) % kAhead;
        search->ahead_count--;
        if (still_needed(*state, search->leaf))
            return true;
        CHECK_FOR_INTERRUPTS();
    }
}

// Decides, from the leaf just read, whether the search has to go on to its right sibling, because it has
// split since it was located.
void look_right(Relation index, ScanState *state, const char *page)
{
    Search *search = &state->search;
    LeafPlace &place = search->leaf.place;
    search->go_right = false;
    if (is_rightmost(page) || (!place.rightmost && high_of(page) >= place.upper))
        return;
    forget_parent(index, place);
    KeyBall ball = step_ball(*state, search->step);
    Position next;
    if (next_position(&ball, search->radius, high_of(page), &next) &&
        (place.rightmost || next < place.upper)) {
        search->go_right = true;
        search->leaf.first = next;
        search->right = page_tail(page)->right;
        search->high = high_of(page);
    }
}

// The leaf that is next, locked.
Buffer next_buffer(Relation index, const ScanState &state)
{
    const Search &search = state.search;
    int table = step_table(state, search.step);
    if (search.leaf.place.root)
        return descend(index, table, search.leaf.first, BUFFER_LOCK_SHARE);
    if (!search.go_right)
        return read_leaf(index, search.leaf.place, table, BUFFER_LOCK_SHARE);

    // By the link read with the last leaf, not by its present one: what a later split moved was seen.
    Buffer buffer = read_tree_page(index, search.right, BUFFER_LOCK_SHARE, table, 0);
    const char *page = buffer_page(buffer);
    if (!is_rightmost(page) && high_of(page) <= search.high)
        report_corruption(index, search.right, "the page is out of order with its left sibling");
    check_reach(index, search.leaf.place, buffer);
    return buffer;
}

} // namespace

void open_step(ScanState *state, int step)
{
    Search *search = &state->search;
    search->go_right = false;
    search->ahead_from = search->ahead_count = 0;
    begin_step(state, step);
}

void trace_leaf(const ScanState &state, BlockNumber block, const GuidedProbe *probe)
{
    int table = probe == nullptr ? step_table(state, state.search.step) : probe->table;
    state.trace->leaf({table, block, state.hits, probe}, state.trace->context);
}

bool in_other_balls(const ScanState &state, Fingerprint fingerprint)
{
    for (int i = 0; i < state.balls; i++) {
        if (!in_ball(fingerprint, state.ball[i]))
            return false;
    }
    return true;
}

// Whether this leaf is the one that reports a row: see reports(), and for guided searches Guide::seen.
bool reported(const ScanState &state, Fingerprint fingerprint)
{
    const Search &search = state.search;
    if (search.guide != nullptr) {
        if (search.guide->seen(fingerprint))
            return false;
        if (!search.guide->exact)
            return true;
    }
    return search.plan.steps == 1 ||
           reports(state.meta->order, search.plan, search.step, fingerprint ^ search.center);
}

// Copies a leaf's matches out.
void collect(IndexScanDesc scan, Buffer buffer)
{
    ScanState *state = scan_state(scan);
    const char *page = buffer_page(buffer);
    const Search &search = state->search;
    const Fingerprint *fingerprints = leaf_fingerprints(page);
    int count = leaf_count(page);
    Hit *hit = state->leaf_hit;
    if (search.nulls) {
        for (int i = 0; i < count; i++)
            *hit++ = {0, leaf_tid(page, i).packed()};
    } else {
        int matches = match_leaf(fingerprints, count, search.center, search.radius, state->match);
        for (int i = 0; i < matches; i++) {
            Fingerprint fingerprint = fingerprints[state->match[i]];
            if (reported(*state, fingerprint) && in_other_balls(*state, fingerprint))
                *hit++ = {fingerprint, leaf_tid(page, state->match[i]).packed()};
        }
    }
    TidCheck check;
    for (const Hit *h = state->leaf_hit; h < hit; h++)
        check.add(h->tid);
    check.finish(scan->indexRelation, BufferGetBlockNumber(buffer));
    state->hit = state->leaf_hit;
    state->hits = static_cast<Size>(hit - state->leaf_hit);
    state->returned = 0;
}

void begin_search(IndexScanDesc scan, Fingerprint center, int radius)
{
    ScanState *state = scan_state(scan);
    Search *search = &state->search;
    search->center = center;
    search->radius = radius;
    search->nulls = false;
    search->guide = nullptr;
    if (search->plan.radius != radius)
        index_plan(scan->indexRelation, radius, &search->plan);
    open_step(state, 0);
}

void begin_null_search(IndexScanDesc scan)
{
    ScanState *state = scan_state(scan);
    state->search.nulls = true;
    state->search.guide = nullptr;
    open_step(state, 0);
}

void release_pin(ScanState *state)
{
    if (BufferIsValid(state->pin))
        ReleaseBuffer(state->pin);
    state->pin = InvalidBuffer;
}

bool next_leaf(IndexScanDesc scan)
{
    ScanState *state = scan_state(scan);
    Search *search = &state->search;
    Relation index = scan->indexRelation;

    release_pin(state);
    if (search->guide != nullptr && !search->guide->exact)
        return next_guided_leaf(scan);
    while (search->go_right || take_leaf(index, state)) {
        CHECK_FOR_INTERRUPTS();
        failpoint(Failpoint::scan_leaf);
        Buffer buffer = next_buffer(index, *state);
        test_old_snapshot(scan->xs_snapshot, index, buffer_page(buffer));
        collect(scan, buffer);
        if (state->trace != nullptr)
            trace_leaf(*state, BufferGetBlockNumber(buffer), nullptr);
        look_right(index, state, buffer_page(buffer));
        if (state->hits > 0 && state->keep_pin) {
            LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
            state->pin = buffer;
            failpoint(Failpoint::scan_pin);
        } else {
            UnlockReleaseBuffer(buffer);
        }
        if (state->hits > 0)
            return true;
    }
    state->hits = state->returned = 0;
    return false;
}

} // namespace simhash
