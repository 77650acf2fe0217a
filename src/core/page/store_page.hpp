// The pages of a wide index's signature store. src/am/format.md describes them in prose.
//
// A *segment* is a plane page followed by its body pages, in consecutive blocks. A row has a slot in a body
// page, which holds its signature and its tid, and the same slot in the plane page, which holds its sketch.
// Slots never move: the trees refer to a row by its *store position*, the block of the body page and the
// number of the slot plus 1, in the form of a tid. Map pages list the segments.
//
//   map page    from the header up: {plane block, free slots} for each segment; right: the next map page
//   plane page  from the header up: sketches; before the tail: a bit for each slot that is in use
//   body page   from the header up: signatures; down from the tail: tids, 0 for a slot that is not in use;
//               right: the block of the plane page
//   list page   from the header up: centers; down from the tail: what each refers to; right: the next list page
//
// The body pages of an index with lists form a chain for each list (list_centers.hpp). A page belongs to no list until it
// is linked into one, and again when VACUUM has taken it out, with its slots free. The first page of a chain never changes;
// later ones are inserted behind it. List pages are written by the build and never change: first come the groups' centers,
// each with its first list, and then the lists' centers, each with the first page of its chain.
//
// DO NOT CHANGE any constant or layout here without a new format version.
#pragma once

#include "core/layout/signature_layout.hpp"
#include "core/likely/list_recall.hpp"
#include "core/page/page.hpp"

namespace simhash
{

// Flags of store pages.
inline constexpr std::uint16_t kMapPage = 16;
inline constexpr std::uint16_t kPlanePage = 32;
inline constexpr std::uint16_t kBodyPage = 64;
inline constexpr std::uint16_t kListPage = 512;

// The tree number of store pages, so that no page of a tree is mistaken for one.
inline constexpr std::uint8_t kStoreTree = 0xFF;

struct SegmentEntry {
    std::uint32_t plane;
    std::uint32_t free; // about how many slots are not in use: a hint
};
static_assert(sizeof(SegmentEntry) == 8);

inline constexpr std::size_t kSketchBytes = kSketchBits / 8;

// The shape of the segments, which follows from the length of signatures and the size of pages.
struct StoreShape {
    int bytes;     // of a signature
    int body_rows; // slots of a body page
    int bodies;    // body pages of a segment

    int rows() const { return body_rows * bodies; }
    int pages() const { return bodies + 1; }
};
StoreShape store_shape(int bytes, std::size_t page_size);

inline std::uint64_t store_position(std::uint32_t body, int slot)
{
    return std::uint64_t{body} << 16 | static_cast<std::uint16_t>(slot + 1);
}
inline std::uint32_t position_block(std::uint64_t position)
{
    return static_cast<std::uint32_t>(position >> 16);
}
inline int position_slot(std::uint64_t position) { return static_cast<std::uint16_t>(position) - 1; }

inline bool is_store_page(const char *page)
{
    return (page_tail(page)->flags & (kMapPage | kPlanePage | kBodyPage | kListPage)) != 0;
}

// Map pages.

int map_capacity(std::size_t page_size);
inline int map_count(const char *page)
{
    return static_cast<int>((page_header(page)->lower - sizeof(RawPageHeader)) / sizeof(SegmentEntry));
}
inline SegmentEntry *map_entries(char *page)
{
    return reinterpret_cast<SegmentEntry *>(page + sizeof(RawPageHeader));
}
inline const SegmentEntry *map_entries(const char *page)
{
    return reinterpret_cast<const SegmentEntry *>(page + sizeof(RawPageHeader));
}
inline bool map_has_room(const char *page)
{
    return page_free(page) >= static_cast<int>(sizeof(SegmentEntry));
}
void map_add(char *page, SegmentEntry entry);

// Plane pages. Slots up to the highest one ever used have a sketch.

inline int plane_count(const char *page)
{
    return static_cast<int>((page_header(page)->lower - sizeof(RawPageHeader)) / kSketchBytes);
}
inline const std::uint64_t *plane_sketches(const char *page)
{
    return reinterpret_cast<const std::uint64_t *>(page + sizeof(RawPageHeader));
}
std::size_t plane_used_bytes(std::size_t page_size); // of the bits before the tail
inline const std::uint8_t *plane_used(const char *page)
{
    return reinterpret_cast<const std::uint8_t *>(page + page_header(page)->upper);
}
inline bool plane_uses(const char *page, int slot) { return plane_used(page)[slot / 8] >> slot % 8 & 1; }
// The first slot from `begin` to before `end` that is not in use, or -1.
int plane_free_slot(const char *page, int begin, int end);
void plane_set(char *page, int slot, const std::uint64_t sketch[2]);
void plane_clear(char *page, int slot);

// Body pages. Slots up to the highest one ever used exist.

inline int body_count(const char *page)
{
    return (page_header(page)->special - page_header(page)->upper) / static_cast<int>(sizeof(Tid));
}
inline const std::uint8_t *body_signature(const char *page, int bytes, int slot)
{
    return reinterpret_cast<const std::uint8_t *>(page) + sizeof(RawPageHeader) +
           static_cast<std::size_t>(bytes) * static_cast<std::size_t>(slot);
}
inline std::uint64_t body_tid(const char *page, int slot)
{
    return reinterpret_cast<const Tid *>(page_tail(page))[-1 - slot].packed();
}
// The slot is below the shape's body_rows, and no slot below it is left out.
void body_set(char *page, int bytes, int slot, const std::uint8_t *signature, Tid tid);
void body_clear(char *page, int slot);

// The list of a body page, and its place in the list's chain.
inline constexpr std::uint32_t kNoList = 0xFFFFFFFF;
inline std::uint32_t body_list(const char *page)
{
    return static_cast<std::uint32_t>(page_tail(page)->high_key >> 32);
}
inline std::uint32_t body_next(const char *page)
{
    return static_cast<std::uint32_t>(page_tail(page)->high_key);
}
void set_body_list(char *page, std::uint32_t list, std::uint32_t next);
// Of the first page of a chain: the page from which on to look for free slots, or kNoBlock if only the first two pages of
// the chain may have one; and how often VACUUM has opened the list, so that an insert that has looked notices if it has done
// so again meanwhile.
struct ListOpening {
    std::uint32_t block;
    std::uint16_t times;

