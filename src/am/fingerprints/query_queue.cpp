#include "am/fingerprints/query_queue.hpp"

#include "core/pairs/digit_sort.hpp"
#include "pg/server/settings.hpp"

extern "C" {
#include "miscadmin.h"
}

#include <tuple>

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

// So few leaves cost less to read together than choosing among them by weights (bench/psm).
constexpr double kFewLeaves = 6;
constexpr Size kPrefetched = 64; // noted leaves, ahead
constexpr int kPrefixBits = 32;
constexpr int kTableBits = 6;
static_assert(kMaxTables < 1 << kTableBits);

const PairPart &part_of(const QueryQueue &queue) { return queue.output->side[0].part[queue.part]; }
const FingerprintMeta &meta_of(const QueryQueue &queue) { return fingerprint_meta(*part_of(queue).meta); }
Relation index_of(const QueryQueue &queue) { return part_of(queue).index; }

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
        return; // nothing was read before the first leaf
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
    const LeafPlace &place = located.place;
    QueuedLeaf *leaf = &queue->leaf[queue->leaves++];
    leaf->lower = place.lower;
    leaf->upper = place.rightmost ? kNoUpper : place.upper;
    leaf->center = last_query(queue).center;
    leaf->radius = static_cast<int8>(last_query(queue).radius);
    leaf->query = queue->queries - 1;
    leaf->earlier = static_cast<uint16>(queue->ranges - last_query(queue).ranges);
    leaf->table = static_cast<uint8>(located.table);
    return leaf;
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
    while (source->locate(source, index_of(*queue), &located)) {
        CHECK_FOR_INTERRUPTS();
        note_ranges(queue, source->located[0].earlier);
        QueuedLeaf *leaf = note_leaf(queue, located);
        const GuidedProbe &probe = source->located[0].probe;
        leaf->first_cell = probe.first_key;
        queue->below_cell = probe.first_key ^ probe.last_key;
        leaf->step = kByWeights;
        if (queue->rest != nullptr || last_query(queue).matched)
            return true;
    }
    if (source->finished())
        return true;
    note_ranges(queue, source->plan.probes());
    return false;
}

void note_exact_leaves(QueryQueue *queue, Fingerprint center, int radius)
{
    FingerprintSource *source = &queue->exact;
    if (source->plan.radius != radius)
        source->plan = exact_plan(queue, radius);
    begin_fingerprint_source(source, &meta_of(*queue), center, radius);
    LocatedLeaf located;
    located.slot = 0;
    while (source->locate(source, index_of(*queue), &located)) {
        CHECK_FOR_INTERRUPTS();
        note_leaf(queue, located)->step = static_cast<uint8>(source->step_of(located));
        if (queue->rest != nullptr || last_query(queue).matched)
            return;
    }
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
    } part, located[kAhead];
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
    leaf->table = source->leaf_at(source->part.from).table;
    find_leaf(index, leaf->table, source->next, &leaf->place);
    leaf->first = leaf->place.root ? Position{0, 0} : source->next;
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

// Adds the matches of a page to the output.
void match_page(QueryQueue *queue, const char *page, const QueuedLeaf &leaf, BlockNumber block)
{
    const Fingerprint *fingerprints = leaf_fingerprints(page);
    int matches = match_leaf(fingerprints, leaf_count(page), leaf.center, leaf.radius, queue->match);
    if (matches == 0)
        return;
    TidCheck check;
    for (int i = 0; i < matches; i++)
        check.add(leaf_tid(page, queue->match[i]).packed());
    check.finish(index_of(*queue), block);
    const QueuedQuery &query = queue->query[leaf.query];
    const BlockNumbers &blocks = queue->output->side[0].tids.blocks;
    for (int i = 0; i < matches && !(queue->first_only && query.matched); i++) {
        Fingerprint fingerprint = fingerprints[queue->match[i]];
        uint64 tid = leaf_tid(page, queue->match[i]).packed();
        if (blocks.counted(queue->part, tid) && returns_row(*queue, leaf, fingerprint))
            add_pair(queue->output, blocks.number(queue->part, tid), kVisible | leaf.query,
                     hamming_distance(fingerprint, leaf.center));
    }
}

