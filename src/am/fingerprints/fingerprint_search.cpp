#include "am/fingerprints/fingerprint_search.hpp"

#include "am/fingerprints/fingerprint_kind.hpp"
#include "am/index/strategy.hpp"

#include "core/bits/ball_volume.hpp"
#include "core/bits/split_mix.hpp"
#include "core/features/text_sketch.hpp"
#include "core/likely/step_order.hpp"
#include "pg/server/settings.hpp"
#include "pg/texts/kept_text.hpp"
#include "pg/types/ball.hpp"
#include "pg/types/text_ball.hpp"
#include "pg/types/weights_type.hpp"

#include <algorithm>

namespace simhash
{

namespace
{

std::uint64_t source_key(const StepSource *base, int tree)
{
    const auto *source = static_cast<const FingerprintSource *>(base);
    return source->meta->order.key(tree, source->center);
}

void tree_costs(const EagerSource *base, int tree, std::uint8_t cost[])
{
    const auto *source = static_cast<const FingerprintSource *>(base);
    std::uint8_t bit[kBits];
    source->meta->order.sources(tree, bit);
    for (int i = 0; i < source->costs.bits; i++)
        cost[i] = source->flip_cost[bit[i]];
}

FingerprintSearch *fingerprints(ValueSearch *search) { return static_cast<FingerprintSearch *>(search); }
const FingerprintSearch *fingerprints(const ValueSearch *search)
{
    return static_cast<const FingerprintSearch *>(search);
}

// The leaves of a search --------------------------------------------------------------------------------------

// Whether a ring before this one has returned a row with these errors.
bool returned_by_ring(const FingerprintSearch &search, Fingerprint errors)
{
    const KeyOrder &order = search.meta->order;
    for (int t = 0; t < order.design.trees; t++) {
        if (std::popcount(errors & order.tree[t].header_mask) < static_cast<int>(search.exact.least[t]))
            return true;
    }
    return false;
}

// Whether this leaf is the one that returns a row.
bool returned_here(const FingerprintSearch &search, Fingerprint fingerprint)
{
    const LocatedLeaf &leaf = search.reader.leaf;
    if (search.phase == SearchPhase::guided)
        return search.guided->returns_row(leaf, fingerprint);
    const FingerprintSource &exact = search.exact;
    const auto key = [&](int tree) { return search.meta->order.key(tree, fingerprint); };
    if (search.phase == SearchPhase::likeliest)
        return exact.is_new(leaf, key);
    const Fingerprint errors = fingerprint ^ exact.center;
    return (exact.plan.steps == 1 ||
            returns_row(search.meta->order, exact.plan, exact.step_of(leaf), errors)) &&
           !exact.returned_before(key) && !returned_by_ring(search, errors);
}

bool in_all_balls(const FingerprintKeys &keys, Fingerprint fingerprint)
{
    for (int i = 0; i < keys.balls; i++) {
        if (hamming_distance(fingerprint, keys.ball[i].center) > keys.ball[i].radius)
            return false;
    }
    return true;
}

// What is wanted of the leaf.
LeafQuery leaf_query(const FingerprintSearch &search)
{
    const LocatedLeaf &leaf = search.reader.leaf;
    const FingerprintSource &exact = search.exact;
    const std::uint64_t key = search.meta->order.key(leaf.tree, exact.center);
    if (search.phase != SearchPhase::exact)
        return near_key(key, exact.radius);
    LeafQuery query = query_of_step(exact.plan.step[exact.step_of(leaf)], key, exact.radius);
    query.least = exact.least[leaf.tree];
    return query;
}

// Copies the matching rows of a leaf. Returns their number. If they are checked again, the nearest come first: the first
// that passes may be enough.
Size collect(const FingerprintSearch &search, const char *page)
{
    const FingerprintKeys &keys = search.asked;
    const int tree = search.reader.leaf.tree;
    int matches = find_in_leaf(page, leaf_query(search), search.found);
    const bool checked_again = keys.recheck && !search.all_wanted && keys.balls > 0;
    Size hits = 0;
    for (int i = 0; i < matches; i++) {
        const LeafEntry &found = search.found[i];
        Fingerprint fingerprint = search.meta->order.fingerprint(tree, found.key.word[0]);
        if (!returned_here(search, fingerprint) || !in_all_balls(keys, fingerprint))
            continue;
        int distance = keys.orders > 0 ? hamming_distance(fingerprint, keys.lead_query().value)
                       : checked_again ? hamming_distance(fingerprint, keys.ball[0].center)
                                       : 0;
        search.hit[hits++] = Hit::make(fingerprint, found.tid, distance);
    }
    if (checked_again)
        std::sort(search.hit, search.hit + hits, [](const Hit &a, const Hit &b) { return a.rank < b.rank; });
    return hits;
}

void trace_leaf(const FingerprintSearch &search, BlockNumber block, Size matches)
{
    const LocatedLeaf &leaf = search.reader.leaf;
    const bool guided = search.phase == SearchPhase::guided;
    search.trace->leaf({leaf.tree, block, matches, guided ? &search.guided->probe_of(leaf) : nullptr},
                       search.trace->context);
}

// Forgets the keys that have been read, and allocates memory for so many ranges of them.
void prepare_ranges(FingerprintSearch *search, Size ranges)
{
    if (search->ranges < ranges) {
        if (search->range != nullptr)
            pfree(search->range);
        search->range = allocate_huge<KeyRange>(ranges, search->context);
        search->ranges = ranges;
    }
    search->exact.read.begin(search->range, ranges);
}

// Starts the exact search with the plan and without the keys that have been read.
void start_exact(FingerprintSearch *search)
{
    search->phase = SearchPhase::exact;
    begin_step_source(&search->exact, search->reader.index, search->exact.radius);
    begin_reading(&search->reader, &search->exact);
}

void note_guided(FingerprintSearch *search)
{
    const GuidedSource &guided = *search->guided;
    const Size probes = guided.plan.probes();
    prepare_ranges(search, probes);
    for (Size i = 0; i < probes; i++) {
        const GuidedRange &range = guided.range[i];
        search->exact.read.append(
            {range.first_key, range.last_key, static_cast<std::uint32_t>(guided.plan.tree(range.stream)), 0});
    }
    search->exact.read.arrange();
}

// Returns the next leaf, locked. A search by weights that runs out of memory for probes is continued as an exact one.
Buffer next_buffer(FingerprintSearch *search)
{
    Buffer buffer = read_next_leaf(&search->reader);
    if (BufferIsValid(buffer) || search->phase == SearchPhase::exact)
        return buffer;
    if (search->phase == SearchPhase::guided) {
        if (search->guided->finished())
            return buffer;
        note_guided(search);
    }
    start_exact(search);
    return read_next_leaf(&search->reader);
}

bool next_leaf(ValueSearch *base, Results *results)
{
    FingerprintSearch *search = fingerprints(base);
    release_pin(&search->pin);
    Buffer buffer;
    while ((buffer = next_buffer(search)) != InvalidBuffer) {
        BlockNumber block = BufferGetBlockNumber(buffer);
        Size hits = collect(*search, search->reader.page);
        leave_leaf(buffer, hits > 0 && search->keep_pin, &search->pin);
        check_hits(search->reader.index, block, search->hit, hits); // may open the table
        if (search->trace != nullptr)
            trace_leaf(*search, block, hits);
        *results = {search->hit, hits, 0};
        if (hits > 0)
            return true;
    }
    *results = {search->hit, 0, 0};
    return false;
}

// The searches of a scan --------------------------------------------------------------------------------------

void plan_exact(FingerprintSearch *search, Fingerprint center, int radius)
{
    if (search->exact.plan.radius != radius)
        index_plan(search->reader.index, radius, &search->exact.plan);
    set_center(&search->exact, search->meta, center);
    search->exact.radius = radius;
    search->exact.costs = {};
    std::memset(search->exact.least, 0, sizeof(search->exact.least));
    search->goes_on = false;
}

// Starts a search by weights, and then an exact one if the recall of the ball has not been reached with as many probes
// as that reads leaves.
void begin_guided(FingerprintSearch *search, const GuidedBall &ball, int radius)
{
    search->guided = prepare_guided_source(search->guided, search->reader.index, search->meta,
                                           search->exact.plan.leaves, search->context);
    begin_guided_source(search->guided, ball, radius);
    begin_reading(&search->reader, search->guided);
    search->phase = SearchPhase::guided;
}

// Starts an exact search all of whose rows are wanted.
void begin_exact(FingerprintSearch *search, Fingerprint center, int radius)
{
    plan_exact(search, center, radius);
    prepare_ranges(search, 0);
    start_exact(search);
}

// Starts an exact search of which a first row may be enough. The likeliest leaves come first, as far as that takes
// little time of a search of all leaves. If there are few, the trees come in the order of the chance that a
// near-duplicate has the query's header, unless each has about one leaf: then the first one most often has the row.
void begin_likeliest(FingerprintSearch *search, Fingerprint center, int radius, const Weights *weights)
{
    // The leaves of a plan from which on more passes cost little of all that; the leaves of a step from which on the
    // order of the steps matters; and the part of the leaves that the passes may read first. Those by cost take longer.
    constexpr double kManyLeaves = 16, kLeavesOfStep = 1.1, kFirstPart = 1 / 16.0,
                     kFirstPartByCost = 1 / 24.0, kMostByCost = 32;
    plan_exact(search, center, radius);
    SearchPlan *plan = &search->exact.plan;
    const bool many = plan->leaves >= kManyLeaves;
    if (weights != nullptr && plan->leaves > kLeavesOfStep * plan->steps)
        order_steps(*weights, search->meta->order, plan);
    if (!many) {
        prepare_ranges(search, 0);
        start_exact(search);
        return;
    }
    const bool by_cost = weights != nullptr;
    if (by_cost)
        use_flip_costs(&search->exact, search->reader.index, *weights);
    const double first = by_cost ? Min(plan->leaves * kFirstPartByCost, kMostByCost)
                                 : Min(plan->leaves * kFirstPart, kRangesOfPasses);
    prepare_ranges(search, static_cast<Size>(Max(first, plan->steps)));
    search->phase = SearchPhase::likeliest;
    begin_eager_source(&search->exact, radius);
    begin_reading(&search->reader, &search->exact);
}

const Weights *weights_of(const BallKey<Fingerprint, GuidedBall> &ball)
{
    return ball.guide == nullptr ? nullptr : &ball.guide->weights;
}

// The leading ball if it permits a search by weights with a recall below 1 or a limit of probes, otherwise null.
const GuidedBall *guide(const FingerprintSearch &search)
{
    return search.asked.balls > 0 && !search.asked.ball[0].exact ? search.asked.ball[0].guide : nullptr;
}

// Starts a search by the leading ball's weights. Returns false if it has none, or an exact search costs less.
bool try_guided(FingerprintSearch *search, Fingerprint center, int radius)
{
    const GuidedBall *guided = guide(*search);
    if (guided == nullptr || !is_guided(*guided, radius))
        return false;
    plan_exact(search, center, radius);
    if (!search->inspected && !guided_pays(*guided, search->exact.plan.leaves))
        return false;
    begin_guided(search, *guided, radius);
    return true;
}

void begin_conditions(ValueSearch *base)
{
    FingerprintSearch *search = fingerprints(base);
    const auto &lead = search->asked.ball[0];
    if (search->asked.balls == 0)
        begin_exact(search, 0, kBits);
    else if (try_guided(search, lead.center, lead.radius))
        return;
    else if (search->all_wanted)
        begin_exact(search, lead.center, lead.radius);
    else
        begin_likeliest(search, lead.center, lead.radius, weights_of(lead));
}

bool draw_row(ValueSearch *base, std::uint64_t random, Datum *stored, std::uint64_t *tid)
{
    FingerprintSearch *search = fingerprints(base);
    const OpenIndex &index = search->reader.index;
    Buffer buffer = draw_page(index, random);
    if (!BufferIsValid(buffer))
        return false;
    const char *page = buffer_page(buffer);
    int count = 0;
    if (is_leaf(page) && page_tail(page)->tree < search->meta->trees)
        count = leaf_read(page, search->found);
    if (count > 0) {
        const LeafEntry &row = search->found[split_mix(random) % static_cast<Size>(count)];
        *stored = fingerprint_datum(search->meta->order.fingerprint(page_tail(page)->tree, row.key.word[0]));
        *tid = row.tid;
    }
    UnlockReleaseBuffer(buffer);
    return count > 0;
}

void begin_around(ValueSearch *base, Datum stored, int radius)
{
    FingerprintSearch *search = fingerprints(base);
    FingerprintKeys *keys = &search->asked;
    const Fingerprint center = datum_fingerprint(stored);
    keys->ball[0] = {center, radius, true, nullptr};
    keys->order[0] = {center, nullptr};
    keys->balls = keys->orders = 1;
    keys->lead = 0;
    begin_exact(search, center, radius);
}

// The first ring may end at the first distance at which there are rows. That pays if it has many leaves.
bool begin_first_ring(FingerprintSearch *search, Fingerprint center, int high)
{
    Weights weights;
    const bool by_weights = search->order_weights != 0;
    if (by_weights)
        weights = read_weights(search->order_weights);
    begin_likeliest(search, center, high, by_weights ? &weights : nullptr);
    return search->phase == SearchPhase::likeliest;
}

double index_rows(const ValueSearch *search)
{
    return index_leaves(fingerprints(search)->reader.index) * usual_leaf_fill(BLCKSZ, 1);
}

bool has_headers(const SearchPlan &plan)
{
    for (int i = 0; i < plan.steps; i++) {
        if (plan.step[i].header_bits == 0)
            return false;
    }
    return true;
}

// Starts another ring than the first. Its leaves have rows beyond it, too, up to where so many are expected. The search
// returns these, so that the next ring can leave out what this one reads.
Ring begin_next_ring(FingerprintSearch *search, Fingerprint center, int high)
{
    constexpr double kRowsOfReach = 64;
    FingerprintSource *exact = &search->exact;
    const bool known = search->goes_on && high <= exact->radius;
    std::uint8_t least[kMaxTrees] = {};
    if (known) {
        std::memcpy(least, exact->least, sizeof(least));
        for (int i = 0; i < exact->plan.steps; i++) {
            const SearchStep &read = exact->plan.step[i];
            least[read.tree] = Max(least[read.tree], read.budget + 1);
        }
    }
    const int reach = known
                          ? exact->radius
                          : Max(Min(high + 1, kBits), ball_radius(kBits, kRowsOfReach / index_rows(search)));
    plan_exact(search, center, high);
    prepare_ranges(search, 0);
    search->goes_on = has_headers(exact->plan);
    const bool goes_on = search->goes_on && known;
    if (search->goes_on)
        exact->radius = reach;
    if (goes_on)
        std::memcpy(exact->least, least, sizeof(least));
    start_exact(search);
    return {false, goes_on, exact->radius};
}

Ring begin_ring(ValueSearch *base, int high, RingKind kind)
{
    FingerprintSearch *search = fingerprints(base);
    const Ring whole = {false, false, high};
    if (!search->asked.centered) {
        begin_exact(search, search->asked.ball[0].center, search->asked.ball[0].radius);
        return whole;
    }
    const Fingerprint center = search->asked.lead_query().value;
    if (try_guided(search, center, high))
        return whole;
    if (kind == RingKind::first)
        return {begin_first_ring(search, center, high), false, high};
    if (kind == RingKind::next)
        return begin_next_ring(search, center, high);
    begin_exact(search, center, high);
    return whole;
}

void narrow(ValueSearch *base, int radius)
{
    FingerprintSearch *search = fingerprints(base);
    search->exact.radius = Min(search->exact.radius, radius);
    if (search->phase == SearchPhase::guided)
        search->guided->radius = search->exact.radius;
}

// Rings -------------------------------------------------------------------------------------------------------

// The first ring ends at the distance that the index is designed for. Later, the end is the largest radius that costs
// at most twice the pages of the next distance, or the next distance if the ring goes on; once a search reads half of a
// tree, the ring covers all remaining distances. If the leading ball is one around weights, each ring is a search within
// its end with the ball's recall and limit of probes. Rings beyond kFarthestGuided are exact, unless there is such a limit.
int ring_end(const ValueSearch *base, int done, int last)
{
    constexpr double kFewTimes = 8, kFewRows = 16;
    const FingerprintSearch *search = fingerprints(base);
    if (done < 0)
        return Min(last, static_cast<int>(search->meta->order.design.distance));
    if (guide(*search) != nullptr && done < kFarthestGuided)
        return Min(last, Min(2 * done + 2, kFarthestGuided));

    Relation index = search->reader.index;
    double leaves = index_leaves(index);
    SearchPlan plan;
    index_plan(index, done + 1, &plan);
    const double next = plan.leaves;
    // A ring that reads no leaves again need not save the next one.
    const bool goes_on = search->goes_on && done < search->exact.radius;
    int high = done + 1;
    while (high < last) {
        if (plan.leaves > leaves / 2)
            return last;
        index_plan(index, high + 1, &plan);
        if (plan.leaves > (goes_on ? 1 : 2) * next)
            break;
        high++;
    }
    // Where the neighbors are if there are no near-duplicates: reached at once if that costs a few times the next
    // distance, and rings cannot go on until there.
    int expected = Min(last, ball_radius(kBits, kFewRows / index_rows(base)));
    if (expected > high) {
        index_plan(index, expected, &plan);
        if (plan.leaves <= kFewTimes * next && !(goes_on && has_headers(plan)))
            high = expected;
    }
    return high;
}

int other_distance(const ValueSearch *search, const Hit &hit, int order)
{
    return hamming_distance(hit.fingerprint, fingerprints(search)->asked.order[order].value);
}

void read_keys(ValueSearch *base, IndexScanDesc scan)
{
    release_pin(&base->pin);
    FingerprintSearch *search = fingerprints(base);
    FingerprintKeys *keys = &search->asked;
    read_scan_keys(FingerprintTerms{keys, scan->keyData, search->guides}, scan, keys);
    search->order_weights = keys->orders > 0 && keys->mask == kNoMask &&
                                    scan->orderByData[keys->lead].sk_strategy == kWeightsOrder
                                ? scan->orderByData[keys->lead].sk_argument
                                : 0;
}

void start_search(ValueSearch *base) { fingerprints(base)->reader.snapshot = base->snapshot; }

constexpr NearestSearch kNearest = {begin_ring,     narrow,  ring_end, index_rows,
                                    other_distance, nullptr, nullptr};

} // namespace

// The stored form of a ball. Its weights would tell which bits of the value are likely to differ, not of what is stored.
BallKey<Fingerprint, GuidedBall> FingerprintTerms::ball(const ScanKeyData &key) const
{
    BallKey<Fingerprint, GuidedBall> ball = unmasked_ball(key);
    if (keys->mask != kNoMask)
        ball = {ball.center ^ keys->mask, ball.radius, true, nullptr};
    return ball;
}

BallKey<Fingerprint, GuidedBall> FingerprintTerms::unmasked_ball(const ScanKeyData &key) const
{
    switch (key.sk_strategy) {
    case kInBall: {
        const Ball ball = datum_ball(key.sk_argument);
        if (!ball.weights)
            return {ball.center, ball.radius, true, nullptr};
        GuidedBall *guide = guides + (&key - first);
        read_ball(key.sk_argument, guide);
        return {ball.center, ball.radius, is_exact(*guide), guide};
    }
    case kNearDuplicate:
        return {datum_fingerprint(key.sk_argument), kNearRadius, true, nullptr};
    case kEqual:
        return {datum_fingerprint(key.sk_argument), 0, true, nullptr};
    case kEqualInteger:
        return {static_cast<Fingerprint>(std::int64_t{DatumGetInt32(key.sk_argument)}), 0, true, nullptr};
    case kEqualSmallint:
        return {static_cast<Fingerprint>(std::int64_t{DatumGetInt16(key.sk_argument)}), 0, true, nullptr};
    case kBallsMeet: {
        const Ball ball = datum_ball(key.sk_argument);
        return {ball.center, ball.radius, true, nullptr};
    }
    case kNearText: {
        Fingerprint center = 0;
        const bool any = text_fingerprint(key.sk_argument, TextUnit::kWord, &center);
        return {center, any ? kNearTextRadius : kEmptyRadius, true, nullptr};
    }
    case kInTextBall:
    case kInTitleBall:
    case kTextBallsMeet: {
        const TextBall ball = text_ball_terms(key.sk_argument);
        // What the index stores says nothing of the other unit, so all rows are checked.
        const bool other = ball.radius != kEmptyRadius && key.sk_strategy != kTextBallsMeet &&
                           key.sk_strategy != text_ball_strategy(ball.unit);
        return {ball.center, other ? kFullRadius : ball.radius, true, nullptr};
    }
    default:
        elog(ERROR, "unrecognized strategy number %d of a simhash index", key.sk_strategy);
    }
    pg_unreachable();
}

QueryKey<Fingerprint, GuidedBall> FingerprintTerms::query(const ScanKeyData &key) const
{
    const Fingerprint query = key.sk_strategy == kWeightsOrder ? weights_signs(key.sk_argument)
                                                               : datum_fingerprint(key.sk_argument);
    return {query ^ keys->mask, nullptr};
}

void use_flip_costs(FingerprintSource *source, Relation index, const Weights &weights)
{
    flip_costs(weights, source->flip_cost);
    source->costs = {tree_costs, prefix_bits_for(index_leaves(index)), kFlipCost};
}

void set_center(FingerprintSource *source, const FingerprintMeta *meta, Fingerprint center)
{
    source->key_of = source_key;
    source->meta = meta;
    source->center = center;
}

bool guided_pays(const GuidedBall &ball, double leaves)
{
    constexpr double kLeavesOfBeginning = 10;
    return ball.most_probes > 0 || leaves > kLeavesOfBeginning;
}

ValueSearch *prepare_fingerprint_search(const OpenIndex &index, int nkeys, int norderbys)
{
    auto *search = prepare_search<FingerprintSearch>(
        index, nkeys, norderbys,
        {read_keys, start_search, begin_conditions, next_leaf, draw_row, begin_around, &kNearest});
    search->pins = true;
    search->guides = allocate<GuidedBall>(nkeys + 1);
    search->meta = &fingerprint_meta(*index.meta);
    search->exact.plan.radius = -1;
    search->hit = allocate<Hit>(leaf_capacity(BLCKSZ));
    return search;
}

} // namespace simhash
