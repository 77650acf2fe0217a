#include "am/search/eager_source.hpp"

namespace simhash
{

namespace
{

bool by_cost(const EagerSource &source) { return source.costs.of_tree != nullptr; }

// Finds the first key at or after `from` that the present pass reads in the step. Returns false if there is none.
bool next_of_pass(const EagerSource &source, std::uint64_t from, std::uint64_t *key)
{
    if (!by_cost(source))
        return next_key(source.ball, from, key);
    const ProbeBall likely = {source.ball.center, source.pass * source.costs.step, source.cost,
                              source.costs.bits};
    for (;;) {
        if (!next_key(likely, from, key) || !next_key(source.ball, *key, &from))
            return false;
        if (from == *key)
            return true;
    }
}

// Turn 0 is that of a search by weights.
std::uint32_t present_turn(const EagerSource &source)
{
    return static_cast<std::uint32_t>(1 + source.pass * source.plan.steps + source.step);
}

// Whether this turn has noted the key of a position behind its first entry: then it is read to its end.
bool has_begun(const EagerSource &source, Position at)
{
    const KeyRange *range =
        at.tid == 0 ? nullptr : source.read.find(source.plan.step[source.step].tree, at.key);
    return range != nullptr && range->turn == present_turn(source);
}

bool next_of_step(EagerSource *source, Position from)
{
    const SearchStep &step = source->plan.step[source->step];
    if (has_begun(*source, from)) {
        source->next = from;
        return true;
    }
    const bool by_radius = step.header_bits == 0 && !by_cost(*source);
    source->ball.radius = by_radius ? Min(source->radius, source->pass) : source->radius;
    return next_unread(
        source->read, step.tree, from, &source->unread, &source->next,
        [source](std::uint64_t at, std::uint64_t *key) { return next_of_pass(*source, at, key); });
}

// Goes to the first step, from `step` on, that has leaves left, in this pass or the next ones.
void begin_step(EagerSource *source, int step)
{
    for (;; step++) {
        if (step == source->plan.steps) {
            if (++source->pass == source->passes)
                return;
            step = 0;
        }
        enter_step(source, step);
        const int tree = source->plan.step[step].tree;
        if (!by_cost(*source)) {
            source->ball.header_budget = Min(source->ball.header_budget, source->pass);
        } else if (source->cost_tree != tree) {
            source->costs.of_tree(source, tree, source->cost);
            source->cost_tree = tree;
        }
        if (next_of_step(source, {0, 0}))
            return;
    }
}

// Notes the keys that will have been read with a leaf that was located for `key`: it is read to its end. If the search
// continues with more entries of the leaf's last key, these will have been read, too. Without room for another range,
// the keys are left to the search of all other leaves.
void note_read(EagerSource *source, const LocatedLeaf &leaf, std::uint64_t key, bool more)
{
    const bool on = more && leaf.end.tid != 0 && source->next == leaf.end;
    WholeKeys whole = whole_keys(leaf.begin, leaf.endless || on ? nullptr : &leaf.end);
    if (on)
        whole.last = leaf.end.key;
    // If the leaf has the rest of a key's entries, this key has been noted with the leaf before.
    key = Max(key, whole.first);
    if (whole.has(key) && source->read.find(leaf.tree, key) == nullptr)
        source->read.add(leaf.tree, source->turn[leaf.slot], whole.first, whole.last, key);
}

bool locate_likely(LeafSource *base, const OpenIndex &index, LocatedLeaf *leaf)
{
    auto *source = static_cast<EagerSource *>(base);
    // Without more room for ranges, only what lengthens one of this turn is read.
    if (source->pass < source->passes && source->read.full() && !has_begun(*source, source->next))
        source->pass = source->passes;
    if (source->pass == source->passes)
        return false;
    const LeafPlace &place = leaf->place;
    const std::uint64_t key = source->next.key;
    source->turn[leaf->slot] = present_turn(*source);
    locate_in_step(source, index, leaf);
    const bool more = !place.rightmost && next_of_step(source, place.upper);
    note_read(source, *leaf, key, more);
    if (place.root)
        leaf->first = {0, 0};
    if (!more)
        begin_step(source, source->step + 1);
    source->ahead = kAhead;
    return true;
}

} // namespace

void begin_eager_source(EagerSource *source, int radius)
{
    Assert(source->plan.steps > 0 && !source->read.full());
    source->locate = locate_likely;
    source->wants = wants_all;
    source->ahead = 1; // the first leaf often contains the one match that is wanted
    source->radius = radius;
    source->passes = by_cost(*source) ? kPassesByCost : kPasses;
    source->pass = 0;
    source->cost_tree = -1;
    begin_step(source, 0);
}

} // namespace simhash
