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

constexpr Size kMostPairs = 1 << 20; // that wait: they are sorted without a check for interrupts

// The tag of the version that the snapshot sees; 0 if it sees none.
uint64 visible_tag(PairOutput *output, int side, uint64 tag)
{
    PairSide *s = &output->side[side];
    ItemPointerData tid = pointer_of(Tid::unpack(tag & kTidMask));
    bool again = false;
    pgstat_count_index_tuples(s->index, 1);
    if (!table_index_fetch_tuple(s->fetch, &tid, output->snapshot, s->slot, &again, nullptr))
        return 0;
    pgstat_count_heap_fetch(s->index);
    return tid_of(&s->slot->tts_tid).packed() | kVisible;
}

// Calls settle(at, tag) for each probe, in the order of the tids, with the tag of the visible version.
template <typename Settle> void check_probes(PairOutput *output, Size probes, Settle settle)
{
    std::sort(output->probe, output->probe + probes,
              [](const Probe &a, const Probe &b) { return a.key < b.key; });
    uint64 last = 0, tag = 0;
    for (Size i = 0; i < probes; i++) {
        const Probe &probe = output->probe[i];
        if (i == 0 || probe.key != last) {
            CHECK_FOR_INTERRUPTS();
            last = probe.key;
            tag = visible_tag(output, static_cast<int>(probe.key >> 48 & 1), probe.key);
        }
        settle(probe.at, tag);
    }
    for (int side = 0; side < output->sides; side++) {
        ExecClearTuple(output->side[side].slot);
        table_index_fetch_reset(output->side[side].fetch);
    }
}

} // namespace

Rows allocate_rows(Size capacity)
{
    Rows rows;
    rows.fingerprint = static_cast<Fingerprint *>(
        MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Fingerprint) * capacity));
    rows.tag = static_cast<uint64 *>(MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint64) * capacity));
    rows.count = 0;
    return rows;
}

void begin_output(PairOutput *output, Size bytes, Size extra)
{
    output->capacity =
        std::clamp<Size>(bytes / (sizeof(FoundPair) + 2 * sizeof(Probe) + extra), 1024, kMostPairs);
    output->pair = static_cast<FoundPair *>(
        MemoryContextAllocHuge(CurrentMemoryContext, sizeof(FoundPair) * output->capacity));
    output->probe = static_cast<Probe *>(
        MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Probe) * 2 * output->capacity));
    for (int side = 0; side < output->sides; side++) {
        output->side[side].fetch = table_index_fetch_begin(output->side[side].heap);
        output->side[side].slot = table_slot_create(output->side[side].heap, nullptr);
    }
}

void end_output(PairOutput *output)
{
    flush_pairs(output);
    for (int side = 0; side < output->sides; side++) {
        ExecDropSingleTupleTableSlot(output->side[side].slot);
        table_index_fetch_end(output->side[side].fetch);
    }
    pfree(output->pair);
    pfree(output->probe);
}

void flush_pairs(PairOutput *output)
{
    if (output->pass != nullptr)
        resolve_pairs(output);
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
    if (output->unseen > output->many_unseen && output->unseen > output->seen)
        output->filter_early = true;
}

void filter_rows(PairOutput *output, int side, Rows *rows)
{
    bool stored = output->pass != nullptr;
    for (Size done = 0; done < rows->count;) {
        Size probes = 0;
        for (; done < rows->count && probes < 2 * output->capacity; done++) {
            // Rows already marked are skipped: their tid may be in the middle of a HOT chain, where a lookup
            // finds nothing.
            if (rows->tag[done] & kVisible)
                continue;
            uint64 tid = stored ? stored_tid(output->side[side], rows->tag[done]) : rows->tag[done];
            if (tid == kNoRow)
                continue; // removed since it was read
            output->probe[probes++] = {static_cast<uint64>(side) << 48 | tid, done};
        }
        check_probes(output, probes, [rows, stored](Size at, uint64 tag) {
            rows->tag[at] = stored ? rows->tag[at] | (tag & kVisible) : tag;
        });
    }
    Size kept = 0;
    for (Size i = 0; i < rows->count; i++) {
        if (rows->tag[i] & kVisible)
            rows->set(kept++, rows->fingerprint[i], rows->tag[i]);
    }
    rows->count = kept;
}

} // namespace simhash
