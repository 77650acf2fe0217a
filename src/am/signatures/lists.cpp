#include "am/signatures/lists.hpp"

#include "am/tree/page_delta.hpp"

extern "C" {
#include "utils/inval.h"
#include "utils/memutils.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

// The most memory for a backend's copies of the lists of all indexes. The last one is kept even if it needs more.
constexpr Size kMostBytes = Size{64} << 20;

constexpr char kOtherList[] = "The page does not belong to the list that leads to it.";

struct ListCopy {
    ListCopy *next; // the one that was used before it
    MemoryContext context;
    Oid index;
    std::uint32_t number; // see cache_number
    Size bytes;
    Lists lists;
};
ListCopy *first_copy;
bool callback_registered;

void remove_copy(ListCopy **at)
{
    ListCopy *copy = *at;
    *at = copy->next;
    MemoryContextDelete(copy->context);
}

// Relcache callback.
void forget_lists(Datum, Oid relation)
{
    for (ListCopy **at = &first_copy; *at != nullptr;) {
        if (!OidIsValid(relation) || (*at)->index == relation)
            remove_copy(at);
        else
            at = &(*at)->next;
    }
}

// Reads the centers of the groups and then those of the lists, with their links.
void read_centers(Relation index, const SignatureMeta &meta, Size wanted, std::uint8_t *center,
                  std::uint32_t *link)
{
    const Size bytes = static_cast<Size>(meta.layout.bytes());
    Size read = 0;
    for (BlockNumber block = meta.lists.page, next; read < wanted; block = next) {
        Buffer buffer = read_store_page(index, meta.shape(), block, kListPage, BUFFER_LOCK_SHARE);
        const char *page = buffer_page(buffer);
        const Size count = static_cast<Size>(list_page_count(page));
        if (count == 0 || read + count > wanted)
            report_corruption(index, block, "The number of lists is wrong.");
        std::memcpy(center + bytes * read, list_page_centers(page), bytes * count);
        for (Size i = 0; i < count; i++)
            link[read + i] = list_page_link(page, static_cast<int>(i));
        read += count;
        next = page_tail(page)->right;
        UnlockReleaseBuffer(buffer);
        if ((next == kNoBlock) != (read == wanted) || next <= block)
            report_corruption(index, block, "The list pages are out of order.");
    }
}

ListCopy *make_copy(Relation index, const SignatureMeta &meta)
{
    const ListMeta &lists = meta.lists;
    const Size groups = lists.groups, count = lists.lists, all = groups + count;
    // Before memory is allocated for them. Each list has a page of its own.
    if (!block_exists(index, lists.lists))
        report_corruption(index, kMetaBlock, "There are more lists than pages.");
    const Size bytes = static_cast<Size>(meta.layout.bytes());
    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash lists", ALLOCSET_SMALL_SIZES);
    auto *copy = allocate_huge<ListCopy>(1, context);
    auto *center = allocate_huge<std::uint8_t>(bytes * all, context);
    // The links of the groups, and the number of lists between them and those of the lists.
    auto *link = allocate_huge<std::uint32_t>(all + 1, context);
    read_centers(index, meta, all, center, link);
    std::copy_backward(link + groups, link + all, link + all + 1);
    link[groups] = lists.lists;
    copy->lists = {{meta.layout.bytes(), lists.groups, lists.lists, center, link, center + bytes * groups},
                   link + groups + 1,
                   allocate_huge<std::uint16_t>(count, context),
                   allocate_huge<std::uint32_t>(count, context)};
    const char *fault = check_groups(copy->lists);
    if (fault != nullptr)
        report_corruption(index, lists.page, fault);
    if (!block_exists(index, *std::max_element(copy->lists.head, copy->lists.head + count)))
        report_corruption(index, lists.page, "A list begins past the end of the index.");
    copy->context = context;
    copy->index = RelationGetRelid(index);
    copy->number = cache_number(index);
    copy->bytes = (bytes + sizeof(std::uint32_t)) * (all + 1) + 6 * count;
    return copy;
}

// Keeps the copy, and removes others if all take too much memory.
void keep_copy(ListCopy *copy)
{
    if (!callback_registered) {
        CacheRegisterRelcacheCallback(forget_lists, 0);
        callback_registered = true;
    }
    MemoryContextSetParent(copy->context, CacheMemoryContext);
    copy->next = first_copy;
    first_copy = copy;
    Size bytes = copy->bytes;
    for (ListCopy **at = &copy->next; *at != nullptr;) {
        bytes += (*at)->bytes;
        if (bytes > kMostBytes || (*at)->index == copy->index)
            remove_copy(at);
        else
            at = &(*at)->next;
    }
}

void change_open(char *page, int, const void *context, PageDelta *delta)
{
    set_body_open(page, *static_cast<const ListOpening *>(context));
    if (delta != nullptr)
        delta->add(page, page_header(page)->special + offsetof(PageTail, high_tid), sizeof(Tid));
}

// Whether the page that a walk read last still leads to the next one.
bool leads_on(Relation index, const StoreShape &shape, const ChainWalk &walk)
{
    Buffer buffer = read_store_page(index, shape, walk.before, kBodyPage, BUFFER_LOCK_SHARE);
    const char *page = buffer_page(buffer);
    const bool leads = body_list(page) == walk.list && body_next(page) == walk.block;
    UnlockReleaseBuffer(buffer);
    return leads;
}

} // namespace

