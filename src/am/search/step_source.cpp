#include "am/search/step_source.hpp"

namespace simhash
{

namespace
{

KeyBall step_ball(const StepSource &source, int number)
{
    const SearchStep &step = source.plan.step[number];
    return {source.key_of(&source, step.tree), step.header_bits, step.budget, source.radius};
}

bool next_position(const StepSource &source, const KeyBall &ball, int tree, Position from,
                   std::uint64_t *unread, Position *next)
{
    return next_unread(source.read, tree, from, unread, next,
                       [&](std::uint64_t at, std::uint64_t *key) { return next_key(ball, at, key); });
}

bool next_of_step(StepSource *source, Position from)
{
    source->ball.radius = source->radius; // it may have shrunk
    return next_position(*source, source->ball, source->plan.step[source->step].tree, from, &source->unread,
                         &source->next);
}

// Goes to the first step, from `step` on, that has leaves.
void begin_step(StepSource *source, int step)
{
    for (source->step = step; source->step < source->plan.steps; source->step++) {
        const SearchStep &begun = source->plan.step[source->step];
        if (begun.budget < source->least[begun.tree])
            continue;
        enter_step(source, source->step);
        if (next_of_step(source, {0, 0}))
            return;
    }
}

bool locate_step(LeafSource *base, const OpenIndex &index, LocatedLeaf *leaf)
{
    auto *source = static_cast<StepSource *>(base);
    if (source->step == source->plan.steps)
        return false;
    locate_in_step(source, index, leaf);
    if (leaf->place.rightmost || !next_of_step(source, leaf->place.upper))
        begin_step(source, source->step + 1);
    return true;
}

bool step_wants(LeafSource *base, LocatedLeaf *leaf, Position from)
{
    const auto *source = static_cast<StepSource *>(base);
    const auto &located = source->located[leaf->slot];
    if (from == leaf->first && located.radius == source->radius)
        return true; // it was located for this position
    std::uint64_t unread = 0;
    return next_position(*source, step_ball(*source, located.step), leaf->tree, from, &unread,
                         &leaf->first) &&
           (leaf->place.rightmost || leaf->first < leaf->place.upper);
}

} // namespace

void enter_step(StepSource *source, int step)
{
    source->step = step;
    source->done = {0, 0};
    source->unread = 0;
    source->ball = step_ball(*source, step);
}

void locate_in_step(StepSource *source, const OpenIndex &index, LocatedLeaf *leaf)
{
    source->located[leaf->slot] = {source->step, source->radius};
    locate_leaf(index, source->plan.step[source->step].tree, source->next, source->done, leaf);
    source->done = leaf->place.upper;
}

void begin_step_source(StepSource *source, const OpenIndex &index, int radius)
{
    Assert(source->plan.steps > 0);
    for (int i = 0; i < source->plan.steps; i++) {
        const int tree = source->plan.step[i].tree;
        prefetch_place(index, tree, {source->key_of(source, tree), 0});
    }
    source->locate = locate_step;
    source->wants = step_wants;
    source->ahead = kAhead;
    source->radius = radius;
    begin_step(source, 0);
}

} // namespace simhash
