#include "am/tree/inner_copies.hpp"

#include "am/index/failpoint.hpp"

extern "C" {
#include "lib/ilist.h"
#include "port/pg_bitutils.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/memutils.h"
}

namespace simhash
{

namespace
{

// The most memory for a backend's copies of all indexes: enough for about a million leaves.
constexpr Size kMostBytes = kFailpoints ? Size{16} << 10 : Size{32} << 20;

constexpr Size kFirstSlots = 64;

struct Slot {
    std::uint64_t key; // repeated here, so that other copies need not be read
    InnerCopy *copy;   // or null
};

// The copies of one index, which are removed when it is invalidated.
struct IndexCopies {
    Oid index;
    dlist_head copies;
};

// A hash table with open addressing, at most half full, so there is always a free slot.
struct CopyTable {
    MemoryContext context; // of the members below; null until the first copy is made
    HTAB *indexes;
    Slot *slot;
    int shift; // 64 - log2 of the number of slots
    Size slots;
    Size count;
    Size bytes;
    Size hand; // where replacement continues
};
CopyTable table_of_copies;

std::uint64_t copy_key(std::uint32_t cache, BlockNumber block)
{
    return static_cast<std::uint64_t>(cache) << 32 | block;
}

Size first_slot(const CopyTable &table, std::uint64_t key)
{
    return key * UINT64CONST(0x9E3779B97F4A7C15) >> table.shift;
}

Size next_slot(const CopyTable &table, Size slot) { return (slot + 1) & (table.slots - 1); }

// Returns the slot that has the key, or the free slot for it.
Slot *slot_of(const CopyTable &table, std::uint64_t key)
{
    Size at = first_slot(table, key);
    while (table.slot[at].copy != nullptr && table.slot[at].key != key)
        at = next_slot(table, at);
    return &table.slot[at];
}

void set_slots(CopyTable *table, Size slots)
{
    Slot *old = table->slot;
    Size old_slots = table->slots;
    table->slot = allocate_huge<Slot>(slots, table->context, MCXT_ALLOC_ZERO);
    table->slots = slots;
    table->shift = 64 - static_cast<int>(pg_ceil_log2_64(slots));
    for (Size i = 0; i < old_slots; i++) {
        if (old[i].copy != nullptr)
            *slot_of(*table, old[i].key) = old[i];
    }
    if (old != nullptr)
        pfree(old);
}

void remove_copy(CopyTable *table, Slot *slot)
{
    InnerCopy *copy = slot->copy;
    table->count--;
    table->bytes -= GetMemoryChunkSpace(copy);
    dlist_delete(&copy->of_index);
    pfree(copy);
    // The slots behind the gap move up, so that no search for them ends at the gap.
    Size gap = static_cast<Size>(slot - table->slot);
    for (Size at = next_slot(*table, gap); table->slot[at].copy != nullptr; at = next_slot(*table, at)) {
        Size first = first_slot(*table, table->slot[at].key);
        if (((at - first) & (table->slots - 1)) >= ((at - gap) & (table->slots - 1))) {
            table->slot[gap] = table->slot[at];
            gap = at;
        }
    }
    table->slot[gap].copy = nullptr;
}

// Removes a copy that has not been used since the hand last passed it.
void replace_copy(CopyTable *table)
{
    for (;; table->hand = next_slot(*table, table->hand)) {
        Slot *slot = &table->slot[table->hand];
        if (slot->copy != nullptr && !slot->copy->used) {
            remove_copy(table, slot);
            return;
        }
        if (slot->copy != nullptr)
            slot->copy->used = false;
    }
}

void remove_copies(IndexCopies *of_index)
{
    CopyTable *table = &table_of_copies;
    while (!dlist_is_empty(&of_index->copies)) {
        auto *copy = reinterpret_cast<InnerCopy *>(dlist_head_node(&of_index->copies));
        remove_copy(table, slot_of(*table, copy->key));
    }
    hash_search(table->indexes, &of_index->index, HASH_REMOVE, nullptr);
}

// Relcache callback. No code may use a copy while invalidation messages are accepted. That happens when a
// lock of the lock manager is taken and when catalogs are read. The functions of this file do neither while
// they use a copy.
void forget_index(Datum, Oid relation)
{
    HTAB *indexes = table_of_copies.indexes;
    if (OidIsValid(relation)) {
        void *found = hash_search(indexes, &relation, HASH_FIND, nullptr);
        if (found != nullptr)
            remove_copies(static_cast<IndexCopies *>(found));
        return;
    }
    HASH_SEQ_STATUS all;
    hash_seq_init(&all, indexes);
    while (void *found = hash_seq_search(&all))
        remove_copies(static_cast<IndexCopies *>(found));
}

void begin_copies(CopyTable *table)
{
    // Copies have many different sizes. With small blocks most copies have a block of their own, which is
    // freed with them.
    MemoryContext context = AllocSetContextCreate(CacheMemoryContext, "simhash inner pages", 0, 1024, 8192);
    HASHCTL control = {};
    control.keysize = sizeof(Oid);
    control.entrysize = sizeof(IndexCopies);
    control.hcxt = context;
    table->indexes =
        hash_create("simhash indexes with copies", 16, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
    table->context = context;
    set_slots(table, kFirstSlots);
    CacheRegisterRelcacheCallback(forget_index, 0);
}

// Allocates a copy, which is not in the table yet. Makes room for it if necessary.
InnerCopy *allocate_copy(CopyTable *table, int count)
{
    if (table->slot == nullptr)
        begin_copies(table);
    Size size = offsetof(InnerCopy, child) + sizeof(CachedChild) * static_cast<Size>(count);
    while (table->count > 0 && table->bytes + size > kMostBytes)
        replace_copy(table);
    if (2 * (table->count + 1) > table->slots)
        set_slots(table, 2 * table->slots);
    return static_cast<InnerCopy *>(MemoryContextAlloc(table->context, size));
}

void add_copy(CopyTable *table, InnerCopy *copy)
{
    bool found;
    auto *of_index =
        static_cast<IndexCopies *>(hash_search(table->indexes, &copy->index, HASH_ENTER, &found));
    if (!found)
        dlist_init(&of_index->copies);
    dlist_push_head(&of_index->copies, &copy->of_index);
    table->bytes += GetMemoryChunkSpace(copy);
    table->count++;
    *slot_of(*table, copy->key) = {copy->key, copy};
}

InnerCopy *find_copy(std::uint64_t key)
{
    return table_of_copies.slot == nullptr ? nullptr : slot_of(table_of_copies, key)->copy;
}

// Returns what is wrong with the children of a page, or null. They must be in ascending order, so that every
// search makes progress. And their blocks must exist, so that readers of leaves need not check the length of
// the relation.
const char *check_children(Relation index, const char *page)
{
    if (!downlinks_ascend(page))
        return "The downlinks are out of order.";
    BlockNumber last = 0;
    for (int i = 0; i < inner_count(page); i++)
        last = Max(last, inner_link(page, i).child());
    return block_exists(index, last) ? nullptr : "A downlink leads past the end of the index.";
}

// Copies an inner page. Returns null if it is a root that is a leaf, or *stale is set.
InnerCopy *make_copy(const OpenIndex &index, std::uint64_t key, BlockNumber block, int tree, int level,
                     const char **stale)
{
    Buffer buffer = read_tree_page(index, block, BUFFER_LOCK_SHARE, tree, level, stale);
    if (!BufferIsValid(buffer))
        return nullptr;
    const char *page = buffer_page(buffer);
    if (is_leaf(page)) {
        UnlockReleaseBuffer(buffer);
        return nullptr;
    }
    const char *fault = check_children(index, page);
    if (fault != nullptr)
        report_corruption(index, block, fault);
    InnerCopy *copy = allocate_copy(&table_of_copies, inner_count(page));
    copy->key = key;
    copy->index = RelationGetRelid(index);
    copy->high = high_of(page);
    copy->right = page_tail(page)->right;
    copy->tree = tree;
    copy->level = page_tail(page)->level;
    copy->count = inner_count(page);
    copy->used = true;
    for (int i = 0; i < copy->count; i++)
        copy->child[i] = {inner_bound(page, i), inner_link(page, i).child(), InvalidBuffer,
                          InvalidXLogRecPtr};
    copy->density = child_density(copy->child, copy->count, is_rightmost(page), copy->high);
    UnlockReleaseBuffer(buffer);
    add_copy(&table_of_copies, copy);
    return copy;
}

} // namespace

InnerCopy *copy_of(const OpenIndex &index, BlockNumber block, int tree, int level, const char **stale)
{
    std::uint64_t key = copy_key(index.number, block);
    InnerCopy *copy = find_copy(key);
    if (copy == nullptr)
        return make_copy(index, key, block, tree, level, stale);
    if (!copy->used)
        copy->used = true;
    return copy;
}

InnerCopy *present_copy(const OpenIndex &index, BlockNumber block)
{
    return find_copy(copy_key(index.number, block));
}

void forget_copy(const OpenIndex &index, BlockNumber block)
{
    std::uint64_t key = copy_key(index.number, block);
    if (find_copy(key) != nullptr)
        remove_copy(&table_of_copies, slot_of(table_of_copies, key));
}

void visit_copies(void (*visit)(void *context, Oid index, int64 copies, int64 bytes), void *context)
{
    if (table_of_copies.indexes == nullptr)
        return;
    HASH_SEQ_STATUS all;
    hash_seq_init(&all, table_of_copies.indexes);
    while (auto *of_index = static_cast<IndexCopies *>(hash_seq_search(&all))) {
        int64 copies = 0, bytes = 0;
        // dlist_foreach is for C.
        const dlist_node *end = &of_index->copies.head;
        for (dlist_node *at = end->next; at != end; at = at->next) {
            copies++;
            bytes += static_cast<int64>(GetMemoryChunkSpace(at)); // of_index is a copy's first member
        }
        if (copies > 0)
            visit(context, of_index->index, copies, bytes);
    }
}

} // namespace simhash
