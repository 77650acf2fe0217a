#include "core/page/store_page.hpp"

#include "core/likely/list_centers.hpp"
#include "core/page/neighbor_figures.hpp"

#include <algorithm>

#include "core/bits/contract.hpp"

namespace simhash
{

namespace
{

// A segment is logged in one record, which can hold 33 pages: the segment, its map page and the one before.
constexpr int kMostBodies = 30;

constexpr std::size_t contents(std::size_t page_size)
{
    return page_size - sizeof(RawPageHeader) - sizeof(PageTail);
}

// Slots of a plane page, a multiple of 64 so that the bits before the tail are whole words.
int plane_capacity(std::size_t page_size)
{
    std::size_t slots = contents(page_size) * 8 / (kSketchBytes * 8 + 1);
    while (slots * kSketchBytes + (slots + 63) / 64 * 8 > contents(page_size))
        slots--;
    return static_cast<int>(slots);
}

void init_store_page(char *page, std::size_t page_size, std::uint16_t kind)
{
    init_other_page(page, page_size, kStoreTree, kind);
}

} // namespace

StoreShape store_shape(int bytes, std::size_t page_size)
{
    int slots = plane_capacity(page_size);
    StoreShape shape;
    shape.bytes = bytes;
    shape.body_rows = static_cast<int>(contents(page_size) / (static_cast<std::size_t>(bytes) + sizeof(Tid)));
    shape.body_rows = std::min(shape.body_rows, slots);
    shape.bodies = std::min(slots / shape.body_rows, kMostBodies);
    return shape;
}

int map_capacity(std::size_t page_size)
{
    return static_cast<int>(contents(page_size) / sizeof(SegmentEntry));
}

void map_add(char *page, SegmentEntry entry)
{
    SIMHASH_ASSERT(map_has_room(page));
    RawPageHeader *header = page_header(page);
    std::memcpy(page + header->lower, &entry, sizeof(entry));
    header->lower = static_cast<std::uint16_t>(header->lower + sizeof(entry));
}

std::size_t plane_used_bytes(std::size_t page_size)
{
    return (static_cast<std::size_t>(plane_capacity(page_size)) + 63) / 64 * 8;
}

int plane_free_slot(const char *page, int begin, int end)
{
    const std::uint8_t *used = plane_used(page);
    for (int slot = begin; slot < end; slot++) {
        if (slot % 8 == 0 && used[slot / 8] == 0xFF)
            slot += 7;
        else if (!plane_uses(page, slot))
            return slot;
    }
    return -1;
}

void plane_set(char *page, int slot, const std::uint64_t sketch[2])
{
    RawPageHeader *header = page_header(page);
    std::size_t at = sizeof(RawPageHeader) + kSketchBytes * static_cast<std::size_t>(slot);
    std::memcpy(page + at, sketch, kSketchBytes);
    header->lower = std::max(header->lower, static_cast<std::uint16_t>(at + kSketchBytes));
    page[header->upper + slot / 8] = static_cast<char>(page[header->upper + slot / 8] | 1 << slot % 8);
}

void plane_clear(char *page, int slot)
{
    char *used = page + page_header(page)->upper + slot / 8;
    *used = static_cast<char>(*used & ~(1 << slot % 8));
}

void body_set(char *page, int bytes, int slot, const std::uint8_t *signature, Tid tid)
{
    SIMHASH_ASSERT(0 <= slot && slot <= body_count(page));
    RawPageHeader *header = page_header(page);
    std::size_t length = static_cast<std::size_t>(bytes);
    std::size_t at = sizeof(RawPageHeader) + length * static_cast<std::size_t>(slot);
    std::memcpy(page + at, signature, length);
    header->lower = std::max(header->lower, static_cast<std::uint16_t>(at + length));
    header->upper =
        std::min(header->upper, static_cast<std::uint16_t>(header->special -
                                                           sizeof(Tid) * static_cast<std::size_t>(slot + 1)));
    reinterpret_cast<Tid *>(page_tail(page))[-1 - slot] = tid;
}

void body_clear(char *page, int slot) { reinterpret_cast<Tid *>(page_tail(page))[-1 - slot] = {0, 0, 0}; }

void set_body_list(char *page, std::uint32_t list, std::uint32_t next)
{
    page_tail(page)->high_key = std::uint64_t{list} << 32 | next;
}

// The metapage stands for none.
ListOpening body_open(const char *page)
{
    const std::uint64_t packed = page_tail(page)->high_tid.packed();
    const auto block = static_cast<std::uint32_t>(packed >> 16);
    return {block == kMetaBlock ? kNoBlock : block, static_cast<std::uint16_t>(packed)};
}

void set_body_open(char *page, ListOpening open)
{
    const std::uint32_t block = open.block == kNoBlock ? kMetaBlock : open.block;
    page_tail(page)->high_tid = Tid::unpack(std::uint64_t{block} << 16 | open.times);
}

int body_free_slot(const char *page, int slots)
{
    const int count = body_count(page);
    for (int slot = 0; slot < count; slot++) {
        if (body_tid(page, slot) == kNoRow)
            return slot;
    }
    return count < slots ? count : -1;
}

int list_page_capacity(int bytes, std::size_t page_size)
{
    return static_cast<int>(contents(page_size) / (static_cast<std::size_t>(bytes) + sizeof(std::uint32_t)));
}

void list_page_add(char *page, int bytes, const std::uint8_t *center, std::uint32_t link)
{
    RawPageHeader *header = page_header(page);
    const int number = list_page_count(page);
    std::memcpy(page + header->lower, center, static_cast<std::size_t>(bytes));
    header->lower = static_cast<std::uint16_t>(header->lower + bytes);
    header->upper = static_cast<std::uint16_t>(header->upper - sizeof(link));
    SIMHASH_ASSERT(header->lower <= header->upper);
    reinterpret_cast<std::uint32_t *>(page_tail(page))[-1 - number] = link;
}

void init_list_page(char *page, std::size_t page_size) { init_store_page(page, page_size, kListPage); }

void init_map_page(char *page, std::size_t page_size) { init_store_page(page, page_size, kMapPage); }

void init_plane_page(char *page, std::size_t page_size)
{
    init_store_page(page, page_size, kPlanePage);
    RawPageHeader *header = page_header(page);
    header->upper = static_cast<std::uint16_t>(header->special - plane_used_bytes(page_size));
}

void init_body_page(char *page, std::size_t page_size, std::uint32_t plane)
{
    init_store_page(page, page_size, kBodyPage);
    page_tail(page)->right = plane;
    set_body_list(page, kNoList, kNoBlock);
}

namespace
{

// The bytes at the beginning and at the end of a page that are in use.
struct Filled {
    std::size_t low, high;

