#include "am/search/step_source.hpp"

namespace simhash
{

namespace
{

bool in_last_pass(const StepSource &source) { return source.pass == source.passes; }

bool by_cost(const StepSource &source) { return source.costs.of_table != nullptr && !in_last_pass(source); }

// The radius may have shrunk.
int ball_radius(const StepSource &source, const SearchStep &step)
{
    return in_last_pass(source) || by_cost(source) || step.header_bits > 0 ? source.radius
                                                                           : Min(source.radius, source.pass);
}

// The keys that a step reads in the present pass.
KeyBall step_ball(const StepSource &source, int number)
{
    const SearchStep &step = source.plan.step[number];
    const int budget = in_last_pass(source) || by_cost(source)
                           ? step.budget
                           : Min(static_cast<int>(step.budget), source.pass);
    return {source.key_of(&source, step.table), step.header_bits, budget, ball_radius(source, step)};
}

// Finds the first key of the ball at or after `from` that the present pass reads. Returns false if there is none.
bool next_of_pass(const StepSource &source, const KeyBall &ball, std::uint64_t from, std::uint64_t *key)
{
    if (!by_cost(source))
        return next_key(ball, from, key);
    const ProbeBall likely = {ball.center, source.pass * source.costs.step, source.cost, source.costs.bits};
    for (;;) {
        if (!next_key(likely, from, key) || !next_key(ball, *key, &from))
            return false;
        if (from == *key)
            return true;
    }
}

// Finds the first position of the ball at or after `from` whose key has not been read. Keys from the last one found up to
// below *unread have not been. Returns false if there is none.
bool next_position(const StepSource &source, const KeyBall &ball, int table, Position from,
                   std::uint64_t *unread, Position *next)
{
    std::uint64_t at = from.key, key;
    for (;;) {
        if (!next_of_pass(source, ball, at, &key))
            return false;
        if (key < *unread || source.read.empty())
            break;
        at = key;
        if (!source.read.skip(table, &at))
            return false;
        if (at == key) {
            *unread = source.read.next_read(table, key);
            break;
        }
    }
    *next = key == from.key ? from : Position{key, 0};
    return true;
}

std::uint32_t present_turn(const StepSource &source)
{
    constexpr std::uint32_t kFirstTurn = 1; // after a search by weights
    return in_last_pass(source)
               ? StepSource::kLastTurn
               : kFirstTurn + static_cast<std::uint32_t>(source.pass * source.plan.steps + source.step);
}

bool next_of_step(StepSource *source, Position from)
{
    const SearchStep &step = source->plan.step[source->step];
    // A key that this turn has begun to read is read to its end.
    const KeyRange *range = from.tid == 0 ? nullptr : source->read.find(step.table, from.key);
    if (range != nullptr && range->turn == present_turn(*source)) {
        source->next = from;
        return true;
    }
    source->ball.radius = ball_radius(*source, step);
    return next_position(*source, source->ball, step.table, from, &source->unread, &source->next);
}

// Goes to the first step, from `step` on, that has leaves left, in this pass or the next ones.
void begin_step(StepSource *source, int step)
{
    for (;; step++) {
        if (step == source->plan.steps) {
            source->step = step;
            if (in_last_pass(*source) || (source->no_other && source->pass + 1 == source->passes))
                return;
            source->pass++;
            step = 0;
        }
        source->step = step;
        source->done = {0, 0};
        source->unread = 0;
        source->ball = step_ball(*source, step);
        const int table = source->plan.step[step].table;
        if (by_cost(*source) && source->cost_table != table) {
            source->costs.of_table(source, table, source->cost);
            source->cost_table = table;
        }
        if (next_of_step(source, {0, 0}))
            return;
    }
}

void begin_last_pass(StepSource *source)
{
    source->pass = source->passes;
    begin_step(source, source->no_other ? source->plan.steps : 0);
}

// Notes the keys that will have been read with a leaf that was located for `key`: it is read to its end. If the search
// continues with more entries of the leaf's last key, these will have been read, too.
void note_read(StepSource *source, const LocatedLeaf &leaf, std::uint64_t key, bool more)
{
    const bool on = more && leaf.end.tid != 0 && source->next == leaf.end;
    WholeKeys whole = whole_keys(leaf.begin, leaf.endless || on ? nullptr : &leaf.end);
    if (on)
        whole.last = leaf.end.key;
    // If the leaf has the rest of a key's entries, this key has been noted with the leaf before.
    key = Max(key, whole.first);
    if (whole.has(key) && source->read.find(leaf.table, key) == nullptr)
        source->read.add(leaf.table, source->located[leaf.slot].turn, whole.first, whole.last, key);
}

// The first leaf is read alone, since it often contains the one match that is wanted.
int leaves_ahead(int located) { return located == 0 ? 1 : kAhead; }

bool locate_step(LeafSource *base, Relation index, LocatedLeaf *leaf)
{
    auto *source = static_cast<StepSource *>(base);
    // Without more room for ranges. A key that has been noted is read to its end.
    if (!in_last_pass(*source) && source->read.full() && source->next.tid == 0)
        begin_last_pass(source);
    if (source->step == source->plan.steps)
        return false;
    const LeafPlace &place = leaf->place;
    const std::uint64_t key = source->next.key;
    source->located[leaf->slot] = {source->step, source->radius, present_turn(*source)};
    locate_leaf(index, source->plan.step[source->step].table, source->next, source->done, leaf);
    source->done = place.upper;
    const bool more = !place.rightmost && next_of_step(source, place.upper);
    if (!in_last_pass(*source)) {
        note_read(source, *leaf, key, more);
        if (place.root)
            leaf->first = {0, 0};
    }
    if (!more)
        begin_step(source, source->step + 1);
    source->ahead = leaves_ahead(++source->leaves);
    return true;
}

bool step_wants(LeafSource *base, LocatedLeaf *leaf, Position from)
{
    const auto *source = static_cast<StepSource *>(base);
    const auto &located = source->located[leaf->slot];
    if (located.turn != StepSource::kLastTurn) {
        leaf->first = from; // all pages that the leaf has been split into are read
        return true;
    }
    if (from == leaf->first && located.radius == source->radius)
        return true; // it was located for this position
    const SearchStep &step = source->plan.step[located.step];
    const KeyBall ball = {source->key_of(source, step.table), step.header_bits, step.budget, source->radius};
    std::uint64_t unread = 0;
    return next_position(*source, ball, step.table, from, &unread, &leaf->first) &&
           (leaf->place.rightmost || leaf->first < leaf->place.upper);
}

} // namespace

void begin_step_source(StepSource *source, Relation index, int radius, const ExactStart &start)
{
    Assert(source->plan.steps > 0);
    source->locate = locate_step;
    source->wants = step_wants;
    source->radius = radius;
    source->passes = start.passes;
    source->no_other = start.no_other;
    source->leaves = start.alone ? 0 : kAhead;
    source->ahead = leaves_ahead(source->leaves);
    source->pass = 0;
    source->cost_table = -1;
    for (int i = 0; i < Min(source->plan.steps, kAhead); i++) {
        const int table = source->plan.step[i].table;
        prefetch_place(index, table, source->key_of(source, table));
    }
    begin_step(source, 0);
}

} // namespace simhash
