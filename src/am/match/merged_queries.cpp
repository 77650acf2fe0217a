#include "am/match/merged_queries.hpp"

#include "core/pairs/digit_sort.hpp"
#include "core/tables/key_ball.hpp"

extern "C" {
#include "miscadmin.h"
}

#include <numeric>
#include <utility>

namespace simhash
{

namespace
{

constexpr int kHeaderBits = 32; // of MergedQuery::header
constexpr uint8 kNoStep = 255;

// In a header that takes several leaves: a query's key, and the first key of its ball in the leaves not yet located.
struct WideQuery {
    uint64 key;
    uint64 next;
};
static_assert(sizeof(WideQuery) == sizeof(MergedQuery));
constexpr uint64 kNoKey = ~uint64{0}; // also a key, for which a leaf is read in vain at most

// The leaves of a table that the queries in `order` need.
struct MergeSource : LeafSource {
    QueryQueue *queue;
    const MergedQuery *order;
    WideQuery *wide; // of the queries from `group` on, while `continued`; in the memory of the spare
    Size count;
    int table;
    uint8 step[kBits + 1]; // of the plan for each radius that reads the table, or kNoStep

    Size group;     // the first query of the header in which the next leaf begins
    bool continued; // leaves have been located for this header
    Position next;
    Position done; // the end of the last located leaf
    struct {
        Size from, end; // the queries of the leaf
        Size wide_end;  // those before continue from an earlier leaf
        Position upper;
    } located[kMostAhead];

