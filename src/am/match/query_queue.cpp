#include "am/match/merged_queries.hpp"

#include "core/pairs/digit_sort.hpp"
#include "core/volatility/step_order.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/memutils.h"
}

#include <algorithm>
#include <tuple>
#include <utility>

namespace simhash
{

// Leaves are sorted by their tables and lower bounds: by `prefix` first, the table and the leading bits of the bound.
struct LeafOrder {
    uint32 prefix;
    uint32 leaf;
};

namespace
{

void run_queue(QueryQueue *queue);
void note_query(QueryQueue *queue, const QueuedQuery &query, const GuidedBall &ball);

// So few leaves cost less to read together than choosing among them by weights (bench/papers).
constexpr double kFewLeaves = 6;
constexpr Size kPrefetched = 64; // noted leaves, ahead
constexpr Size kLikeliestLeaves = 16;
constexpr int kPrefixBits = 32;
constexpr int kTableBits = 6;
static_assert(kMaxTables < 1 << kTableBits);

// -- Planning ----------------------------------------------------------------------------------------------

const SearchPlan &exact_plan(QueryQueue *queue, int radius)
{
    SearchPlan *&plan = queue->plan[radius];
    if (plan == nullptr) {
        plan = static_cast<SearchPlan *>(MemoryContextAlloc(queue->context, sizeof(SearchPlan)));
        index_plan(index_of(*queue), radius, plan);
    }
    return *plan;
}

QueuedQuery &last_query(QueryQueue *queue) { return queue->query[queue->queries - 1]; }

// Empties the queue except for the query that is being planned, and its ranges.
void keep_last_query(QueryQueue *queue)
{
    QueuedQuery last = last_query(queue);
    queue->ranges -= last.ranges;
    std::memmove(queue->range, queue->range + last.ranges, sizeof(QueuedRange) * queue->ranges);
    last.ranges = 0;
    queue->query[0] = last;
    queue->queries = 1;
}

// Notes the ranges of the first `probes` probes of the last query.
void note_ranges(QueryQueue *queue, Size probes)
{
    if (queue->rest != nullptr)
        return; // any row is enough
    const GuidedSource &guided = *queue->guided;
    Size noted = queue->ranges - last_query(queue).ranges;
    if (last_query(queue).ranges + probes > queue->range_capacity) {
        run_queue(queue);
        keep_last_query(queue);
    }
    for (; noted < probes; noted++) {
        const GuidedRange &range = guided.range[noted];
        queue->range[queue->ranges++] = {range.first_key, range.last_key, guided.plan.table(range.stream)};
    }
}

// Returns a new leaf of the last query.
QueuedLeaf *note_leaf(QueryQueue *queue, const LocatedLeaf &located)
{
    if (queue->leaves == queue->capacity) {
        run_queue(queue);
        keep_last_query(queue);
    }
    QueuedLeaf *leaf = &queue->leaf[queue->leaves++];
    leaf->lower = located.begin;
    leaf->upper = located.endless ? kNoUpper : located.end;
    leaf->center = last_query(queue).center;
    leaf->radius = static_cast<int8>(last_query(queue).radius);
    leaf->query = queue->queries - 1;
    leaf->earlier = static_cast<uint16>(queue->ranges - last_query(queue).ranges);
    leaf->table = static_cast<uint8>(located.table);
    return leaf;
}

// Whether no more leaves of the last query are noted, after `leaves`.
bool enough_noted(QueryQueue *queue, Size leaves)
{
    return leaves == queue->leaves_each || last_query(queue).matched;
}

// Notes the leaves of a search by weights. Returns false if the search must be continued as an exact one.
bool note_guided_leaves(QueryQueue *queue, const GuidedBall &ball)
{
    queue->guided = prepare_guided_source(queue->guided, index_of(*queue), &meta_of(*queue),
                                          exact_plan(queue, ball.radius).leaves, queue->context);
    GuidedSource *source = queue->guided;
    begin_guided_source(source, ball, ball.radius);
    LocatedLeaf located;
    located.slot = 0;
    for (Size leaves = 1; source->locate(source, index_of(*queue), &located); leaves++) {
        CHECK_FOR_INTERRUPTS();
        note_ranges(queue, source->located[0].earlier);
        QueuedLeaf *leaf = note_leaf(queue, located);
        const GuidedProbe &probe = source->located[0].probe;
        leaf->first_cell = probe.first_key;
        queue->below_cell = probe.first_key ^ probe.last_key;
        leaf->step = kByWeights;
        if (enough_noted(queue, leaves))
            return true;
    }
    if (source->finished())
        return true;
    note_ranges(queue, source->plan.probes());
    return false;
}

// Notes the leaves of the exact source. Returns false if it has ended before enough are noted.
bool note_leaves_of_exact(QueryQueue *queue, Size *leaves)
{
    FingerprintSource *source = &queue->exact;
    LocatedLeaf located;
    located.slot = 0;
    while (source->locate(source, index_of(*queue), &located)) {
        CHECK_FOR_INTERRUPTS();
        note_leaf(queue, located)->step = static_cast<uint8>(source->step_of(located));
        if (enough_noted(queue, ++*leaves))
            return true;
    }
    return false;
}

// If a few leaves are noted, they are the likeliest ones.
void note_exact_leaves(QueryQueue *queue, const GuidedBall &ball)
{
    FingerprintSource *source = &queue->exact;
    if (source->plan.radius != ball.radius)
        source->plan = exact_plan(queue, ball.radius);
    KeyRange range[kLikeliestLeaves];
    const bool few = queue->rest != nullptr;
    Size leaves = 0;
    set_center(source, &meta_of(*queue), ball.center);
    source->read.begin(range, few ? queue->leaves_each : 0);
    if (few) {
        order_steps(ball.weights, meta_of(*queue).order, &source->plan);
        use_flip_costs(source, index_of(*queue), ball.weights);
        begin_eager_source(source, index_of(*queue), ball.radius);
        if (note_leaves_of_exact(queue, &leaves))
            return;
    }
    begin_step_source(source, index_of(*queue), ball.radius);
    note_leaves_of_exact(queue, &leaves);
}

// -- Matching ----------------------------------------------------------------------------------------------

bool same_part(const QueuedLeaf &a, const QueuedLeaf &b)
{
    return a.table == b.table && a.lower == b.lower && a.upper == b.upper;
}

bool before(const QueuedLeaf &a, const QueuedLeaf &b)
{
    return std::tie(a.table, a.lower, a.upper) < std::tie(b.table, b.lower, b.upper);
}

void sort_leaves(QueryQueue *queue)
{
    for (Size i = 0; i < queue->leaves; i++) {
        const QueuedLeaf &leaf = queue->leaf[i];
        queue->order[i] = {uint32{leaf.table} << (kPrefixBits - kTableBits) |
                               static_cast<uint32>(leaf.lower.key >> (kBits - kPrefixBits + kTableBits)),
                           static_cast<uint32>(i)};
    }
    LeafOrder *sorted = sort_by_digits(queue->order, queue->spare, queue->leaves, 0, kPrefixBits,
                                       [](const LeafOrder &order) { return order.prefix; });
    if (sorted != queue->order)
        std::swap(queue->order, queue->spare);
}

// The sorted leaves, each part once. A part may have become several leaves since it was noted.
struct QueueSource : LeafSource {
    const QueryQueue *queue;
    Size count;
    Size run_end; // of the leaves with the same prefix
    struct Part {
        Size from, end; // in the order
    } part, located[kMostAhead];
    Position next; // of the part, kNoUpper at its end

