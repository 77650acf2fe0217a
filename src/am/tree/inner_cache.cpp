#include "am/tree/inner_cache.hpp"

#include "core/page/inner_copy.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/spccache.h"
}

namespace simhash
{

namespace
{

constexpr int kMostChildren =
    static_cast<int>((BLCKSZ - sizeof(RawPageHeader) - sizeof(PageTail)) / kInnerEntry);

struct InnerCopy {
    Position high;
    BlockNumber right; // kNoBlock if rightmost
    int level;
    int count;
    double density; // children per key
    CachedChild child[kMostChildren];

    bool belongs_right(Position position) const { return right != kNoBlock && position >= high; }
};

// The memory that a backend gives to an index, at most.
constexpr Size kMostCopies = 512;

constexpr Size kWays = 2; // slots in which a block's copy may be

} // namespace

struct InnerCopies {
    BlockNumber blocks; // that the relation is known to have
    Size slots;         // a power of two
    Size replaced;
    BlockNumber *block; // of the copy in each slot; kNoBlock: none
    InnerCopy *copy;
};

namespace
{

Size slots_for(BlockNumber blocks, int trees)
{
    // The metapage and the roots: no inner page yet. Later some 300 leaves have one, and each tree its root.
    Size first = static_cast<Size>(trees) + 1, slots = kWays;
    Size copies = blocks <= first ? 0 : blocks / 300 + static_cast<Size>(trees);
    // Twice as many slots as copies, so that few blocks share one.
    while (slots < 2 * copies && slots < kMostCopies)
        slots *= 2;
    return slots;
}

Size first_slot(const InnerCopies &copies, BlockNumber block)
{
    return (block * 2654435761u >> 16) & (copies.slots - kWays);
}

InnerCopy *copy_of(InnerCopies *copies, BlockNumber block)
{
    Size slot = first_slot(*copies, block);
    for (Size way = 0; way < kWays; way++) {
        if (copies->block[slot + way] == block)
            return &copies->copy[slot + way];
    }
    return nullptr;
}

// What is wrong with the children of a copy. They ascend, so every search makes progress; and they exist, so
// readers of leaves need not ask how long the relation is.
const char *check_children(Relation index, const InnerCopy &copy, const char *page)
{
    if (!downlinks_ascend(page))
        return "the downlinks are out of order";
    BlockNumber last = 0;
    for (int i = 0; i < copy.count; i++)
        last = Max(last, copy.child[i].block);
    return block_exists(index, last) ? nullptr : "a downlink leads past the end of the index";
}

// Copies an inner page; null if it turns out to be a root that is a leaf.
InnerCopy *make_copy(Relation index, BlockNumber block, int table, int level)
{
    Buffer buffer = read_tree_page(index, block, BUFFER_LOCK_SHARE, table, level);
    const char *page = buffer_page(buffer);
    if (is_leaf(page)) {
        UnlockReleaseBuffer(buffer);
        return nullptr;
    }
    InnerCopies *copies = index_copies(index);
    Size slot = first_slot(*copies, block), way = 0;
    while (way < kWays && copies->block[slot + way] != kNoBlock && copies->block[slot + way] != block)
        way++;
    slot += way < kWays ? way : copies->replaced++ % kWays;
    copies->block[slot] = block;
    InnerCopy *copy = &copies->copy[slot];
    copy->high = high_of(page);
    copy->right = page_tail(page)->right;
    copy->level = page_tail(page)->level;
    copy->count = inner_count(page);
    for (int i = 0; i < copy->count; i++)
        copy->child[i] = {inner_bound(page, i), inner_link(page, i).child(), InvalidBuffer};
    copy->density = child_density(copy->child, copy->count, is_rightmost(page), copy->high);
    const char *fault = check_children(index, *copy, page);
    UnlockReleaseBuffer(buffer);
    if (fault != nullptr) {
        copies->block[slot] = kNoBlock;
        report_corruption(index, block, fault);
    }
    return copy;
}

void forget(Relation index, BlockNumber block)
{
    if (index->rd_amcache == nullptr)
        return;
    InnerCopies *copies = index_copies(index);
    Size slot = first_slot(*copies, block);
    for (Size way = 0; way < kWays; way++) {
        if (copies->block[slot + way] == block)
            copies->block[slot + way] = kNoBlock;
    }
}

} // namespace

void find_leaf(Relation index, int table, Position position, LeafPlace *place)
{
    BlockNumber parent = kNoBlock, block = root_block(table);
    // Where the page's range begins: what its downlink says, or its left sibling's high. That never changes.
    Position lower = {0, 0};
    bool stepped = false;
    for (int level = -1;;) {
        InnerCopy *copy = copy_of(index_copies(index), block);
        if (copy == nullptr)
            copy = make_copy(index, block, table, level);
        if (copy == nullptr) {
            *place = {block, InvalidBuffer, {0, 0}, {0, 0}, true, true, kNoBlock, 0};
            return;
        }
        // A copy was made for some link to the page; this one may be damaged, and lead back up.
        if (level >= 0 && copy->level != level)
            report_corruption(index, block, "the page is at the wrong level");
        // So a chain of right links ascends, and cannot lead round in a circle.
        if (copy->child[0].lower != lower)
            report_corruption(index, block, "the page's range does not begin where the link to it says");
        if (copy->belongs_right(position)) {
            CHECK_FOR_INTERRUPTS();
            if (!stepped && parent != kNoBlock)
                forget(index, parent);
            level = copy->level;
            lower = copy->high;
            block = copy->right;
            stepped = true;
            continue;
        }
        int at = find_child(copy->child, copy->count, copy->density, position);
        const CachedChild &child = copy->child[at];
        stepped = false;
        if (copy->level > 1) {
            parent = block;
            block = child.block;
            lower = child.lower;
            level = copy->level - 1;
            continue;
        }
        bool last = at == copy->count - 1;
        place->block = child.block;
        place->buffer = child.buffer;
        place->lower = child.lower;
        place->upper = last ? copy->high : copy->child[at + 1].lower;
        place->rightmost = last && copy->right == kNoBlock;
        place->root = false;
        place->parent = block;
        place->child = at;
        return;
    }
}

void fetch_leaf(Relation index, LeafPlace *place)
{
    if (!BufferIsValid(place->buffer) && !place->root &&
        get_tablespace_io_concurrency(index->rd_rel->reltablespace) > 0)
        place->buffer = PrefetchBuffer(index, MAIN_FORKNUM, place->block).recent_buffer;
}

void check_reach(Relation index, const LeafPlace &place, Buffer buffer)
{
    const char *page = buffer_page(buffer);
    if (!place.rightmost && (is_rightmost(page) || high_of(page) > place.upper))
        report_corruption(index, BufferGetBlockNumber(buffer),
                          "the leaf reaches farther than its parent says");
    // The right half of an unfinished split has no downlink: it lies in the range that the parent gives the
    // left one. Downlink and mark change together, under the leaf's lock, so no copy is ahead of the mark.
    if (!place.rightmost && (page_tail(page)->flags & kIncompleteSplit) && high_of(page) >= place.upper)
        report_corruption(index, BufferGetBlockNumber(buffer),
                          "the leaf has split and leaves nothing to its right half");
    // Rows of another leaf, on the left, might be reported twice.
    if (!place.root && !is_rightmost(page) && high_of(page) <= place.lower)
        report_corruption(index, BufferGetBlockNumber(buffer),
                          "the leaf ends before its parent says it begins");
}

Buffer read_leaf(Relation index, const LeafPlace &place, int table, int mode, BufferAccessStrategy strategy)
{
    Buffer buffer = strategy == nullptr
                        ? read_recent_buffer(index, place.block, place.buffer)
                        : ReadBufferExtended(index, MAIN_FORKNUM, place.block, RBM_NORMAL, strategy);
    lock_tree_page(index, buffer, place.block, mode, table, 0);
    check_reach(index, place, buffer);

    // An invalidation may have freed the copies; then they are not made again under this lock.
    InnerCopy *copy = index->rd_amcache == nullptr ? nullptr : copy_of(index_copies(index), place.parent);
    if (copy != nullptr && place.child < copy->count && copy->child[place.child].block == place.block)
        copy->child[place.child].buffer = buffer;
    return buffer;
}

void forget_parent(Relation index, const LeafPlace &place)
{
    if (!place.root)
        forget(index, place.parent);
}

bool block_exists(Relation index, BlockNumber block)
{
    if (index->rd_amcache == nullptr)
        return block < RelationGetNumberOfBlocks(index);
    InnerCopies *copies = index_copies(index);
    if (block >= copies->blocks)
        copies->blocks = RelationGetNumberOfBlocks(index);
    return block < copies->blocks;
}

Size inner_copies_size(BlockNumber blocks, int trees)
{
    return MAXALIGN(sizeof(InnerCopies)) +
           slots_for(blocks, trees) * (sizeof(BlockNumber) + sizeof(InnerCopy));
}

void init_inner_copies(InnerCopies *copies, Size size)
{
    copies->slots = (size - MAXALIGN(sizeof(InnerCopies))) / (sizeof(BlockNumber) + sizeof(InnerCopy));
    copies->blocks = 0;
    copies->replaced = 0;
    copies->copy =
        reinterpret_cast<InnerCopy *>(reinterpret_cast<char *>(copies) + MAXALIGN(sizeof(InnerCopies)));
    copies->block = reinterpret_cast<BlockNumber *>(copies->copy + copies->slots);
    for (Size i = 0; i < copies->slots; i++)
        copies->block[i] = kNoBlock;
}

bool outgrown(InnerCopies *copies, Relation index)
{
    if (copies->slots == kMostCopies || copies->replaced <= 2 * copies->slots)
        return false;
    copies->replaced = 0;
    return slots_for(RelationGetNumberOfBlocks(index), index_meta(index)->trees()) > copies->slots;
}

} // namespace simhash