    uint64 first_key(Size at) const { return uint64{order[at].header} << kHeaderBits; }
    uint64 last_key(Size at) const { return first_key(at) | ~leading_bits(header_bits()); }
    int header_bits() const { return meta_of(*queue).order.table[table].header_bits; }
    Size group_end(Size at) const
    {
        Size end = at + 1;
        while (end < count && order[end].header == order[at].header)
            end++;
        return end;
    }
};

void begin_group(MergeSource *source, Size at)
{
    source->group = at;
    source->continued = false;
    if (at < source->count)
        source->next = {source->first_key(at), 0};
}

// Finds the first position at or after `from` that a query of the group needs. Returns false if there is none.
bool continue_group(MergeSource *source, Size end, Position from)
{
    uint64 first = kNoKey;
    for (Size i = source->group; i < end; i++) {
        CHECK_FOR_INTERRUPTS();
        WideQuery *wide = &source->wide[i];
        if (!source->continued)
            wide->key = meta_of(*source->queue).key(source->table, source->order[i].center);
        const KeyBall ball = {wide->key, source->header_bits(), 0, static_cast<int>(source->order[i].radius)};
        if ((!source->continued || wide->next < from.key) && !next_key(ball, from.key, &wide->next))
            wide->next = kNoKey;
        first = Min(first, wide->next);
    }
    source->continued = true;
    source->next = first == from.key ? from : Position{first, 0};
    return first <= source->last_key(source->group);
}

bool locate_merged(LeafSource *base, Relation index, LocatedLeaf *leaf)
{
    auto *source = static_cast<MergeSource *>(base);
    if (source->group == source->count)
        return false;
    locate_leaf(index, source->table, source->next, source->done, leaf);
    source->done = leaf->place.upper;
    if (leaf->place.root)
        leaf->first = {0, 0};
    const Position upper = leaf->place.rightmost ? kNoUpper : leaf->place.upper;
    const Size from = source->group;
    Size last = from, end = source->group_end(from);
    const Size wide_end = source->continued ? end : from;
    while (end < source->count && Position{source->first_key(end), 0} < upper) {
        CHECK_FOR_INTERRUPTS();
        last = end;
        end = source->group_end(end);
    }
    source->located[leaf->slot] = {from, end, wide_end, upper};
    if (last != from)
        begin_group(source, last);
    if (leaf->place.rightmost || source->last_key(last) < upper.key || !continue_group(source, end, upper))
        begin_group(source, end);
    return true;
}

bool wants_merged(LeafSource *base, LocatedLeaf *leaf, Position from)
{
    leaf->first = from;
    return from < static_cast<const MergeSource *>(base)->located[leaf->slot].upper;
}

// Matches the queries of a leaf with a copy of it.
void match_copy(MergeSource *source, const LocatedLeaf &leaf, const char *page, BlockNumber block)
{
    QueryQueue *queue = source->queue;
    const FingerprintMeta &meta = meta_of(*queue);
    const auto &located = source->located[leaf.slot];
    const uint64 first = leaf.first.key, last = located.upper.key;
    const uint64 common = first == last ? kNoKey : leading_bits(std::countl_zero(first ^ last));
    for (Size i = located.from; i < located.end; i++) {
        CHECK_FOR_INTERRUPTS();
        const MergedQuery &query = source->order[i];
        const int radius = static_cast<int>(query.radius);
        if (is_matched(*queue, query.query))
            continue;
        LeafQuery wanted = near_key(meta.key(source->table, query.center), radius);
        if (i < located.wide_end && std::popcount((wanted.key.word[0] ^ first) & common) > radius)
            continue;
        wanted.header = leading_bits(source->header_bits());
        const SearchPlan &plan = *queue->plan[radius];
        add_matches(queue, page, block, source->table, wanted, query.query, [&](Fingerprint fingerprint) {
            return returns_row(meta.order, plan, source->step[radius], fingerprint ^ query.center);
        });
    }
}

void set_steps(MergeSource *source)
{
    for (int radius = 0; radius <= kBits; radius++) {
        const SearchPlan *plan = source->queue->plan[radius];
        source->step[radius] = kNoStep;
        for (int i = 0; plan != nullptr && i < plan->steps; i++) {
            if (plan->step[i].table == source->table)
                source->step[radius] = static_cast<uint8>(i);
        }
    }
}

// The center and the radius of merged query number i.
SharedQuery query_at(const QueryQueue &queue, uint32 i)
{
    if (queue.merged.shared != nullptr)
        return queue.merged.shared->query[i];
    const QueuedQuery &query = queue.merged.query[i];
    return {query.center, static_cast<std::uint8_t>(query.radius), query.matched};
}

// Sorts the queries of a share that read the table, and still need matches, by their headers.
void sort_queries(MergeSource *source, int share, int shares)
{
    QueryQueue *queue = source->queue;
    auto *merged = &queue->merged;
    const FingerprintMeta &meta = meta_of(*queue);
    const int bits = source->header_bits();
    Size count = 0;
    for (uint32 i = 0; i < merged->queries; i++) {
        const SharedQuery query = query_at(*queue, i);
        if (source->step[query.radius] == kNoStep || is_matched(*queue, i))
            continue;
        auto header =
            static_cast<uint32>((meta.key(source->table, query.center) & leading_bits(bits)) >> kHeaderBits);
        if (static_cast<int>(uint64{header} * static_cast<uint64>(shares) >> kHeaderBits) != share)
            continue;
        MergedQuery *item = &merged->order[count++];
        item->header = header;
        item->radius = static_cast<uint32>(query.radius) & 127;
        item->query = i & (kMostMerged - 1);
        item->center = query.center;
    }
    MergedQuery *sorted = sort_by_digits(merged->order, merged->spare, count, kHeaderBits - bits, kHeaderBits,
                                         [](const MergedQuery &query) { return query.header; });
    if (sorted != merged->order)
        std::swap(merged->order, merged->spare);
    source->order = merged->order;
    source->wide = reinterpret_cast<WideQuery *>(merged->spare);
    source->count = count;
}

// Reads the leaves of a table that the queries of a share need.
void read_table(QueryQueue *queue, int table, int share, int shares)
{
    MergeSource source = {};
    source.locate = locate_merged;
    source.wants = wants_merged;
    source.ahead = kAhead;
    source.queue = queue;
    source.table = table;
    set_steps(&source);
    sort_queries(&source, share, shares);
    begin_group(&source, 0);
    LeafReader reader;
    begin_queue_reading(*queue, &reader, &source);
    PGAlignedBlock page;
    BlockNumber block;
    while ((block = copy_next_leaf(&reader, &page)) != InvalidBlockNumber) {
        receive_pairs(queue->output);
        match_copy(&source, reader.leaf, page.data, block);
    }
    end_queue_reading(queue, &reader);
}

void read_tables(QueryQueue *queue)
{
    const int shares = queue->merged.shared == nullptr ? 1 : queue->merged.shared->shares;
    for (int table = 0; table < meta_of(*queue).tables; table++) {
        for (int share = 0; share < shares; share++) {
            if (takes_task(queue->output))
                read_table(queue, table, share, shares);
        }
    }
}

// Into how many shares each table is divided: as few as give every process as many, since each goes through all queries.
// If one match is enough, all processes take shares of the first table first.
int shares_of_tables(const QueryQueue &queue, int processes)
{
    return queue.first_only ? processes
                            : processes / std::gcd(processes, static_cast<int>(meta_of(queue).tables));
}

// Starts workers if the queries are worth it.
void begin_workers_of(QueryQueue *queue)
{
    constexpr double kQuery = 2000, kOpenPart = 50000; // nanoseconds
    auto *merged = &queue->merged;
    PairOutput *output = queue->output;
    const double parts = output->side[0].parts;
    const int workers = planned_pair_workers(*output, kQuery * merged->queries - kOpenPart * (parts - 1));
    if (workers == 0)
        return;
    const Size bytes = sizeof(SharedQueries) + sizeof(SharedQuery) * merged->queries;
    auto *shared = static_cast<SharedQueries *>(MemoryContextAllocHuge(queue->context, bytes));
    std::memset(shared, 0, sizeof(SharedQueries));
    shared->part = queue->part;
    shared->first_only = queue->first_only;
    shared->shares = shares_of_tables(*queue, workers + 1);
    shared->bytes = queue->bytes / 3 / static_cast<Size>(workers + 1);
    shared->count = merged->queries;
    for (int radius = 0; radius <= kBits; radius++) {
        if (queue->plan[radius] != nullptr)
            shared->plan[radius] = *queue->plan[radius];
    }
    for (uint32 i = 0; i < merged->queries; i++)
        shared->query[i] = query_at(*queue, i);
    merged->shared =
        static_cast<SharedQueries *>(begin_pair_team(output, "simhash_match_worker", workers, shared, bytes));
    pfree(shared);
}

// A worker's queue.
QueryQueue *join_queries(PairOutput *output, SharedQueries *shared)
{
    QueryQueue *queue = begin_queue(output, shared->part, shared->first_only, 0);
    auto *merged = &queue->merged;
    merged->shared = shared;
    merged->queries = shared->count;
    merged->order = static_cast<MergedQuery *>(
        MemoryContextAllocHuge(queue->context, sizeof(MergedQuery) * shared->count));
    merged->spare = static_cast<MergedQuery *>(
        MemoryContextAllocHuge(queue->context, sizeof(MergedQuery) * shared->count));
    for (int radius = 0; radius <= kBits; radius++)
        queue->plan[radius] = shared->plan[radius].steps > 0 ? &shared->plan[radius] : nullptr;
    return queue;
}

} // namespace

bool can_merge(const SearchPlan &plan)
{
    for (int i = 0; i < plan.steps; i++) {
        const SearchStep &step = plan.step[i];
        if (step.budget != 0 || step.header_bits == 0 || step.header_bits > kHeaderBits)
            return false;
    }
    return true;
}

void run_merged(QueryQueue *queue)
{
    auto *merged = &queue->merged;
    if (merged->queries == 0)
        return;
    queue->reading = merged->query;
    begin_workers_of(queue);
    read_tables(queue);
    if (merged->shared != nullptr)
        end_pair_team(queue->output);
    merged->shared = nullptr;
    queue->reading = nullptr;
    ereport(DEBUG1, errmsg_internal("merged %u queries with the leaves", merged->queries));
    merged->queries = 0;
}

} // namespace simhash

// Parallel workers find this function by its name.
extern "C" __attribute__((visibility("default"))) void simhash_match_worker(dsm_segment *segment,
                                                                            shm_toc *toc);

void simhash_match_worker(dsm_segment *segment, shm_toc *toc)
{
    using namespace simhash;
    void *shared;
    PairOutput *output = join_pair_team(segment, toc, &shared);
    auto *queries = static_cast<SharedQueries *>(shared);
    begin_output(output, queries->bytes);
    read_tables(join_queries(output, queries));
    end_output(output);
    leave_pair_team(output, toc);
}