const Lists &lists_of(Relation index, const SignatureMeta &meta)
{
    Assert(meta.lists.lists > 0);
    index_meta(index);
    const std::uint32_t number = cache_number(index);
    for (ListCopy **at = &first_copy; *at != nullptr; at = &(*at)->next) {
        ListCopy *copy = *at;
        if (copy->number != number)
            continue;
        *at = copy->next;
        copy->next = first_copy;
        first_copy = copy;
        return copy->lists;
    }
    ListCopy *copy = make_copy(index, meta);
    keep_copy(copy);
    return copy->lists;
}

BlockNumber write_list_pages(Relation index, const CenterSet &set, const BlockNumber *head)
{
    const int capacity = list_page_capacity(set.bytes, BLCKSZ);
    const std::uint32_t all = set.groups + set.lists;
    PGAlignedBlock image;
    Buffer buffer = extend_index(index), next = InvalidBuffer;
    const BlockNumber first = BufferGetBlockNumber(buffer);
    for (std::uint32_t i = 0; BufferIsValid(buffer); buffer = next, next = InvalidBuffer) {
        init_list_page(image.data, BLCKSZ);
        for (int on_page = 0; on_page < capacity && i < all; on_page++, i++) {
            if (i < set.groups)
                list_page_add(image.data, set.bytes, set.group + static_cast<Size>(set.bytes) * i,
                              set.first[i]);
            else
                list_page_add(image.data, set.bytes, set.list_center(i - set.groups), head[i - set.groups]);
        }
        if (i < all) {
            next = extend_index(index);
            page_tail(image.data)->right = BufferGetBlockNumber(next);
        }
        write_page_images(index, &buffer, image.data, 1);
    }
    return first;
}

Buffer read_list_page(Relation index, const StoreShape &shape, BlockNumber block, std::uint32_t list,
                      int mode, BufferAccessStrategy strategy)
{
    Buffer buffer = read_store_page(index, shape, block, kBodyPage, mode, InvalidSnapshot, strategy);
    if (body_list(buffer_page(buffer)) != list)
        report_corruption(index, block, kOtherList);
    return buffer;
}

void report_circle(Relation index, BlockNumber block)
{
    report_corruption(index, block, "The pages of a list form a circle.");
}

void check_chain_end(Relation index, BlockNumber block, BlockNumber pages)
{
    // Seldom, as pages are counted one by one. A page that has come back to its list leads to pages that were counted before.
    if ((pages & (pages - 1)) == 0 && !block_exists(index, pages / 4))
        report_circle(index, block);
}

Buffer read_chain_page(Relation index, const StoreShape &shape, ChainWalk *walk, Snapshot snapshot,
                       Buffer recent)
{
    CHECK_FOR_INTERRUPTS();
    check_chain_end(index, walk->block, walk->pages);
    // A page that is linked again meanwhile is read again. It does not leave twice in so short a time.
    for (int tries = 0; tries < 2; tries++) {
        Buffer buffer = read_store_page(index, shape, walk->block, kBodyPage, BUFFER_LOCK_SHARE, snapshot,
                                        nullptr, recent);
        if (body_list(buffer_page(buffer)) == walk->list) {
            walk->before = walk->block;
            walk->block = body_next(buffer_page(buffer));
            walk->pages++;
            return buffer;
        }
        UnlockReleaseBuffer(buffer);
        if (walk->before != kNoBlock && !leads_on(index, shape, *walk))
            return InvalidBuffer;
    }
    report_corruption(index, walk->block, kOtherList);
}

void open_list(Relation index, Buffer head, ListOpening open)
{
    change_pages(index, &head, 1, change_open, &open);
}

} // namespace simhash
