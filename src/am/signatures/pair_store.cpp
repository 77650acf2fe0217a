#include "am/signatures/pair_store.hpp"

#include "core/bits/signature.hpp"
#include "core/bits/split_mix.hpp"

extern "C" {
#include "miscadmin.h"
#include "storage/bufmgr.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

void read_file_page(BufFile *file, BlockNumber block, char *page)
{
    if (BufFileSeekBlock(file, block) != 0 || BufFileRead(file, page, BLCKSZ) != BLCKSZ)
        ereport(ERROR, errcode_for_file_access(), errmsg("could not read from a temporary file of a join"));
}

// The number of a row's slot among all of the stores.
Size slot_number(const StoreSide &store, uint64 position)
{
    if (in_file(*store.side))
        return Size{position_block(position)} * static_cast<Size>(store.shape.body_rows) +
               static_cast<Size>(position_slot(position));
    const BlockNumbers &positions = store.side->positions;
    int part = positions.relation(position);
    uint64 packed = positions.packed(part, position);
    SegmentSlot at;
    if (!find_slot(store.segments[part], store.shape, packed, &at)) // segments that overlap
        report_corruption(store.side->part[part].index, position_block(packed),
                          "A page of the signature store belongs to no segment.");
    return (store.first[part] + at.segment) * static_cast<Size>(store.shape.rows()) +
           static_cast<Size>(at.slot);
}

SignaturePass *pass_of(const PairOutput &output) { return static_cast<SignaturePass *>(output.source); }

// A page of the store of a part, locked, or of a file.
struct StorePage {
    const PairSide *side;
    int part;
    BlockNumber block;
    Buffer buffer;
    const char *page;

    Relation index() const { return side->part[part].index; }
};

StorePage lock_store_page(const PairOutput &output, int number, uint64 position)
{
    const PairSide &side = output.side[number];
    int part = side.positions.relation(position);
    BlockNumber block = position_block(side.positions.packed(part, position));
    if (in_file(side)) {
        char *page = pass_of(output)->page;
        read_file_page(side.part[part].file, block, page);
        return {&side, part, block, InvalidBuffer, page};
    }
    Buffer buffer = read_store_page(side.part[part].index, signature_meta(side.meta()).shape(), block,
                                    kBodyPage, BUFFER_LOCK_SHARE, output.snapshot);
    return {&side, part, block, buffer, buffer_page(buffer)};
}

void leave_store_page(const StorePage &page, const TidCheck &check)
{
    if (page.buffer == InvalidBuffer)
        return;
    UnlockReleaseBuffer(page.buffer);
    check.finish(page.index(), page.block);
}

// Copies a row. Returns its tid.
uint64 copy_row(const StorePage &from, SignaturePass *pass, uint64 position, Size to)
{
    int slot = position_slot(position);
    const char *page = from.page;
    if (slot >= body_count(page))
        report_corruption(from.index(), from.block, "A row of the signature store has vanished.");
    std::memcpy(pass->signature + to * static_cast<Size>(pass->bytes),
                body_signature(page, pass->bytes, slot), static_cast<Size>(pass->bytes));
    pass->position[to] = position;
    pass->row[to] = marked_number(*from.side, from.part, body_tid(page, slot));
    return body_tid(page, slot);
}

// Copies the rows of the waiting pairs, page by page, and puts their numbers in place of their positions.
void copy_members(PairOutput *output)
{
    SignaturePass *pass = pass_of(*output);
    Size rows = 0;
    for (RowProbes probes = probe_members(output, true); probes.begin < probes.end;) {
        CHECK_FOR_INTERRUPTS();
        const RowProbes members = probes.page();
        StorePage page = lock_store_page(*output, members.begin->side(), members.begin->row());
        TidCheck check;
        for (const Probe *probe = members.begin; probe < members.end; probe++) {
            if (probe == members.begin || probe->offset() != probe[-1].offset()) {
                uint64 tid = copy_row(page, pass, probe->row(), rows++);
                if (tid != kNoRow)
                    check.add(tid);
            }
            uint64 *tag = &output->pair[probe->place() / 2].tag[probe->place() % 2];
            *tag = (*tag & ~kTidMask) | (rows - 1);
        }
        leave_store_page(page, check);
        probes.begin = members.end;
    }
}

bool found_before(const SignaturePass &pass, const uint8 *a, const uint8 *b)
{
    for (int i = 0; i < pass.number; i++) {
        const Window &window = pass.plan->window[i];
        uint64 errors =
            signature_word_at(a, pass.bytes, window.word) ^ signature_word_at(b, pass.bytes, window.word);
        if (std::popcount(errors) <= window.budget)
            return true;
    }
    return false;
}

} // namespace

