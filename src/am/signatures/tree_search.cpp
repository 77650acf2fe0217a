#include "am/signatures/tree_search.hpp"

#include "am/signatures/candidate_rows.hpp"

#include "core/likely/step_order.hpp"

#include <cmath>
#include <limits>

namespace simhash
{

namespace
{

std::uint64_t source_key(const StepSource *source, int tree)
{
    return static_cast<const SignatureSource *>(source)->keys[tree];
}

void tree_costs(const EagerSource *base, int tree, std::uint8_t cost[])
{
    const auto *source = static_cast<const SignatureSource *>(base);
    const std::uint16_t *bit = source->layout->key_bits(tree);
    for (int i = 0; i < source->costs.bits; i++)
        cost[i] = flip_cost(std::fabs(source->weights[bit[i]]) * source->per_weight);
}

void use_flip_costs(SignatureSearch *search, const float *weights)
{
    SignatureSource *source = &search->trees->source;
    float square = 0;
    for (int j = 0; weights != nullptr && j < search->meta->bits; j++)
        square += weights[j] * weights[j];
    square /= static_cast<float>(search->meta->bits);
    source->costs = {};
    if (!(square > 0) || !std::isfinite(square))
        return;
    source->layout = &search->meta->layout;
    source->weights = weights;
    source->per_weight = z_per_size(square);
    source->costs = {tree_costs, prefix_bits_for(search->size.leaves), kFlipCost};
}

// Starts to read the likeliest leaves of the plan, or all others.
void begin_leaves(SignatureSearch *search, bool likeliest)
{
    TreeSearch *trees = search->trees;
    trees->likeliest = likeliest;
    if (likeliest)
        begin_eager_source(&trees->source, search->radius);
    else
        begin_step_source(&trees->source, search->reader.index, search->radius);
    begin_reading(&search->reader, &trees->source);
}

// Whether the leaf is the one that returns a row: it is that of the first step in whose window the row has few enough
// errors, or one of those that are read first. The row has few enough in this step.
bool reported_here(const SignatureSearch &search, const std::uint8_t *signature)
{
    const SignatureSource &source = search.trees->source;
    const LocatedLeaf &leaf = search.reader.leaf;
    const auto key = [&](int tree) { return signature_key(search.meta->layout, tree, signature); };
    if (search.trees->likeliest)
        return source.is_new(leaf, key);
    for (int i = 0; i < source.step_of(leaf); i++) {
        const int tree = source.plan.step[i].tree;
        if (source.returns(tree, key(tree)))
            return false;
    }
    return !source.returned_before(key);
}

// Copies the positions of a locked leaf's entries that may be within the radius.
Size leaf_candidates(SignatureSearch *search, const char *page, const SearchStep &step)
{
    LeafQuery query = key_query(*search, step.tree, Min(search->radius, search->meta->layout.key_length()));
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
    if (search->by_trees.count + hits > kMostReturned)
        search->trees->scan_cost = std::numeric_limits<double>::infinity();
    else
        note_tids(&search->by_trees, search->hit, hits);
}

// Whether a scan of the store would cost less than the rest of the search of the trees.
bool scan_is_cheaper(const SignatureSearch &search)
{
    const TreeSearch &trees = *search.trees;
    if (trees.scan_follows)
        return search.by_trees.count > kMostReturned / 2;
    // A part of the scan's cost shows what the leaves hold; if it has been paid twice, the plan was wrong.
    constexpr double kSample = 0.25, kMost = 2;
    double left = Max(0.0, trees.source.plan.leaves - trees.leaves);
    return trees.spent > trees.scan_cost * kMost ||
           (trees.spent > trees.scan_cost * kSample && trees.spent / trees.leaves * left > trees.scan_cost);
}

// Returns false at the end, and if a scan of the store must find the other rows.
bool next_leaf_rows(SignatureSearch *search, Results *results)
{
    TreeSearch *trees = search->trees;
    while (!scan_is_cheaper(*search)) {
        Buffer buffer = read_next_leaf(&search->reader);
        if (!BufferIsValid(buffer)) {
            if (trees->scan_follows)
                break;
            if (!trees->likeliest)
                return false;
            begin_leaves(search, false);
            continue;
        }
        const SearchStep &step = trees->source.plan.step[trees->source.step_of(search->reader.leaf)];
        Size count = leaf_candidates(search, search->reader.page, step);
        BlockNumber block = BufferGetBlockNumber(buffer);
        UnlockReleaseBuffer(buffer);
        trace_read(*search, {SignatureRead::tree, search->reader.leaf.tree, block, count,
                             std::numeric_limits<double>::quiet_NaN()});
        Size hits = verify(search, count, reported_here);
        trees->spent += kLeafCost + static_cast<double>(count) * kCandidateCost;
        trees->leaves++;
        if (hits > 0) {
            note_returned(search, hits);
            *results = {search->hit, hits, 0};
            return true;
        }
    }
    begin_store_scan(search);
    return false;
}

// Starts the search of the trees by the plan, with so many of the likeliest leaves first.
void begin_trees(SignatureSearch *search, Size likeliest)
{
    TreeSearch *trees = search->trees;
    SignatureSource *source = &trees->source;
    for (int i = 0; i < source->plan.steps; i++)
        set_query_key(search, source->plan.step[i].tree);
    source->keys = search->key;
    source->key_of = source_key;
    source->within_budget = true;
    source->read.begin(trees->range, likeliest);
    trees->spent = trees->leaves = 0;
    search->more = next_leaf_rows;
    begin_leaves(search, likeliest > 0);
}

} // namespace

void plan_exact(SignatureSearch *search, const std::uint8_t *query, int radius)
{
    TreeSearch *trees = search->trees;
    const SignatureLayout &layout = search->meta->layout;
    search->query = query;
    search->radius = radius;
    const double cost = plan_trees(layout, radius, search->size, &trees->source.plan);
    trees->scan_cost = scan_cost(layout, search->shape, radius, search->size);
    trees->by_scan = cost > trees->scan_cost;
    search->exact_cost = Min(cost, trees->scan_cost);
}

void begin_exact(SignatureSearch *search)
{
    clear_set(&search->by_trees);
    search->trees->scan_follows = false;
    if (search->trees->by_scan)
        begin_store_scan(search);
    else
        begin_trees(search, 0);
}

void begin_likeliest(SignatureSearch *search, const float *weights)
{
    // The part of the cost that the first leaves may take.
    constexpr double kFirstPart = 1 / 24.0, kLeafAndCandidates = kLeafCost + 2 * kCandidateCost;
    TreeSearch *trees = search->trees;
    const SignatureLayout &layout = search->meta->layout;
    const double leaves =
        Min(search->exact_cost * kFirstPart / kLeafAndCandidates, double{TreeSearch::kMostLikeliest});
    if (leaves >= 2 && trees->by_scan)
        plan_trees(layout, Min(search->radius, 2 * layout.trees - 1), search->size, &trees->source.plan);
    if (leaves < 2 || trees->source.plan.steps == 0) { // it costs little, or there are no trees
        begin_exact(search);
        return;
    }
    clear_set(&search->by_trees);
    trees->scan_follows = trees->by_scan;
    use_flip_costs(search, weights);
    begin_trees(search, static_cast<Size>(leaves));
}

} // namespace simhash
