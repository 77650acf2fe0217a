#include "am/inner_cache.hpp"

extern "C" {
#include "utils/spccache.h"
}

namespace simhash
{

namespace
{

constexpr int kMostChildren =
    static_cast<int>((BLCKSZ - sizeof(RawPageHeader) - sizeof(PageTail)) / kInnerEntry);

struct Child {
    Position lower;
    BlockNumber block;
    Buffer buffer; // where it was last seen, if it is a leaf
};

struct InnerCopy {
    Position high;
    BlockNumber right; // kNoBlock if rightmost
    int level;
    int count;
    std::uint64_t first; // the first child's key
    double density;      // children per key
    Child child[kMostChildren];

    bool belongs_right(Position position) const { return right != kNoBlock && position >= high; }
};

// The memory that a backend gives to an index, at most.
constexpr Size kMostCopies = 512;

constexpr Size kWays = 2; // slots in which a block's copy may be

} // namespace

struct InnerCopies {
    Size slots; // a power of two
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
    return NULL;
}

// Copies an inner page; null if it turns out to be a root that is a leaf.
InnerCopy *make_copy(Relation index, BlockNumber block, int table, int level)
{
    Buffer buffer = read_tree_page(index, block, BUFFER_LOCK_SHARE, table, level);
    const char *page = buffer_page(buffer);
    if (is_leaf(page)) {
        UnlockReleaseBuffer(buffer);
        return NULL;
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
    copy->first = copy->child[0].lower.key;
    std::uint64_t last = is_rightmost(page) ? ~std::uint64_t{0} : copy->high.key;
    copy->density = copy->count / (static_cast<double>(last - copy->first) + 1);
    UnlockReleaseBuffer(buffer);
    return copy;
}

// The last child whose lower bound is <= position. Fingerprints are often spread evenly, so the search sets
// out from where the child then is, by growing steps, and reads few lines of memory.
int find_child(const InnerCopy &copy, Position position)
{
    double guess =
        position.key <= copy.first ? 0 : static_cast<double>(position.key - copy.first) * copy.density;
    int low = static_cast<int>(std::min<double>(guess, copy.count - 1)), high = low;
    for (int step = 1; low > 0 && copy.child[low].lower > position; step *= 2) {
        high = low;
        low = std::max(0, low - step);
    }
    for (int step = 1; high < copy.count && copy.child[high].lower <= position; step *= 2) {
        low = high;
        high = std::min(copy.count, high + step);
    }
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (copy.child[middle].lower <= position)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void forget(Relation index, BlockNumber block)
{
    if (index->rd_amcache == NULL)
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
    Position left_high = {0, 0};
    bool stepped = false;
    for (int level = -1;;) {
        InnerCopy *copy = copy_of(index_copies(index), block);
        if (copy == NULL)
            copy = make_copy(index, block, table, level);
        if (copy == NULL) {
            *place = {block, InvalidBuffer, {0, 0}, {0, 0}, true, true, kNoBlock, 0};
            return;
        }
        if (stepped && copy->right != kNoBlock && copy->high <= left_high)
            report_corruption(index, block, "the page is out of order with its left sibling");
        if (copy->belongs_right(position)) {
            if (!stepped && parent != kNoBlock)
                forget(index, parent);
            level = copy->level;
            left_high = copy->high;
            block = copy->right;
            stepped = true;
            continue;
        }
        int at = find_child(*copy, position);
        const Child &child = copy->child[at];
        stepped = false;
        if (copy->level > 1) {
            parent = block;
            block = child.block;
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

Buffer read_leaf(Relation index, const LeafPlace &place, int table, int mode)
{
    Buffer buffer = read_recent_buffer(index, place.block, place.buffer);
    LockBuffer(buffer, mode);
    const char *fault = check_tree_page(buffer_page(buffer), BLCKSZ, table, 0);
    if (fault != nullptr)
        report_corruption(index, place.block, fault);

    // An invalidation may have freed the copies; then they are not made again under this lock.
    InnerCopy *copy = index->rd_amcache == NULL ? NULL : copy_of(index_copies(index), place.parent);
    if (copy != NULL && place.child < copy->count && copy->child[place.child].block == place.block)
        copy->child[place.child].buffer = buffer;
    return buffer;
}

void forget_parent(Relation index, const LeafPlace &place)
{
    if (!place.root)
        forget(index, place.parent);
}

Size inner_copies_size(BlockNumber blocks, int trees)
{
    return MAXALIGN(sizeof(InnerCopies)) +
           slots_for(blocks, trees) * (sizeof(BlockNumber) + sizeof(InnerCopy));
}

void init_inner_copies(InnerCopies *copies, Size size)
{
    copies->slots = (size - MAXALIGN(sizeof(InnerCopies))) / (sizeof(BlockNumber) + sizeof(InnerCopy));
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