void list_segments(const PairOutput &output, int number, StoreSide *store)
{
    const PairSide &side = output.side[number];
    auto parts = static_cast<Size>(side.parts);
    *store = {&side,
              output.snapshot,
              signature_meta(side.meta()).shape(),
              allocate<Segments>(parts),
              allocate<Size>(parts),
              0};
    if (in_file(side)) {
        store->shape.bodies = 1;
        store->first[0] = 0;
        store->count = side.positions.first[1];
        return;
    }
    for (int i = 0; i < side.parts; i++) {
        const PairPart &part = side.part[i];
        Segments *segments = &store->segments[i];
        *segments = read_segments(part.index, signature_meta(*part.index.meta));
        // Later ones have no rows that the snapshot sees.
        auto bodies = static_cast<BlockNumber>(store->shape.bodies);
        while (segments->count > 0 &&
               !side.positions.counted(i, store_position(segments->plane[segments->count - 1] + bodies, 0)))
            segments->count--;
        store->first[i] = store->count;
        store->count += segments->count;
    }
}

Size store_slots(const StoreSide &store) { return store.count * static_cast<Size>(store.shape.rows()); }

void begin_store_walk(StoreWalk *walk, const StoreSide &store, const uint64 *merged)
{
    walk->store = &store;
    walk->merged = merged;
    walk->shape = store.shape;
    // Like a sequential scan, it must not drive out what others use.
    bool bulk =
        !in_file(*store.side) && static_cast<double>(store.count) * walk->shape.bodies > NBuffers / 4.0;
    walk->strategy = bulk ? GetAccessStrategy(BAS_BULKREAD) : nullptr;
    walk->segment = 0;
    walk->body = 0;
}

bool next_store_page(StoreWalk *walk)
{
    const StoreSide &store = *walk->store;
    if (walk->segment == store.count)
        return false;
    CHECK_FOR_INTERRUPTS();
    const Size *part = std::upper_bound(store.first, store.first + store.side->parts, walk->segment) - 1;
    walk->part = static_cast<int>(part - store.first);
    walk->first_slot = walk->segment * static_cast<Size>(walk->shape.rows()) +
                       static_cast<Size>(walk->body) * static_cast<Size>(walk->shape.body_rows);
    const PairPart &from = store.side->part[walk->part];
    if (from.file != nullptr) {
        walk->block = static_cast<BlockNumber>(walk->segment);
        read_file_page(from.file, walk->block, walk->page.data);
    } else {
        const BlockNumber plane = store.segments[walk->part].plane[walk->segment - *part];
        walk->block = plane + 1 + static_cast<BlockNumber>(walk->body);
        Buffer buffer = read_store_page(from.index, store.shape, walk->block, kBodyPage, BUFFER_LOCK_SHARE,
                                        store.snapshot, walk->strategy);
        std::memcpy(walk->page.data, buffer_page(buffer), BLCKSZ);
        UnlockReleaseBuffer(buffer);
    }
    if (++walk->body == walk->shape.bodies) {
        walk->body = 0;
        walk->segment++;
    }
    return true;
}

void end_store_walk(StoreWalk *walk)
{
    if (walk->strategy != nullptr)
        FreeAccessStrategy(walk->strategy);
}

uint64 pass_key(const SignaturePass &pass, const uint8 *signature)
{
    if (pass.number != kEqualPass)
        return signature_word_at(signature, pass.bytes, pass.plan->window[pass.number].word);
    uint64 hash = 0;
    for (int i = 0; i < pass.words; i++)
        hash = split_mix(hash * kSplitMixStep + signature_word_at(signature, pass.bytes, i));
    return hash;
}

void resolve_pairs(PairOutput *output)
{
    SignaturePass *pass = pass_of(*output);
    copy_members(output);

    Size kept = 0;
    for (Size i = 0; i < output->pairs; i++) {
        FoundPair pair = output->pair[i];
        Size a = pair.tag[0] & kTidMask, b = pair.tag[1] & kTidMask;
        const uint8 *x = pass->signature + a * static_cast<Size>(pass->bytes);
        const uint8 *y = pass->signature + b * static_cast<Size>(pass->bytes);
        int distance = signature_distance(x, y, pass->bytes);
        if (distance > (pass->number == kEqualPass ? 0 : pass->radius) || pass->row[a] == kNoRow ||
            pass->row[b] == kNoRow || found_before(*pass, x, y))
            continue;
        // Only rows that are visible stand for others. The row with the lowest position is never merged.
        if (pass->number == kEqualPass && pair.tag[0] & pair.tag[1] & kVisible) {
            Size slot = slot_number(pass->store[0], std::max(pass->position[a], pass->position[b]));
            pass->merged[slot / 64] |= UINT64CONST(1) << slot % 64;
        }
        output->pair[kept++] = {
            {pass->row[a] | static_cast<uint64>(distance) << kDistanceShift, pass->row[b]}};
    }
    output->pairs = kept;
}

uint64 stored_row(const PairOutput &output, int side, uint64 position)
{
    StorePage page = lock_store_page(output, side, position);
    int slot = position_slot(position);
    uint64 tid = slot < body_count(page.page) ? body_tid(page.page, slot) : kNoRow;
    TidCheck check;
    if (tid != kNoRow)
        check.add(tid);
    leave_store_page(page, check);
    return row_number(output.side[side], page.part, tid);
}

} // namespace simhash
