#include "am/signatures/signature_probes.hpp"

#include "pg/server/settings.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/memutils.h"
}

namespace simhash
{

namespace
{

constexpr int kDefaultNeighbors = 10;
constexpr Size kGrowth = 4; // of the number of neighbors wanted, each time that more are requested

// Candidates of a leaf by chance: about as many as cost as much as the leaf.
constexpr double kCandidatesOfLeaf = 2;

// The ball around the key grows by this cost; a bit that is likely to differ costs less than 8 with weights.
constexpr int kUniformStep = 1, kWeightedStep = 3;

// A leaf of skewed or dependent bits has many candidates within that radius. This many are read, or as many as there are
// neighbors wanted: leaves are cheaper.
constexpr Size kMostOfLeaf = 32;

// How the search goes on is decided when each tree has been read once or a part of the cost of an exact search has been
// paid, and again when the search has cost so much more.
constexpr double kFirstDecision = 0.2, kDecideAfter = 1.25;

// The planes that are sampled to estimate what a scan of all of them yields.
constexpr Size kPlaneSample = 8;

// The estimate of the recall is repeated when the search has cost this much more.
constexpr double kCheckAfter = 1.04;

Size home_of(const NumberSet &set, uint64 number)
{
    return static_cast<Size>(number * UINT64CONST(0x9E3779B97F4A7C15) >> 20) & (set.capacity - 1);
}

void begin_set(NumberSet *set, MemoryContext context)
{
    set->context = context;
    set->capacity = 1024;
    set->count = 0;
    set->slot = static_cast<uint64 *>(MemoryContextAllocZero(context, sizeof(uint64) * set->capacity));
}

bool contains(const NumberSet &set, uint64 number)
{
    for (Size at = home_of(set, number); set.slot[at] != 0; at = (at + 1) & (set.capacity - 1)) {
        if (set.slot[at] == number)
            return true;
    }
    return false;
}

void insert(NumberSet *set, uint64 number);

void grow(NumberSet *set)
{
    NumberSet larger = *set;
    larger.capacity *= 2;
    larger.count = 0;
    larger.slot = static_cast<uint64 *>(MemoryContextAllocExtended(
        set->context, sizeof(uint64) * larger.capacity, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO));
    for (Size i = 0; i < set->capacity; i++) {
        if (set->slot[i] != 0)
            insert(&larger, set->slot[i]);
    }
    pfree(set->slot);
    *set = larger;
}

// Requires: the set does not contain the number, which is not 0.
void insert(NumberSet *set, uint64 number)
{
    if (set->count * 2 >= set->capacity)
        grow(set);
    Size at = home_of(*set, number);
    while (set->slot[at] != 0)
        at = (at + 1) & (set->capacity - 1);
    set->slot[at] = number;
    set->count++;
}

// The recall of the `wanted` nearest rows found, by estimate; 0 if there are not as many.
double neighbors_recall(const SignatureSearch &search, Size wanted)
{
    const Probes &probes = *search.probes;
    if (probes.rows < wanted)
        return 0;
    double estimate = 0, bits = search.meta->layout.bits;
    Size found = 0;
    for (int d = 0; found < wanted; d++) {
        if (probes.count[d] == 0)
            continue;
        Size rows = Min(probes.count[d], wanted - found);
        estimate += static_cast<double>(rows) / Max(1e-9, probes.model.found(d / bits));
        found += rows;
    }
    return static_cast<double>(wanted) / estimate;
}

// Of the `wanted` nearest rows found. Requires that there are as many.
double mean_distance(const SignatureSearch &search, Size wanted)
{
    const Probes &probes = *search.probes;
    double sum = 0;
    Size found = 0;
    for (int d = 0; found < wanted; d++) {
        Size rows = Min(probes.count[d], wanted - found);
        sum += static_cast<double>(rows) * d;
        found += rows;
    }
    return sum / static_cast<double>(wanted);
}

bool neighbors_found(const SignatureSearch &search, Size wanted)
{
    return neighbors_recall(search, wanted) >= search.probes->recall;
}

// For a trace: of the neighbors wanted, or of the rows at the radius.
double estimated_recall(const SignatureSearch &search)
{
    const Probes &probes = *search.probes;
    if (search.asked.orders > 0)
        return neighbors_recall(search, probes.returned + probes.wanted);
    return probes.model.found(static_cast<double>(search.radius) / search.meta->layout.bits);
}

// The recall that the search continues to by its estimate. Bits of real data depend on each other, so that the errors
// of rows at a distance vary more from tree to tree than the model assumes. It misses more rows than estimated, by a
// factor that grows with the recall. Measured with bench/wide/recall.sh.
double goal_of(double recall)
{
    constexpr double kExponent = 1.5;
    return 1 - std::pow(1 - recall, kExponent);
}

// Drops those of the `count` candidates from number `from` on that have been verified before, and notes the others.
// Returns their number.
Size keep_new(SignatureSearch *search, Size from, Size count)
{
    NumberSet *seen = &search->probes->seen;
    std::uint64_t *position = search->position + from;
    Size kept = 0;
    for (Size i = 0; i < count; i++) {
        if (!contains(*seen, position[i])) {
            insert(seen, position[i]);
            position[kept++] = position[i];
        }
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

int key_errors(const SignatureSearch &search, const char *page, int table, int slot)
{
    if (!has_pair_keys(page))
        return std::popcount(leaf_key(page, slot) ^ search.key[table]);
    const std::uint64_t *words = leaf_words(page) + 2 * slot;
    return std::popcount(words[0] ^ search.key[table]) + std::popcount(words[1] ^ search.second_word[table]);
}

// Drops the farthest of the matches of a leaf until few enough remain, but all or none with the same number of errors.
// Returns their number, and lowers the radius accordingly.
int nearest_matches(SignatureSearch *search, const char *page, int table, int matches, int *radius)
{
    int most = static_cast<int>(Min(Size{INT_MAX}, Max(kMostOfLeaf, search->probes->wanted)));
    if (matches <= most)
        return matches;
    int with[kMostKeyWords * kKeyBits + 1] = {};
    for (int i = 0; i < matches; i++)
        with[key_errors(*search, page, table, search->match[i])]++;
    int errors = 0, sum = with[0];
    while (errors < *radius && (sum == 0 || sum + with[errors + 1] <= most))
        sum += with[++errors];
    int kept = 0;
    for (int i = 0; i < matches; i++) {
        if (key_errors(*search, page, table, search->match[i]) <= errors)
            search->match[kept++] = search->match[i];
    }
    *radius = errors;
    return kept;
}

// Adds a leaf's new candidates to the `count` candidates collected so far, and notes that the leaf has been read.
// Returns false at the end.
bool read_probe(SignatureSearch *search, Size *count)
{
    Probes *probes = search->probes;
    Buffer buffer = read_next_leaf(&search->reader);
    if (!BufferIsValid(buffer))
        return false;
    const char *page = buffer_page(buffer);
    int table = search->reader.leaf.table, entries = leaf_count(page);
    std::uint64_t query = search->key[table];
    std::uint64_t low = probes->source.low_of(search->reader.leaf), high = ~std::uint64_t{0};
    if (!is_rightmost(page)) {
        Position bound = high_of(page);
        high = bound.tid == 0 ? bound.key - 1 : bound.key;
    }
    int depth = std::countl_zero(low ^ high);
    int errors = depth == 0 ? 0 : std::popcount((low ^ query) >> (kKeyBits - depth));
    int radius = leaf_radius(search, entries, depth, errors);
    int matches = match_keys(search, page, table, radius);
    matches = nearest_matches(search, page, table, matches, &radius);
    for (int i = 0; i < matches; i++)
        search->position[*count + static_cast<Size>(i)] = leaf_tid(page, search->match[i]).packed();
    BlockNumber block = BufferGetBlockNumber(buffer);
    UnlockReleaseBuffer(buffer);
    probes->model.read_leaf(table, low, high, radius);
    Size candidates = keep_new(search, *count, static_cast<Size>(matches));
    if (search->trace != nullptr)
        trace_read(*search, {SignatureRead::tree, table, block, candidates, estimated_recall(*search)});
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

// How the search goes on --------------------------------------------------------------------------------------

// The number of rows by the distance of their sketches, from some planes.
void sample_planes(SignatureSearch *search)
{
    Probes *probes = search->probes;
    probes->sketches =
        static_cast<double *>(MemoryContextAllocZero(search->context, sizeof(double) * (kSketchBits + 1)));
    begin_scan_of_store(search);
    Size segments = search->segments.count, sample = Min(kPlaneSample, segments);
    for (Size i = 0; i < sample; i++) {
        Size count = plane_candidates(search, search->segments.plane[i * segments / sample], kSketchBits);
        for (Size j = 0; j < count; j++)
            probes->sketches[search->distance[j]] +=
                static_cast<double>(segments) / static_cast<double>(sample);
    }
    probes->spent += static_cast<double>(sample) * kStorePageCost;
}

double plane_cost(SignatureSearch *search, const ProbeProgress &progress)
{
    if (search->probes->sketches == nullptr)
        sample_planes(search);
    int distance = forecast_sketches(progress, Min(static_cast<int>(search->meta->layout.bits), kSketchBits));
    double rows = 0;
    for (int d = 0; d <= distance; d++)
        rows += search->probes->sketches[d];
    return search->size.segments * kStorePageCost + rows * kCandidateCost;
}

double leaves_cost(const SignatureSearch &search, const ProbeProgress &progress)
{
    return forecast_leaves(progress) * search.probes->spent / Max(1.0, search.probes->leaves);
}

ProbeProgress progress_of(const SignatureSearch &search, double f, double found)
{
    const Probes &probes = *search.probes;
    return {search.meta->layout.tables, search.size.leaves, probes.leaves, f, found, probes.recall};
}

// Whether it is time to decide how the search goes on.
bool must_decide(SignatureSearch *search)
{
    Probes *probes = search->probes;
    bool first = probes->decide == 0 && (probes->leaves >= search->meta->layout.tables ||
                                         probes->spent > search->exact_cost * kFirstDecision);
    if (!first && (probes->decide == 0 || probes->spent < probes->decide))
        return false;
    probes->decide = probes->spent * kDecideAfter;
    return true;
}

// The neighbors ------------------------------------------------------------------------------------------

void add_rows(SignatureSearch *search, Size hits)
{
    Probes *probes = search->probes;
    if (probes->rows + hits > probes->capacity) {
        probes->capacity = 2 * (probes->rows + hits);
        probes->row = static_cast<Hit *>(repalloc_huge(probes->row, sizeof(Hit) * probes->capacity));
    }
    for (Size i = 0; i < hits; i++) {
        probes->row[probes->rows++] = search->hit[i];
        probes->count[search->hit[i].distance()]++;
    }
}

struct PlaneRow {
    int distance; // of the sketches
    uint64 position;
};

// The rows of a plane whose sketches are nearest to the query's, sorted.
struct PlaneRows {
    Size count;
    PlaneRow *row;
    int complete; // all rows up to this distance are there
};

PlaneRows nearest_sketches(SignatureSearch *search, Size most)
{
    Size capacity = 4 * most + static_cast<Size>(search->shape.rows());
    auto *row =
        static_cast<PlaneRow *>(MemoryContextAllocHuge(CurrentMemoryContext, sizeof(PlaneRow) * capacity));
    auto nearer = [](const PlaneRow &a, const PlaneRow &b) { return a.distance < b.distance; };
    int radius = Min(search->radius, kSketchBits);
    bool dropped = false; // some rows at the distance `radius`
    Size rows = 0;
    begin_scan_of_store(search);
    for (Size segment = 0; segment < search->segments.count; segment++) {
        CHECK_FOR_INTERRUPTS();
        Size count = plane_candidates(search, search->segments.plane[segment], radius);
        if (search->trace != nullptr)
            trace_read(*search, {SignatureRead::plane, 0, search->segments.plane[segment], count,
                                 estimated_recall(*search)});
        for (Size i = 0; i < count; i++)
            row[rows++] = {search->distance[i], search->position[i]};
        if (rows > 4 * most) {
            std::nth_element(row, row + most, row + rows, nearer);
            radius = row[most].distance;
            rows = most;
            dropped = true;
        }
    }
    std::sort(row, row + rows, nearer);
    return {rows, row, dropped ? radius - 1 : radius};
}

// Verifies rows in the order of their sketches until enough neighbors are found, or all those that are worth more
// than an exact search. Returns whether there are enough.
bool scan_plane(SignatureSearch *search, Size wanted)
{
    constexpr Size kTogether = 250;
    Probes *probes = search->probes;
    int bits = Min(static_cast<int>(search->meta->layout.bits), kSketchBits);
    double worth = store_cost(*search, search->meta->layout.bits) / 2 / kCandidateCost;
    PlaneRows rows = nearest_sketches(search, static_cast<Size>(worth) + 1);
    bool enough = false;
    for (Size i = 0; i < rows.count && !enough;) {
        Size count = 0;
        int distance = rows.row[i].distance;
        // All rows of a distance, so that the probability of being among them is known.
        while (i < rows.count && (count < kTogether || rows.row[i].distance == distance)) {
            if (count == static_cast<Size>(search->shape.rows()))
                break;
            distance = rows.row[i].distance;
            search->position[count++] = rows.row[i++].position;
        }
        bool whole = i == rows.count || rows.row[i].distance > distance;
        count = keep_new(search, 0, count);
        probes->spent += static_cast<double>(count) * kCandidateCost;
        add_rows(search, verify(search, count, -1));
        if (!whole)
            continue;
        FlipRates found;
        binomial_within(bits, Min(distance, rows.complete), &found);
        probes->model.read_plane(found);
        enough = neighbors_found(*search, wanted);
    }
    pfree(rows.row);
    return enough;
}

enum class Course { trees, plane, exact };

// What finds the rest of the neighbors at the lowest cost.
Course cheapest_course(SignatureSearch *search, Size wanted)
{
    if (search->probes->rows < wanted)
        return Course::exact;
    ProbeProgress progress = progress_of(*search, mean_distance(*search, wanted) / search->meta->layout.bits,
                                         neighbors_recall(*search, wanted));
    double trees = leaves_cost(*search, progress), plane = plane_cost(search, progress);
    double exact = store_cost(*search, search->meta->layout.bits);
    if (Min(trees, plane) >= exact)
        return Course::exact;
    return trees <= plane ? Course::trees : Course::plane;
}

// Reads leaves until enough neighbors are found, or something else is cheaper.
bool probe_neighbors(SignatureSearch *search, Size wanted, Course *course)
{
    Probes *probes = search->probes;
    double check = 0;
    for (;;) {
        if (probes->spent >= check) {
            if (neighbors_found(*search, wanted))
                return true;
            check = probes->spent * kCheckAfter;
        }
        if (must_decide(search)) {
            *course = cheapest_course(search, wanted);
            if (*course != Course::trees)
                return false;
        }
        Size candidates;
        if (!read_probes(search, &candidates)) {
            *course = Course::exact;
            return false;
        }
        add_rows(search, verify(search, candidates, -1));
    }
}

// The search becomes exact. Rows nearer than the last one returned are not returned any more.
void become_exact(SignatureSearch *search, int *done)
{
    Probes *probes = search->probes;
    probes->by_tid = true;
    pfree(probes->seen.slot);
    begin_set(&probes->seen, search->context);
    for (Size i = 0; i < probes->returned; i++) {
        if (probes->row[i].distance() == probes->last)
            insert(&probes->seen, probes->row[i].tid());
    }
    search->probing = false;
    *done = probes->last < 0 ? -1 : probes->last - 1;
}

// Sorts the rows that have not been returned, and passes the next ones.
void return_neighbors(Probes *probes, Results *results)
{
    auto nearer = [](const Hit &a, const Hit &b) { return a.rank < b.rank; };
    Hit *from = probes->row + probes->returned, *end = probes->row + probes->rows;
    // Rows nearer than those returned were found too late.
    Hit *late = std::partition(from, end, [probes](const Hit &hit) { return hit.distance() < probes->last; });
    Size count = Min(static_cast<Size>(end - late), probes->wanted);
    std::partial_sort(late, late + count, end, nearer);
    *results = {late, count, 0};
    probes->returned += static_cast<Size>(late - from) + count;
    probes->last = late[count - 1].distance();
    probes->wanted *= kGrowth;
}

} // namespace

void begin_probes(SignatureSearch *search, const SignatureBall &ball)
{
    free_probes(search);
    MemoryContext caller = MemoryContextSwitchTo(search->context);
    auto *probes = static_cast<Probes *>(palloc0(sizeof(Probes)));
    const SignatureLayout &layout = search->meta->layout;
    const float *weights = ball_weights(ball);
    probes->flips.set_uniform();
    if (weights != nullptr)
        probes->flips.set_weights(weights, layout.bits);
    for (int t = 0; t < layout.tables; t++) {
        set_query_key(search, t);
        probe_costs(layout, probes->flips, t, probes->source.cost[t]);
    }
    probes->model.begin(&layout, &probes->flips, search->key);
    probes->recall = goal_of(ball.recall);
    std::fill(probes->candidate_radius, probes->candidate_radius + kKeyBits + 1, -1);
    begin_set(&probes->seen, search->context);
    probes->capacity = 1024;
    probes->row = static_cast<Hit *>(palloc(sizeof(Hit) * probes->capacity));
    probes->count = static_cast<Size *>(palloc0(sizeof(Size) * (Size{layout.bits} + 1)));
    probes->wanted = static_cast<Size>(ball.neighbors > 0 ? ball.neighbors : kDefaultNeighbors);
    probes->last = -1;
    MemoryContextSwitchTo(caller);
    search->probes = probes;
    search->probing = true;
    begin_probe_source(&probes->source, layout.tables, search->key,
                       probes->flips.uniform() ? kUniformStep : kWeightedStep);
    begin_reading(&search->reader, &probes->source);
}

namespace
{

// Whether an exact search costs less than the leaves that are left.
bool exact_is_cheaper(SignatureSearch *search, double rate)
{
    return must_decide(search) &&
           leaves_cost(*search, progress_of(*search, rate, search->probes->model.found(rate))) >=
               search->exact_cost;
}

} // namespace

bool next_probed(SignatureSearch *search, Results *results)
{
    Probes *probes = search->probes;
    double rate = static_cast<double>(search->radius) / search->meta->layout.bits;
    while (probes->model.found(rate) < probes->recall) {
        Size candidates;
        if (exact_is_cheaper(search, rate) || !read_probes(search, &candidates)) {
            begin_exact(search);
            return false;
        }
        Size hits = verify(search, candidates, -1);
        if (hits > 0) {
            *results = {search->hit, hits, 0};
            return true;
        }
    }
    return false;
}

bool next_neighbors(SignatureSearch *search, Results *results, int *done)
{
    Probes *probes = search->probes;
    Size wanted = probes->returned + probes->wanted;
    Course course = Course::trees;
    bool enough =
        probe_neighbors(search, wanted, &course) || (course == Course::plane && scan_plane(search, wanted));
    if (!enough) {
        become_exact(search, done);
        return false;
    }
    return_neighbors(probes, results);
    return true;
}

int known_distance(const SignatureSearch &search, int done)
{
    const Probes *probes = search.probes;
    if (probes == nullptr || !probes->by_tid || done >= Max(probes->last, 0) ||
        probes->rows < probes->returned + probes->wanted)
        return -1;
    Size found = 0;
    int distance = -1;
    while (found < probes->returned + probes->wanted)
        found += probes->count[++distance];
    return distance > done ? distance : -1;
}

bool was_returned(const SignatureSearch &search, uint64 position, uint64 tid)
{
    return contains(search.probes->seen, search.probes->by_tid ? tid : position);
}

void free_probes(SignatureSearch *search)
{
    Probes *probes = search->probes;
    search->probes = nullptr;
    search->probing = false;
    if (probes == nullptr)
        return;
    if (probes->sketches != nullptr)
        pfree(probes->sketches);
    pfree(probes->seen.slot);
    pfree(probes->row);
    pfree(probes->count);
    pfree(probes);
}

} // namespace simhash
