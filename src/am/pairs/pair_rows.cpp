// Looks up the rows of index entries, in the order of the tids: each page of the table is read once for all that wait.
//
// An entry may belong to a row that the snapshot does not see, or that no longer exists: VACUUM may remove it
// while the join runs, and an insert may reuse the tuple's place before it is looked up. The snapshot is an
// MVCC snapshot and older than that insert, so it does not see the new row. A row that it does see was not
// removed (unless the snapshot is too old: see test_old_snapshot), and had its entry when its leaf was read. The
// row's fingerprint is the entry's: a tuple version that cannot be reached from the root of its HOT chain has an
// entry of its own, and all versions in a chain agree in the indexed columns. (After an index build over broken
// HOT chains they may differ; then the index is not used with an old snapshot: see pair_sides.cpp.)
#include "am/pairs/pair_output.hpp"

#include "core/bits/cache.hpp"
#include "core/bits/digit_sort.hpp"

extern "C" {
#include "access/heapam.h"
#include "access/xact.h"
#include "catalog/heap.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
}

#include <algorithm>

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

// The tuple at a place of a heap page. Returns false if there is none.
bool tuple_at(const PairPart &part, Buffer buffer, OffsetNumber offset, HeapTuple tuple)
{
    Page page = BufferGetPage(buffer);
    if (offset > PageGetMaxOffsetNumber(page) || !ItemIdIsNormal(PageGetItemId(page, offset)))
        return false;
    ItemId item = PageGetItemId(page, offset);
    tuple->t_data = reinterpret_cast<HeapTupleHeader>(PageGetItem(page, item));
    tuple->t_len = ItemIdGetLength(item);
    tuple->t_tableOid = RelationGetRelid(part.heap);
    ItemPointerSet(&tuple->t_self, BufferGetBlockNumber(buffer), offset);
    return true;
}

// Whether the snapshot sees this version, which is not the first of a row: it has been found before.
bool is_visible_version(const PairPart &part, Snapshot snapshot, Buffer buffer, OffsetNumber offset)
{
    HeapTupleData tuple;
    if (!tuple_at(part, buffer, offset, &tuple))
        return false;
    return HeapTupleIsHeapOnly(&tuple) && HeapTupleSatisfiesVisibility(&tuple, snapshot, buffer);
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
    if (!seen)
        return is_visible_version(part, snapshot, buffer, offset) ? offset : InvalidOffsetNumber;
    return ItemPointerGetOffsetNumber(&tid);
}

// The tids of the visible versions of rows of a block, by the offsets of the rows; kNoRow if there is none.
using SeenRows = uint64[1 << Probe::kOffsetBits];

// The rows of a block whose columns are kept, by their offsets.
struct KeptRows {
    const KeptColumns *columns; // null: none
    int part;
    uint64 *row;

    uint64 *at(uint64 offset) const { return row + offset * static_cast<Size>(columns->words); }
    // get(number, null) returns a column.
    template <typename Get> void keep(uint64 offset, Get get) const
    {
        uint64 *words = at(offset);
        const AttrNumber *numbers = columns->numbers[part];
        words[0] = 0;
        for (int i = 0; i < columns->count; i++) {
            const KeptColumns::Column &column = columns->column[i];
            bool null;
            const bool mapped = numbers != nullptr && column.number > 0;
            const Datum value = get(mapped ? numbers[column.number - 1] : column.number, &null);
            const Size length = null || column.by_value ? 0
                                : column.length > 0     ? static_cast<Size>(column.length)
                                                        : VARSIZE_ANY(DatumGetPointer(value));
            if (null)
                words[0] |= uint64{1} << i;
            else if (column.by_value)
                words[column.word] = static_cast<uint64>(value);
            else if (length > sizeof(uint64) * static_cast<Size>(column.words))
                words[0] |= kNotKept;
            else
                std::memcpy(words + column.word, DatumGetPointer(value), length);
        }
    }
};

// Asks the processor for the tuples of a page, which come in any order while it goes on.
void prefetch_tuples(Page page, RowProbes probes)
{
    probes.each_row([page](uint64 offset) {
        if (offset > PageGetMaxOffsetNumber(page))
            return;
        ItemId item = PageGetItemId(page, static_cast<OffsetNumber>(offset));
        if (!ItemIdHasStorage(item))
            return;
        const char *tuple = PageGetItem(page, item);
        prefetch(tuple);
        prefetch(tuple + Min(ItemIdGetLength(item), 64) - 1);
    });
}

// Finds the visible versions of a block of a heap, which is pinned.
void see_heap_page(const PairPart &part, Snapshot snapshot, Buffer buffer, RowProbes probes, SeenRows seen,
                   const KeptRows &kept)
{
    const BlockNumber block = BufferGetBlockNumber(buffer);
    LockBuffer(buffer, BUFFER_LOCK_SHARE);
    test_old_snapshot(snapshot, part.heap, BufferGetPage(buffer));
    // As a sequential scan decides: a standby may have set the mark too early for its own snapshots, and a serializable
    // transaction locks each row.
    const bool all_visible = PageIsAllVisible(BufferGetPage(buffer)) && !snapshot->takenDuringRecovery &&
                             !IsolationIsSerializable();
    prefetch_tuples(BufferGetPage(buffer), probes);
    probes.each_row([&](uint64 offset) {
        OffsetNumber version =
            visible_offset(part, snapshot, buffer, all_visible, static_cast<OffsetNumber>(offset));
        seen[offset] = version == InvalidOffsetNumber ? kNoRow : static_cast<uint64>(block) << 16 | version;
        HeapTupleData tuple;
        if (kept.columns == nullptr || version == InvalidOffsetNumber ||
            !tuple_at(part, buffer, version, &tuple))
            return;
        TupleDesc row = RelationGetDescr(part.heap);
        kept.keep(offset,
                  [&](AttrNumber number, bool *null) { return heap_getattr(&tuple, number, row, null); });
    });
    UnlockReleaseBuffer(buffer);
}

