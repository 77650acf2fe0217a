// Exact queries that are merged with the leaves, if each step of their plans reads the keys with one header.
//
// For each tree the queries are sorted by their headers, and the leaves that they need are read from left to right beside
// them. Nothing is noted for a leaf. Most headers are within one leaf, and all of its queries are matched with it. Where
// a header takes several leaves, each query is matched with those that its ball of keys reaches.
#include "am/match/match_state.hpp"

#include "core/bits/digit_sort.hpp"
#include "core/layout/key_ball.hpp"

extern "C" {
#include "miscadmin.h"
}

#include <utility>

namespace simhash
{

constexpr uint64 kNoKey = ~uint64{0}; // also a key

// The leaves of a tree that the queries in `order` need.
struct MergeSource : LeafSource {
    MatchSearch *search;
    const MergedQuery *order;
    // Of the queries from `group` on, while `continued`: the first keys of their balls in the leaves not yet located. In the
    // memory of the spare.
    uint64 *unlocated;
    Size count;
    int tree;
    uint8 step[kBits + 1]; // of the plan for each radius that reads the tree, or kNoStep

    Size group;     // the first query of the header in which the next leaf begins
    bool continued; // leaves have been located for this header
    Position next;
    Position done; // the end of the last located leaf
    struct {
        Size from, end; // the queries of the leaf
        Size wide_end;  // those before continue from an earlier leaf
        Position upper;
    } located[kMostAhead];
    uint64 first,
        common; // of the leaf that is being matched: a key, and the leading bits that all of its keys share

