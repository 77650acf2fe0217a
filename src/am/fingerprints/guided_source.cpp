#include "am/fingerprints/guided_source.hpp"

#include <cmath>

namespace simhash
{

namespace
{

constexpr Size kFewestProbes = 16;
constexpr Size kNodesPerProbe = 8;

bool at_most_probes(const GuidedSource &source)
{
    return source.limit > 0 && source.plan.probes() >= source.limit;
}

// Starts the next prefix that can contain a match. Returns false if there is none.
bool open_prefix(GuidedSource *source)
{
    GuidedProbe &probe = source->probe;
    while (!at_most_probes(*source) && source->plan.next(&probe)) {
        std::uint64_t key;
        source->ball = {source->meta->key(probe.tree, source->center), 0, 0, source->radius};
        if (!next_key(source->ball, probe.first_key, &key) || key > probe.last_key) {
            source->plan.cover(probe.first_key, probe.last_key);
            continue;
        }
        source->in_prefix = true;
        source->read_from = probe.first_key;
        source->done = {0, 0};
        source->next = {key, 0};
        return true;
    }
    return false;
}

// Notes what a leaf adds to the recall, for probe plans: nothing before the last leaf of its prefix has been read, and
// then also what is in other prefixes.
void count_recall(GuidedSource *source, int slot)
{
    double recall = source->in_prefix ? source->recall : source->plan.recall();
    GuidedProbe &probe = source->located[slot].probe;
    probe.gain = recall - source->recall;
    probe.recall = source->recall = recall;
}

// The leaf's contents count as covered from now on: the plan continues as if the leaf had been read.
bool locate_guided(LeafSource *base, const OpenIndex &index, LocatedLeaf *leaf)
{
    auto *source = static_cast<GuidedSource *>(base);
    if (!source->in_prefix && !open_prefix(source))
        return false;
    // The first leaf is read without locating others ahead. It often contains a match, and a search for any
    // match ends there.
    source->ahead = kAhead;
    const GuidedProbe &probe = source->probe;
    const LeafPlace &place = leaf->place;
    locate_leaf(index, probe.tree, source->next, source->done, leaf);
    source->done = place.upper;
    if (place.root)
        leaf->first = {0, 0};
    // Including the pages that the leaf has been split into. Without what it has taken over since its left neighbor was
    // located: that is not read.
    WholeKeys whole = whole_keys(leaf->begin, place.rightmost ? nullptr : &place.upper);
    source->located[leaf->slot] = {whole, probe, source->plan.probes() - 1};

    // Continue within the prefix, unless it has been read completely.
    source->read_from = Min(source->read_from, whole.first);
    std::uint64_t key;
    if (!place.rightmost && place.upper.key <= probe.last_key &&
        next_key(source->ball, place.upper.key, &key) && key <= probe.last_key) {
        source->next = key == place.upper.key ? place.upper : Position{key, 0};
    } else {
        source->plan.cover(source->read_from, Max(probe.last_key, whole.last));
        source->in_prefix = false;
    }
    count_recall(source, leaf->slot);
    return true;
}

} // namespace

bool GuidedSource::returns_row(const LocatedLeaf &leaf, Fingerprint fingerprint) const
{
    const auto &at = located[leaf.slot];
    if (plan.seen(fingerprint, at.earlier))
        return false;
    // Rows with other keys are returned by the probe that reads all entries of their keys.
    std::uint64_t key = meta->key(at.probe.tree, fingerprint);
    return (key >= at.probe.first_key && key <= at.probe.last_key) || at.whole.has(key);
}

bool GuidedSource::finished() const { return plan.reached() || at_most_probes(*this); }

GuidedSource *prepare_guided_source(GuidedSource *old, Relation index, const FingerprintMeta *meta,
                                    double wanted, MemoryContext context)
{
    Size probes = Max(kFewestProbes, Min(kMostProbes, static_cast<Size>(wanted)));
    MemoryContext caller = MemoryContextSwitchTo(context);
    GuidedSource *source = old;
    if (source == nullptr) {
        source = allocate_zero<GuidedSource>();
        source->locate = locate_guided;
        source->wants = wants_all; // the whole range of a leaf counts as read
        source->meta = meta;
        source->plan.set_trees(&meta->order, prefix_bits_for(index_leaves(index)));
    }
    source->most = probes;
    if (source->capacity < probes) {
        if (source->capacity > 0) {
            pfree(source->node);
            pfree(source->range);
        }
        source->node = allocate<VoshNode>(probes * kNodesPerProbe);
        source->range = allocate<GuidedRange>(probes);
        source->capacity = probes;
    }
    MemoryContextSwitchTo(caller);
    return source;
}

void begin_guided_source(GuidedSource *source, const GuidedBall &ball, int radius)
{
    // The target applies to many queries together: one leaf often finds more than the target requires, and
    // then another query may find less. With a recall of 1 only the limit of probes ends the search.
    double target = ball.recall < kExactRecall ? ball.recall : HUGE_VAL;
    GuidedQuery query = {&ball.weights, &source->meta->model, radius, target, true};
    source->plan.begin(query, source->node, source->most * kNodesPerProbe, source->range, source->most);
    source->limit = static_cast<Size>(ball.most_probes);
    source->recall = 0;
    source->ahead = 1;
    source->center = ball.center;
    source->radius = radius;
    source->in_prefix = false;
}

} // namespace simhash
