#include "am/tree/leaf_reader.hpp"

#include "am/index/failpoint.hpp"
#include "am/tree/descent.hpp"
#include "am/tree/prefetch.hpp"

extern "C" {
#include "miscadmin.h"
#include "storage/predicate.h"
#include "utils/spccache.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

LocatedLeaf *ring_leaf(LeafReader *reader, int number)
{
    return &reader->ahead[(reader->from + number) % kMostAhead];
}

int depth_from_disk(Relation index)
{
    return std::clamp(get_tablespace_io_concurrency(index->rd_rel->reltablespace), kAhead, kMostAhead);
}

// Locates leaves up to the number that the source permits, and prefetches them.
void look_ahead(LeafReader *reader)
{
    LeafSource *source = reader->source;
    const int located = reader->count, most = source->ahead < kAhead ? source->ahead : reader->depth;
    while (reader->count < most) {
        LocatedLeaf *leaf = ring_leaf(reader, reader->count);
        leaf->slot = static_cast<int>(leaf - reader->ahead);
        reader->ended = !source->locate(source, reader->index, leaf);
        if (reader->ended)
            break;
        reader->count++;
    }
    if (reader->count < 2)
        return; // a single leaf is read at once
    FetchedLeaf fetched[kMostAhead];
    int buffers = 0;
    for (int i = located; i < reader->count; i++) {
        LocatedLeaf *leaf = ring_leaf(reader, i);
        fetch_leaf(reader->index, &leaf->place);
        if (BufferIsValid(leaf->place.buffer))
            fetched[buffers++] = {leaf->place.buffer, XLogRecPtrIsInvalid(leaf->place.lsn)};
        else
            reader->depth = depth_from_disk(reader->index);
    }
    prefetch_leaves(fetched, buffers);
}

// Prefetches what the search compares of the next leaf and of a few after it. By then their beginnings, which tell where
// that is, are in the cache.
void look_into(LeafReader *reader)
{
    constexpr int kFew = 5;
    if (reader->count < 2)
        return;
    for (; reader->compared < Min(reader->count, kFew); reader->compared++) {
        const LocatedLeaf &leaf = *ring_leaf(reader, reader->compared);
        if (!BufferIsValid(leaf.place.buffer))
            continue;
        const char *page = buffer_page(leaf.place.buffer);
        const ComparedSpans spans = compared_near(page, BLCKSZ, leaf.first.key);
        prefetch_span(page, spans.columns);
        prefetch_span(page, spans.bag);
    }
}

// Takes the next leaf that is still wanted. Returns false if there is none.
bool take_leaf(LeafReader *reader)
{
    for (;;) {
        // Locate more leaves while half of the previous ones are still being fetched.
        if (!reader->ended && reader->count <= reader->depth / 2)
            look_ahead(reader);
        if (reader->count == 0)
            return false;
        look_into(reader);
        reader->leaf = *ring_leaf(reader, 0);
        reader->from = (reader->from + 1) % kMostAhead;
        reader->count--;
        reader->compared = Max(reader->compared - 1, 0);
        if (reader->source->wants(reader->source, &reader->leaf, reader->leaf.first))
            return true;
        CHECK_FOR_INTERRUPTS();
    }
}

// Reads the right sibling, by the link that was read with the leaf and not by its present one: entries that a
// later split has moved were seen in the leaf.
Buffer read_right(const LeafReader &reader)
{
    const char *stale = nullptr;
    Buffer buffer =
        read_tree_page(reader.index, reader.right, BUFFER_LOCK_SHARE, reader.leaf.tree, 0, &stale);
    if (BufferIsValid(buffer) && !covers(buffer_page(buffer), reader.next)) {
        UnlockReleaseBuffer(buffer);
        return InvalidBuffer;
    }
    return buffer;
}

Buffer read_located(LeafReader *reader)
{
    const LocatedLeaf &leaf = reader->leaf;
    if (leaf.place.root)
        return InvalidBuffer;
    Buffer buffer = pin_leaf(reader->index, leaf.place, reader->strategy);
    reader->unchanged = lock_unchanged(leaf.place, buffer);
    if (reader->unchanged)
        return buffer;
    if (lock_leaf(reader->index, leaf.place, buffer, leaf.tree, BUFFER_LOCK_SHARE) == nullptr) {
        if (!belongs_right(buffer_page(buffer), reader->next))
            return buffer;
        LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
    }
    ReleaseBuffer(buffer);
    forget_parent(reader->index, leaf.place);
    return InvalidBuffer;
}

// Returns the leaf that covers reader->next. If the link was out of date, by a new descent.
Buffer read_covering(LeafReader *reader)
{
    reader->unchanged = false;
    Buffer buffer = reader->go_right ? read_right(*reader) : read_located(reader);
    return BufferIsValid(buffer) ? buffer
                                 : descend(reader->index, reader->leaf.tree, reader->next, BUFFER_LOCK_SHARE);
}

bool ends_within(const LocatedLeaf &leaf, const char *page)
{
    return leaf.endless || (!is_rightmost(page) && high_of(page) <= leaf.end);
}

// Whether the page is known to have the located range and nothing else. Its end need not be read then.
bool is_whole_range(const LeafReader &reader)
{
    const LeafPlace &place = reader.leaf.place;
    return reader.unchanged && place.lower >= reader.next &&
           (reader.leaf.endless || (!place.rightmost && place.upper <= reader.leaf.end));
}

// The part of a leaf that has not been read and is in the located range. Since that range was located, the leaf has been
// united with others. There is one such page at a time, while its leaf is locked.
const char *part_of_leaf(const LeafReader &reader, const char *page)
{
    static PGAlignedBlock part;
    static LeafEntry kept[leaf_capacity(BLCKSZ)];
    std::memcpy(part.data, page, BLCKSZ);
    const LocatedLeaf &leaf = reader.leaf;
    Position end = ends_within(leaf, page) ? high_of(page) : leaf.end;
    bool endless = leaf.endless && is_rightmost(page);
    int count = 0;
    visit_leaf(page, [&](int, const LeafEntry &entry) {
        Position position = {entry.key.word[0], entry.tid};
        if (position >= reader.next && (endless || position < end))
            kept[count++] = entry;
    });
    set_low(part.data, reader.next);
    if (!endless) {
        set_high(part.data, end);
        page_tail(part.data)->right = page_header(part.data)->block; // not the rightmost one
    }
    if (!leaf_write(part.data, kept, count))
        elog(ERROR, "part of a leaf does not fit into a page");
    return part.data;
}

// Decides whether to continue with the right sibling of the page just read.
void look_right(LeafReader *reader, const char *page)
{
    LocatedLeaf *leaf = &reader->leaf;
    reader->go_right = false;
    if (is_rightmost(page) || (!leaf->endless && high_of(page) >= leaf->end))
        return;
    forget_parent(reader->index, leaf->place);
    reader->next = high_of(page);
    reader->right = page_tail(page)->right;
    reader->go_right = reader->source->wants(reader->source, leaf, reader->next);
}

bool locate_walk(LeafSource *source, const OpenIndex &index, LocatedLeaf *leaf)
{
    auto *walk = static_cast<TreeWalk *>(source);
    if (walk->done)
        return false;
    locate_leaf(index, walk->tree, walk->next, walk->next, leaf);
    walk->next = leaf->place.upper;
    walk->done = leaf->endless || leaf->end >= walk->end;
    if (walk->done && walk->end != kEndOfTree) {
        leaf->end = walk->end;
        leaf->endless = false;
    }
    return true;
}

} // namespace

