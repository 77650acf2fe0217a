#include "core/page/page.hpp"

#include <atomic>

#include "core/bits/contract.hpp"
#include "core/page/leaf.hpp"
#include "core/page/neighbor_figures.hpp"

namespace simhash
{

namespace
{

constexpr std::uint16_t kLayoutVersion = 4; // PostgreSQL's PG_PAGE_LAYOUT_VERSION

void set_header(char *page, std::size_t page_size, std::size_t lower, std::size_t special)
{
    std::memset(page, 0, page_size);
    RawPageHeader *header = page_header(page);
    header->lower = static_cast<std::uint16_t>(lower);
    header->upper = static_cast<std::uint16_t>(special);
    header->special = static_cast<std::uint16_t>(special);
    header->pagesize_version = static_cast<std::uint16_t>(page_size | kLayoutVersion);
}

const char *check_leaf_page(const char *page, std::size_t page_size, int words)
{
    if (page_tail(page)->level != 0)
        return "A leaf is above the lowest level.";
    if (key_words(page) != words)
        return "The leaf's keys have the wrong length.";
    return check_leaf(page, page_size);
}

const char *check_inner_page(const char *page)
{
    const RawPageHeader *header = page_header(page);
    const std::size_t keys = header->lower - sizeof(RawPageHeader),
                      refs = std::size_t{header->special} - header->upper,
                      count = keys / sizeof(std::uint64_t);
    if (page_tail(page)->level == 0)
        return "An inner page is at the lowest level.";
    if (keys % sizeof(std::uint64_t) != 0)
        return "The page's keys are truncated.";
    if (refs != count * sizeof(Downlink))
        return "The inner page's numbers of keys and of downlinks differ.";
    if (count == 0)
        return "The inner page is empty.";
    return inner_bound(page, 0) != low_of(page) ? "The page's range does not begin at its first downlink."
                                                : nullptr;
}

// What a page's kind says of its contents.
const char *check_contents(const char *page, std::size_t page_size, int words)
{
    switch (page_tail(page)->flags & ~kIncompleteSplit) {
    case kLeaf:
    case kLeaf | kPairKeys:
        return check_leaf_page(page, page_size, words);
    case kInner:
        return check_inner_page(page);
    default:
        return "The page is neither a leaf nor an inner page.";
    }
}

} // namespace

int inner_find(const char *page, Position position)
{
    int at = last_not_above(inner_keys(page), inner_count(page), position.key);
    while (at > 0 && inner_bound(page, at) > position) // equal keys are told apart by tid
        at--;
    return at;
}

void inner_insert(char *page, int at, Position bound, std::uint32_t child)
{
    SIMHASH_ASSERT(inner_has_room(page));
    SIMHASH_ASSERT(0 <= at && at <= inner_count(page));
    RawPageHeader *header = page_header(page);
    std::size_t after = static_cast<std::size_t>(inner_count(page) - at);
    char *key = page + sizeof(RawPageHeader) + sizeof(std::uint64_t) * static_cast<std::size_t>(at);
    std::memmove(key + sizeof(std::uint64_t), key, after * sizeof(std::uint64_t));
    std::memcpy(key, &bound.key, sizeof(std::uint64_t));

    char *links = page + header->upper;
    std::memmove(links - sizeof(Downlink), links, after * sizeof(Downlink));
    Downlink link = Downlink::make(bound.tid, child);
    std::memcpy(links + after * sizeof(Downlink) - sizeof(Downlink), &link, sizeof(link));

    header->lower = static_cast<std::uint16_t>(header->lower + sizeof(std::uint64_t));
    header->upper = static_cast<std::uint16_t>(header->upper - sizeof(Downlink));
}

void inner_remove(char *page, int at)
{
    SIMHASH_ASSERT(0 <= at && at < inner_count(page));
    RawPageHeader *header = page_header(page);
    std::size_t after = static_cast<std::size_t>(inner_count(page) - at - 1);
    char *key = page + sizeof(RawPageHeader) + sizeof(std::uint64_t) * static_cast<std::size_t>(at);
    std::memmove(key, key + sizeof(std::uint64_t), after * sizeof(std::uint64_t));
    char *links = page + header->upper;
    std::memmove(links + sizeof(Downlink), links, after * sizeof(Downlink));
    header->lower = static_cast<std::uint16_t>(header->lower - sizeof(std::uint64_t));
    header->upper = static_cast<std::uint16_t>(header->upper + sizeof(Downlink));
}

void delete_page(char *page)
{
    page_header(page)->lower = sizeof(RawPageHeader);
    page_header(page)->upper = page_header(page)->special;
    PageTail *tail = page_tail(page);
    tail->flags = kDeleted;
    tail->right = kNoBlock;
}

void claim_page(char *page)
{
    SIMHASH_ASSERT(is_deleted(page));
    page_tail(page)->tree = kNoTree;
    page_tail(page)->level = kNoTree;
    // Before the new flags are written.
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

void init_other_page(char *page, std::size_t page_size, int tree, std::uint16_t flags)
{
    set_header(page, page_size, sizeof(RawPageHeader), page_size - sizeof(PageTail));
    PageTail *tail = page_tail(page);
    tail->flags = flags;
    tail->right = kNoBlock;
    tail->tree = static_cast<std::uint8_t>(tree);
    tail->page_id = kPageId;
}

void init_page(char *page, std::size_t page_size, int tree, int level, int words)
{
    init_other_page(page, page_size, tree, level > 0 ? kInner : words == 2 ? kLeaf | kPairKeys : kLeaf);
    page_tail(page)->level = static_cast<std::uint8_t>(level);
    if (level == 0)
        leaf_clear(page);
}

void init_meta_page(char *page, std::size_t page_size, const MetaData &meta)
{
    init_other_page(page, page_size, 0, kMeta);
    std::memcpy(page + sizeof(RawPageHeader), &meta, sizeof(meta));
    page_header(page)->lower = sizeof(RawPageHeader) + sizeof(meta);
    init_neighbors(page);
}

int inner_capacity(std::size_t page_size)
{
    return static_cast<int>((page_size - sizeof(RawPageHeader) - sizeof(PageTail)) / kInnerEntry);
}

bool has_index_header(const char *page, std::size_t page_size)
{
    const RawPageHeader *header = page_header(page);
    return header->special == page_size - sizeof(PageTail) &&
           header->pagesize_version == (page_size | kLayoutVersion);
}

const char *check_page_header(const char *page, std::size_t page_size)
{
    const RawPageHeader *header = page_header(page);
    if (!has_index_header(page, page_size))
        return "The page header is not that of a simhash index.";
    if (page_tail(page)->page_id != kPageId)
        return "The page lacks the mark of a simhash index.";
    if (header->lower < sizeof(RawPageHeader) || header->upper < header->lower ||
        header->upper > header->special)
        return "The page's free space is out of bounds.";
    return nullptr;
}

const char *check_tree_page(const char *page, std::size_t page_size, int tree, int level, int words)
{
    if (const char *wrong = check_page_header(page, page_size))
        return wrong;
    if (const char *wrong = check_page_place(page, page_size, tree, level))
        return wrong;
    const PageTail *tail = page_tail(page);
    if (tail->zero != 0)
        return "The page has an unknown layout.";
    if (!is_rightmost(page) && high_of(page) <= low_of(page))
        return "The page's range is empty.";
    if (const char *wrong = check_contents(page, page_size, words))
        return wrong;
    if ((tail->flags & kIncompleteSplit) && tail->right == kNoBlock)
        return "The page was split but has no right sibling.";
    return nullptr;
}

const char *check_any_tree_page(const char *page, std::size_t page_size, int all_trees, int words)
{
    if (page_header(page)->special != page_size - sizeof(PageTail))
        return "The page header is not that of a simhash index.";
    if (page_tail(page)->flags == kDeleted) {
        const RawPageHeader *header = page_header(page);
        const char *wrong = check_page_header(page, page_size);
        return wrong != nullptr ||
                       (header->lower == sizeof(RawPageHeader) && header->upper == header->special)
                   ? wrong
                   : "The page is deleted but not empty.";
    }
    int tree = page_tail(page)->tree;
    return tree >= all_trees ? "The page does not belong to any tree."
                             : check_tree_page(page, page_size, tree, -1, tree == all_trees - 1 ? 1 : words);
}

bool downlinks_ascend(const char *page)
{
    int count = inner_count(page);
    for (int i = 1; i < count; i++) {
        if (inner_bound(page, i) <= inner_bound(page, i - 1))
            return false;
    }
    return !belongs_right(page, inner_bound(page, count - 1));
}

const char *check_page_place(const char *page, std::size_t page_size, int tree, int level)
{
    const char *tail = page + page_size - sizeof(PageTail);
    std::uint16_t flags;
    std::memcpy(&flags, tail + offsetof(PageTail, flags), sizeof(flags));
    std::atomic_thread_fence(std::memory_order_seq_cst); // see claim_page
    if (flags & kDeleted)
        return "The page has been deleted.";
    if (static_cast<std::uint8_t>(tail[offsetof(PageTail, tree)]) != tree)
        return "The page belongs to another tree.";
    if (level >= 0 && static_cast<std::uint8_t>(tail[offsetof(PageTail, level)]) != level)
        return "The page is at the wrong level.";
    return nullptr;
}

bool is_other_format(const char *page, std::size_t page_size)
{
    // The tail, and so the special space, may have had another length.
    PageTail tail;
    std::memcpy(&tail, page + page_size - sizeof(tail), sizeof(tail));
    if (page_header(page)->pagesize_version != (page_size | kLayoutVersion) || tail.page_id != kPageId ||
        tail.flags != kMeta)
        return false;
    std::uint32_t words[2]; // of MetaData and of SignatureMetaData
    std::memcpy(words, page + sizeof(RawPageHeader), sizeof(words));
    return words[0] != kMagic || (words[1] != kFormatVersion && words[1] != kSignatureVersion);
}

const char *check_meta_page(const char *page, std::size_t page_size)
{
    const RawPageHeader *header = page_header(page);
    if (!has_index_header(page, page_size))
        return "The page header is not that of a simhash index.";
    if (page_tail(page)->page_id != kPageId || page_tail(page)->flags != kMeta)
        return "The page is not a metapage.";
    MetaData meta;
    std::memcpy(&meta, page_meta(page), sizeof(meta));
    if (meta.magic != kMagic)
        return "The magic number is wrong.";
    if (meta.version != kFormatVersion)
        return "The format version is that of another kind of index.";
    if (header->lower != sizeof(RawPageHeader) + sizeof(MetaData))
        return "The metapage is truncated.";
    if (!check_design(meta.design))
        return "The design is not valid.";
    if (!is_bit_order(meta.bit_order))
        return "The bit order does not list each bit exactly once.";
    if (meta.model > 1)
        return "This release does not support the volatility model.";
    if (meta.model == 1) {
        VolatilityModel model;
        std::memcpy(&model, meta.model_share, sizeof(model));
        if (!is_volatility_model(model))
            return "The volatility model is not valid.";
    }
    return check_neighbors(page);
}

} // namespace simhash
