// Unites sparse pages with their right siblings, which deletes them. Which ones: is_sparse and has_room decide, and the
// limit is most_percent; may_unite asks the same of what the walk has noted, before the pages are read again.
//
// One record deletes a page E: its entries, if it has any, and its range go to its right sibling R; the right link of its
// left sibling L skips it; and its downlink in their parent P is removed. R must have the same parent. Whatever is not as
// expected, or is busy, stays for the next VACUUM: VACUUM waits for no lock on E or R while it holds that on L.
#include "am/tree/unlink.hpp"

#include "am/index/failpoint.hpp"
#include "am/tree/descent.hpp"
#include "am/tree/split.hpp"

extern "C" {
#include "commands/vacuum.h"
#include "storage/predicate.h"
}

namespace simhash
{

namespace
{

// How full two pages that become one may leave it, in percent: no fuller than a build packs pages. Inserts and deletes
// that balance seldom fill the rest, and leaves do not thin out: bench/decisions.md.
int most_percent(const IndexMeta &meta) { return Min(85, meta.fillfactor); }

int capacity_of(const char *page) { return is_leaf(page) ? leaf_fill(page) : inner_capacity(BLCKSZ); }
int count_of(const char *page) { return is_leaf(page) ? leaf_count(page) : inner_count(page); }

bool is_sparse(const char *page, BlockNumber block)
{
    const PageTail *tail = page_tail(page);
    return block != root_block(tail->tree) && !is_rightmost(page) && !(tail->flags & kIncompleteSplit) &&
           count_of(page) <= capacity_of(page) / 2;
}

// Whether a page takes the entries of its left sibling.
bool has_room(const IndexMeta &meta, const char *page, const char *left)
{
    const int capacity = is_leaf(page) ? united_leaf_fill(left, page) : inner_capacity(BLCKSZ);
    return count_of(left) == 0 || (count_of(left) + count_of(page)) * 100 <= capacity * most_percent(meta);
}

// The last position before another one, which is not the first of all.
Position before(Position position)
{
    constexpr std::uint64_t kLastTid = (std::uint64_t{1} << 48) - 1;
    return position.tid > 0 ? Position{position.key, position.tid - 1} : Position{position.key - 1, kLastTid};
}

// The pages that deleting one changes, in the order in which they are locked. Those that are valid are pinned.
struct Unlink {
    OpenIndex index;
    int tree;
    int level;
    Position low; // of `page`
    Buffer left;  // invalid if `page` is the first of its level
    Buffer page;
    Buffer right;
    Buffer parent;
    int child; // number of the downlink to `page`
    int locked;
};

void release(Unlink *unlink)
{
    Buffer buffer[] = {unlink->left, unlink->page, unlink->right, unlink->parent};
    for (int i = 3; i >= 0; i--) {
        if (BufferIsValid(buffer[i]) && i < unlink->locked)
            LockBuffer(buffer[i], BUFFER_LOCK_UNLOCK);
        if (BufferIsValid(buffer[i]))
            ReleaseBuffer(buffer[i]);
    }
}

// Pins the page and its right sibling, so that neither is read from disk under a lock. Returns false if the page cannot be
// deleted.
bool look_at(BlockNumber block, Unlink *unlink)
{
    Relation index = unlink->index;
    unlink->page = ReadBuffer(index, block);
    LockBuffer(unlink->page, BUFFER_LOCK_SHARE);
    const char *page = buffer_page(unlink->page);
    bool sparse = !PageIsNew(buffer_page(unlink->page)) &&
                  check_page_of_trees(*unlink->index.meta, page) == nullptr && !is_deleted(page) &&
                  is_sparse(page, block);
    BlockNumber right = sparse ? page_tail(page)->right : kNoBlock;
    if (sparse) {
        unlink->tree = page_tail(page)->tree;
        unlink->level = page_tail(page)->level;
        unlink->low = low_of(page);
    }
    LockBuffer(unlink->page, BUFFER_LOCK_UNLOCK);
    if (!sparse || right == block || !block_exists(index, right))
        return false;
    unlink->right = ReadBuffer(index, right);
    return true;
}

// Locks the left sibling, if there is one.
bool lock_left(Unlink *unlink)
{
    failpoint(Failpoint::unlink_found);
    unlink->locked = 1;
    if (unlink->low == Position{0, 0})
        return true;
    unlink->left =
        descend(unlink->index, unlink->tree, before(unlink->low), BUFFER_LOCK_EXCLUSIVE, unlink->level);
    const char *page = buffer_page(unlink->left);
    return page_tail(page)->right == BufferGetBlockNumber(unlink->page) && high_of(page) == unlink->low;
}

// Locks the page, if nobody has pinned it: a scan may rely on its pin. And the right sibling, if it has room.
bool lock_pages(Unlink *unlink)
{
    failpoint(Failpoint::unlink_page);
    if (!ConditionalLockBufferForCleanup(unlink->page))
        return false;
    unlink->locked = 2;
    const char *page = buffer_page(unlink->page);
    if (check_page_place(page, BLCKSZ, unlink->tree, unlink->level) != nullptr ||
        low_of(page) != unlink->low || !is_sparse(page, BufferGetBlockNumber(unlink->page)) ||
        page_tail(page)->right != BufferGetBlockNumber(unlink->right))
        return false;
    failpoint(Failpoint::unlink_right);
    if (!ConditionalLockBuffer(unlink->right))
        return false;
    unlink->locked = 3;
    const char *right = buffer_page(unlink->right);
    const IndexMeta &meta = *unlink->index.meta;
    return check_tree_page(right, BLCKSZ, unlink->tree, unlink->level, meta.words_of(unlink->tree)) ==
               nullptr &&
           check_own_block(right, BufferGetBlockNumber(unlink->right)) == nullptr &&
           low_of(right) == high_of(page) && has_room(meta, right, page);
}

// Locks the parent, if both pages are its children.
bool lock_parent(Unlink *unlink)
{
    failpoint(Failpoint::unlink_parent);
    unlink->parent =
        descend(unlink->index, unlink->tree, unlink->low, BUFFER_LOCK_EXCLUSIVE, unlink->level + 1);
    unlink->locked = 4;
    const char *parent = buffer_page(unlink->parent);
    int at = unlink->child = inner_find(parent, unlink->low);
    return at + 1 < inner_count(parent) && inner_bound(parent, at) == unlink->low &&
           inner_link(parent, at).child() == BufferGetBlockNumber(unlink->page) &&
           inner_link(parent, at + 1).child() == BufferGetBlockNumber(unlink->right);
}

// Moves all entries to the right sibling, whose range then begins where that of the page does.
void move_entries(const char *from, char *to)
{
    set_low(to, low_of(from));
    if (!is_leaf(from)) {
        for (int i = 0; i < inner_count(from); i++)
            inner_insert(to, i, inner_bound(from, i), inner_link(from, i).child());
        return;
    }
    if (leaf_count(from) == 0)
        return;
    auto *entry = allocate<LeafEntry>(leaf_places(from) + leaf_places(to));
    int count = leaf_read(from, entry);
    count += leaf_read(to, entry + count);
    if (!leaf_write(to, entry, count))
        elog(ERROR, "two sparse leaves do not fit into a page");
    pfree(entry);
}

void delete_locked(const Unlink &unlink)
{
    BlockNumber right = BufferGetBlockNumber(unlink.right);
    GenericXLogState *state = GenericXLogStart(unlink.index);
    if (BufferIsValid(unlink.left))
        page_tail(GenericXLogRegisterBuffer(state, unlink.left, 0))->right = right;
    Page page = GenericXLogRegisterBuffer(state, unlink.page, 0);
    Page right_page = GenericXLogRegisterBuffer(state, unlink.right, 0);
    Page parent = GenericXLogRegisterBuffer(state, unlink.parent, 0);
    move_entries(page, right_page);
    delete_page(page);
    inner_remove(parent, unlink.child + 1);
    inner_remove(parent, unlink.child);
    inner_insert(parent, unlink.child, unlink.low, right);
    failpoint(Failpoint::unlink_log);
    GenericXLogFinish(state);
    if (unlink.level == 0)
        PredicateLockPageCombine(unlink.index, BufferGetBlockNumber(unlink.page), right);
}

bool unlink_page(const OpenIndex &index, BlockNumber block)
{
    Unlink unlink = {};
    unlink.index = index;
    const bool possible =
        look_at(block, &unlink) && lock_left(&unlink) && lock_pages(&unlink) && lock_parent(&unlink);
    if (possible)
        delete_locked(unlink);
    release(&unlink);
    if (possible) {
        failpoint(Failpoint::unlink_done);
        note_deleted(index, block);
    }
    return possible;
}

// Whether it is worthwhile to look at a page and its right sibling.
bool may_unite(const IndexMeta &meta, const SparsePages &sparse, const SparsePages::Page &page)
{
    const int filled = page.block < sparse.blocks ? sparse.filled[page.block] : 0,
              right = page.right < sparse.blocks ? sparse.filled[page.right] : 0;
    return filled <= 1 || right == 0 || filled - 1 + right - 1 <= most_percent(meta);
}

// Its entries are now on its right sibling.
void note_united(SparsePages *sparse, const SparsePages::Page &page)
{
    if (page.block >= sparse->blocks)
        return;
    const int filled = sparse->filled[page.block] - 1;
    sparse->filled[page.block] = 0;
    if (filled > 0 && page.right < sparse->blocks && sparse->filled[page.right] > 0)
        sparse->filled[page.right] = static_cast<std::uint8_t>(Min(sparse->filled[page.right] + filled, 101));
}

// The memory for the sparse pages. How full all pages are may take as much again, a byte each.
Size sparse_memory() { return static_cast<Size>(vacuum_work_mem()) * 1024 / 4; }

void note_filled(SparsePages *sparse, const char *page, BlockNumber block)
{
    const Size most = kFailpoints ? 256 : sparse_memory();
    if (block >= most)
        return; // if it matters, the page is read again
    if (block >= sparse->blocks) {
        const Size blocks = Min(Max(Size{block} + 1, Max(Size{1024}, 2 * sparse->blocks)), most);
        auto *filled = allocate_huge<std::uint8_t>(blocks, CurrentMemoryContext, MCXT_ALLOC_ZERO);
        if (sparse->filled != nullptr) {
            std::memcpy(filled, sparse->filled, sparse->blocks);
            pfree(sparse->filled);
        }
        sparse->filled = filled;
        sparse->blocks = blocks;
    }
    sparse->filled[block] = static_cast<std::uint8_t>(1 + Min(count_of(page) * 100 / capacity_of(page), 100));
}

} // namespace

void note_page(SparsePages *sparse, const char *page, BlockNumber block)
{
    // The rest waits for the next VACUUM.
    const Size most = sparse_memory() / sizeof(SparsePages::Page);
    note_filled(sparse, page, block);
    if (!is_sparse(page, block) || sparse->count >= most)
        return;
    if (sparse->count == sparse->capacity) {
        sparse->capacity = Max(2 * sparse->capacity, 64);
        Size bytes = sizeof(SparsePages::Page) * sparse->capacity;
        sparse->page = static_cast<SparsePages::Page *>(
            sparse->page == nullptr ? palloc(bytes) : repalloc_huge(sparse->page, bytes));
    }
    sparse->page[sparse->count++] = {block, page_tail(page)->right};
}

BlockNumber unlink_sparse(const OpenIndex &index, SparsePages *sparse)
{
    BlockNumber deleted = 0;
    for (Size i = 0; i < sparse->count; i++) {
        const SparsePages::Page &page = sparse->page[i];
        delay_vacuum();
        if (may_unite(*index.meta, *sparse, page) && unlink_page(index, page.block)) {
            deleted++;
            note_united(sparse, page);
        }
    }
    return deleted;
}

} // namespace simhash
