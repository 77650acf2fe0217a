// Estimates of searches of an index on signatures, from the plans of core/page/signature_plan.hpp: the
// leaves, the signatures that are compared, and the scan that a search changes to where that is cheaper. An advisor's
// hypothetical index has no metapage, so a usual length is assumed.
#include "am/search/cost.hpp"
#include "am/signatures/list_search.hpp"
#include "am/signatures/signature_kind.hpp"

namespace simhash
{

namespace
{

// Assumed of an advisor's hypothetical index, which has no metapage.
constexpr int kAssumedBits = 256;

// What searches of an index depend on.
struct Signatures {
    SignatureLayout layout;
    StoreShape shape;
    SignatureIndexSize size;
    ListMeta lists;
};

Signatures planned_signatures(const PlannedIndex &index)
{
    if (index.relation != nullptr) {
        const SignatureMeta &meta = signature_meta(*index_meta(index.relation));
        return {meta.layout, meta.shape(), signature_index_size(meta.layout, index.info->pages), meta.lists};
    }
    Signatures assumed = {};
    choose_layout(kAssumedBits, signature_trees({}, kAssumedBits), default_key_words(kAssumedBits), nullptr,
                  0, 0, nullptr, &assumed.layout);
    assumed.shape = store_shape(assumed.layout.bytes(), BLCKSZ);
    assumed.size = signature_index_size(assumed.layout, index.info->pages);
    return assumed;
}

// In memory a candidate of the trees costs less than its page. From disk its page is read at random.
SearchEstimate tree_estimate(double pages, double microseconds) { return {pages, pages, 1, microseconds}; }

double scan_microseconds(const Signatures &index, int radius)
{
    return scan_cost(index.layout, index.shape, radius, index.size);
}

SearchEstimate scan_estimate(double microseconds)
{
    return {microseconds / kStorePageCost, 0, 1, microseconds};
}

SearchEstimate exact_search(const Signatures &index, int radius)
{
    SearchPlan plan;
    const double cost = plan_trees(index.layout, radius, index.size, &plan);
    const double scan = scan_microseconds(index, radius);
    return cost <= scan ? tree_estimate(tree_pages(plan, cost), cost) : scan_estimate(scan);
}

// A search of the ball is exact if that is cheaper.
SearchEstimate ball_search(const Signatures &index, const PlannedBall &ball, double flips,
                           const SearchEstimate &exact)
{
    if (ball.exact)
        return exact;
    SearchPlan plan;
    const double probes = plan_probes(index.layout, flips, ball.recall, index.size, &plan);
    return probes < exact.microseconds ? tree_estimate(tree_pages(plan, probes), probes) : exact;
}

int signature_bits(const PlannedIndex &index)
{
    return index.relation == nullptr ? kAssumedBits : index_meta(index.relation)->bits;
}

SearchEstimate search_signatures(const PlannedIndex &planned, const PlannedSearch &search)
{
    const Signatures index = planned_signatures(planned);
    if (search.ball.radius < 0 || search.only_nulls) {
        const double leaves = Max(1.0, search.fraction * index.size.leaves);
        return {leaves, 1, 1, leaves * kLeafCost};
    }
    const int radius = Min(search.ball.radius, static_cast<int>(index.layout.bits));
    return ball_search(index, search.ball, static_cast<double>(radius) / index.layout.bits,
                       exact_search(index, radius));
}

// A search for the nearest rows by lists, if they suit it.
bool list_estimate(const Signatures &index, const PlannedSearch &search, double rows,
                   SearchEstimate *estimate)
{
    ListCost cost;
    if (search.ball.exact || !lists_suit(index.lists, index.shape, index.size, search.ball.recall, rows,
                                         scan_microseconds(index, index.layout.bits), &cost))
        return false;
    *estimate = {cost.microseconds / kStorePageCost, cost.lists, 1, cost.microseconds};
    return true;
}

// The first ring of ORDER BY finds near-duplicates. If it does not find enough rows, all others are searched.
OrderEstimate order_signatures(const PlannedIndex &planned, const PlannedSearch &search)
{
    const Signatures index = planned_signatures(planned);
    const double rows = search.fraction * planned.info->tuples;
    SearchEstimate lists;
    if (list_estimate(index, search, rows, &lists))
        return {lists, lists};
    const int bits = index.layout.bits;
    const int radius = Min(search.ball.radius, bits);
    const double scan = scan_microseconds(index, bits);
    const int ring = next_ring_end(index.layout, -1, scan, index.size);
    const SearchEstimate first = exact_search(index, ring);
    SearchEstimate all = first;
    if (radius > ring) {
        all.pages += scan / kStorePageCost;
        all.microseconds += scan;
    }
    return {rows > kMostNear ? all : first, all};
}

} // namespace

SignatureIndexSize signature_index_size(const SignatureLayout &layout, BlockNumber blocks)
{
    StoreShape shape = store_shape(layout.bytes(), BLCKSZ);
    double leaves_of_segment = layout.trees * shape.rows() / signature_leaf_rows(layout, BLCKSZ);
    double segments = blocks / (shape.pages() + leaves_of_segment);
    return signature_index_size(layout, shape, BLCKSZ, segments * shape.rows());
}

const SearchCosts kSignatureCosts = {signature_bits, search_signatures, order_signatures};

} // namespace simhash
