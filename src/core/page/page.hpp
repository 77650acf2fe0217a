// The on-disk format of the index. src/am/format.md describes it in prose.
//
//   block 0                 the metapage
//   blocks 1 … T            the roots of the T trees, which never move
//   block T + 1             the root of the tree of NULLs
//   later blocks            leaves and inner pages, in the order of their creation
//
// Every page is a PostgreSQL page (header, pd_lower, a hole, pd_upper, special space), so that generic WAL
// and full-page images leave the hole out. DO NOT CHANGE any constant or layout here without a new
// kFormatVersion.
#pragma once

#include "core/bits/contract.hpp"
#include "core/layout/key_order.hpp"
#include "core/likely/volatility_model.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace simhash
{

inline constexpr std::uint32_t kMagic = 0x51684853;   // "SHhQ" in little-endian memory
inline constexpr std::uint32_t kFormatVersion = 6;    // of indexes on fingerprints
inline constexpr std::uint32_t kSignatureVersion = 8; // of indexes on signatures
inline constexpr std::uint16_t kPageId = 0x5348;

inline constexpr std::uint32_t kNoBlock = 0xFFFFFFFF;
inline constexpr std::uint32_t kMetaBlock = 0;

// The tree of NULLs is tree number T: fingerprint 0 stands for NULL there.
inline std::uint32_t root_block(int tree) { return static_cast<std::uint32_t>(tree) + 1; }

// Flags of a page.
inline constexpr std::uint16_t kLeaf = 1;
inline constexpr std::uint16_t kInner = 2;
inline constexpr std::uint16_t kMeta = 4;
inline constexpr std::uint16_t kIncompleteSplit = 8; // the right sibling has no downlink yet
// 16, 32, 64 and 512: pages of the signature store, see core/page/store_page.hpp
inline constexpr std::uint16_t kPairKeys = 128; // a leaf whose keys have two words
inline constexpr std::uint16_t kDeleted = 256;  // in no tree any more: the only flag of the page

// The part of PostgreSQL's PageHeaderData that the core needs.
struct RawPageHeader {
    std::uint32_t lsn[2];
    std::uint16_t checksum;
    std::uint16_t flags;
    std::uint16_t lower;
    std::uint16_t upper;
    std::uint16_t special;
    std::uint16_t pagesize_version;
    std::uint32_t block; // the page's own. PostgreSQL calls it pd_prune_xid and uses it in heap pages only.
};
static_assert(sizeof(RawPageHeader) == 24);

// The address of a heap tuple, laid out as PostgreSQL's ItemPointerData: 6 bytes.
struct Tid {
    std::uint16_t block_high;
    std::uint16_t block_low;
    std::uint16_t offset;

    std::uint64_t packed() const
    {
        return std::uint64_t{block_high} << 32 | std::uint64_t{block_low} << 16 | offset;
    }
    static Tid unpack(std::uint64_t packed)
    {
        return {static_cast<std::uint16_t>(packed >> 32), static_cast<std::uint16_t>(packed >> 16),
                static_cast<std::uint16_t>(packed)};
    }
};
static_assert(sizeof(Tid) == 6 && alignof(Tid) == 2);

// An entry's position in a tree: by key, then by tid, which makes it unique.
struct Position {
    std::uint64_t key;
    std::uint64_t tid; // packed

    auto operator<=>(const Position &) const = default;
};

// The special space of leaves and inner pages. A page holds the positions from its low up to but not including
// its high; the rightmost page of a level has no high. So a page tells whether it is the one that a link was
// followed for.
//
// The last 24 bytes have been the same in every version: by them a metapage of another version is recognized.
struct PageTail {
    std::uint64_t low_key;
    Tid low_tid;
    std::uint16_t zero;
    std::uint64_t high_key;
    Tid high_tid;
    std::uint16_t flags;
    std::uint32_t right; // the right sibling, kNoBlock if rightmost
    std::uint8_t tree;
    std::uint8_t level; // 0 for leaves
    std::uint16_t page_id;
};
static_assert(sizeof(PageTail) == 40 && offsetof(PageTail, high_key) == 16 &&
              offsetof(PageTail, page_id) == 38);

inline constexpr std::uint64_t kNoRow = 0; // in place of a packed tid
inline constexpr std::uint8_t kNoTree = 0xFE;

// A reference of an inner page. References grow down from the special space, as keys grow up.
struct Downlink {
    Tid tid; // with the key: the child's lower bound
    std::uint16_t child_high;
    std::uint16_t child_low;

    std::uint32_t child() const { return std::uint32_t{child_high} << 16 | child_low; }
    static Downlink make(std::uint64_t tid, std::uint32_t child)
    {
        return {Tid::unpack(tid), static_cast<std::uint16_t>(child >> 16), static_cast<std::uint16_t>(child)};
    }
};
static_assert(sizeof(Downlink) == 10 && alignof(Downlink) == 2);

// The metapage's contents, right after the page header.
struct MetaData {
    std::uint32_t magic;
    std::uint32_t version;
    TreeDesign design;
    std::uint8_t bit_order[kBits];
    std::uint8_t fillfactor;
    std::uint8_t zero[7];
    std::uint32_t model; // the volatility model: 0 built-in, 1 fitted
    std::uint32_t zero2[2];
    double model_share[8]; // unused ones are 0; all are for model 0
};
static_assert(kVolatilityLevels <= 8);
static_assert(sizeof(DesignTree) == 18 && sizeof(DesignRegion) == 5 && sizeof(TreeDesign) == 676);
static_assert(offsetof(MetaData, design) == 8 && offsetof(MetaData, bit_order) == 684 &&
              offsetof(MetaData, fillfactor) == 748 && offsetof(MetaData, model) == 756 &&
              offsetof(MetaData, model_share) == 768 && sizeof(MetaData) == 832);

inline constexpr std::size_t kInnerEntry = sizeof(std::uint64_t) + sizeof(Downlink);

inline RawPageHeader *page_header(char *page) { return reinterpret_cast<RawPageHeader *>(page); }
inline const RawPageHeader *page_header(const char *page)
{
    return reinterpret_cast<const RawPageHeader *>(page);
}
inline PageTail *page_tail(char *page)
{
    return reinterpret_cast<PageTail *>(page + page_header(page)->special);
}
inline const PageTail *page_tail(const char *page)
{
    return reinterpret_cast<const PageTail *>(page + page_header(page)->special);
}
inline const MetaData *page_meta(const char *page)
{
    return reinterpret_cast<const MetaData *>(page + sizeof(RawPageHeader));
}

// In the metapage, in place of a low key: how many unused pages VACUUM's last walk has left.
inline std::uint64_t unused_pages(const char *page) { return page_tail(page)->low_key; }
inline void set_unused_pages(char *page, std::uint64_t pages) { page_tail(page)->low_key = pages; }

inline bool is_leaf(const char *page) { return page_tail(page)->flags & kLeaf; }
inline bool is_deleted(const char *page) { return page_tail(page)->flags & kDeleted; }
inline bool is_rightmost(const char *page) { return page_tail(page)->right == kNoBlock; }
inline Position low_of(const char *page)
{
    return {page_tail(page)->low_key, page_tail(page)->low_tid.packed()};
}
inline Position high_of(const char *page)
{
    return {page_tail(page)->high_key, page_tail(page)->high_tid.packed()};
}
inline void set_low(char *page, Position low)
{
    page_tail(page)->low_key = low.key;
    page_tail(page)->low_tid = Tid::unpack(low.tid);
}
inline void set_high(char *page, Position high)
{
    page_tail(page)->high_key = high.key;
    page_tail(page)->high_tid = Tid::unpack(high.tid);
}
// Whether a position belongs to this page or to one on its right.
inline bool belongs_right(const char *page, Position position)
{
    return !is_rightmost(page) && position >= high_of(page);
}
// Whether a position belongs to this page.
inline bool covers(const char *page, Position position)
{
    return position >= low_of(page) && !belongs_right(page, position);
}
inline int page_free(const char *page) { return page_header(page)->upper - page_header(page)->lower; }

// Leaves: see leaf.hpp. A key has one word; or, in wide indexes with kPairKeys, two words, of which the first decides
// the entry's position.

struct LeafKey {
    std::uint64_t word[2]; // the second is 0 if keys have one word

    bool operator==(const LeafKey &) const = default;
};
static_assert(sizeof(LeafKey) == 16);

inline bool has_pair_keys(const char *page) { return page_tail(page)->flags & kPairKeys; }
inline int key_words(const char *page) { return has_pair_keys(page) ? 2 : 1; }

// Inner pages: downlinks in order of their lower bounds. The first one's bound is the page's low; on a level's
// leftmost page that is {0, 0}.

inline int inner_count(const char *page)
{
    return static_cast<int>((page_header(page)->lower - sizeof(RawPageHeader)) / sizeof(std::uint64_t));
}
inline const std::uint64_t *inner_keys(const char *page)
{
    return reinterpret_cast<const std::uint64_t *>(page + sizeof(RawPageHeader));
}
inline const Downlink &inner_link(const char *page, int i)
{
    return reinterpret_cast<const Downlink *>(page_tail(page))[-1 - i];
}
inline Position inner_bound(const char *page, int i)
{
    return {inner_keys(page)[i], inner_link(page, i).tid.packed()};
}
inline bool inner_has_room(const char *page) { return page_free(page) >= static_cast<int>(kInnerEntry); }

// The last of count ascending keys that is <= key; the first if none is.
inline int last_not_above(const std::uint64_t *keys, int count, std::uint64_t key)
{
    SIMHASH_ASSERT(count >= 1);
    const std::uint64_t *from = keys;
    while (count > 1) { // without a branch to mispredict
        int half = count / 2;
        from = from[half] <= key ? from + half : from;
        count -= half;
    }
    return static_cast<int>(from - keys);
}

// The last downlink whose bound is <= position; the first if none is. There is at least one.
int inner_find(const char *page, Position position);

// Inserts a downlink in front of number `at`.
void inner_insert(char *page, int at, Position bound, std::uint32_t child);

// Makes an empty page of the given size, all zeros except header, tail and the head of a leaf. Its range is everything.
// `words`: of a leaf's keys.
void init_page(char *page, std::size_t page_size, int tree, int level, int words = 1);
// The same for a page outside the trees, which has these flags.
void init_other_page(char *page, std::size_t page_size, int tree, std::uint16_t flags);
void init_meta_page(char *page, std::size_t page_size, const MetaData &meta);

// Removes downlink `at`.
void inner_remove(char *page, int at);

// Empties a page that no link leads to any more. It keeps its tree and level.
void delete_page(char *page);
// Marks a deleted page as one that is about to become another. Whoever has followed an old link to it and reads
// flags, tree and level without a lock must not take it for what it was.
void claim_page(char *page);

int inner_capacity(std::size_t page_size);

// Whether the header is that of a page of an index of this page size.
bool has_index_header(const char *page, std::size_t page_size);

// What is wrong with the header and the mark of a page of a tree or of the store, or nullptr.
const char *check_page_header(const char *page, std::size_t page_size);

// What is wrong with a page, or nullptr. Reads nothing outside the page, whatever it holds. A page that
// passes can be used with the functions above without further bounds checks. `words`: of the keys in the leaves
// of this tree.
const char *check_tree_page(const char *page, std::size_t page_size, int tree, int level, int words = 1);
const char *check_meta_page(const char *page, std::size_t page_size);

// Whether it is a metapage, but of another build's format: not damaged, but not to be read either.
bool is_other_format(const char *page, std::size_t page_size);

// The same for a page of any of the trees, at any level, or a deleted one. The last tree, that of NULLs, has keys of
// one word.
const char *check_any_tree_page(const char *page, std::size_t page_size, int all_trees, int words = 1);

// Whether a page that passed is an inner page whose downlinks ascend and lie below its high.
bool downlinks_ascend(const char *page);

// Why a page is not one of this tree and level (any level if -1), or nullptr. If the page is pinned this can be
// told without a lock: only a deleted page that nobody else has pinned becomes another, and it is claimed first. So
// neither an old link nor a damaged one changes the order of locking.
const char *check_page_place(const char *page, std::size_t page_size, int tree, int level);

// What is wrong with a page that is read from this block, or nullptr: it may be a copy of another block, which passes
// every other check. The last leaf of a tree in place of its root, for example, would be a tree of one leaf.
inline const char *check_own_block(const char *page, std::uint32_t block)
{
    return page_header(page)->block == block ? nullptr : "The page belongs to another block.";
}

} // namespace simhash
