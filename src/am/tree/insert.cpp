#include "am/tree/insert.hpp"

#include "am/index/failpoint.hpp"
#include "am/tree/descent.hpp"
#include "am/tree/page_delta.hpp"
#include "am/tree/prefetch.hpp"
#include "am/tree/split.hpp"

extern "C" {
#include "storage/predicate.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

// A row's leaves in consecutive trees, as many as one generic WAL record may change.
struct Leaves {
    int count;
    Position position[MAX_GENERIC_XLOG_PAGES];
    LeafPlace place[MAX_GENERIC_XLOG_PAGES];
    Buffer buffer[MAX_GENERIC_XLOG_PAGES];
};

// Locates the leaves, prefetches them together and pins them, so that under a lock only splits read from
// disk.
void pin_leaves(const OpenIndex &index, int tree, int end, const LeafKey *key, Tid tid, Leaves *leaves)
{
    FetchedLeaf fetched[MAX_GENERIC_XLOG_PAGES];
    int buffers = 0;
    leaves->count = Min(end - tree, MAX_GENERIC_XLOG_PAGES);
    for (int i = 0; i < leaves->count; i++) {
        LeafPlace *place = &leaves->place[i];
        leaves->position[i] = {key[tree + i].word[0], tid.packed()};
        find_leaf(index, tree + i, leaves->position[i], place);
        fetch_leaf(index, place);
        if (BufferIsValid(place->buffer))
            fetched[buffers++] = {place->buffer, true};
    }
    prefetch_leaves(fetched, buffers);
    for (int i = 0; i < buffers; i++) {
        const char *page = buffer_page(fetched[i].buffer);
        const std::size_t at = std::min<std::size_t>(page_header(page)->lower, BLCKSZ - 1);
        prefetch_span(page, {at, at + 1}); // an entry is added before the hole
    }
    failpoint(Failpoint::leaf_found);
    for (int i = 0; i < leaves->count; i++)
        leaves->buffer[i] = pin_leaf(index, leaves->place[i]);
    failpoint(Failpoint::leaf_pinned);
}

// Writes a leaf anew if that makes it take an entry: without the removed ones, or with a layout that can store it.
bool rewrite_leaf(Relation index, Buffer buffer, const LeafEntry &entry)
{
    const char *page = buffer_page(buffer);
    LeafView leaf(page);
    if (leaf.removed() <= leaf.places() / 16 && leaf.has_prefix(entry.key.word[0]) && leaf.has_tid(entry.tid))
        return false; // too little is gained
    auto *kept = allocate<LeafEntry>(leaf.places() + 1);
    int count = leaf_read(page, kept);
    GenericXLogState *state = GenericXLogStart(index);
    bool written = leaf_write(GenericXLogRegisterBuffer(state, buffer, 0), kept, count, &entry);
    if (written)
        GenericXLogFinish(state);
    else
        GenericXLogAbort(state);
    pfree(kept);
    return written;
}

// Locks leaf i exclusively. If it does not take an entry and nothing can be removed it is split, and the leaf that holds
// the position afterwards replaces it.
void lock_with_room(const OpenIndex &index, int tree, const LeafEntry &entry, const OldVersions &old,
                    Leaves *leaves, int i)
{
    const char *stale = nullptr;
    Buffer buffer = lock_place(index, leaves->place[i], leaves->buffer[i], tree, leaves->position[i],
                               BUFFER_LOCK_EXCLUSIVE, &stale);
    if (!BufferIsValid(buffer))
        buffer = descend(index, tree, leaves->position[i], BUFFER_LOCK_EXCLUSIVE);
    while (!leaf_takes(buffer_page(buffer), entry)) {
        if (remove_old_versions(index, buffer, entry.key, old) || rewrite_leaf(index, buffer, entry))
            continue;
        split_page(index, buffer);
        buffer = descend(index, tree, leaves->position[i], BUFFER_LOCK_EXCLUSIVE);
    }
    leaves->buffer[i] = buffer;
}

// A row's entries for some leaves.
struct NewEntries {
    const LeafKey *key;
    std::uint64_t tid;
};

void add_entry(char *page, int i, const void *context, PageDelta *delta)
{
    const auto *entries = static_cast<const NewEntries *>(context);
    int bytes = leaf_add(page, {entries->key[i], entries->tid});
    if (delta == nullptr)
        return;
    const auto size = static_cast<std::size_t>(bytes);
    delta->add(page, offsetof(RawPageHeader, lower), sizeof(RawPageHeader::lower));
    delta->add(page, page_header(page)->lower - size, size);
}

// Adds entries to leaves, which are locked exclusively and have room, and writes one WAL record.
void add_to_leaves(Relation index, const Buffer *leaf, int leaves, const NewEntries &entries)
{
    // Under the locks, since a reader locks its leaf's predicate under the lock of the page: either it sees the entry, or
    // this sees its predicate lock.
    for (int i = 0; i < leaves; i++)
        CheckForSerializableConflictIn(index, nullptr, BufferGetBlockNumber(leaf[i]));
    change_pages(index, leaf, leaves, add_entry, &entries);
}

} // namespace

void insert_entries(const OpenIndex &index, int tree, int end, const LeafKey *key, Tid tid,
                    const OldVersions &old)
{
    Assert(tree >= 0 && end <= index.meta->all_trees());
    // Up to four leaves at a time are locked, in the order of the trees, and logged in one record.
    Leaves leaves;
    for (; tree < end; tree += leaves.count) {
        failpoint(Failpoint::insert_group);
        pin_leaves(index, tree, end, key, tid, &leaves);
        for (int i = 0; i < leaves.count; i++)
            lock_with_room(index, tree + i, {key[tree + i], tid.packed()}, old, &leaves, i);
        failpoint(Failpoint::insert);
        add_to_leaves(index, leaves.buffer, leaves.count, {key + tree, tid.packed()});
        for (int i = 0; i < leaves.count; i++)
            UnlockReleaseBuffer(leaves.buffer[i]);
    }
}

} // namespace simhash