    int header_bits() const { return meta_of(*search).order.tree[tree].header_bits; }
    uint64 first_key(Size at) const { return order[at].key & leading_bits(header_bits()); }
    uint64 last_key(Size at) const { return order[at].key | ~leading_bits(header_bits()); }
    Size group_end(Size at) const
    {
        Size end = at + 1;
        while (end < count && first_key(end) == first_key(at))
            end++;
        return end;
    }
};

namespace
{

constexpr uint8 kNoStep = 255;

void begin_group(MergeSource *source, Size at)
{
    source->group = at;
    source->continued = false;
    if (at < source->count)
        source->next = {source->first_key(at), 0};
}

// Finds the first position at or after `from` that a query of the group needs, if it still needs matches. Returns false if
// there is none.
bool continue_group(MergeSource *source, Size end, Position from)
{
    uint64 first = kNoKey;
    bool any = false;
    for (Size i = source->group; i < end; i++) {
        CHECK_FOR_INTERRUPTS();
        uint64 *next = &source->unlocated[i];
        if (is_matched(*source->search, source->order[i].query)) {
            *next = kNoKey;
            continue;
        }
        const KeyBall ball = {source->order[i].key, source->header_bits(), 0,
                              static_cast<int>(source->order[i].radius)};
        if ((!source->continued || *next < from.key || *next == kNoKey) && !next_key(ball, from.key, next)) {
            *next = kNoKey;
            continue;
        }
        any = true;
        first = Min(first, *next);
    }
    source->continued = true;
    source->next = first == from.key ? from : Position{first, 0};
    return any && first <= source->last_key(source->group);
}

bool locate_merged(LeafSource *base, const OpenIndex &index, LocatedLeaf *leaf)
{
    auto *source = static_cast<MergeSource *>(base);
    if (source->group == source->count)
        return false;
    locate_leaf(index, source->tree, source->next, source->done, leaf);
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

// Begins the leaf that has been read.
void begin_copy(MergeSource *source)
{
    MatchSearch *search = source->search;
    const LocatedLeaf &leaf = search->reader.leaf;
    const auto &located = source->located[leaf.slot];
    const uint64 first = leaf.first.key, last = located.upper.key;
    search->at = located.from;
    search->end = located.end;
    source->first = first;
    source->common = first == last ? kNoKey : leading_bits(std::countl_zero(first ^ last));
}

// Matches a query with the leaf.
void match_copy(MergeSource *source, Size at)
{
    MatchSearch *search = source->search;
    const FingerprintMeta &meta = meta_of(*search);
    const MergedQuery &query = source->order[at];
    const int radius = static_cast<int>(query.radius);
    if (is_matched(*search, query.query))
        return;
    if (at < source->located[search->reader.leaf.slot].wide_end &&
        std::popcount((query.key ^ source->first) & source->common) > radius)
        return;
    const SearchPlan &plan = *search->plan[radius];
    const int step = source->step[radius];
    add_matches(search, source->tree, query_of_step(plan.step[step], query.key, radius), query.query,
                [&](Fingerprint found) {
                    const Fingerprint center = search->merged.query[query.query].center;
                    return returns_row(meta.order, plan, step, found ^ center);
                });
}

void set_steps(MergeSource *source)
{
    for (int radius = 0; radius <= kBits; radius++) {
        const SearchPlan *plan = source->search->plan[radius];
        source->step[radius] = kNoStep;
        for (int i = 0; plan != nullptr && i < plan->steps; i++) {
            if (plan->step[i].tree == source->tree)
                source->step[radius] = static_cast<uint8>(i);
        }
    }
}

// Sorts the queries that read the tree, and still need matches, by their headers.
void sort_queries(MergeSource *source)
{
    MatchSearch *search = source->search;
    MergedQueries *merged = &search->merged;
    const FingerprintMeta &meta = meta_of(*search);
    const int bits = source->header_bits();
    Size count = 0;
    for (uint32 i = 0; i < merged->queries; i++) {
        const QueuedQuery &query = merged->query[i];
        if (source->step[query.radius] == kNoStep || is_matched(*search, i))
            continue;
        MergedQuery *item = &merged->order[count++];
        item->key = meta.key(source->tree, query.center);
        item->radius = static_cast<uint32>(query.radius) & 127;
        item->query = i & (kMostMerged - 1);
    }
    MergedQuery *sorted = sort_by_digits(merged->order, merged->spare, count, kBits - bits, kBits,
                                         [](const MergedQuery &query) { return query.key; });
    if (sorted != merged->order)
        std::swap(merged->order, merged->spare);
    source->order = merged->order;
    source->unlocated = reinterpret_cast<uint64 *>(merged->spare);
    source->count = count;
}

// Begins to read the leaves of the next tree. Returns false if there is none.
bool begin_tree(MatchSearch *search)
{
    MergedQueries *merged = &search->merged;
    if (merged->trees == meta_of(*search).trees)
        return false;
    if (merged->source == nullptr)
        merged->source = static_cast<MergeSource *>(MemoryContextAlloc(search->context, sizeof(MergeSource)));
    MergeSource *source = merged->source;
    *source = {};
    source->locate = locate_merged;
    source->wants = wants_merged;
    source->ahead = kAhead;
    source->search = search;
    source->tree = merged->trees++;
    set_steps(source);
    sort_queries(source);
    begin_group(source, 0);
    open_leaves(search, source);
    return true;
}

} // namespace

bool can_merge(const SearchPlan &plan)
{
    for (int i = 0; i < plan.steps; i++) {
        const SearchStep &step = plan.step[i];
        if (step.budget != 0 || step.header_bits == 0)
            return false;
    }
    return true;
}

bool read_merged(MatchSearch *search)
{
    MergedQueries *merged = &search->merged;
    if (merged->queries == 0)
        return false;
    search->reading = merged->query;
    while (search->open || begin_tree(search)) {
        MergeSource *source = merged->source;
        if (match_leaves(
                search, [source] { begin_copy(source); }, [source](Size at) { match_copy(source, at); }))
            return true;
    }
    if (search->output->pairs > 0)
        return true;
    ereport(DEBUG1, errmsg_internal("merged %u queries with the leaves", merged->queries));
    merged->queries = 0;
    merged->trees = 0;
    return false;
}

} // namespace simhash