// Reads the leaves in the queue, each once, and matches it with the queries that need it.
void read_queued(QueryQueue *queue)
{
    sort_leaves(queue);
    queue->reading = true;
    LeafReader reader = {};
    reader.index = index_of(*queue);
    reader.snapshot = queue->output->snapshot;
    reader.strategy = join_strategy(reader.index);
    QueueSource source = {};
    source.locate = locate_queued;
    source.wants = wants_queued;
    source.ahead = kAhead;
    source.queue = queue;
    source.count = queue->leaves;
    begin_reading(&reader, &source);
    PGAlignedBlock page;
    BlockNumber block;
    while ((block = copy_next_leaf(&reader, &page)) != InvalidBlockNumber) {
        const QueueSource::Part part = source.located[reader.leaf.slot];
        for (Size i = part.from; i < part.end; i++) {
            CHECK_FOR_INTERRUPTS();
            __builtin_prefetch(&source.leaf_at(Min(i + 8, queue->leaves - 1)));
            const QueuedLeaf &leaf = source.leaf_at(i);
            if (!(queue->first_only && queue->query[leaf.query].matched))
                match_page(queue, page.data, leaf, block);
        }
    }
    if (reader.strategy != nullptr)
        FreeAccessStrategy(reader.strategy);
    flush_pairs(queue->output);
    queue->reading = false;
}

void run_queue(QueryQueue *queue)
{
    if (queue->leaves == 0)
        return;
    read_queued(queue);
    ereport(DEBUG1, errmsg_internal("matched %u queries with %zu leaves", queue->queries, queue->leaves));
    queue->leaves = 0;
    for (uint32 i = 0; queue->rest != nullptr && i < queue->queries; i++) {
        if (!queue->query[i].matched)
            add_query(queue->rest, queue->query[i].key, queue->query[i].ordinal, queue->ball[i]);
    }
}

template <typename Item> Item *allocate_items(Size count)
{
    return static_cast<Item *>(MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Item) * count));
}

// Balls are kept if `balls`, for a second queue.
QueryQueue *allocate_queue(PairOutput *output, int part, bool first_only, bool balls, Size bytes)
{
    auto *queue = static_cast<QueryQueue *>(palloc0(sizeof(QueryQueue)));
    Size each = sizeof(QueuedQuery) + sizeof(QueuedLeaf) + 2 * sizeof(LeafOrder) + sizeof(QueuedRange) +
                (balls ? sizeof(GuidedBall) : 0);
    queue->context = CurrentMemoryContext;
    queue->output = output;
    queue->part = part;
    queue->first_only = first_only;
    queue->exact.plan.radius = -1;
    queue->capacity = Min(bytes / each, Size{PG_UINT32_MAX});
    queue->range_capacity = Max(queue->capacity, kMostProbes);
    queue->query = allocate_items<QueuedQuery>(queue->capacity);
    queue->ball = balls ? allocate_items<GuidedBall>(queue->capacity) : nullptr;
    queue->leaf = allocate_items<QueuedLeaf>(queue->capacity);
    queue->order = allocate_items<LeafOrder>(queue->capacity);
    queue->spare = allocate_items<LeafOrder>(queue->capacity);
    queue->range = allocate_items<QueuedRange>(queue->range_capacity);
    queue->match = allocate_items<uint16>(static_cast<Size>(leaf_capacity(BLCKSZ)));
    return queue;
}

} // namespace

QueryQueue *begin_queue(PairOutput *output, int part, bool first_only, Size bytes)
{
    if (!first_only)
        return allocate_queue(output, part, false, false, bytes);
    QueryQueue *queue = allocate_queue(output, part, true, true, bytes / 2);
    queue->rest = allocate_queue(output, part, true, false, bytes / 2);
    return queue;
}

void add_query(QueryQueue *queue, int64 key, uint64 ordinal, const GuidedBall &ball)
{
    if (ball.radius < 0)
        return;
    if (queue->queries == queue->capacity || queue->leaves == queue->capacity) {
        run_queue(queue);
        queue->queries = 0;
        queue->ranges = 0;
    }
    if (queue->ball != nullptr)
        queue->ball[queue->queries] = ball;
    queue->query[queue->queries++] = {key, ordinal, ball.center, ball.radius, false, queue->ranges};
    bool guided = !is_exact(ball) && is_guided(ball, ball.radius) &&
                  (ball.most_probes > 0 || exact_plan(queue, ball.radius).leaves > kFewLeaves);
    if (!guided || !note_guided_leaves(queue, ball))
        note_exact_leaves(queue, ball.center, ball.radius);
}

void finish_queue(QueryQueue *queue)
{
    run_queue(queue);
    if (queue->rest != nullptr)
        run_queue(queue->rest);
}

QueuedQuery *found_query(QueryQueue *queue, uint64 number)
{
    return (queue->reading ? queue : queue->rest)->query + number;
}

} // namespace simhash