// The same for a table of another kind.
void see_rows(const PairPart &part, Snapshot snapshot, BlockNumber block, RowProbes probes, SeenRows seen,
              const KeptRows &kept)
{
    probes.each_row([&](uint64 offset) {
        ItemPointerData tid;
        ItemPointerSet(&tid, block, static_cast<OffsetNumber>(offset));
        bool again = false;
        const bool found =
            table_index_fetch_tuple(part.fetch, &tid, snapshot, part.slot, &again, nullptr) ||
            (kept.columns != nullptr && table_tuple_fetch_row_version(part.heap, &tid, snapshot, part.slot));
        seen[offset] = found ? tid_of(&part.slot->tts_tid).packed() : kNoRow;
        if (found && kept.columns != nullptr)
            kept.keep(offset, [&](AttrNumber number, bool *null) {
                return number < 0 ? slot_getsysattr(part.slot, number, null)
                                  : slot_getattr(part.slot, number, null);
            });
    });
    ExecClearTuple(part.slot);
    table_index_fetch_reset(part.fetch);
}

// The probes of a page.
struct ProbedPage {
    RowProbes probes;
    const PairSide *side; // null: there is none
    int part;
    BlockNumber block;
    Buffer buffer; // of a heap, or invalid
};

// Pins the first page of probes, if it is a heap's, and fetches its line pointers into the processor's cache.
ProbedPage begin_page(const PairOutput &output, RowProbes probes)
{
    if (probes.begin == probes.end)
        return {};
    const RowProbes rows = probes.page();
    const PairSide &side = output.side[rows.begin->side()];
    const int part = side.tids.relation(rows.begin->row());
    const auto block = static_cast<BlockNumber>(side.tids.packed(part, rows.begin->row()) >> 16);
    Relation heap = side.part[part].heap;
    if (heap->rd_tableam != GetHeapamTableAmRoutine())
        return {rows, &side, part, block, InvalidBuffer};
    const Buffer buffer = ReadBuffer(heap, block);
    const char *page = BufferGetPage(buffer);
    const Size end = SizeOfPageHeaderData + sizeof(ItemIdData) * (rows.end - 1)->offset();
    for (Size at = 0; at < end; at += 64)
        prefetch(page + at);
    return {rows, &side, part, block, buffer};
}

// Calls settle(place, tag) for each probe, with the tag of the version that the snapshot sees or 0; soon(place) a little
// earlier. No page is locked then: a row may have any number of probes. Keeps columns, if asked to, by place.
template <typename Soon, typename Settle>
void look_up(PairOutput *output, RowProbes probes, bool keep, Soon soon, Settle settle)
{
    constexpr int kAhead = 16;
    SeenRows seen;
    ProbedPage next = begin_page(*output, probes);
    while (next.side != nullptr) {
        CHECK_FOR_INTERRUPTS();
        const ProbedPage page = next;
        next = begin_page(*output, {page.probes.end, probes.end});
        const BlockNumbers &blocks = page.side->tids;
        const PairPart &part = page.side->part[page.part];
        const KeptRows kept = {keep ? &output->columns[page.side - output->side] : nullptr, page.part,
                               output->page_row};
        if (BufferIsValid(page.buffer))
            see_heap_page(part, output->snapshot, page.buffer, page.probes, seen, kept);
        else
            see_rows(part, output->snapshot, page.block, page.probes, seen, kept);
        page.probes.each_row([&](uint64 offset) {
            count_row(part, seen[offset] != kNoRow);
            if (keep && seen[offset] != kNoRow && kept.at(offset)[0] & kNotKept)
                kept.at(offset)[1] = blocks.number(page.part, seen[offset]);
        });
        for (const Probe *probe = page.probes.begin; probe < page.probes.end; probe++) {
            if (probes.end - probe > kAhead)
                soon(probe[kAhead].place());
            uint64 tid = seen[probe->offset()];
            if (keep && tid != kNoRow)
                std::memcpy(output->kept_row(probe->place()), kept.at(probe->offset()), output->row_bytes);
            settle(probe->place(), tid == kNoRow ? 0 : blocks.number(page.part, tid) | kVisible);
        }
    }
}

} // namespace

void count_row(const PairPart &part, bool seen)
{
    pgstat_count_index_tuples(part.index, 1);
    if (seen)
        pgstat_count_heap_fetch(part.index);
}

int KeptColumns::add(TupleDesc row, AttrNumber number, int width)
{
    if (number <= 0 && number != SelfItemPointerAttributeNumber && number != TableOidAttributeNumber)
        return -1;
    for (int i = 0; i < count; i++) {
        if (column[i].number == number)
            return i;
    }
    const auto *attribute = number > 0 ? TupleDescAttr(row, number - 1) : SystemAttributeDefinition(number);
    constexpr int kMostLength = 64;
    const int length = attribute->attlen == -1 ? 2 * width : attribute->attlen, taken = (length + 7) / 8;
    if (count == kMostKeptColumns || length <= 0 || length > kMostLength)
        return -1;
    words = std::max(words, 1);
    column[count] = {number, attribute->attlen, attribute->attbyval, words, taken};
    words += taken;
    return count++;
}

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
    const bool keep = output->columns != nullptr;
    look_up(
        output, probe_members(output, keep), keep,
        [output, keep](Size place) {
            prefetch(&output->pair[place / 2]);
            if (keep)
                prefetch(output->kept_row(place));
        },
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
            output, sort_probes(output, probes), false, [tags](Size at) { prefetch(&tags[at]); },
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
