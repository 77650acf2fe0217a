#include "am/signatures/probe_search.hpp"

#include "am/signatures/candidate_rows.hpp"
#include "am/signatures/tree_search.hpp"

#include "core/bits/split_mix.hpp"

extern "C" {
#include "miscadmin.h"
}

#include <algorithm>
#include <cmath>

namespace simhash
{

namespace
{

// Candidates of a leaf by chance: about as many as cost as much as the leaf.
constexpr double kCandidatesOfLeaf = 2;

// More than these are not there by chance: bits depend on each other, or rows are near each other.
constexpr int kMostByChance = 32;

// The ball around the key grows by this cost; a bit that is likely to differ costs less than 8 with weights. While no leaf is
// new it grows by twice as much each time, as there are few steps that reach one if weights differ much or leaves are few.
constexpr int kUniformStep = 1, kWeightedStep = 3;

// How the search goes on is decided when each tree has been read once or a part of the cost of an exact search has been
// paid, and again when the search has cost so much more.
constexpr double kFirstDecision = 0.2, kDecideAfter = 1.25;

// The recall that the search continues to by its estimate. Bits of real data depend on each other, so that the errors
// of rows at a distance vary more from tree to tree than the model assumes. It misses more rows than estimated, by a
// factor that grows with the recall. Measured with bench/wide/recall.sh.
double goal_of(double recall)
{
    constexpr double kExponent = 1.5;
    return 1 - std::pow(1 - recall, kExponent);
}

ProbeBall ball_of(const ProbeSource &source, int tree, int budget)
{
    return {source.keys[tree], budget, source.cost[tree]};
}

// Finds the first position of the ball at or after `from`.
bool next_position(const ProbeBall &ball, Position from, Position *next)
{
    std::uint64_t key;
    if (!next_key(ball, from.key, &key))
        return false;
    *next = key == from.key ? from : Position{key, 0};
    return true;
}

// The last key with positions before the upper bound of a leaf, or of all if that is null.
std::uint64_t last_key(const Position *upper)
{
    return upper == nullptr ? ~std::uint64_t{0} : upper->tid == 0 ? upper->key - 1 : upper->key;
}

void next_tree(ProbeSource *source)
{
    source->in_tree = false;
    if (++source->tree < source->trees)
        return;
    source->tree = 0;
    source->step = source->found ? source->least_step : 2 * source->step;
    source->found = false;
    source->read_to = source->budget;
    source->budget += source->step;
}

// Where the leaf's range begins; a root has no bounds.
Position lower_of(const LeafPlace &place) { return place.root ? Position{0, 0} : place.lower; }

// Locates the next leaf of the last run noted.
void locate_run(ProbeSource *source, const OpenIndex &index, LocatedLeaf *leaf)
{
    KeyRun *run = &source->run[source->runs - 1];
    const LeafPlace *place = &leaf->place;
    locate_leaf(index, run->tree, run->next, {0, 0}, leaf);
    source->part[leaf->slot] = {lower_of(*place), source->budget, true};
    source->run_leaves++;
    if (place->rightmost || place->upper.key != run->next.key)
        source->runs--;
    else
        run->next = place->upper;
}

bool locate_probe(LeafSource *base, const OpenIndex &index, LocatedLeaf *leaf)
{
    auto *source = static_cast<ProbeSource *>(base);
    for (;;) {
        CHECK_FOR_INTERRUPTS();
        if (source->runs > 0) {
            locate_run(source, index, leaf);
            return true;
        }
        if (source->read_to >= source->most)
            return false;
        ProbeBall ball = ball_of(*source, source->tree, source->budget);
        if (!source->in_tree) {
            source->in_tree = next_position(ball, {0, 0}, &source->next);
            if (!source->in_tree) {
                next_tree(source);
                continue;
            }
        }
        int tree = source->tree;
        LeafPlace *place = &leaf->place;
        locate_leaf(index, tree, source->next, {0, 0}, leaf); // candidates that were seen before are dropped
        const Position first = lower_of(*place);
        source->part[leaf->slot] = {first, ball.budget, false};
        // The leaves of the smaller ball have been read.
        const bool unread = !reaches(ball_of(*source, tree, source->read_to), first.key,
                                     last_key(place->rightmost ? nullptr : &place->upper));
        source->found |= unread;
        if (place->rightmost || !next_position(ball, place->upper, &source->next))
            next_tree(source);
        if (unread)
            return true;
    }
}

// All pages that a leaf has been split into are read.
bool probe_wants(LeafSource *base, LocatedLeaf *leaf, Position from)
{
    auto *source = static_cast<ProbeSource *>(base);
    if (from != leaf->first)
        source->part[leaf->slot].first = from;
    leaf->first = from;
    return true;
}

// Starts with the balls of the smallest budget. The costs have been set.
void begin_probe_source(ProbeSource *source, int trees, const std::uint64_t *keys, int step)
{
    source->locate = locate_probe;
    source->wants = probe_wants;
    source->ahead = kAhead;
    source->trees = trees;
    source->keys = keys;
    source->least_step = source->step = step;
    source->budget = 0;
    source->read_to = -1;
    source->most = 0;
    for (int t = 0; t < trees; t++) {
        int sum = 0;
        for (int cost : source->cost[t])
            sum += cost;
        source->most = Max(source->most, sum);
    }
    source->tree = 0;
    source->in_tree = false;
}

// The errors in a bit of the rows at the radius, whose recall is estimated.
double rate_of(const SignatureSearch &search)
{
    return static_cast<double>(search.radius) / search.meta->layout.bits;
}

double estimated_recall(const SignatureSearch &search) { return search.probes->model.found(rate_of(search)); }

// Drops those of the `count` candidates from number `from` on that have been verified before, and notes the others.
// Returns their number.
Size keep_new(SignatureSearch *search, Size from, Size count)
{
    NumberSet *seen = &search->probes->seen;
    std::uint64_t *position = search->position + from;
    Size kept = 0;
    for (Size i = 0; i < count; i++) {
        if (insert(seen, position[i]))
            position[kept++] = position[i];
    }
    return kept;
}

// The most errors in the keys of a leaf with which its entries are candidates.
int leaf_radius(SignatureSearch *search, int count, int depth, int errors)
{
    int *radius = &search->probes->candidate_radius[depth];
    if (*radius < 0)
        *radius =
            candidate_radius(search->meta->layout.key_length(), depth, 0, kCandidatesOfLeaf, Max(1, count));
    return Min(*radius + errors, Min(search->radius, search->meta->layout.key_length()));
}

int key_errors(const LeafQuery &query, const LeafEntry &entry)
{
    return std::popcount(entry.key.word[0] ^ query.key.word[0]) +
           std::popcount(entry.key.word[1] ^ query.key.word[1]);
}

// The radius that counts as read in a leaf: within it are no more than by chance, or only those with the fewest errors. Where
// bits depend on each other, the model expects too much of the others.
int credited_radius(const SignatureSearch &search, const LeafQuery &query, int matches, int radius)
{
    if (matches <= kMostByChance)
        return radius;
    int with[kMostKeyWords * kKeyBits + 1] = {};
    for (int i = 0; i < matches; i++)
        with[key_errors(query, search.found[i])]++;
    int errors = 0, sum = with[0];
    while (errors < radius && (sum == 0 || sum + with[errors + 1] <= kMostByChance))
        sum += with[++errors];
    return errors;
}

// The keys whose entries have all been read, of those of the leaf just read. Equal keys may fill several leaves, which are
// read in order, so the last of them completes these keys, unless the ball has yet to reach the others.
WholeKeys keys_read(const ProbeSource &source, const LocatedLeaf &leaf, const Position *upper)
{
    Position lower = source.part[leaf.slot].first;
    if (lower.tid != 0 &&
        reaches(ball_of(source, leaf.tree, source.part[leaf.slot].budget), lower.key, lower.key))
        lower.tid = 0;
    return whole_keys(lower, upper);
}

// Notes the run of equal keys that a leaf's upper bound divides, unless the ball reaches it or it has been noted, if its rows
// would be candidates in the leaf.
void note_run(SignatureSearch *search, const LocatedLeaf &leaf, Position bound, int radius)
{
    ProbeSource *source = &search->probes->source;
    const std::uint64_t key = bound.key;
    if (bound.tid != 0 && source->runs < kMostRuns &&
        std::popcount(key ^ source->keys[leaf.tree]) <= radius &&
        !reaches(ball_of(*source, leaf.tree, source->part[leaf.slot].budget), key, key) &&
        insert(&source->noted, split_mix(key + static_cast<std::uint64_t>(leaf.tree))))
        source->run[source->runs++] = {leaf.tree, bound};
}

// Adds a leaf's new candidates to the `count` candidates collected so far, and notes that the leaf has been read.
// Returns false at the end.
bool read_probe(SignatureSearch *search, Size *count)
{
    ProbeSearch *probes = search->probes;
    Buffer buffer = read_next_leaf(&search->reader);
    if (!BufferIsValid(buffer))
        return false;
    const char *page = search->reader.page;
    const int tree = search->reader.leaf.tree;
    int entries = leaf_count(page);
    const Position bound = is_rightmost(page) ? Position{0, 0} : high_of(page);
    const Position *upper = is_rightmost(page) ? nullptr : &bound;
    const LocatedLeaf &leaf = search->reader.leaf;
    const auto part = probes->source.part[leaf.slot];
    const std::uint64_t low = part.first.key, high = last_key(upper);
    const WholeKeys whole = keys_read(probes->source, leaf, upper);
    int depth = std::countl_zero(low ^ high);
    int errors = depth == 0 ? 0 : std::popcount((low ^ search->key[tree]) >> (kKeyBits - depth));
    const int radius = leaf_radius(search, entries, depth, errors);
    const LeafQuery near = key_query(*search, tree, radius);
    const int matches = find_in_leaf(page, near, search->found);
    for (int i = 0; i < matches; i++)
        search->position[*count + static_cast<Size>(i)] = search->found[i].tid;
    BlockNumber block = BufferGetBlockNumber(buffer);
    UnlockReleaseBuffer(buffer);
    // A single key adds little, and its leaves may be read again for the ball.
    if (part.run)
        probes->source.run_leaves--;
    else if (whole.first <= whole.last)
        probes->model.read_leaf(tree, whole.first, whole.last,
                                credited_radius(*search, near, matches, radius));
    note_run(search, leaf, bound, radius);
    Size candidates = keep_new(search, *count, static_cast<Size>(matches));
    if (search->trace != nullptr)
        trace_read(*search, {SignatureRead::tree, tree, block, candidates, estimated_recall(*search)});
    probes->spent += kLeafCost + static_cast<double>(candidates) * kCandidateCost;
    probes->leaves++;
    *count += candidates;
    return true;
}

// Reads some leaves, until their candidates are worth fetching together. Returns false at the end.
bool read_probes(SignatureSearch *search, Size *candidates)
{
    constexpr int kLeaves = 8;
    constexpr Size kCandidates = 16;
    *candidates = 0;
    for (int i = 0; i < kLeaves && *candidates < kCandidates; i++) {
        if (!read_probe(search, candidates))
            return i > 0;
    }
    return true;
}

// What the leaves that are left will cost.
double leaves_cost(const SignatureSearch &search)
{
    const ProbeSearch &probes = *search.probes;
    const ProbeProgress progress = {search.meta->layout.trees, search.size.leaves,       probes.leaves,
                                    rate_of(search),           estimated_recall(search), probes.recall};
    return forecast_leaves(progress) * probes.spent / Max(1.0, probes.leaves);
}

// Whether it is time to decide how the search goes on.
bool must_decide(SignatureSearch *search)
{
    ProbeSearch *probes = search->probes;
    bool first = probes->decide == 0 && (probes->leaves >= search->meta->layout.trees ||
                                         probes->spent > search->exact_cost * kFirstDecision);
    if (!first && (probes->decide == 0 || probes->spent < probes->decide))
        return false;
    probes->decide = probes->spent * kDecideAfter;
    return true;
}

bool has_runs(const ProbeSource &source) { return source.runs > 0 || source.run_leaves > 0; }

// Returns false when the target is reached, or the search has become exact.
bool next_probed(SignatureSearch *search, Results *results)
{
    ProbeSearch *probes = search->probes;
    while (estimated_recall(*search) < probes->recall || has_runs(probes->source)) {
        Size candidates;
        const double least =
            has_runs(probes->source) ? probes->spent : 0; // no forecast tells how long they are
        const bool exact = must_decide(search) && Max(leaves_cost(*search), least) >= search->exact_cost;
        if (exact || !read_probes(search, &candidates)) {
            begin_exact(search);
            return false;
        }
        Size hits = verify(search, candidates);
        if (hits > 0) {
            note_tids(&search->by_recall, search->hit, hits);
            *results = {search->hit, hits, 0};
            return true;
        }
    }
    return false;
}

} // namespace

void begin_probes(SignatureSearch *search, const SignatureBall &ball)
{
    auto *probes = allocate_huge<ProbeSearch>(1, search->query_context, MCXT_ALLOC_ZERO);
    const SignatureLayout &layout = search->meta->layout;
    const float *weights = ball_weights(ball);
    probes->flips.set_uniform();
    if (weights != nullptr)
        probes->flips.set_weights(weights, layout.bits);
    for (int t = 0; t < layout.trees; t++) {
        set_query_key(search, t);
        probe_costs(layout, probes->flips, t, probes->source.cost[t]);
    }
    probes->model.begin(&layout, &probes->flips, search->key);
    probes->recall = goal_of(ball.recall);
    std::fill(probes->candidate_radius, probes->candidate_radius + kKeyBits + 1, -1);
    probes->seen.context = probes->source.noted.context = search->query_context;
    search->probes = probes;
    search->more = next_probed;
    begin_probe_source(&probes->source, layout.trees, search->key,
                       probes->flips.uniform() ? kUniformStep : kWeightedStep);
    begin_reading(&search->reader, &probes->source);
}

} // namespace simhash
