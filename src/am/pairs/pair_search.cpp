#include "am/pairs/pair_search.hpp"

#include "am/index/kind.hpp"
#include "am/pairs/pair_output.hpp"
#include "am/pairs/pair_spool.hpp"

extern "C" {
#include "executor/instrument.h"
#include "miscadmin.h"
#include "utils/memutils.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

constexpr Size kFirstPairs = 256;
constexpr Size kMostPairsTaken = 1 << 15; // at once

struct TakenPair {
    uint64 a, b; // the distance is above the bits of `a`

    bool operator<(const TakenPair &other) const { return b < other.b; }
};

void spool_pair(void *context, uint64 a, uint64 b, uint64 distance)
{
    add_row(static_cast<PairSpool *>(context), 0, a | distance << kDistanceShift, b);
}

} // namespace

struct SharedPairs {
    pg_atomic_uint32 next_task;
    // and the kind's plan
    void *plan() { return reinterpret_cast<char *>(this) + MAXALIGN(sizeof(SharedPairs)); }
};

struct PairSearch {
    MemoryContext context;
    PairOutput output;
    PairWork *work; // null if there are no pairs
    bool done;      // the work
    Size wanted;    // pairs to wait for
    PairSpool *spool;
    uint64 read;  // of the pairs in the spool
    Rows portion; // room to read them
    TakenPair *pair;
    Size pairs, at;
    PairCounts counts;
};

namespace
{

// Works until enough pairs wait, and passes them to the spool. Returns false if there are no more.
bool find_more(PairSearch *search)
{
    PairOutput *output = &search->output;
    clear_pair_spool(search->spool);
    search->read = 0;
    while (!search->done && spooled_rows(search->spool, 0) == 0) {
        while (!search->done && output->pairs < search->wanted) {
            CHECK_FOR_INTERRUPTS();
            search->done = !search->work->next(search->work);
            if (spooled_rows(search->spool, 0) > 0)
                break; // more than could wait
        }
        flush_pairs(output);
    }
    search->wanted = std::min(4 * search->wanted, std::max(output->capacity, kFirstPairs));
    return spooled_rows(search->spool, 0) > 0;
}

// Reads the next portion of the pairs found. Returns false if there are no more.
bool take_pairs(PairSearch *search)
{
    if (search->read == spooled_rows(search->spool, 0) && (search->done || !find_more(search)))
        return false;
    Rows *portion = &search->portion;
    read_rows(search->spool, 0, search->read, kMostPairsTaken, portion);
    search->read += portion->count;
    for (Size i = 0; i < portion->count; i++)
        search->pair[i] = {portion->word[i], portion->tag[i]};
    std::sort(search->pair, search->pair + portion->count);
    search->pairs = portion->count;
    search->at = 0;
    return true;
}

void use_tables(const SearchedSide *searched, int count, Snapshot snapshot, PairOutput *output)
{
    output->snapshot = snapshot;
    output->sides = count;
    output->wanted = PairsWanted::all;
    for (int i = 0; i < count; i++) {
        begin_side(searched[i].parts, &output->side[i]);
        for (int part = 0; part < searched[i].parts; part++)
            use_part(searched[i].part[part].index, searched[i].part[part].table, &output->side[i], part);
    }
}

void set_row(const PairSide &side, uint64 number, int place, JoinedRows *pair)
{
    pair->part[place] = side.tids.blocks.relation(number);
    pair->row[place] = side.tids.tid_of(number);
}

} // namespace

Size shared_pairs_size(Relation index)
{
    return MAXALIGN(sizeof(SharedPairs)) + kind_of(index).join_plan_bytes;
}

void share_pair_search(const SearchedSide *searched, int count, int distance, Snapshot snapshot,
                       int processes, SharedPairs *shared)
{
    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash pair plan", ALLOCSET_DEFAULT_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(context);
    PairOutput output = {};
    use_tables(searched, count, snapshot, &output);
    const IndexMeta &meta = output.side[0].meta();
    meta.kind->plan_join(&output, std::min(distance, meta.bits), processes, shared->plan());
    pg_atomic_init_u32(&shared->next_task, 0);
    MemoryContextSwitchTo(caller);
    MemoryContextDelete(context);
}

PairSearch *begin_pair_search(const SearchedSide *searched, int count, int distance, Snapshot snapshot,
                              SharedPairs *shared)
{
    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash pair search", ALLOCSET_DEFAULT_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(context);
    auto *search = static_cast<PairSearch *>(palloc0(sizeof(PairSearch)));
    search->context = context;
    search->wanted = kFirstPairs;
    search->spool = begin_pair_spool(pair_memory() / 8, 1, static_cast<double>(pair_memory()));
    search->portion = allocate_rows(kMostPairsTaken);
    search->pair = static_cast<TakenPair *>(palloc(sizeof(TakenPair) * kMostPairsTaken));
    PairOutput *output = &search->output;
    use_tables(searched, count, snapshot, output);
    output->sink = {spool_pair, search->spool};
    if (shared != nullptr)
        output->tasks = {&shared->next_task, 0, PairTasks::kNoTask};
    search->work = begin_pairs(output, distance, shared == nullptr ? nullptr : shared->plan());
    search->done = search->work == nullptr;
    MemoryContextSwitchTo(caller);
    return search;
}

bool next_pair(PairSearch *search, JoinedRows *pair)
{
    if (search->at == search->pairs) {
        MemoryContext caller = MemoryContextSwitchTo(search->context);
        const int64 written = pgBufferUsage.temp_blks_written;
        const bool more = take_pairs(search);
        PairCounts *counts = &search->counts;
        counts->spilled += (pgBufferUsage.temp_blks_written - written) * BLCKSZ;
        counts->memory = std::max(counts->memory, MemoryContextMemAllocated(search->context, true));
        MemoryContextSwitchTo(caller);
        if (!more)
            return false;
    }
    const TakenPair &found = search->pair[search->at++];
    const PairOutput &output = search->output;
    set_row(output.side[0], found.a & kTidMask, 0, pair);
    set_row(output.side[output.sides - 1], found.b, 1, pair);
    pair->distance = static_cast<int>(found.a >> kDistanceShift);
    search->counts.pairs++;
    return true;
}

PairCounts pair_counts(const PairSearch *search)
{
    PairCounts counts = search->counts;
    counts.pages = search->output.pages;
    return counts;
}

void end_pair_search(PairSearch *search)
{
    search->output.pairs = 0;
    if (search->work != nullptr)
        search->work->end(search->work);
    end_pair_spool(search->spool);
    MemoryContextDelete(search->context);
}

} // namespace simhash
