// The pages of a wide index's signature store. doc/format.md describes them in prose.
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
//
// DO NOT CHANGE any constant or layout here without a new format version.
#pragma once

#include "core/page/page.hpp"
#include "core/signature_tables/signature_layout.hpp"

namespace simhash
{

// Flags of store pages.
inline constexpr std::uint16_t kMapPage = 16;
inline constexpr std::uint16_t kPlanePage = 32;
inline constexpr std::uint16_t kBodyPage = 64;

// The table number of store pages, so that no page of a tree is mistaken for one.
inline constexpr std::uint8_t kStoreTable = 0xFF;

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
    return (page_tail(page)->flags & (kMapPage | kPlanePage | kBodyPage)) != 0;
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
// The first slot below `slots` that is not in use, or -1.
int plane_free_slot(const char *page, int slots);
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

void init_map_page(char *page, std::size_t page_size);
void init_plane_page(char *page, std::size_t page_size);
void init_body_page(char *page, std::size_t page_size, std::uint32_t plane);

// What is wrong with a page of the store, or nullptr. Reads nothing outside the page. A page that passes can
// be used with the functions above. `kind` is one of the flags, or 0 for any of the three.
const char *check_store_page(const char *page, std::size_t page_size, const StoreShape &shape,
                             std::uint16_t kind);

// The metapage of a wide index, right after the page header. The layout is cut after its last table.
struct SignatureMetaData {
    std::uint32_t magic;
    std::uint32_t version; // kSignatureVersion
    std::uint8_t fillfactor;
    std::uint8_t zero[3];
    std::uint32_t map; // the first map page
    SignatureLayout layout;

    std::size_t size() const { return offsetof(SignatureMetaData, layout) + layout.size(); }
};
// The most tables for which the metapage has room.
int most_signature_tables(int words, std::size_t page_size);
static_assert(offsetof(SignatureMetaData, layout) == 16);

// Whether the metapage of an index is that of a wide one, as far as its version says.
bool is_signature_meta_page(const char *page, std::size_t page_size);
void init_signature_meta_page(char *page, std::size_t page_size, const SignatureMetaData &meta);
const char *check_signature_meta_page(const char *page, std::size_t page_size);

} // namespace simhash
