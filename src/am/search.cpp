// Reading the leaves that can hold a match, each once.
#include "am/scan.hpp"

#include "pg/settings.hpp"

extern "C" {
#include "miscadmin.h"
}

namespace simhash
{

namespace
{

int step_table(const ScanState &state)
{
    return state.search.nulls ? state.meta->null_table() : state.search.plan.step[state.search.step].table;
}

int step_count(const Search &search) { return search.nulls ? 1 : search.plan.steps; }

// Decides, from the leaf just read, where the step goes on.
void choose_next(ScanState *state, const char *page)
{
    Search *search = &state->search;
    std::uint64_t key;
    search->ball.radius = search->radius;
    if (is_rightmost(page) || !next_key(search->ball, high_of(page).key, &key)) {
        search->step++;
        open_step(state);
        return;
    }
    search->high = high_of(page);
    search->right = page_tail(page)->right;
    search->next = key == search->high.key ? search->high : Position{key, 0};
    // Within about a leaf's width of this leaf's end it is likely to be on the next.
    search->go_right = key - search->high.key <= search->high.key - search->entered;
    search->entered = search->go_right ? search->high.key : key;
}

} // namespace

void open_step(ScanState *state)
{
    Search *search = &state->search;
    if (search->step >= step_count(*search))
        return;
    if (search->nulls) {
        search->ball = {0, 0, 0, kBits};
    } else {
        const SearchStep &step = search->plan.step[search->step];
        search->ball = {state->meta->key(step.table, search->center), step.header_bits, step.budget,
                        search->radius};
    }
    std::uint64_t key = 0;
    next_key(search->ball, 0, &key); // there is one: the center
    search->next = {key, 0};
    search->entered = key;
    search->go_right = false;
}

void trace_leaf(const ScanState &state, BlockNumber block, const GuidedProbe *probe)
{
    int table = probe == NULL ? step_table(state) : probe->table;
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

// Whether this leaf is the one that reports a row: see reports(), and for guided searches GuidedPlan::seen.
bool reported(const ScanState &state, Fingerprint fingerprint)
{
    const Search &search = state.search;
    if (search.guide != NULL) {
        if (search.guide->plan.seen(fingerprint))
            return false;
        if (!search.guide->exact)
            return true;
    }
    return search.plan.steps == 1 ||
           reports(state.meta->order, search.plan, search.step, fingerprint ^ search.center);
}

// Copies a leaf's matches out.
void collect(ScanState *state, const char *page)
{
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
    search->guide = NULL;
    search->step = 0;
    if (search->plan.radius != radius)
        index_plan(scan->indexRelation, radius, &search->plan);
    open_step(state);
}

void begin_null_search(IndexScanDesc scan)
{
    ScanState *state = scan_state(scan);
    state->search.nulls = true;
    state->search.guide = NULL;
    state->search.step = 0;
    open_step(state);
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
    if (search->guide != NULL && !search->guide->exact)
        return next_guided_leaf(scan);
    while (search->step < step_count(*search)) {
        CHECK_FOR_INTERRUPTS();
        int table = step_table(*state);
        Buffer buffer;
        if (search->go_right) {
            // By the link read with the last leaf, not by its present one: what a later split moved was seen.
            buffer = read_tree_page(index, search->right, BUFFER_LOCK_SHARE, table, 0);
            const char *page = buffer_page(buffer);
            if (!is_rightmost(page) && high_of(page) <= search->high)
                report_corruption(index, search->right, "the page is out of order with its left sibling");
            if (belongs_right(page, search->next)) {
                UnlockReleaseBuffer(buffer);
                search->go_right = false;
                search->entered = search->next.key;
                continue;
            }
        } else {
            buffer = descend(index, table, search->next, BUFFER_LOCK_SHARE);
        }

        test_old_snapshot(scan->xs_snapshot, index, buffer_page(buffer));
        collect(state, buffer_page(buffer));
        if (state->trace != NULL)
            trace_leaf(*state, BufferGetBlockNumber(buffer), NULL);
        choose_next(state, buffer_page(buffer));
        if (state->hits > 0 && state->keep_pin) {
            LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
            state->pin = buffer;
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
