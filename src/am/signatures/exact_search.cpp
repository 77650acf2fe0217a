#include "am/signatures/exact_search.hpp"

#include "am/signatures/candidate_rows.hpp"
#include "am/signatures/store_scan.hpp"

#include <limits>

extern "C" {
#include "utils/memutils.h"
}

namespace simhash
{

namespace
{

std::uint64_t source_key(const ExactSource *source, int table)
{
    return static_cast<const SignatureSource *>(source)->keys[table];
}

} // namespace

void begin_exact(SignatureSearch *search)
{
    search->skip_seen = search->skip_seen || search->probing;
    search->probing = false;
    search->spent = search->leaves = 0;
    search->returned.count = 0;
    if (search->scanning) {
        begin_scan_of_store(search);
        return;
    }
    const SearchPlan &plan = search->exact.plan;
    for (int i = 0; i < plan.steps; i++)
        set_query_key(search, plan.step[i].table);
    search->exact.keys = search->key;
    search->exact.key_of = source_key;
    begin_exact_source(&search->exact, search->radius, {false, 0});
    begin_reading(&search->reader, &search->exact);
}

namespace
{

// Copies the positions of a locked leaf's entries that may be within the radius.
Size leaf_candidates(SignatureSearch *search, const char *page, const SearchStep &step)
{
    std::uint64_t query = search->key[step.table], header = leading_bits(step.header_bits);
    int radius = Min(search->radius, search->meta->layout.key_length());
    int matches = match_keys(search, page, step.table, radius);
    Size count = 0;
    for (int i = 0; i < matches; i++) {
        std::uint64_t errors = leaf_key(page, search->match[i]) ^ query;
        if (std::popcount(errors & header) <= static_cast<int>(step.budget))
            search->position[count++] = leaf_tid(page, search->match[i]).packed();
    }
    return count;
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
        if (!BufferIsValid(buffer))
            return false;
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
