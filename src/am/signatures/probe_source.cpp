#include "am/signatures/probe_source.hpp"

extern "C" {
#include "miscadmin.h"
}

namespace simhash
{

namespace
{

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

void next_tree(ProbeSource *source)
{
    source->in_tree = false;
    if (++source->tree < source->trees)
        return;
    source->tree = 0;
    source->budget += source->step;
}

bool locate_probe(LeafSource *base, const OpenIndex &index, LocatedLeaf *leaf)
{
    auto *source = static_cast<ProbeSource *>(base);
    for (;;) {
        CHECK_FOR_INTERRUPTS();
        if (source->budget - source->step >= source->most)
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
        if (place->rightmost || !next_position(ball, place->upper, &source->next))
            next_tree(source);

        std::uint64_t low = place->root ? 0 : place->lower.key;
        std::uint64_t high = place->rightmost        ? ~std::uint64_t{0}
                             : place->upper.tid == 0 ? place->upper.key - 1
                                                     : place->upper.key;
        source->low[leaf->slot] = low;
        // The leaves of the smaller ball have been read.
        if (!reaches(ball_of(*source, tree, ball.budget - source->step), low, high))
            return true;
    }
}

// All pages that a leaf has been split into are read.
bool probe_wants(LeafSource *base, LocatedLeaf *leaf, Position from)
{
    auto *source = static_cast<ProbeSource *>(base);
    if (from != leaf->first)
        source->low[leaf->slot] = from.key;
    leaf->first = from;
    return true;
}

} // namespace

void begin_probe_source(ProbeSource *source, int trees, const std::uint64_t *keys, int step)
{
    source->locate = locate_probe;
    source->wants = probe_wants;
    source->ahead = kAhead;
    source->trees = trees;
    source->keys = keys;
    source->step = step;
    source->budget = 0;
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

} // namespace simhash
