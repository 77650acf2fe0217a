// Queries are planned alone, as by a scan, and their leaves noted. If the memory is full, the planning of the last query
// stops, and goes on when the leaves noted so far have been read: in the order of trees and keys, so each leaf is located
// and locked once, and compared with all queries that need a part of it. match_state.hpp tells when queries are noted.
#include "am/match/match_state.hpp"

#include "core/bits/digit_sort.hpp"

extern "C" {
#include "miscadmin.h"
}

#include <algorithm>
#include <tuple>
#include <utility>

namespace simhash
{

// The sorted leaves, each part once. A part may have become several leaves since it was noted.
struct NotedSource : LeafSource {
    const MatchSearch *search;
    const NotedQueries *noted;
    Size run_end; // of the leaves with the same prefix
    struct Part {
        Size from, end; // in the order
    } part, located[kMostAhead];
    Position next; // of the part, kNoUpper at its end

    const QueuedLeaf &leaf_at(Size at) const { return noted->leaf[noted->order[at].leaf]; }
};

namespace
{

constexpr Size kPrefetched = 64; // noted leaves, ahead
constexpr int kPrefixBits = 32;
constexpr int kTreeBits = 6;
static_assert(kMaxTrees < 1 << kTreeBits);

bool same_part(const QueuedLeaf &a, const QueuedLeaf &b)
{
    return a.tree == b.tree && a.lower == b.lower && a.upper == b.upper;
}

bool before(const QueuedLeaf &a, const QueuedLeaf &b)
{
    return std::tie(a.tree, a.lower, a.upper) < std::tie(b.tree, b.lower, b.upper);
}

void sort_leaves(NotedQueries *noted)
{
    for (Size i = 0; i < noted->leaves; i++) {
        const QueuedLeaf &leaf = noted->leaf[i];
        noted->order[i] = {uint32{leaf.tree} << (kPrefixBits - kTreeBits) |
                               static_cast<uint32>(leaf.lower.key >> (kBits - kPrefixBits + kTreeBits)),
                           static_cast<uint32>(i)};
    }
    LeafOrder *sorted = sort_by_digits(noted->order, noted->spare, noted->leaves, 0, kPrefixBits,
                                       [](const LeafOrder &order) { return order.prefix; });
    if (sorted != noted->order)
        std::swap(noted->order, noted->spare);
}

// Finds the leaves whose prefixes are equal. Sorts them, unless all are the same part of a leaf, which is usual.
void begin_run(NotedSource *source, Size from)
{
    LeafOrder *order = source->noted->order;
    Size end = from + 1;
    while (end < source->noted->leaves && order[end].prefix == order[from].prefix)
        end++;
    source->run_end = end;
    for (Size i = end; i < Min(end + kPrefetched, source->noted->leaves); i++)
        __builtin_prefetch(&source->leaf_at(i));
    bool same = true;
    for (Size i = from + 1; i < end && same; i++)
        same = same_part(source->leaf_at(i), source->leaf_at(from));
    if (!same)
        std::sort(order + from, order + end,
                  [leaf = source->noted->leaf](const LeafOrder &a, const LeafOrder &b) {
                      return before(leaf[a.leaf], leaf[b.leaf]);
                  });
}

bool next_part(NotedSource *source)
{
    NotedSource::Part *part = &source->part;
    if (part->end == source->noted->leaves)
        return false;
    if (part->end == source->run_end)
        begin_run(source, part->end);
    part->from = part->end++;
    const QueuedLeaf &first = source->leaf_at(part->from);
    while (part->end < source->run_end && same_part(source->leaf_at(part->end), first))
        part->end++;
    source->next = first.lower;
    return true;
}

bool locate_noted(LeafSource *base, const OpenIndex &index, LocatedLeaf *leaf)
{
    auto *source = static_cast<NotedSource *>(base);
    if ((source->part.end == 0 || source->next >= source->leaf_at(source->part.from).upper) &&
        !next_part(source))
        return false;
    const QueuedLeaf &noted = source->leaf_at(source->part.from);
    locate_leaf(index, noted.tree, source->next, source->next, leaf);
    if (leaf->place.root)
        leaf->first = {0, 0};
    if (noted.upper != kNoUpper && (leaf->endless || leaf->end > noted.upper)) {
        leaf->end = noted.upper;
        leaf->endless = false;
    }
    source->located[leaf->slot] = source->part;
    source->next = leaf->place.rightmost ? kNoUpper : leaf->place.upper;
    return true;
}

bool wants_noted(LeafSource *base, LocatedLeaf *leaf, Position from)
{
    const auto *source = static_cast<NotedSource *>(base);
    const NotedSource::Part &part = source->located[leaf->slot];
    leaf->first = from;
    if (from >= source->leaf_at(part.from).upper)
        return false;
    Size i = part.from; // whether a query still needs matches
    while (i < part.end && is_matched(*source->search, source->leaf_at(i).query))
        i++;
    return i < part.end;
}

// Whether the leaf is the one that returns a row to its query, which may read the row's place several times.
bool returns_row(const MatchSearch &search, const NotedQueries &noted, const QueuedLeaf &leaf,
                 Fingerprint fingerprint)
{
    const FingerprintMeta &meta = meta_of(search);
    for (Size i = 0; i < leaf.earlier; i++) {
        const QueuedRange &range = noted.range[noted.query[leaf.query].ranges + i];
        uint64 key = meta.key(range.tree, fingerprint);
        if (key >= range.first_key && key <= range.last_key)
            return false;
    }
    if (leaf.step == kByWeights) {
        uint64 key = meta.key(leaf.tree, fingerprint);
        return ((key ^ leaf.first_cell) & ~noted.below_cell) == 0 ||
               whole_keys(leaf.lower, leaf.upper == kNoUpper ? nullptr : &leaf.upper).has(key);
    }
    const SearchPlan &plan = *search.plan[leaf.radius];
    return plan.steps == 1 || returns_row(meta.order, plan, leaf.step, fingerprint ^ leaf.center);
}

// What a query wants of a leaf.
LeafQuery leaf_query(const MatchSearch &search, const QueuedLeaf &leaf)
{
    const std::uint64_t key = meta_of(search).key(leaf.tree, leaf.center);
    return leaf.step == kByWeights
               ? near_key(key, leaf.radius)
               : query_of_step(search.plan[leaf.radius]->step[leaf.step], key, leaf.radius);
}

void begin_noted(MatchSearch *search, NotedQueries *noted)
{
    sort_leaves(noted);
    NotedSource *source = noted->source;
    *source = {};
    source->locate = locate_noted;
    source->wants = wants_noted;
    source->ahead = kAhead;
    source->search = search;
    source->noted = noted;
    noted->reading = true;
    search->reading = noted->query;
    open_leaves(search, source);
}

// Continues to read the leaves, each once, and to match it with the queries that need it.
void match_noted(MatchSearch *search, NotedQueries *noted)
{
    const NotedSource *source = noted->source;
    match_leaves(
        search,
        [search, source] {
            const NotedSource::Part part = source->located[search->reader.leaf.slot];
            search->at = part.from;
            search->end = part.end;
        },
        [search, noted, source](Size at) {
            __builtin_prefetch(&source->leaf_at(Min(at + 8, noted->leaves - 1)));
            const QueuedLeaf &leaf = source->leaf_at(at);
            if (!is_matched(*search, leaf.query))
                add_matches(search, leaf.tree, leaf_query(*search, leaf), leaf.query,
                            [&](Fingerprint found) { return returns_row(*search, *noted, leaf, found); });
        });
}

QueuedQuery *last_query(NotedQueries *noted) { return &noted->query[noted->queries - 1]; }

// Notes the ranges of the first `probes` probes of the last query. Returns false if there is no room.
bool note_ranges(const MatchSearch &search, NotedQueries *noted, Size probes)
{
    const Size first = last_query(noted)->ranges;
    if (first + probes > noted->range_capacity)
        return false;
    while (noted->ranges < first + probes) {
        const GuidedRange &range = search.guided->range[noted->ranges - first];
        noted->range[noted->ranges++] = {range.first_key, range.last_key,
                                         search.guided->plan.tree(range.stream)};
    }
    return true;
}

// Notes the next leaf of the last query. Returns false if there is no room.
bool note_leaf(const MatchSearch &search, NotedQueries *noted)
{
    const LocatedLeaf &next = noted->next;
    const QueuedQuery &query = *last_query(noted);
    const bool by_weights = noted->by_weights;
    if (noted->leaves == noted->capacity ||
        !note_ranges(search, noted, by_weights ? search.guided->located[next.slot].earlier : noted->probes))
        return false;
    QueuedLeaf *leaf = &noted->leaf[noted->leaves++];
    leaf->lower = next.begin;
    leaf->upper = next.endless ? kNoUpper : next.end;
    leaf->center = query.center;
    leaf->radius = static_cast<int8>(query.radius);
    leaf->query = noted->queries - 1;
    leaf->earlier = static_cast<uint16>(noted->ranges - query.ranges);
    leaf->tree = static_cast<uint8>(next.tree);
    leaf->step = by_weights ? kByWeights : static_cast<uint8>(search.exact.step_of(next));
    if (by_weights) {
        const GuidedProbe &probe = search.guided->probe_of(next);
        leaf->first_cell = probe.first_key;
        noted->below_cell = probe.first_key ^ probe.last_key;
    }
    return true;
}

// Begins the exact search of the last query, or of what is left after so many probes by weights.
void begin_exactly(MatchSearch *search, NotedQueries *noted, Size probes)
{
    const QueuedQuery &query = *last_query(noted);
    FingerprintSource *source = &search->exact;
    if (source->plan.radius != query.radius)
        source->plan = exact_plan(search, query.radius);
    noted->by_weights = false;
    noted->probes = probes;
    set_center(source, &meta_of(*search), query.center);
    source->read.begin(nullptr, 0);
    begin_step_source(source, index_of(*search), query.radius);
}

void begin_by_weights(MatchSearch *search, NotedQueries *noted, const GuidedBall &ball)
{
    search->guided = prepare_guided_source(search->guided, index_of(*search), &meta_of(*search),
                                           exact_plan(search, ball.radius).leaves, search->context);
    begin_guided_source(search->guided, ball, ball.radius);
    noted->by_weights = true;
}

// Locates the next leaf of the last query. Returns false if there is none.
bool locate_next(MatchSearch *search, NotedQueries *noted)
{
    LocatedLeaf *next = &noted->next;
    const OpenIndex &index = index_of(*search);
    next->slot = 0;
    if (noted->by_weights) {
        if (search->guided->locate(search->guided, index, next))
            return true;
        if (search->guided->finished())
            return false;
        begin_exactly(search, noted, search->guided->plan.probes());
    }
    return search->exact.locate(&search->exact, index, next);
}

void note_leaves(MatchSearch *search, NotedQueries *noted)
{
    while (noted->located || locate_next(search, noted)) {
        CHECK_FOR_INTERRUPTS();
        noted->located = true;
        if (!note_leaf(*search, noted))
            return;
        noted->located = false;
    }
    noted->planning = false;
}

// Continues to plan the last query when the noted leaves have been read.
void continue_planning(MatchSearch *search, NotedQueries *noted)
{
    QueuedQuery last = *last_query(noted);
    noted->ranges -= last.ranges;
    std::memmove(noted->range, noted->range + last.ranges, sizeof(QueuedRange) * noted->ranges);
    last.ranges = 0;
    noted->query[0] = last;
    noted->queries = 1;
    noted->leaves = 0;
    if (last.matched)
        noted->planning = false;
    else
        note_leaves(search, noted);
}

} // namespace

bool read_noted(MatchSearch *search)
{
    NotedQueries *noted = search->noted;
    while (noted != nullptr && noted->queries > 0) {
        if (!noted->reading)
            begin_noted(search, noted);
        if (search->open)
            match_noted(search, noted);
        if (search->output->pairs > 0)
            return true;
        ereport(DEBUG1, errmsg_internal("matched %u queries with %zu leaves", noted->queries, noted->leaves));
        noted->reading = false;
        if (noted->planning)
            continue_planning(search, noted);
        else
            clear_noted(noted);
    }
    return false;
}

NotedQueries *allocate_noted(const MatchSearch &search, Size bytes)
{
    auto *noted = static_cast<NotedQueries *>(MemoryContextAllocZero(search.arrays, sizeof(NotedQueries)));
    noted->capacity = Min(bytes / kNotedBytes, Size{PG_UINT32_MAX});
    noted->range_capacity = Max(noted->capacity, kMostProbes);
    noted->query = allocate_huge<QueuedQuery>(noted->capacity, search.arrays);
    noted->leaf = allocate_huge<QueuedLeaf>(noted->capacity, search.arrays);
    noted->order = allocate_huge<LeafOrder>(noted->capacity, search.arrays);
    noted->spare = allocate_huge<LeafOrder>(noted->capacity, search.arrays);
    noted->range = allocate_huge<QueuedRange>(noted->range_capacity, search.arrays);
    noted->source = allocate_huge<NotedSource>(1, search.arrays);
    return noted;
}

bool has_room(const NotedQueries &noted)
{
    return !noted.planning && noted.queries < noted.capacity && noted.leaves < noted.capacity;
}

void note_query(MatchSearch *search, NotedQueries *noted, const QueuedQuery &query, const GuidedBall *ball)
{
    noted->query[noted->queries++] = query;
    last_query(noted)->ranges = noted->ranges;
    noted->planning = true;
    noted->located = false;
    if (ball != nullptr)
        begin_by_weights(search, noted, *ball);
    else
        begin_exactly(search, noted, 0);
    note_leaves(search, noted);
}

} // namespace simhash