bool wants_all(LeafSource *, LocatedLeaf *leaf, Position from)
{
    leaf->first = from;
    return true;
}

void begin_reading(LeafReader *reader, LeafSource *source)
{
    reader->source = source;
    reader->ended = reader->go_right = false;
    reader->depth = kAhead;
    reader->from = reader->count = reader->compared = 0;
}

Buffer read_next_leaf(LeafReader *reader)
{
    bool first = !reader->go_right;
    if (first) {
        if (!take_leaf(reader))
            return InvalidBuffer;
        const LocatedLeaf &leaf = reader->leaf;
        reader->next = leaf.place.root ? leaf.first : leaf.begin;
    }
    CHECK_FOR_INTERRUPTS();
    failpoint(Failpoint::scan_leaf);
    Buffer buffer = read_covering(reader);
    const char *page = buffer_page(buffer);
    test_old_snapshot(reader->snapshot, reader->index, buffer_page(buffer));
    // Under the lock, so that an insert that adds to the leaf afterwards sees the predicate lock.
    if (reader->snapshot != nullptr)
        PredicateLockPage(reader->index, BufferGetBlockNumber(buffer), reader->snapshot);
    if (is_whole_range(*reader)) {
        reader->page = page;
        reader->go_right = false;
        return buffer;
    }
    bool begins_within = low_of(page) >= reader->next || (first && reader->leaf.place.root);
    reader->page = begins_within && ends_within(reader->leaf, page) ? page : part_of_leaf(*reader, page);
    look_right(reader, page);
    return buffer;
}

void begin_tree_walk(TreeWalk *walk, int tree, Position from, Position end)
{
    walk->locate = locate_walk;
    walk->wants = wants_all;
    walk->ahead = kAhead;
    walk->tree = tree;
    walk->next = from;
    walk->end = end;
    walk->done = false;
}

} // namespace simhash
