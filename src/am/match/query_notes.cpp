// Plans queries and notes the leaves that they need. If the memory is full, the planning of the last query stops, and goes
// on when the leaves noted so far have been read.
#include "am/match/match_state.hpp"

extern "C" {
#include "miscadmin.h"
}

namespace simhash
{

namespace
{

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

} // namespace

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

} // namespace simhash
