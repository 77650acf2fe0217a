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

struct SharedPairs {
    pg_atomic_uint32 next_task;
    // and the kind's plan
    void *plan() { return reinterpret_cast<char *>(this) + MAXALIGN(sizeof(SharedPairs)); }
};

struct PairSearch {
    MemoryContext context;
    PairOutput output;
    PairWork *work;
    bool done;   // the work
    Size wanted; // pairs to wait for
    PairSpool *spool;
    uint64 read;  // of the spool's rows
    Rows portion; // room to read them
    Size at;      // the next of the output's pairs
    PairCounts counts;
};

namespace
{

constexpr Size kFirstPairs = 256;
constexpr Size kPortion = 4096; // rows of the spool

// Pairs are spooled when there is no room for them: a row for each word that their rows keep, otherwise one for the pair.
Size spooled_words(const PairOutput &output)
{
    return output.columns == nullptr ? 1 : static_cast<Size>(output.columns->words);
}

void spool_pairs(void *context)
{
    auto *search = static_cast<PairSearch *>(context);
    const PairOutput &output = search->output;
    const Size words = spooled_words(output);
    for (Size i = 0; i < output.pairs; i++) {
        if (output.columns == nullptr) {
            add_row(search->spool, 0, output.pair[i].tag[0], output.pair[i].tag[1]);
            continue;
        }
        const uint64 *a = output.kept_row(2 * i), *b = output.kept_row(2 * i + 1);
        for (Size word = 0; word < words; word++)
            add_row(search->spool, 0, a[word], b[word]);
    }
}

// Reads spooled pairs into the output.
void unspool_pairs(PairSearch *search)
{
    PairOutput *output = &search->output;
    Rows *portion = &search->portion;
    const Size words = spooled_words(*output);
    while (output->pairs < output->capacity && search->read < spooled_rows(search->spool, 0)) {
        CHECK_FOR_INTERRUPTS();
        const Size most = std::min(kPortion / words, output->capacity - output->pairs) * words;
        read_rows(search->spool, 0, search->read, most, portion);
        search->read += portion->count;
        for (Size i = 0; i < portion->count; i += words, output->pairs++) {
            output->pair[output->pairs] = {{portion->word[i], portion->tag[i]}};
            if (output->columns == nullptr)
                continue;
            std::memcpy(output->kept_row(2 * output->pairs), portion->word + i, output->row_bytes);
            std::memcpy(output->kept_row(2 * output->pairs + 1), portion->tag + i, output->row_bytes);
        }
    }
}

// Works until enough pairs wait.
void find_more(PairSearch *search)
{
    PairOutput *output = &search->output;
    clear_pair_spool(search->spool);
    search->read = 0;
    while (!search->done && output->pairs < search->wanted && spooled_rows(search->spool, 0) == 0) {
        CHECK_FOR_INTERRUPTS();
        search->done = !search->work->next(search->work);
    }
    if (spooled_rows(search->spool, 0) > 0) // more than could wait
        flush_pairs(output);
    else
        settle_pairs(output);
    const Size most = output->capacity - output->capacity / 4; // one piece of work may find some more
    search->wanted = std::min(4 * search->wanted, std::max(most, kFirstPairs));
}

// Takes the next portion of the pairs found. Returns false if there are no more.
bool take_pairs(PairSearch *search)
{
    PairOutput *output = &search->output;
    output->pairs = search->at = 0;
    while (output->pairs == 0 && (!search->done || search->read < spooled_rows(search->spool, 0))) {
        if (search->read == spooled_rows(search->spool, 0))
            find_more(search);
        unspool_pairs(search);
    }
    if (output->columns == nullptr)
        std::sort(output->pair, output->pair + output->pairs,
                  [](const FoundPair &a, const FoundPair &b) { return a.tag[1] < b.tag[1]; });
    return output->pairs > 0;
}

void use_tables(const SearchedSide *searched, int count, Snapshot snapshot, PairOutput *output)
{
    output->snapshot = snapshot;
    output->sides = count;
    for (int i = 0; i < count; i++) {
        begin_side(searched[i].parts, &output->side[i]);
        for (int part = 0; part < searched[i].parts; part++)
            use_part(searched[i].part[part].index, searched[i].part[part].table, snapshot, &output->side[i],
                     part);
    }
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
                              const KeptColumns *columns, SharedPairs *shared)
{
    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash pair search", ALLOCSET_DEFAULT_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(context);
    auto *search = allocate_zero<PairSearch>();
    search->context = context;
    search->wanted = kFirstPairs;
    search->spool = begin_pair_spool(pair_memory() / 8, 1, static_cast<double>(pair_memory()));
    search->portion = allocate_rows(kPortion);
    PairOutput *output = &search->output;
    use_tables(searched, count, snapshot, output);
    output->columns = columns;
    output->sink = {nullptr, search, spool_pairs};
    if (shared != nullptr)
        output->tasks = {&shared->next_task, 0, PairTasks::kNoTask};
    search->work = begin_pairs(output, distance, shared == nullptr ? nullptr : shared->plan());
    MemoryContextSwitchTo(caller);
    return search;
}

bool next_pair(PairSearch *search, JoinedRows *pair)
{
    PairOutput *output = &search->output;
    if (search->at == output->pairs) {
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
    const Size at = search->at++;
    for (int i = 0; i < 2; i++) {
        const uint64 *kept =
            output->columns == nullptr ? nullptr : output->kept_row(2 * at + static_cast<Size>(i));
        pair->kept[i] = kept != nullptr && kept[0] & kNotKept ? nullptr : kept;
        if (pair->kept[i] != nullptr)
            continue;
        const BlockNumbers &tids = output->side[output->sides == 1 ? 0 : i].tids;
        const uint64 number = kept != nullptr ? kept[1] : output->pair[at].tag[i] & kTidMask;
        pair->part[i] = tids.relation(number);
        pair->row[i] = tids.tid_of(number);
    }
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
    search->work->end(search->work);
    end_pair_spool(search->spool);
    MemoryContextDelete(search->context);
}

} // namespace simhash
