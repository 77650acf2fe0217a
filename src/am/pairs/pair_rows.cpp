// Looks up the rows of index entries, in the order of the tids: each page of the table is read once for all that wait.
//
// An entry may belong to a row that the snapshot does not see, or that no longer exists: VACUUM may remove it
// while the join runs, and an insert may reuse the tuple's place before it is looked up. The snapshot is an
// MVCC snapshot and older than that insert, so it does not see the new row. A row that it does see was not
// removed (unless the snapshot is too old: see test_old_snapshot), and had its entry when its leaf was read. The
// row's fingerprint is the entry's: a tuple version that cannot be reached from the root of its HOT chain has an
// entry of its own, and all versions in a chain agree in the indexed columns. (After an index build over broken
// HOT chains they may differ; then the index is not used with an old snapshot: see pairs.cpp.)
#include "am/pairs/pair_output.hpp"

#include "core/bits/digit_sort.hpp"

extern "C" {
#include "access/heapam.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
}

namespace simhash
{

namespace
{

RowProbes sort_probes(PairOutput *output, Size count)
{
    const Probe *sorted = sort_by_digits(output->probe, output->probe + 2 * output->capacity, count,
                                         Probe::kPlaceBits, 64, [](Probe p) { return p.word; });
    return {sorted, sorted + count};
}

void count_row(const PairPart &part, bool seen)
{
    pgstat_count_index_tuples(part.index, 1);
    if (seen)
        pgstat_count_heap_fetch(part.index);
}

// The offset of the version that the snapshot sees of a row of a heap page, which is locked; InvalidOffsetNumber if it
// sees none. On a page all of whose rows are visible, no row has other versions.
OffsetNumber visible_offset(const PairPart &part, Snapshot snapshot, Buffer buffer, bool all_visible,
                            OffsetNumber offset)
{
    if (all_visible) {
        Page page = BufferGetPage(buffer);
        if (offset > PageGetMaxOffsetNumber(page))
            return InvalidOffsetNumber;
        ItemId item = PageGetItemId(page, offset);
        if (ItemIdIsRedirected(item))
            return ItemIdGetRedirect(item);
        return ItemIdIsNormal(item) ? offset : InvalidOffsetNumber;
    }
    HeapTupleData tuple;
    ItemPointerData tid;
    ItemPointerSet(&tid, BufferGetBlockNumber(buffer), offset);
    bool seen = heap_hot_search_buffer(&tid, part.heap, buffer, snapshot, &tuple, nullptr, true);
    return seen ? ItemPointerGetOffsetNumber(&tid) : InvalidOffsetNumber;
}

// The tids of the visible versions of rows of a block, by the offsets of the rows; kNoRow if there is none.
using SeenRows = uint64[1 << Probe::kOffsetBits];

// Finds the visible versions of a block of a heap.
void see_heap_page(const PairPart &part, Snapshot snapshot, BlockNumber block, RowProbes probes,
                   SeenRows seen)
{
    Buffer buffer = ReadBuffer(part.heap, block);
    LockBuffer(buffer, BUFFER_LOCK_SHARE);
    test_old_snapshot(snapshot, part.heap, BufferGetPage(buffer));
    // As a sequential scan decides: a standby may have set the mark too early for its own snapshots, and a serializable
    // transaction locks each row.
    const bool all_visible = PageIsAllVisible(BufferGetPage(buffer)) && !snapshot->takenDuringRecovery &&
                             !IsolationIsSerializable();
    probes.each_row([&](uint64 offset) {
        OffsetNumber version =
            visible_offset(part, snapshot, buffer, all_visible, static_cast<OffsetNumber>(offset));
        seen[offset] = version == InvalidOffsetNumber ? kNoRow : static_cast<uint64>(block) << 16 | version;
    });
    UnlockReleaseBuffer(buffer);
}

// The same for a table of another kind.
void see_rows(const PairPart &part, Snapshot snapshot, BlockNumber block, RowProbes probes, SeenRows seen)
{
    probes.each_row([&](uint64 offset) {
        ItemPointerData tid;
        ItemPointerSet(&tid, block, static_cast<OffsetNumber>(offset));
        bool again = false;
        seen[offset] = table_index_fetch_tuple(part.fetch, &tid, snapshot, part.slot, &again, nullptr)
                           ? tid_of(&part.slot->tts_tid).packed()
                           : kNoRow;
    });
    ExecClearTuple(part.slot);
    table_index_fetch_reset(part.fetch);
}

// Calls settle(place, tag) for each probe, with the tag of the version that the snapshot sees or 0; soon(place) a little
// earlier. No page is locked then: a row may have any number of probes.
template <typename Soon, typename Settle>
void look_up(PairOutput *output, RowProbes probes, Soon soon, Settle settle)
{
    constexpr int kAhead = 16;
    SeenRows seen;
    while (probes.begin < probes.end) {
        CHECK_FOR_INTERRUPTS();
        const RowProbes page = probes.page();
        const PairSide &side = output->side[page.begin->side()];
        const BlockNumbers &blocks = side.tids.blocks;
        const int number = blocks.relation(page.begin->row());
        const PairPart &part = side.part[number];
        auto block = static_cast<BlockNumber>(blocks.packed(number, page.begin->row()) >> 16);
        if (part.heap->rd_tableam == GetHeapamTableAmRoutine())
            see_heap_page(part, output->snapshot, block, page, seen);
        else
            see_rows(part, output->snapshot, block, page, seen);
        page.each_row([&](uint64 offset) { count_row(part, seen[offset] != kNoRow); });
        for (const Probe *probe = page.begin; probe < page.end; probe++) {
            if (probes.end - probe > kAhead)
                soon(probe[kAhead].place());
            uint64 tid = seen[probe->offset()];
            settle(probe->place(), tid == kNoRow ? 0 : blocks.number(number, tid) | kVisible);
        }
        probes.begin = page.end;
    }
}

} // namespace

RowProbes probe_members(PairOutput *output, bool visible_too)
{
    Size count = 0;
    for (Size i = 0; i < output->pairs; i++) {
        for (Size place = 0; place < 2; place++) {
            uint64 tag = output->pair[i].tag[place];
            if (visible_too || !(tag & kVisible))
                output->probe[count++] =
                    Probe::of(output->sides == 1 ? 0 : static_cast<int>(place), tag, 2 * i + place);
        }
    }
    return sort_probes(output, count);
}

void look_up_members(PairOutput *output)
{
    look_up(
        output, probe_members(output, false),
        [output](Size place) { __builtin_prefetch(&output->pair[place / 2], 1); },
        [output](Size place, uint64 tag) {
            uint64 *member = &output->pair[place / 2].tag[place % 2];
            *member = (*member & ~(kTidMask | kVisible)) | tag;
        });
}

void filter_rows(PairOutput *output, int side, Rows *rows)
{
    auto row_of = output->source == nullptr ? nullptr : output->source->row_of;
    for (Size done = 0; done < rows->count;) {
        uint64 *tags = rows->tag + done;
        Size probes = 0, place = 0;
        for (; done < rows->count && place < 2 * output->capacity; done++, place++) {
            // Rows already marked are skipped: their tid may be in the middle of a HOT chain, where a lookup
            // finds nothing.
            if (tags[place] & kVisible)
                continue;
            uint64 row = row_of == nullptr ? tags[place] : row_of(*output, side, tags[place]);
            if (row == kNoRow)
                continue; // removed since it was read
            output->probe[probes++] = Probe::of(side, row, place);
        }
        look_up(
            output, sort_probes(output, probes), [tags](Size at) { __builtin_prefetch(&tags[at], 1); },
            [tags, row_of](Size at, uint64 tag) {
                tags[at] = row_of == nullptr ? tag : tags[at] | (tag & kVisible);
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
