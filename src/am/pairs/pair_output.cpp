// Turns pairs of index entries into pairs of visible rows. Only rows that are members of a pair are looked up.
#include "am/pairs/pair_output.hpp"

#include "am/index/kind.hpp"

extern "C" {
#include "executor/executor.h"
#include "pgstat.h"
#include "utils/memutils.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

// Calls visit(part) for each part of each side that is of a table.
template <typename Visit> void visit_parts(PairOutput *output, Visit visit)
{
    for (int side = 0; side < output->sides; side++) {
        for (int i = 0; i < output->side[side].parts; i++) {
            if (output->side[side].part[i].heap != nullptr)
                visit(&output->side[side].part[i]);
        }
    }
}

} // namespace

void begin_output(PairOutput *output, Size bytes, Size extra)
{
    constexpr Size kProbes = 2 * 2;
    // Besides the matches that a search waits for there is room for those in a leaf (match_search.cpp).
    const Size least = 1024 + static_cast<Size>(leaf_capacity(BLCKSZ));
    if (output->columns != nullptr) {
        output->row_bytes = sizeof(uint64) * static_cast<Size>(output->columns->words);
        extra += 2 * output->row_bytes;
    }
    output->capacity =
        std::clamp<Size>(bytes / (sizeof(FoundPair) + kProbes * sizeof(Probe) + extra), least, kMostPairs);
    output->pair = allocate_huge<FoundPair>(output->capacity);
    output->probe = allocate_huge<Probe>(kProbes * output->capacity);
    if (output->columns != nullptr) {
        output->kept = allocate_huge<uint64>(2 * output->capacity * output->row_bytes / sizeof(uint64));
        output->page_row = static_cast<uint64 *>(palloc(output->row_bytes << Probe::kOffsetBits));
    }
    visit_parts(output, [](PairPart *part) {
        part->fetch = begin_index_fetch(part->heap);
        part->slot = table_slot_create(part->heap, nullptr);
    });
}

void end_output(PairOutput *output)
{
    flush_pairs(output);
    visit_parts(output, [](PairPart *part) {
        ExecDropSingleTupleTableSlot(part->slot);
        table_index_fetch_end(part->fetch);
    });
}

void settle_pairs(PairOutput *output)
{
    if (output->source != nullptr && output->source->resolve != nullptr)
        output->source->resolve(output);
    look_up_members(output);
    Size kept = 0;
    for (Size i = 0; i < output->pairs; i++) {
        const FoundPair pair = output->pair[i];
        if (!(pair.tag[0] & pair.tag[1] & kVisible)) {
            output->unseen++;
            continue;
        }
        output->seen++;
        if (output->sides == 1 && ((pair.tag[0] ^ pair.tag[1]) & kTidMask) == 0)
            continue; // two entries of one row, which an intact index does not have
        if (output->columns != nullptr && kept < i)
            std::memcpy(output->kept_row(2 * kept), output->kept_row(2 * i), 2 * output->row_bytes);
        output->pair[kept++] = pair;
    }
    output->pairs = kept;
    output->thinned = output->thinning;
    if (output->unseen > output->many_unseen && output->unseen > output->seen)
        output->filter_early = true;
}

void flush_pairs(PairOutput *output)
{
    settle_pairs(output);
    if (output->sink.put_settled != nullptr)
        output->sink.put_settled(output->sink.context);
    for (Size i = 0; i < output->pairs && output->sink.put_settled == nullptr; i++) {
        const FoundPair pair = output->pair[i];
        uint64 a = pair.tag[0] & kTidMask, b = pair.tag[1] & kTidMask;
        if (output->sides == 1 && a > b)
            std::swap(a, b);
        output->sink.put(output->sink.context, a, b, pair.tag[0] >> kDistanceShift);
    }
    output->pairs = 0;
}

PairWork *begin_pairs(PairOutput *output, int distance, const void *plan)
{
    const IndexMeta &meta = output->side[0].meta();
    for (int i = 0; i < output->sides; i++) {
        for (int j = 0; j < output->side[i].parts; j++) {
            const OpenIndex &index = output->side[i].part[j].index;
            if (index.meta->kind != meta.kind || index.meta->bits != meta.bits)
                elog(ERROR, "cannot join indexes of different values");
            pgstat_count_index_scan(index);
        }
    }
    return plan != nullptr ? meta.kind->begin_join(output, plan)
                           : meta.kind->join(output, Min(distance, meta.bits));
}

void link_pairs(PairOutput *output, int distance, PairSink sink)
{
    PairOutput again = {};
    again.snapshot = output->snapshot;
    again.sides = output->sides;
    again.side[0] = output->side[0];
    again.links = true;
    again.sink = sink;
    *output = again;
    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash join", ALLOCSET_DEFAULT_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(context);
    finish_work(begin_pairs(output, distance));
    MemoryContextSwitchTo(caller);
    MemoryContextDelete(context);
}

} // namespace simhash
