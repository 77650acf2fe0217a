// Turns pairs of index entries into pairs of visible rows.
//
// Only rows that are members of a pair are looked up in the table. The lookups are made in the order of the
// tids, so that each table page is read once for all waiting pairs.
//
// An entry may belong to a row that the snapshot does not see, or that no longer exists: VACUUM may remove it
// while the join runs, and an insert may reuse the tuple's place before it is looked up. The snapshot is an
// MVCC snapshot and older than that insert, so it does not see the new row. A row that it does see was not
// removed, and had its entry when its leaf was read. The row's fingerprint is the entry's: a tuple version
// that cannot be reached from the root of its HOT chain has an entry of its own, and all versions in a chain
// agree in the indexed columns. (After an index build over broken HOT chains they may differ; then the index
// is not used with an old snapshot: see pairs.cpp.)
#include "am/pairs/pairs.hpp"

extern "C" {
#include "executor/executor.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "utils/memutils.h"
}

namespace simhash
{

namespace
{

constexpr Size kMostPairs = 1 << 20;       // that wait: they are sorted without a check for interrupts
constexpr Size kMostPairsOfTeam = 1 << 16; // so that nobody waits long for a process that is busy with them

// Releases the page of the last row fetched.
void reset_fetch(const PairPart *part)
{
    if (part == nullptr)
        return;
    ExecClearTuple(part->slot);
    table_index_fetch_reset(part->fetch);
}

// The tag of the version that the snapshot sees; 0 if it sees none. Sets *last to the part of the row.
uint64 visible_tag(PairOutput *output, int side, uint64 tag, const PairPart **last)
{
    const BlockNumbers &blocks = output->side[side].tids.blocks;
    int number = blocks.relation(tag & kTidMask);
    const PairPart *part = &output->side[side].part[number];
    if (part != *last)
        reset_fetch(*last);
    *last = part;
    ItemPointerData tid = pointer_of(Tid::unpack(blocks.packed(number, tag & kTidMask)));
    bool again = false;
    pgstat_count_index_tuples(part->index, 1);
    if (!table_index_fetch_tuple(part->fetch, &tid, output->snapshot, part->slot, &again, nullptr))
        return 0;
    pgstat_count_heap_fetch(part->index);
    return blocks.number(number, tid_of(&part->slot->tts_tid).packed()) | kVisible;
}

// Calls settle(at, tag) for each probe, in the order of the rows, with the tag of the visible version.
template <typename Settle> void check_probes(PairOutput *output, Size probes, Settle settle)
{
    std::sort(output->probe, output->probe + probes,
              [](const Probe &a, const Probe &b) { return a.key < b.key; });
    uint64 last = 0, tag = 0;
    const PairPart *part = nullptr;
    for (Size i = 0; i < probes; i++) {
        const Probe &probe = output->probe[i];
        if (i == 0 || probe.key != last) {
            CHECK_FOR_INTERRUPTS();
            last = probe.key;
            tag = visible_tag(output, static_cast<int>(probe.key >> 48 & 1), probe.key, &part);
        }
        settle(probe.at, tag);
    }
    reset_fetch(part);
}

// Calls visit(part) for each part of each side.
template <typename Visit> void visit_parts(PairOutput *output, Visit visit)
{
    for (int side = 0; side < output->sides; side++) {
        for (int i = 0; i < output->side[side].parts; i++)
            visit(&output->side[side].part[i]);
    }
}

} // namespace

Rows allocate_rows(Size capacity)
{
    Rows rows;
    rows.word = static_cast<Fingerprint *>(
        MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Fingerprint) * capacity));
    rows.tag = static_cast<uint64 *>(MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint64) * capacity));
    rows.count = 0;
    return rows;
}

void begin_output(PairOutput *output, Size bytes, Size extra)
{
    output->capacity = std::clamp<Size>(bytes / (sizeof(FoundPair) + 2 * sizeof(Probe) + extra), 1024,
                                        output->team == nullptr ? kMostPairs : kMostPairsOfTeam);
    output->pair = static_cast<FoundPair *>(
        MemoryContextAllocHuge(CurrentMemoryContext, sizeof(FoundPair) * output->capacity));
    output->probe = static_cast<Probe *>(
        MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Probe) * 2 * output->capacity));
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
    Size probes = 0;
    for (Size i = 0; i < output->pairs; i++) {
        for (int place = 0; place < 2; place++) {
            uint64 tag = output->pair[i].tag[place];
            uint64 side = place < output->sides ? static_cast<uint64>(place) : 0;
            if (!(tag & kVisible))
                output->probe[probes++] = {side << 48 | (tag & kTidMask), 2 * i + static_cast<Size>(place)};
        }
    }
    check_probes(output, probes, [output](Size at, uint64 tag) {
        uint64 *member = &output->pair[at / 2].tag[at % 2];
        *member = (*member & ~(kTidMask | kVisible)) | tag;
    });
    for (Size i = 0; i < output->pairs; i++) {
        FoundPair pair = output->pair[i];
        if (!(pair.tag[0] & pair.tag[1] & kVisible)) {
            output->unseen++;
            continue;
        }
        output->seen++;
        int distance = static_cast<int>(pair.tag[0] >> kDistanceShift);
        if (output->sides == 1 && !output->queries) {
            uint64 a = pair.tag[0] & kTidMask, b = pair.tag[1] & kTidMask;
            pair = {{std::min(a, b), std::max(a, b)}};
            if (a == b)
                continue; // two entries of one row, which an intact index does not have
        }
        output->sink.put(output->sink.context, pair.tag[0] & kTidMask, pair.tag[1] & kTidMask, distance);
    }
    output->pairs = 0;
    receive_pairs(output);
    if (output->unseen > output->many_unseen && output->unseen > output->seen)
        output->filter_early = true;
}

void filter_rows(PairOutput *output, int side, Rows *rows)
{
    auto row_of = output->source == nullptr ? nullptr : output->source->row_of;
    for (Size done = 0; done < rows->count;) {
        Size probes = 0;
        for (; done < rows->count && probes < 2 * output->capacity; done++) {
            // Rows already marked are skipped: their tid may be in the middle of a HOT chain, where a lookup
            // finds nothing.
            if (rows->tag[done] & kVisible)
                continue;
            uint64 row = row_of == nullptr ? rows->tag[done] : row_of(output->side[side], rows->tag[done]);
            if (row == kNoRow)
                continue; // removed since it was read
            output->probe[probes++] = {static_cast<uint64>(side) << 48 | row, done};
        }
        check_probes(output, probes, [rows, row_of](Size at, uint64 tag) {
            rows->tag[at] = row_of == nullptr ? tag : rows->tag[at] | (tag & kVisible);
        });
    }
    Size kept = 0;
    for (Size i = 0; i < rows->count; i++) {
        if (rows->tag[i] & kVisible)
            rows->set(kept++, rows->word[i], rows->tag[i]);
    }
    rows->count = kept;
}

} // namespace simhash
