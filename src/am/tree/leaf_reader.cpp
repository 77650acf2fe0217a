#include "am/tree/leaf_reader.hpp"

#include "am/index/failpoint.hpp"
#include "am/tree/descent.hpp"
#include "am/tree/prefetch.hpp"

extern "C" {
#include "miscadmin.h"
}

namespace simhash
{

namespace
{

LocatedLeaf *ring_leaf(LeafReader *reader, int number)
{
    return &reader->ahead[(reader->from + number) % kAhead];
}

// Locates leaves up to the number that the source permits, and prefetches them.
void look_ahead(LeafReader *reader)
{
    LeafSource *source = reader->source;
    int located = reader->count, most = source->ahead;
    while (reader->count < most) {
        LocatedLeaf *leaf = ring_leaf(reader, reader->count);
        leaf->slot = static_cast<int>(leaf - reader->ahead);
        if (!source->locate(source, reader->index, leaf))
            break;
        reader->count++;
    }
    if (reader->count < 2)
        return; // a single leaf is read at once
    Buffer buffer[kAhead];
    int buffers = 0;
    for (int i = located; i < reader->count; i++) {
        LeafPlace *place = &ring_leaf(reader, i)->place;
        fetch_leaf(reader->index, place);
        if (BufferIsValid(place->buffer))
            buffer[buffers++] = place->buffer;
    }
    prefetch_buffers(buffer, buffers);
}

// Takes the next leaf that is still wanted. Returns false if there is none.
bool take_leaf(LeafReader *reader)
{
    for (;;) {
        // Locate more leaves while half of the previous ones are still being fetched.
        if (reader->count <= kAhead / 2)
            look_ahead(reader);
        if (reader->count == 0)
            return false;
        reader->leaf = *ring_leaf(reader, 0);
        reader->from = (reader->from + 1) % kAhead;
        reader->count--;
        if (reader->source->wants(reader->source, &reader->leaf, reader->leaf.first))
            return true;
        CHECK_FOR_INTERRUPTS();
    }
}

Buffer read_located(const LeafReader &reader)
{
    const LocatedLeaf &leaf = reader.leaf;
    if (leaf.place.root)
        return descend(reader.index, leaf.table, leaf.first, BUFFER_LOCK_SHARE);
    return read_leaf(reader.index, leaf.place, leaf.table, BUFFER_LOCK_SHARE, reader.strategy);
}

// Reads the right sibling, by the link that was read with the leaf and not by its present one: entries that a
// later split has moved were seen in the leaf.
Buffer read_right(const LeafReader &reader)
{
    Buffer buffer = read_tree_page(reader.index, reader.right, BUFFER_LOCK_SHARE, reader.leaf.table, 0);
    const char *page = buffer_page(buffer);
    if (!is_rightmost(page) && high_of(page) <= reader.high)
        report_corruption(reader.index, reader.right, "The page is out of order with its left sibling.");
    check_reach(reader.index, reader.leaf.place, buffer);
    return buffer;
}

// Decides whether to continue with the right sibling of the page just read.
void look_right(LeafReader *reader, const char *page)
{
    const LeafPlace &place = reader->leaf.place;
    reader->go_right = false;
    if (is_rightmost(page) || (!place.rightmost && high_of(page) >= place.upper))
        return;
    forget_parent(reader->index, place);
    reader->high = high_of(page);
    reader->right = page_tail(page)->right;
    reader->go_right = reader->source->wants(reader->source, &reader->leaf, reader->high);
}

bool locate_walk(LeafSource *source, Relation index, LocatedLeaf *leaf)
{
    auto *walk = static_cast<TreeWalk *>(source);
    if (walk->done)
        return false;
    leaf->table = walk->table;
    leaf->first = walk->next;
    find_leaf(index, walk->table, walk->next, &leaf->place);
    walk->done = leaf->place.rightmost;
    walk->next = leaf->place.upper;
    return true;
}

bool walk_wants(LeafSource *, LocatedLeaf *leaf, Position from)
{
    leaf->first = from;
    return true;
}

} // namespace

void begin_reading(LeafReader *reader, LeafSource *source)
{
    reader->source = source;
    reader->go_right = false;
    reader->from = reader->count = 0;
}

Buffer read_next_leaf(LeafReader *reader)
{
    if (!reader->go_right && !take_leaf(reader))
        return InvalidBuffer;
    CHECK_FOR_INTERRUPTS();
    failpoint(Failpoint::scan_leaf);
    Buffer buffer = reader->go_right ? read_right(*reader) : read_located(*reader);
    const char *page = buffer_page(buffer);
    test_old_snapshot(reader->snapshot, reader->index, buffer_page(buffer));
    look_right(reader, page);
    return buffer;
}

void begin_tree_walk(TreeWalk *walk, int table)
{
    walk->locate = locate_walk;
    walk->wants = walk_wants;
    walk->ahead = kAhead;
    walk->table = table;
    walk->next = {0, 0};
    walk->done = false;
}

} // namespace simhash