    bool operator==(const ListOpening &) const = default;
};
ListOpening body_open(const char *page);
void set_body_open(char *page, ListOpening open);
// The first slot that is not in use, or -1. The slots up to the highest one ever used come first.
int body_free_slot(const char *page, int slots);

// List pages.

int list_page_capacity(int bytes, std::size_t page_size);
inline int list_page_count(const char *page)
{
    return (page_header(page)->special - page_header(page)->upper) / static_cast<int>(sizeof(std::uint32_t));
}
inline const std::uint8_t *list_page_centers(const char *page)
{
    return reinterpret_cast<const std::uint8_t *>(page) + sizeof(RawPageHeader);
}
inline std::uint32_t list_page_link(const char *page, int number)
{
    return reinterpret_cast<const std::uint32_t *>(page_tail(page))[-1 - number];
}
void list_page_add(char *page, int bytes, const std::uint8_t *center, std::uint32_t link);

void init_list_page(char *page, std::size_t page_size);
void init_map_page(char *page, std::size_t page_size);
void init_plane_page(char *page, std::size_t page_size);
void init_body_page(char *page, std::size_t page_size, std::uint32_t plane);

// What is wrong with a page of the store, or nullptr. Reads nothing outside the page. A page that passes can
// be used with the functions above. `kind` is one of the flags, or 0 for any of them.
const char *check_store_page(const char *page, std::size_t page_size, const StoreShape &shape,
                             std::uint16_t kind);

// The lists of an index; all 0 if it has none.
struct ListMeta {
    std::uint32_t lists;
    std::uint32_t groups;
    std::uint32_t page;   // the first list page
    std::uint32_t wanted; // the number of lists that the build wanted for its rows
    ListRecall recall;
};
static_assert(sizeof(ListMeta) == 144);

// The metapage of a wide index, right after the page header. The layout is cut after its last tree.
struct SignatureMetaData {
    std::uint32_t magic;
    std::uint32_t version; // kSignatureVersion
    std::uint8_t fillfactor;
    std::uint8_t zero[3];
    std::uint32_t map; // the first map page
    ListMeta lists;
    SignatureLayout layout;

    std::size_t size() const { return offsetof(SignatureMetaData, layout) + layout.size(); }
};
// The most trees for which the metapage has room.
int most_signature_trees(int words, std::size_t page_size);
static_assert(offsetof(SignatureMetaData, lists) == 16 && offsetof(SignatureMetaData, layout) == 160);

// Whether the metapage of an index is that of a wide one, as far as its version says.
bool is_signature_meta_page(const char *page, std::size_t page_size);
void init_signature_meta_page(char *page, std::size_t page_size, const SignatureMetaData &meta);
const char *check_signature_meta_page(const char *page, std::size_t page_size);

} // namespace simhash
