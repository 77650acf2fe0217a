#include "am/signatures/list_search.hpp"

#include "am/signatures/candidate_rows.hpp"
#include "am/signatures/lists.hpp"

#include "pg/server/settings.hpp"

#include <algorithm>
#include <cmath>

extern "C" {
#include "miscadmin.h"
#include "storage/predicate.h"
}

namespace simhash
{

namespace
{

constexpr int kDefaultNeighbors = 10;
constexpr Size kGrowth = 4; // of the number of rows wanted, each time that more are requested

// At first so many times as many lists are ranked as are typically read.
constexpr Size kRanked = 8;
constexpr double kCenterCost = 0.01; // microseconds

// Whether the search reads lists for so many rows. Sets how many lists.
bool suits(const SignatureSearch &search, double recall, Size rows, Size *lists)
{
    ListCost cost;
    if (!lists_suit(search.meta->lists, search.shape, search.size, recall, static_cast<double>(rows),
                    search.exact_cost, &cost))
        return false;
    *lists = static_cast<Size>(std::ceil(cost.lists));
    return true;
}

// Notes which lists to read, as many as `count`: centers may be forgotten as soon as a page is read.
void plan_lists(SignatureSearch *search, Size count)
{
    ListSearch *state = search->lists;
    const Lists &lists = lists_of(search->index, *search->meta);
    count = Min(count, Size{lists.lists});
    nearest_lists(lists, find_distances, search->query, static_cast<std::uint32_t>(count), lists.distance,
                  lists.order);
    if (state->place != nullptr)
        pfree(state->place);
    state->place = allocate_huge<ListSearch::ListPlace>(count, search->query_context);
    state->places = count;
    for (Size i = 0; i < count; i++)
        state->place[i] = {lists.order[i], lists.head[lists.order[i]]};
}

// Keeps the nearest rows, as many as are wanted, and searches only for nearer ones from now on.
void cut_rows(SignatureSearch *search)
{
    ListSearch *state = search->lists;
    auto nearer = [](const Hit &a, const Hit &b) { return a.rank < b.rank; };
    Hit *last = state->row + state->wanted - 1;
    std::nth_element(state->row, last, state->row + state->rows, nearer);
    state->rows = state->wanted;
    search->radius = last->distance();
}

void add_rows(SignatureSearch *search, Size hits)
{
    ListSearch *state = search->lists;
    for (Size i = 0; i < hits; i++) {
        const Hit &hit = search->hit[i];
        // Rows nearer than those returned were found too late.
        if (state->returned > 0 && hit.rank <= state->last)
            continue;
        state->row[state->rows++] = hit;
        if (state->rows == state->capacity)
            cut_rows(search);
    }
}

// Reads the next page of a list, and prefetches the one after it, which is `next_head` if the list ends here. Returns false if
// the page has left the list.
bool read_listed_page(SignatureSearch *search, ChainWalk *walk, BlockNumber next_head, Buffer *recent,
                      Size *candidates)
{
    Buffer buffer = read_chain_page(search->index, search->shape, walk, search->snapshot, *recent);
    if (!BufferIsValid(buffer))
        return false;
    const BlockNumber after = walk->block != kNoBlock ? walk->block : next_head;
    *recent = after == kNoBlock ? InvalidBuffer : find_body(*search, after);
    *candidates += static_cast<Size>(body_count(buffer_page(buffer)));
    add_rows(search, add_body_rows(search, buffer, *recent, 0));
    return true;
}

// Returns false if a page left the list meanwhile. It may be in another one by now, or in this one again.
bool read_list(SignatureSearch *search, Size i, Buffer *recent)
{
    const ListSearch *state = search->lists;
    const ListSearch::ListPlace &place = state->place[i];
    const BlockNumber next_head = i + 1 < state->places ? state->place[i + 1].head : kNoBlock;
    Size candidates = 0;
    for (ChainWalk walk = {place.list, place.head}; walk.block != kNoBlock;) {
        if (!read_listed_page(search, &walk, next_head, recent, &candidates))
            return false;
        if (walk.block != kNoBlock)
            failpoint(Failpoint::list_read);
    }
    if (state->rows >= state->wanted)
        cut_rows(search);
    if (search->trace != nullptr)
        trace_read(*search,
                   {SignatureRead::list, 0, place.head, candidates,
                    recall_at(search->meta->lists.recall, static_cast<double>(i + 1), search->radius)});
    return true;
}

// Reads the nearest lists, until they are enough for the distance of the last row wanted, or all. Returns false if it has to
// begin anew.
bool read_lists(SignatureSearch *search)
{
    ListSearch *state = search->lists;
    state->rows = 0;
    search->radius = search->meta->bits;
    const ListMeta &lists = search->meta->lists;
    const double chance = chance_of(search->query, static_cast<Size>(search->shape.bytes));
    Buffer recent = InvalidBuffer;
    for (Size read = 0; read < lists.lists;) {
        if (read == state->places)
            plan_lists(search, read * kRanked);
        if (!read_list(search, read++, &recent))
            return false;
        if (state->rows >= state->wanted &&
            enough_lists(static_cast<double>(read),
                         lists_at(lists.recall, state->recall, search->radius, lists.lists), chance))
            break;
    }
    return true;
}

// Finds the next rows wanted. Returns false if an exact search must find them.
bool find_listed(SignatureSearch *search)
{
    ListSearch *state = search->lists;
    Size lists;
    if (!suits(*search, state->recall, state->returned + state->wanted, &lists))
        return false;
    // More than there is memory for, an exact search finds in rings.
    if (2 * state->wanted * sizeof(Hit) > static_cast<Size>(work_mem) * 1024)
        return false;
    state->capacity = 2 * state->wanted + static_cast<Size>(search->shape.body_rows);
    if (state->row != nullptr)
        pfree(state->row);
    state->row = allocate_huge<Hit>(state->capacity, search->query_context);
    // Before the first page is read: see write_row.
    if (search->snapshot != nullptr)
        PredicateLockRelation(search->index, search->snapshot);
    plan_lists(search, lists * kRanked);
    while (!read_lists(search))
        continue;
    if (state->rows < state->wanted)
        return false;
    state->known = search->radius;
    return true;
}

// Notes the rows that are returned at the last distance.
void note_rows(SignatureSearch *search)
{
    ListSearch *state = search->lists;
    const Hit &last = state->row[state->rows - 1];
    if (state->returned == 0 || Hit{0, state->last}.distance() != last.distance())
        clear_set(&search->by_recall);
    for (Size i = state->rows; i > 0 && state->row[i - 1].distance() == last.distance(); i--)
        note_tids(&search->by_recall, &state->row[i - 1], 1);
    state->last = last.rank;
}

} // namespace

bool lists_suit(const ListMeta &meta, const StoreShape &shape, const SignatureIndexSize &size, double recall,
                double neighbors, double exact, ListCost *cost)
{
    if (meta.lists == 0)
        return false;
    const double all = meta.lists;
    cost->lists = lists_for(meta.recall, recall, neighbors, meta.lists);
    cost->microseconds =
        all * kCenterCost + cost->lists / all * size.segments * shape.bodies * kStorePageCost;
    return cost->microseconds <= exact;
}

bool begin_list_search(SignatureSearch *search, const SignatureBall &ball)
{
    const Size wanted = static_cast<Size>(ball.count > 0 ? ball.count : kDefaultNeighbors);
    Size lists;
    if (!suits(*search, ball.recall, wanted, &lists))
        return false;
    auto *state = allocate_huge<ListSearch>(1, search->query_context, MCXT_ALLOC_ZERO);
    state->recall = ball.recall;
    state->wanted = wanted;
    state->known = -1;
    search->lists = state;
    return true;
}

bool next_listed(SignatureSearch *search, Results *results, int *done)
{
    ListSearch *state = search->lists;
    if (!find_listed(search)) {
        *done = state->returned == 0 ? -1 : Hit{0, state->last}.distance() - 1;
        return false;
    }
    std::sort(state->row, state->row + state->rows,
              [](const Hit &a, const Hit &b) { return a.rank < b.rank; });
    // A page that left a list and was linked into it anew has been read twice.
    state->rows = static_cast<Size>(std::unique(state->row, state->row + state->rows,
                                                [](const Hit &a, const Hit &b) { return a.rank == b.rank; }) -
                                    state->row);
    note_rows(search);
    *results = {state->row, state->rows, 0};
    state->returned += state->rows;
    state->wanted *= kGrowth;
    return true;
}

} // namespace simhash
