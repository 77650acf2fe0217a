#include "am/search/signature_probes.hpp"

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

// About as many rows of a plane as are usually verified.
constexpr Size kPlaneRows = 1000;

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

bool neighbors_found(const SignatureSearch &search, Size wanted)
{
    return neighbors_recall(search, wanted) >= search.probes->recall;
}

// For a trace: of the neighbors wanted, or of the rows at the radius.
double estimated_recall(const SignatureSearch &search)
{
    const Probes &probes = *search.probes;
    if (search.keys.lead != nullptr)
        return neighbors_recall(search, probes.returned + probes.wanted);
    return probes.model.found(static_cast<double>(search.radius) / search.meta->layout.bits);
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

// Adds a leaf's new candidates to the `count` candidates collected so far, and notes that the leaf has been read.
// Returns false at the end.
bool read_probe(SignatureSearch *search, Size *count)
{
    Probes *probes = search->probes;
    Buffer buffer = read_next_leaf(search->reader);
    if (!BufferIsValid(buffer))
        return false;
    const char *page = buffer_page(buffer);
    int table = search->reader->leaf.table, entries = leaf_count(page);
    std::uint64_t query = search->key[table];
    std::uint64_t low = probes->source.low_of(search->reader->leaf), high = ~std::uint64_t{0};
    if (!is_rightmost(page)) {
        Position bound = high_of(page);
        high = bound.tid == 0 ? bound.key - 1 : bound.key;
    }
    int depth = std::countl_zero(low ^ high);
    int errors = depth == 0 ? 0 : std::popcount((low ^ query) >> (kKeyBits - depth));
    int radius = leaf_radius(search, entries, depth, errors);
    int matches = match_keys(search, page, table, radius);
    for (int i = 0; i < matches; i++)
        search->position[*count + static_cast<Size>(i)] = leaf_tid(page, search->match[i]).packed();
    BlockNumber block = BufferGetBlockNumber(buffer);
    UnlockReleaseBuffer(buffer);
    probes->model.read_leaf(table, low, high, radius);
    Size candidates = keep_new(search, *count, static_cast<Size>(matches));
    if (search->trace != nullptr)
        trace_read(*search, {SignatureRead::tree, table, block, candidates, estimated_recall(*search)});
    probes->spent += kLeafCost + static_cast<double>(candidates) * kCandidateCost;
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
        probes->count[search->hit[i].fingerprint]++;
    }
}

double plane_cost(const SignatureSearch &search)
{
    return search.size.segments * kStorePageCost + kPlaneRows * kCandidateCost;
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
    PlaneRows rows = nearest_sketches(search, static_cast<Size>(Max(worth, static_cast<double>(kPlaneRows))));
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

// Reads leaves until enough neighbors are found. Returns false if that costs more than a scan of the plane.
bool probe_neighbors(SignatureSearch *search, Size wanted)
{
    Probes *probes = search->probes;
    double cost = plane_cost(*search), check = 0;
    for (;;) {
        if (probes->spent >= check) {
            if (neighbors_found(*search, wanted))
                return true;
            check = probes->spent * kCheckAfter;
        }
        if (probes->spent > cost)
            return false;
        Size candidates;
        if (!read_probes(search, &candidates))
            return false;
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
        if (static_cast<int>(probes->row[i].fingerprint) == probes->last)
            insert(&probes->seen, probes->row[i].tid);
    }
    search->probing = false;
    *done = probes->last < 0 ? -1 : probes->last - 1;
}

// Sorts the rows that have not been returned, and passes the next ones.
void return_neighbors(Probes *probes, Results *results)
{
    auto nearer = [](const Hit &a, const Hit &b) {
        return a.fingerprint != b.fingerprint ? a.fingerprint < b.fingerprint : a.tid < b.tid;
    };
    Hit *from = probes->row + probes->returned, *end = probes->row + probes->rows;
    // Rows nearer than those returned were found too late.
    Hit *late = std::partition(
        from, end, [probes](const Hit &hit) { return static_cast<int>(hit.fingerprint) < probes->last; });
    Size count = Min(static_cast<Size>(end - late), probes->wanted);
    std::partial_sort(late, late + count, end, nearer);
    *results = {late, count, 0};
    probes->returned += static_cast<Size>(late - from) + count;
    probes->last = static_cast<int>(late[count - 1].fingerprint);
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
    if (weights != nullptr) {
        probes->rates = static_cast<FlipRates *>(palloc(sizeof(FlipRates) * layout.bits));
        probes->flips.set_weights(weights, layout.bits, probes->rates);
    }
    for (int t = 0; t < layout.tables; t++) {
        set_query_key(search, t);
        probe_costs(layout, probes->flips, t, probes->source.cost[t]);
    }
    probes->model.begin(&layout, &probes->flips, search->key);
    probes->recall = ball.recall;
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
    begin_reading(search->reader, &probes->source);
}

bool next_probed(SignatureSearch *search, Results *results)
{
    Probes *probes = search->probes;
    double rate = static_cast<double>(search->radius) / search->meta->layout.bits;
    while (probes->model.found(rate) < probes->recall) {
        Size candidates;
        if (probes->spent > search->exact_cost || !read_probes(search, &candidates)) {
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
    bool enough = probe_neighbors(search, wanted);
    if (!enough && plane_cost(*search) < store_cost(*search, search->meta->layout.bits)) {
        enough = scan_plane(search, wanted);
    }
    if (!enough) {
        become_exact(search, done);
        return false;
    }
    return_neighbors(probes, results);
    return true;
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
    if (probes->rates != nullptr)
        pfree(probes->rates);
    pfree(probes->seen.slot);
    pfree(probes->row);
    pfree(probes->count);
    pfree(probes);
}

} // namespace simhash
