// Turns pairs of index entries into pairs of visible rows. Only rows that are members of a pair are looked up.
#include "am/pairs/pair_output.hpp"

extern "C" {
#include "executor/executor.h"
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
    constexpr Size kProbeBytes = 2 * 2 * sizeof(Probe);
    // Besides the matches that a search waits for there is room for those in a leaf (match_search.cpp).
    const Size least = 1024 + static_cast<Size>(leaf_capacity(BLCKSZ));
    output->capacity = std::clamp<Size>(bytes / (sizeof(FoundPair) + kProbeBytes + extra), least, kMostPairs);
    output->pair = static_cast<FoundPair *>(
        MemoryContextAllocHuge(CurrentMemoryContext, sizeof(FoundPair) * output->capacity));
    output->probe =
        static_cast<Probe *>(MemoryContextAllocHuge(CurrentMemoryContext, kProbeBytes * output->capacity));
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
    pfree(output->pair);
    pfree(output->probe);
}

void flush_pairs(PairOutput *output)
{
    if (output->source != nullptr && output->source->resolve != nullptr)
        output->source->resolve(output);
    look_up_members(output);
    for (Size i = 0; i < output->pairs; i++) {
        FoundPair pair = output->pair[i];
        if (!(pair.tag[0] & pair.tag[1] & kVisible)) {
            output->unseen++;
            continue;
        }
        output->seen++;
        const uint64 distance = pair.tag[0] >> kDistanceShift;
        if (output->sides == 1 && !output->queries) {
            uint64 a = pair.tag[0] & kTidMask, b = pair.tag[1] & kTidMask;
            pair = {{std::min(a, b), std::max(a, b)}};
            if (a == b)
                continue; // two entries of one row, which an intact index does not have
        }
        output->sink.put(output->sink.context, pair.tag[0] & kTidMask, pair.tag[1] & kTidMask, distance);
    }
    output->pairs = 0;
    output->thinned = output->thinning;
    if (output->unseen > output->many_unseen && output->unseen > output->seen)
        output->filter_early = true;
}

} // namespace simhash