    // Whether there are as many records of so many bytes at one end as of others at the other.
    bool holds_equally_many(std::size_t low_bytes, std::size_t high_bytes) const
    {
        return high % high_bytes == 0 && low == high / high_bytes * low_bytes;
    }
};

const char *check_map_page(const Filled &filled)
{
    return filled.low % sizeof(SegmentEntry) != 0 || filled.high != 0 ? "The list of segments is truncated."
                                                                      : nullptr;
}

const char *check_plane_page(const char *page, std::size_t page_size, const StoreShape &shape,
                             const Filled &filled)
{
    if (filled.low % kSketchBytes != 0 || filled.low / kSketchBytes > static_cast<std::size_t>(shape.rows()))
        return "The number of sketches is wrong.";
    if (filled.high != plane_used_bytes(page_size))
        return "The bits of used slots are truncated.";
    for (int slot = plane_count(page); slot < static_cast<int>(filled.high) * 8; slot++) {
        if (plane_uses(page, slot))
            return "A slot without a sketch is marked as used.";
    }
    return nullptr;
}

const char *check_body_page(const StoreShape &shape, const Filled &filled)
{
    return !filled.holds_equally_many(static_cast<std::size_t>(shape.bytes), sizeof(Tid)) ||
                   filled.high / sizeof(Tid) > static_cast<std::size_t>(shape.body_rows)
               ? "The numbers of signatures and of tids differ."
               : nullptr;
}

const char *check_list_page(const StoreShape &shape, const Filled &filled)
{
    return !filled.holds_equally_many(static_cast<std::size_t>(shape.bytes), sizeof(std::uint32_t))
               ? "The numbers of centers and of links differ."
               : nullptr;
}

} // namespace

const char *check_store_page(const char *page, std::size_t page_size, const StoreShape &shape,
                             std::uint16_t kind)
{
    if (const char *wrong = check_page_header(page, page_size))
        return wrong;
    const RawPageHeader *header = page_header(page);
    const PageTail *tail = page_tail(page);
    if (tail->tree != kStoreTree)
        return "The page does not belong to the signature store.";
    if (kind != 0 && tail->flags != kind)
        return "The page of the signature store is of the wrong kind.";

    const Filled filled = {header->lower - sizeof(RawPageHeader),
                           std::size_t{header->special} - header->upper};
    switch (tail->flags) {
    case kMapPage:
        return check_map_page(filled);
    case kPlanePage:
        return check_plane_page(page, page_size, shape, filled);
    case kBodyPage:
        return check_body_page(shape, filled);
    case kListPage:
        return check_list_page(shape, filled);
    default:
        return "The page is of no kind that the signature store has.";
    }
}

int most_signature_trees(int words, std::size_t page_size)
{
    std::size_t room = contents(page_size) - sizeof(NeighborFigures) - offsetof(SignatureMetaData, layout) -
                       offsetof(SignatureLayout, key);
    std::size_t key = sizeof(std::uint16_t) * static_cast<std::size_t>(words * kKeyBits);
    return static_cast<int>(std::min<std::size_t>(room / key, kMaxTrees));
}

bool is_signature_meta_page(const char *page, std::size_t page_size)
{
    if (!has_index_header(page, page_size) || page_tail(page)->flags != kMeta)
        return false;
    std::uint32_t words[2];
    std::memcpy(words, page + sizeof(RawPageHeader), sizeof(words));
    return words[0] == kMagic && words[1] == kSignatureVersion;
}

void init_signature_meta_page(char *page, std::size_t page_size, const SignatureMetaData &meta)
{
    init_other_page(page, page_size, 0, kMeta);
    std::memcpy(page + sizeof(RawPageHeader), static_cast<const void *>(&meta), meta.size());
    page_header(page)->lower = static_cast<std::uint16_t>(sizeof(RawPageHeader) + meta.size());
    init_neighbors(page);
}

namespace
{

const char *check_list_meta(const SignatureMetaData &meta)
{
    const ListMeta &lists = meta.lists;
    if (lists.lists == 0)
        return nullptr;
    if (lists.groups < 1 || lists.groups > lists.lists || lists.lists > most_lists(kMostLists) ||
        lists.page <= meta.map)
        return "The number or the place of the lists is not valid.";
    return lists.recall.queries == 0 ? nullptr
                                     : check_list_recall(lists.recall, lists.lists, meta.layout.bits);
}

} // namespace

const char *check_signature_meta_page(const char *page, std::size_t page_size)
{
    const RawPageHeader *header = page_header(page);
    if (!is_signature_meta_page(page, page_size) || page_tail(page)->page_id != kPageId)
        return "The page is not a metapage of an index on signatures.";
    if (header->lower < sizeof(RawPageHeader) || header->lower > header->upper ||
        header->upper > header->special)
        return "The metapage is truncated.";
    std::size_t size = header->lower - sizeof(RawPageHeader);
    SignatureMetaData meta;
    if (size < offsetof(SignatureMetaData, layout) || size > sizeof(meta))
        return "The metapage is truncated.";
    std::memset(static_cast<void *>(&meta), 0, sizeof(meta));
    std::memcpy(static_cast<void *>(&meta), page + sizeof(RawPageHeader), size);
    if (!is_signature_layout(meta.layout, size - offsetof(SignatureMetaData, layout)))
        return "The layout of the signatures is not valid.";
    if (meta.map != root_block(meta.layout.trees) + 1)
        return "The map of segments is at the wrong place.";
    const char *fault = check_list_meta(meta);
    return fault != nullptr ? fault : check_neighbors(page);
}

} // namespace simhash
