#include "am/match/match_state.hpp"

extern "C" {
#include "access/tableam.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"
}

namespace simhash
{

namespace
{

constexpr Size kFirstMatches = 256;

constexpr Size kMergedBytes = sizeof(QueuedQuery) + 2 * sizeof(MergedQuery);

// The part of the memory that is for queries; the rest is for matches.
Size query_bytes(Size bytes) { return bytes / 4 * 3; }

void allocate_merged(MatchSearch *search, Size bytes)
{
    MergedQueries *merged = &search->merged;
    merged->capacity = static_cast<uint32>(Min(bytes / kMergedBytes, Size{kMostMerged}));
    merged->query = allocate_huge<QueuedQuery>(merged->capacity, search->arrays);
    merged->order = allocate_huge<MergedQuery>(merged->capacity, search->arrays);
    merged->spare = allocate_huge<MergedQuery>(merged->capacity, search->arrays);
}

bool is_empty(const MatchSearch &search)
{
    return search.merged.queries == 0 && (search.noted == nullptr || search.noted->queries == 0);
}

// Allocates room for the first query of a kind. The first kind takes all of the memory; if the other one comes, too, each
// has a half. Returns false if there are queries, which must be matched first.
bool allocate_kind(MatchSearch *search, bool merged)
{
    const bool both = merged ? search->noted != nullptr : search->merged.capacity > 0;
    const Size bytes = both ? search->bytes / 2 : search->bytes;
    if (both && !is_empty(*search))
        return false;
    MemoryContextReset(search->arrays);
    if (both || merged)
        allocate_merged(search, bytes);
    if (both || !merged)
        search->noted = allocate_noted(*search, bytes);
    return true;
}

bool merge_query(MatchSearch *search, const QueuedQuery &query)
{
    MergedQueries *merged = &search->merged;
    if (merged->capacity == 0 && !allocate_kind(search, true))
        return false;
    if (merged->queries == merged->capacity || merged->trees > 0)
        return false;
    merged->query[merged->queries++] = query;
    return true;
}

// The row that a match is of, in the slot. Returns false if the snapshot does not see it.
bool fetch_row(MatchSearch *search, uint64 row)
{
    if (row == search->row)
        return search->seen; // of several queries
    const PairPart &part = part_of(*search);
    ItemPointerData tid = search->output->side[0].tids.tid_of(row);
    bool again = false;
    search->row = row;
    search->seen =
        table_index_fetch_tuple(part.fetch, &tid, search->output->snapshot, part.slot, &again, nullptr);
    search->counts.rows++;
    count_row(part, search->seen);
    return search->seen;
}

// Waits for more matches. Returns false if there are none.
bool find_matches(MatchSearch *search)
{
    PairOutput *output = search->output;
    output->pairs = 0;
    if (!read_merged(search) && !read_noted(search))
        return false;
    search->ready = probe_members(output, false);
    // Some room is left for the matches of one query in a leaf.
    search->wanted = Min(4 * search->wanted, output->capacity - static_cast<Size>(leaf_capacity(BLCKSZ)));
    return true;
}

bool searched_by_weights(MatchSearch *search, const GuidedBall &ball)
{
    return !is_exact(ball) && is_guided(ball, ball.radius) &&
           guided_pays(ball, exact_plan(search, ball.radius).leaves);
}

bool add_planned(MatchSearch *search, const GuidedBall &ball, int64 number)
{
    if (ball.radius < 0)
        return true;
    const QueuedQuery query = {number, ball.center, ball.radius, false, 0};
    const bool by_weights = searched_by_weights(search, ball);
    if (!by_weights && can_merge(exact_plan(search, ball.radius)))
        return merge_query(search, query);
    if ((search->noted == nullptr && !allocate_kind(search, false)) || !has_room(*search->noted))
        return false;
    note_query(search, search->noted, query, by_weights ? &ball : nullptr);
    return true;
}

} // namespace

const SearchPlan &exact_plan(MatchSearch *search, int radius)
{
    SearchPlan *&plan = search->plan[radius];
    if (plan == nullptr) {
        plan = static_cast<SearchPlan *>(MemoryContextAlloc(search->context, sizeof(SearchPlan)));
        index_plan(index_of(*search), radius, plan);
    }
    return *plan;
}

void open_leaves(MatchSearch *search, LeafSource *source)
{
    LeafReader *reader = &search->reader;
    *reader = {};
    reader->index = index_of(*search);
    reader->snapshot = search->output->snapshot;
    reader->strategy = join_strategy(reader->index);
    begin_reading(reader, source);
    search->at = search->end = 0;
    search->open = true;
}

void close_leaves(MatchSearch *search)
{
    if (search->open && search->reader.strategy != nullptr)
        FreeAccessStrategy(search->reader.strategy);
    search->open = false;
}

double queries_together(Size bytes, bool merged, double leaves_each)
{
    const auto room = static_cast<double>(query_bytes(bytes));
    return Max(1.0, merged ? room / kMergedBytes : room / kNotedBytes / leaves_each);
}

MatchSearch *begin_match(Relation table, Relation index, Snapshot snapshot, Size bytes)
{
    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash match", ALLOCSET_DEFAULT_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(context);
    auto *output = allocate_zero<PairOutput>();
    output->snapshot = snapshot;
    output->sides = 1;
    begin_side(1, &output->side[0]);
    use_part(index, table, snapshot, &output->side[0], 0);
    pgstat_count_index_scan(index);
    begin_output(output, bytes / 4);
    auto *search = allocate_zero<MatchSearch>();
    search->context = context;
    search->arrays = AllocSetContextCreate(context, "simhash queries", ALLOCSET_DEFAULT_SIZES);
    search->bytes = query_bytes(bytes);
    search->output = output;
    search->exact.plan.radius = -1;
    search->found = allocate<LeafEntry>(leaf_capacity(BLCKSZ));
    reset_match(search);
    MemoryContextSwitchTo(caller);
    return search;
}

bool add_query(MatchSearch *search, const GuidedBall &ball, int64 number)
{
    MemoryContext caller = MemoryContextSwitchTo(search->context);
    const bool added = add_planned(search, ball, number);
    MemoryContextSwitchTo(caller);
    search->counts.queries += added;
    return added;
}

TupleTableSlot *next_match(MatchSearch *search, int64 *number)
{
    const PairOutput *output = search->output;
    for (;;) {
        CHECK_FOR_INTERRUPTS();
        if (search->ready.begin == search->ready.end) {
            MemoryContext caller = MemoryContextSwitchTo(search->context);
            const bool found = find_matches(search);
            MemoryContextSwitchTo(caller);
            if (!found)
                return nullptr;
            continue;
        }
        const FoundPair &pair = output->pair[search->ready.begin++->place() / 2];
        QueuedQuery *query = &search->reading[pair.tag[1] & kTidMask];
        if (query->matched || !fetch_row(search, pair.tag[0] & kTidMask))
            continue;
        search->last = query;
        *number = query->number;
        return part_of(*search).slot;
    }
}

void finish_query(MatchSearch *search)
{
    search->last->matched = true;
    search->finishes = true;
}

void reset_match(MatchSearch *search)
{
    close_leaves(search);
    search->merged.queries = 0;
    search->merged.trees = 0;
    if (search->noted != nullptr)
        clear_noted(search->noted);
    search->output->pairs = 0;
    search->ready = {};
    search->row = kNoRow;
    search->wanted = kFirstMatches;
}

MatchCounts match_counts(const MatchSearch *search) { return search->counts; }

void end_match(MatchSearch *search)
{
    search->output->pairs = 0;
    end_output(search->output);
    MemoryContextDelete(search->context);
}

} // namespace simhash
