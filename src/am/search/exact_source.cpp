#include "am/search/exact_source.hpp"

namespace simhash
{

namespace
{

KeyBall step_ball(const ExactSource &source, int step)
{
    const SearchStep &s = source.plan.step[step];
    return {source.key_of(&source, s.table), s.header_bits, s.budget, source.radius};
}

// Finds the first position of the ball at or after `from`. Returns false if there is none.
bool next_position(KeyBall *ball, int radius, Position from, Position *next)
{
    std::uint64_t key;
    ball->radius = radius; // the radius may have shrunk
    if (!next_key(*ball, from.key, &key))
        return false;
    *next = key == from.key ? from : Position{key, 0};
    return true;
}

void begin_step(ExactSource *source, int step)
{
    source->step = step;
    source->done = {0, 0};
    if (step == source->plan.steps)
        return;
    source->ball = step_ball(*source, step);
    // Always finds a position: the ball contains its center.
    next_position(&source->ball, source->radius, {0, 0}, &source->next);
}

bool locate_exact(LeafSource *base, Relation index, LocatedLeaf *leaf)
{
    auto *source = static_cast<ExactSource *>(base);
    if (source->step == source->plan.steps)
        return false;
    source->located[leaf->slot] = {source->step, source->radius};
    locate_leaf(index, source->plan.step[source->step].table, source->next, source->done, leaf);
    source->done = leaf->place.upper;
    if (leaf->place.rightmost ||
        !next_position(&source->ball, source->radius, leaf->place.upper, &source->next))
        begin_step(source, source->step + 1);
    return true;
}

bool exact_wants(LeafSource *base, LocatedLeaf *leaf, Position from)
{
    const auto *source = static_cast<ExactSource *>(base);
    if (from == leaf->first && source->located[leaf->slot].radius == source->radius)
        return true; // it was located for this position
    KeyBall ball = step_ball(*source, source->step_of(*leaf));
    return next_position(&ball, source->radius, from, &leaf->first) &&
           (leaf->place.rightmost || leaf->first < leaf->place.upper);
}

} // namespace

void begin_exact_source(ExactSource *source, int radius)
{
    source->locate = locate_exact;
    source->wants = exact_wants;
    source->ahead = kAhead;
    Assert(source->plan.steps > 0);
    source->radius = radius;
    begin_step(source, 0);
}

} // namespace simhash