    const QueuedLeaf &leaf_at(Size at) const { return queue->leaf[queue->order[at].leaf]; }
};

// Finds the leaves whose prefixes are equal. Sorts them, unless all are the same part of a leaf, which is usual.
void begin_run(QueueSource *source, Size from)
{
    LeafOrder *order = source->queue->order;
    Size end = from + 1;
    while (end < source->count && order[end].prefix == order[from].prefix)
        end++;
    source->run_end = end;
    for (Size i = end; i < Min(end + kPrefetched, source->count); i++)
        __builtin_prefetch(&source->leaf_at(i));
    bool same = true;
    for (Size i = from + 1; i < end && same; i++)
        same = same_part(source->leaf_at(i), source->leaf_at(from));
    if (!same)
        std::sort(order + from, order + end,
                  [leaf = source->queue->leaf](const LeafOrder &a, const LeafOrder &b) {
                      return before(leaf[a.leaf], leaf[b.leaf]);
                  });
}

bool next_part(QueueSource *source)
{
    QueueSource::Part *part = &source->part;
    if (part->end == source->count)
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

bool locate_queued(LeafSource *base, Relation index, LocatedLeaf *leaf)
{
    auto *source = static_cast<QueueSource *>(base);
    if ((source->part.end == 0 || source->next >= source->leaf_at(source->part.from).upper) &&
        !next_part(source))
        return false;
    const QueuedLeaf &queued = source->leaf_at(source->part.from);
    locate_leaf(index, queued.table, source->next, source->next, leaf);
    if (leaf->place.root)
        leaf->first = {0, 0};
    if (queued.upper != kNoUpper && (leaf->endless || leaf->end > queued.upper)) {
        leaf->end = queued.upper;
        leaf->endless = false;
    }
    source->located[leaf->slot] = source->part;
    source->next = leaf->place.rightmost ? kNoUpper : leaf->place.upper;
    return true;
}

bool wants_queued(LeafSource *base, LocatedLeaf *leaf, Position from)
{
    const auto *source = static_cast<QueueSource *>(base);
    leaf->first = from;
    return from < source->leaf_at(source->located[leaf->slot].from).upper;
}

// Whether the leaf is the one that returns a row to its query, which may read the row's place several times.
bool returns_row(const QueryQueue &queue, const QueuedLeaf &leaf, Fingerprint fingerprint)
{
    if (queue.rest != nullptr)
        return true;
    const FingerprintMeta &meta = meta_of(queue);
    for (Size i = 0; i < leaf.earlier; i++) {
        const QueuedRange &range = queue.range[queue.query[leaf.query].ranges + i];
        uint64 key = meta.key(range.table, fingerprint);
        if (key >= range.first_key && key <= range.last_key)
            return false;
    }
    if (leaf.step == kByWeights) {
        uint64 key = meta.key(leaf.table, fingerprint);
        return ((key ^ leaf.first_cell) & ~queue.below_cell) == 0 ||
               whole_keys(leaf.lower, leaf.upper == kNoUpper ? nullptr : &leaf.upper).has(key);
    }
    const SearchPlan &plan = *queue.plan[leaf.radius];
    return plan.steps == 1 || returns_row(meta.order, plan, leaf.step, fingerprint ^ leaf.center);
}

// Reads the leaves in the queue, each once, and matches it with the queries that need it.
void read_queued(QueryQueue *queue)
{
    sort_leaves(queue);
    queue->reading = queue->query;
    LeafReader reader;
    QueueSource source = {};
    source.locate = locate_queued;
    source.wants = wants_queued;
    source.ahead = kAhead;
    source.queue = queue;
    source.count = queue->leaves;
    begin_queue_reading(*queue, &reader, &source);
    PGAlignedBlock page;
    BlockNumber block;
    while ((block = copy_next_leaf(&reader, &page)) != InvalidBlockNumber) {
        const QueueSource::Part part = source.located[reader.leaf.slot];
        for (Size i = part.from; i < part.end; i++) {
            CHECK_FOR_INTERRUPTS();
            __builtin_prefetch(&source.leaf_at(Min(i + 8, queue->leaves - 1)));
            const QueuedLeaf &leaf = source.leaf_at(i);
            if (!is_matched(*queue, leaf.query))
                add_matches(queue, page.data, block, leaf.table,
                            near_key(meta_of(*queue).key(leaf.table, leaf.center), leaf.radius), leaf.query,
                            [&](Fingerprint fingerprint) { return returns_row(*queue, leaf, fingerprint); });
        }
    }
    end_queue_reading(queue, &reader);
    queue->reading = nullptr;
}

void run_queue(QueryQueue *queue)
{
    if (queue->leaves == 0)
        return;
    read_queued(queue);
    ereport(DEBUG1, errmsg_internal("matched %u queries with %zu leaves", queue->queries, queue->leaves));
    queue->leaves = 0;
    for (uint32 i = 0; queue->rest != nullptr && i < queue->queries; i++) {
        // The plan may be another one by now, but this queue has no room to merge queries.
        if (!queue->query[i].matched)
            note_query(queue->rest, queue->query[i], queue->ball[i]);
    }
}

template <typename Item> Item *allocate_items(const QueryQueue &queue, Size count)
{
    return static_cast<Item *>(MemoryContextAllocHuge(queue.arrays, sizeof(Item) * count));
}

QueryQueue *new_queue(PairOutput *output, int part, bool first_only, Size bytes)
{
    auto *queue = static_cast<QueryQueue *>(palloc0(sizeof(QueryQueue)));
    queue->context = CurrentMemoryContext;
    queue->arrays = AllocSetContextCreate(CurrentMemoryContext, "simhash queries", ALLOCSET_DEFAULT_SIZES);
    queue->bytes = bytes;
    queue->output = output;
    queue->part = part;
    queue->first_only = first_only;
    queue->leaves_each = PG_UINT32_MAX;
    queue->exact.plan.radius = -1;
    queue->found =
        static_cast<LeafEntry *>(palloc(sizeof(LeafEntry) * static_cast<Size>(leaf_capacity(BLCKSZ))));
    return queue;
}

// Allocates room for queries with notes. Balls are kept if `balls`, for the rest.
void allocate_notes(QueryQueue *queue, bool balls, Size bytes)
{
    Size each = sizeof(QueuedQuery) + sizeof(QueuedLeaf) + 2 * sizeof(LeafOrder) + sizeof(QueuedRange) +
                (balls ? sizeof(GuidedBall) : 0);
    queue->capacity = Min(bytes / each, Size{PG_UINT32_MAX});
    queue->range_capacity = Max(queue->capacity, kMostProbes);
    queue->query = allocate_items<QueuedQuery>(*queue, queue->capacity);
    queue->ball = balls ? allocate_items<GuidedBall>(*queue, queue->capacity) : nullptr;
    queue->leaf = allocate_items<QueuedLeaf>(*queue, queue->capacity);
    queue->order = allocate_items<LeafOrder>(*queue, queue->capacity);
    queue->spare = allocate_items<LeafOrder>(*queue, queue->capacity);
    queue->range = allocate_items<QueuedRange>(*queue, queue->range_capacity);
    queue->queries = 0;
    queue->ranges = 0;
}

void allocate_all_notes(QueryQueue *queue, Size bytes)
{
    if (!queue->first_only) {
        allocate_notes(queue, false, bytes);
        return;
    }
    constexpr Size kLeavesEach[] = {1, kLikeliestLeaves, PG_UINT32_MAX};
    MemoryContext caller = MemoryContextSwitchTo(queue->arrays);
    for (Size leaves_each : kLeavesEach) {
        const bool last = leaves_each == PG_UINT32_MAX;
        allocate_notes(queue, !last, bytes / lengthof(kLeavesEach));
        queue->leaves_each = last ? leaves_each : Min(leaves_each, queue->capacity);
        queue->rest = last ? nullptr : new_queue(queue->output, queue->part, true, 0);
        queue = queue->rest;
    }
    MemoryContextSwitchTo(caller);
}

void allocate_merged(QueryQueue *queue, Size bytes)
{
    auto *merged = &queue->merged;
    Size each = sizeof(QueuedQuery) + 2 * sizeof(MergedQuery);
    merged->capacity = static_cast<uint32>(Min(bytes / each, Size{kMostMerged}));
    merged->query = allocate_items<QueuedQuery>(*queue, merged->capacity);
    merged->order = allocate_items<MergedQuery>(*queue, merged->capacity);
    merged->spare = allocate_items<MergedQuery>(*queue, merged->capacity);
    merged->queries = 0;
}

// Allocates room for the first query of a kind. The first kind takes all of the memory; if the other one comes, too, each
// has a half.
void allocate_kind(QueryQueue *queue, bool merged)
{
    bool both = (merged ? queue->capacity : queue->merged.capacity) > 0;
    Size bytes = both ? queue->bytes / 2 : queue->bytes;
    if (both) {
        finish_queue(queue);
        MemoryContextReset(queue->arrays);
    }
    if (both || merged)
        allocate_merged(queue, bytes);
    if (both || !merged)
        allocate_all_notes(queue, bytes);
}

void merge_query(QueryQueue *queue, const QueuedQuery &query)
{
    auto *merged = &queue->merged;
    if (merged->capacity == 0)
        allocate_kind(queue, true);
    if (merged->queries == merged->capacity)
        run_merged(queue);
    merged->query[merged->queries++] = query;
}

bool searched_by_weights(QueryQueue *queue, const GuidedBall &ball)
{
    return !is_exact(ball) && is_guided(ball, ball.radius) &&
           (ball.most_probes > 0 || exact_plan(queue, ball.radius).leaves > kFewLeaves);
}

void note_query(QueryQueue *queue, const QueuedQuery &query, const GuidedBall &ball)
{
    if (queue->capacity == 0)
        allocate_kind(queue, false);
    // If there is a queue for the rest, a query's leaves are read together.
    const Size room = queue->rest == nullptr ? 1 : queue->leaves_each;
    if (queue->queries == queue->capacity || queue->leaves + room > queue->capacity) {
        run_queue(queue);
        queue->queries = 0;
        queue->ranges = 0;
    }
    if (queue->ball != nullptr)
        queue->ball[queue->queries] = ball;
    queue->query[queue->queries] = query;
    queue->query[queue->queries++].ranges = queue->ranges;
    if (!searched_by_weights(queue, ball) || !note_guided_leaves(queue, ball))
        note_exact_leaves(queue, ball);
}

} // namespace

QueryQueue *begin_queue(PairOutput *output, int part, bool first_only, Size bytes)
{
    return new_queue(output, part, first_only, bytes);
}

void add_query(QueryQueue *queue, int64 key, uint64 ordinal, const GuidedBall &ball)
{
    if (ball.radius < 0)
        return;
    QueuedQuery query = {key, ordinal, ball.center, ball.radius, false, 0};
    if (!searched_by_weights(queue, ball) && can_merge(exact_plan(queue, ball.radius)))
        merge_query(queue, query);
    else
        note_query(queue, query, ball);
}

void finish_queue(QueryQueue *queue)
{
    run_merged(queue);
    for (; queue != nullptr; queue = queue->rest)
        run_queue(queue);
}

QueuedQuery *match_query(QueryQueue *queue, uint64 number)
{
    const QueryQueue *read = queue;
    while (read->reading == nullptr)
        read = read->rest;
    QueuedQuery *query = read->reading + number;
    if (query->matched)
        return nullptr;
    query->matched = queue->first_only;
    if (queue->merged.shared != nullptr)
        queue->merged.shared->query[number].matched = query->matched;
    return query;
}

void begin_queue_reading(const QueryQueue &queue, LeafReader *reader, LeafSource *source)
{
    *reader = {};
    reader->index = index_of(queue);
    reader->snapshot = queue.output->snapshot;
    reader->strategy = join_strategy(reader->index);
    begin_reading(reader, source);
}

void end_queue_reading(QueryQueue *queue, LeafReader *reader)
{
    if (reader->strategy != nullptr)
        FreeAccessStrategy(reader->strategy);
    flush_pairs(queue->output);
}

} // namespace simhash
