// Drains a search for the sink of its output, with parallel workers where the merged queries are worth it.
#include "am/match/match_state.hpp"

#include <numeric>

namespace simhash
{

namespace
{

// Into how many shares each table is divided: as few as give every process as many, since each goes through all queries.
// If one match is enough, all processes take shares of the first table first.
int shares_of_tables(const MatchSearch &search, int processes)
{
    return search.first_only ? processes
                             : processes / std::gcd(processes, static_cast<int>(meta_of(search).tables));
}

// Starts workers if the queries are worth it.
void begin_workers_of(MatchSearch *search)
{
    constexpr double kQuery = 2000, kOpenPart = 50000; // nanoseconds
    MergedQueries *merged = &search->merged;
    PairOutput *output = search->output;
    const double parts = output->side[0].parts;
    const int workers = planned_pair_workers(*output, kQuery * merged->queries - kOpenPart * (parts - 1));
    if (workers == 0)
        return;
    const Size bytes = sizeof(SharedQueries) + sizeof(SharedQuery) * merged->queries;
    auto *shared = static_cast<SharedQueries *>(MemoryContextAllocHuge(search->context, bytes));
    std::memset(shared, 0, sizeof(SharedQueries));
    shared->part = search->part;
    shared->first_only = search->first_only;
    shared->shares = shares_of_tables(*search, workers + 1);
    shared->bytes = search->bytes / 3 / static_cast<Size>(workers + 1);
    shared->count = merged->queries;
    for (int radius = 0; radius <= kBits; radius++) {
        if (search->plan[radius] != nullptr)
            shared->plan[radius] = *search->plan[radius];
    }
    for (uint32 i = 0; i < merged->queries; i++)
        shared->query[i] = query_at(*search, i);
    merged->shared =
        static_cast<SharedQueries *>(begin_pair_team(output, "simhash_match_worker", workers, shared, bytes));
    pfree(shared);
}

// A worker's search.
MatchSearch *join_match(PairOutput *output, SharedQueries *shared)
{
    MatchSearch *search = new_match(output, shared->part, shared->first_only, 0);
    MergedQueries *merged = &search->merged;
    merged->shared = shared;
    merged->queries = shared->count;
    merged->order = allocate_items<MergedQuery>(*search, shared->count);
    merged->spare = allocate_items<MergedQuery>(*search, shared->count);
    for (int radius = 0; radius <= kBits; radius++)
        search->plan[radius] = shared->plan[radius].steps > 0 ? &shared->plan[radius] : nullptr;
    return search;
}

void pass_on(MatchSearch *search)
{
    flush_pairs(search->output);
    want_more(search);
}

} // namespace

void run_match(MatchSearch *search, bool all)
{
    PairOutput *output = search->output;
    begin_workers_of(search);
    while (read_merged(search))
        pass_on(search);
    end_pair_team(output);
    search->merged.shared = nullptr;
    while (read_noted(search, all || search->crowded))
        pass_on(search);
}

QueuedQuery *passed_query(MatchSearch *search, uint64 number)
{
    QueuedQuery *query = search->reading + number;
    if (query->matched)
        return nullptr;
    query->matched = search->first_only;
    if (search->merged.shared != nullptr)
        search->merged.shared->query[number].matched = query->matched;
    return query;
}

} // namespace simhash

// Parallel workers find this function by its name.
extern "C" __attribute__((visibility("default"))) void simhash_match_worker(dsm_segment *segment,
                                                                            shm_toc *toc);

void simhash_match_worker(dsm_segment *segment, shm_toc *toc)
{
    using namespace simhash;
    void *shared;
    PairOutput *output = join_pair_team(segment, toc, &shared);
    auto *queries = static_cast<SharedQueries *>(shared);
    begin_output(output, queries->bytes);
    MatchSearch *search = join_match(output, queries);
    while (read_merged(search))
        pass_on(search);
    end_output(output);
    leave_pair_team(output, toc);
}
