#include "am/signatures/tree_search.hpp"

#include "am/signatures/candidate_rows.hpp"
#include "am/signatures/store_scan.hpp"

#include "core/likely/step_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

extern "C" {
#include "utils/memutils.h"
}

namespace simhash
{

namespace
{

std::uint64_t source_key(const StepSource *source, int table)
{
    return static_cast<const SignatureSource *>(source)->keys[table];
}

void table_costs(const EagerSource *base, int table, std::uint8_t cost[])
{
    const auto *source = static_cast<const SignatureSource *>(base);
    const std::uint16_t *bit = source->layout->key_bits(table);
    for (int i = 0; i < source->costs.bits; i++)
        cost[i] = flip_cost(std::fabs(source->weights[bit[i]]) * source->per_weight);
}

void use_flip_costs(SignatureSearch *search, const float *weights)
{
    SignatureSource *source = &search->exact;
    float squares = 0;
    for (int j = 0; weights != nullptr && j < search->meta->bits; j++)
        squares += weights[j] * weights[j];
    source->costs = {};
    if (!(squares > 0) || !std::isfinite(squares))
        return;
    source->layout = &search->meta->layout;
    source->weights = weights;
    source->per_weight = z_per_size(squares / static_cast<float>(search->meta->bits));
    source->costs = {table_costs, prefix_bits_for(search->size.leaves), kFlipCost};
}

void set_query_keys(SignatureSearch *search)
{
    const SearchPlan &plan = search->exact.plan;
    for (int i = 0; i < plan.steps; i++)
        set_query_key(search, plan.step[i].table);
}

void begin_trees(SignatureSearch *search, bool likeliest)
{
    search->exact.keys = search->key;
    search->exact.key_of = source_key;
    search->exact.within_budget = true;
    search->likeliest = likeliest;
    if (likeliest)
        begin_eager_source(&search->exact, search->radius);
    else
        begin_step_source(&search->exact, search->radius);
    begin_reading(&search->reader, &search->exact);
}

} // namespace

void begin_exact(SignatureSearch *search)
{
    search->skip_seen = search->skip_seen || search->probing;
    search->probing = search->scan_follows = false;
    search->spent = search->leaves = 0;
    search->returned.count = 0;
    search->exact.read.begin(nullptr, 0);
    if (search->scanning) {
        begin_scan_of_store(search);
        return;
    }
    set_query_keys(search);
    begin_trees(search, false);
}

void begin_likeliest(SignatureSearch *search, const float *weights)
{
    // The part of the cost that the first leaves may take, and the most of them.
    constexpr double kFirstPart = 1 / 24.0, kLeafAndCandidates = kLeafCost + 2 * kCandidateCost,
                     kMostLeaves = 64;
    const double leaves = Min(search->exact_cost * kFirstPart / kLeafAndCandidates, kMostLeaves);
    if (leaves < 2) {
        begin_exact(search);
        return;
    }
    const SignatureLayout &layout = search->meta->layout;
    if (search->scanning)
        plan_trees(layout, Min(search->radius, 2 * layout.tables - 1), search->size, &search->exact.plan);
    if (search->exact.plan.steps == 0) { // there are no trees
        begin_exact(search);
        return;
    }
    search->spent = search->leaves = 0;
    search->returned.count = 0;
    search->scan_follows = search->scanning;
    search->scanning = false;
    if (search->range == nullptr)
        search->range = static_cast<KeyRange *>(
            MemoryContextAlloc(search->context, sizeof(KeyRange) * static_cast<Size>(kMostLeaves)));
    search->exact.read.begin(search->range, static_cast<Size>(leaves));
    use_flip_costs(search, weights);
    set_query_keys(search);
    begin_trees(search, true);
}

namespace
{

// Copies the positions of a locked leaf's entries that may be within the radius.
Size leaf_candidates(SignatureSearch *search, const char *page, const SearchStep &step)
{
    LeafQuery query = key_query(*search, step.table, Min(search->radius, search->meta->layout.key_length()));
    query.header = leading_bits(step.header_bits);
    query.budget = step.budget;
    int matches = find_in_leaf(page, query, search->found);
    for (int i = 0; i < matches; i++)
        search->position[i] = search->found[i].tid;
    return static_cast<Size>(matches);
}

// A search that returns more rows than this is not slow because of its trees.
constexpr Size kMostReturned = 65536;

void note_returned(SignatureSearch *search, Size hits)
{
    if (search->returned.count + hits > kMostReturned) {
        search->scan_cost = std::numeric_limits<double>::infinity();
        return;
    }
    if (search->returned.tid == nullptr)
        search->returned.tid = static_cast<std::uint64_t *>(
            MemoryContextAlloc(search->context, sizeof(std::uint64_t) * kMostReturned));
    for (Size i = 0; i < hits; i++)
        search->returned.tid[search->returned.count++] = search->hit[i].tid();
}

// Whether a scan of the store would cost less than the rest of the search of the trees.
bool scan_is_cheaper(const SignatureSearch &search)
{
    if (search.scan_follows)
        return search.returned.count > kMostReturned / 2;
    // A part of the scan's cost shows what the leaves hold; if it has been paid twice, the plan was wrong.
    constexpr double kSample = 0.25, kMost = 2;
    double left = Max(0.0, search.exact.plan.leaves - search.leaves);
    return search.spent > search.scan_cost * kMost ||
           (search.spent > search.scan_cost * kSample &&
            search.spent / search.leaves * left > search.scan_cost);
}

void change_to_scan(SignatureSearch *search)
{
    std::sort(search->returned.tid, search->returned.tid + search->returned.count);
    search->scanning = true;
    begin_scan_of_store(search);
}

// Returns false at the end, and if a scan of the store must find the other rows.
bool next_leaf_rows(SignatureSearch *search, Results *results)
{
    while (!scan_is_cheaper(*search)) {
        Buffer buffer = read_next_leaf(&search->reader);
        if (!BufferIsValid(buffer)) {
            if (search->scan_follows) {
                change_to_scan(search);
                return false;
            }
            if (!search->likeliest)
                return false;
            begin_trees(search, false);
            continue;
        }
        int step = search->exact.step_of(search->reader.leaf);
        Size count = leaf_candidates(search, search->reader.page, search->exact.plan.step[step]);
        BlockNumber block = BufferGetBlockNumber(buffer);
        UnlockReleaseBuffer(buffer);
        trace_read(*search, {SignatureRead::tree, search->reader.leaf.table, block, count,
                             std::numeric_limits<double>::quiet_NaN()});
        Size hits = verify(search, count, step);
        search->spent += kLeafCost + static_cast<double>(count) * kCandidateCost;
        search->leaves++;
        if (hits > 0) {
            note_returned(search, hits);
            *results = {search->hit, hits, 0};
            return true;
        }
    }
    change_to_scan(search);
    return false;
}

} // namespace

bool next_exact(SignatureSearch *search, Results *results)
{
    return (!search->scanning && next_leaf_rows(search, results)) ||
           (search->scanning && next_segment_rows(search, results));
}

} // namespace simhash
