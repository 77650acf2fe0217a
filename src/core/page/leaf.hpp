// The entries of a leaf, packed.
//
//   LeafHead, ends of the sub-ranges | columns: key bytes, tids | bag: entries one after the other | hole | removed
//
// All keys have the leading bits of the head in common. The next bits of a key, up to seven, are the number of its
// sub-range; the rest has whole bytes. The columns hold the entries in the order of the sub-ranges, so that a search
// reads only those that it needs. An insert appends to the bag: nothing moves, and few bytes change. When the leaf is
// written anew, by a split for example, the bag becomes part of the columns.
//
// If keys have no leading bits in common, or two words, the words are stored whole.
//
// An entry's place is its number among those of the columns and then of the bag. A removed entry keeps its place until
// the leaf is written anew. It is marked by a bit at the end of the page, so that its removal logs few bytes.
#pragma once

#include "core/page/page.hpp"

#include <bit>

namespace simhash
{

struct LeafEntry {
    LeafKey key;       // in the order of the tree
    std::uint64_t tid; // packed

    bool operator==(const LeafEntry &) const = default;
};

struct LeafHead {
    std::uint64_t prefix;     // the leading bits, followed by zeros
    std::uint8_t prefix_bits; // 0 if words are stored whole
    std::uint8_t tid_bytes;   // 4 to 6
    std::uint8_t offset_bits; // of a tid; its other bits are the block
    std::uint8_t zero;
    std::uint16_t end[2]; // end[i]: the entries of the columns in the first i + 1 sub-ranges
};
static_assert(sizeof(LeafHead) == 16 && offsetof(LeafHead, end) == 12);

// The most entries of a leaf, whatever its layout.
constexpr int leaf_capacity(std::size_t page_size)
{
    return static_cast<int>((page_size - sizeof(RawPageHeader) - sizeof(PageTail)) / 9);
}
inline constexpr int kMostLeafEntries = leaf_capacity(32768);

// A number of up to eight bytes, the lowest first. Reads eight bytes, as there always are before the end of a page.
inline std::uint64_t load_bytes(const char *from, int bytes)
{
    std::uint64_t value = 0;
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(&value, from, sizeof(value));
        return bytes == 0 ? 0 : value << (64 - 8 * bytes) >> (64 - 8 * bytes);
    }
    for (int i = 0; i < bytes; i++)
        value |= std::uint64_t{static_cast<unsigned char>(from[i])} << 8 * i;
    return value;
}
inline void store_bytes(char *to, std::uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = static_cast<char>(value >> 8 * i);
}
template <typename Number> Number load_number(const char *from)
{
    Number number;
    std::memcpy(&number, from, sizeof(number));
    return number;
}

// What the head of a leaf says of a sub-range: end[sub_range], which may lie behind the struct.
inline int stored_end(const char *page, int sub_range)
{
    return load_number<std::uint16_t>(page + sizeof(RawPageHeader) + offsetof(LeafHead, end) +
                                      sizeof(std::uint16_t) * static_cast<std::size_t>(sub_range));
}

// How the entries of a leaf are stored.
struct LeafLayout {
    std::uint64_t prefix;
    int prefix_bits;
    int words;
    int tid_bytes;
    int offset_bits;

    bool whole() const { return prefix_bits == 0; }
    int suffix_bits() const { return 64 - prefix_bits; }
    int sub_bits() const { return whole() ? 0 : suffix_bits() % 8; }
    int sub_ranges() const { return 1 << sub_bits(); }
    int key_bytes() const { return whole() ? 8 * words : suffix_bits() / 8; } // in the columns
    int bag_key_bytes() const { return whole() ? 8 * words : (suffix_bits() + 7) / 8; }
    int row_bytes() const { return key_bytes() + tid_bytes; }
    int bag_row_bytes() const { return bag_key_bytes() + tid_bytes; }
    std::size_t columns_at() const // aligned to 8 bytes, or to 4 if no column has words
    {
        std::size_t end = sizeof(RawPageHeader) + offsetof(LeafHead, end) +
                          sizeof(std::uint16_t) * static_cast<std::size_t>(sub_ranges());
        return (end + 7) / 8 * 8;
    }
    std::size_t bytes(int entries) const
    {
        return columns_at() + static_cast<std::size_t>(row_bytes()) * static_cast<std::size_t>(entries);
    }
    std::uint64_t suffix(std::uint64_t key) const { return whole() ? key : key & ~leading_bits(prefix_bits); }
    int sub_range(std::uint64_t key) const
    {
        return sub_bits() == 0 ? 0 : static_cast<int>(suffix(key) >> 8 * key_bytes());
    }
    bool has_prefix(std::uint64_t key) const { return (key & leading_bits(prefix_bits)) == prefix; }
    bool has_tid(std::uint64_t tid) const
    {
        return (tid & 0xFFFF) >> offset_bits == 0 && tid_code(tid) >> 8 * tid_bytes == 0;
    }
    std::uint64_t tid_code(std::uint64_t tid) const { return tid >> 16 << offset_bits | (tid & 0xFFFF); }
    std::uint64_t tid_of(std::uint64_t code) const
    {
        return (code >> offset_bits & 0xFFFFFFFF) << 16 | (code & ((std::uint64_t{1} << offset_bits) - 1));
    }
};

// A leaf that has passed the check.
class LeafView : public LeafLayout
{
public:
    explicit LeafView(const char *page);

    int places() const { return ordered_ + bag_; }
    int ordered() const { return ordered_; } // in the columns
    // The end of a sub-range in the columns. Whatever a damaged page holds, it is one of the places.
    int end(int sub_range) const
    {
        int end = stored_end(page_, sub_range);
        return end < ordered_ ? end : ordered_;
    }
    const char *column(int before) const { return columns_ + std::ptrdiff_t{before} * ordered_; }
    const char *bag_row(int place) const
    {
        return bag_at_ + std::ptrdiff_t{bag_row_bytes()} * (place - ordered_);
    }

    bool is_removed(int place) const
    {
        return place < 8 * marks_ && (marks_end_[-1 - place / 8] >> place % 8 & 1);
    }
    int removed() const;

    LeafKey key_in_columns(int place, int sub_range) const
    {
        if (whole()) {
            const char *from = columns_ + std::ptrdiff_t{place} * key_bytes();
            return {{load_number<std::uint64_t>(from),
                     words == 2 ? load_number<std::uint64_t>(from + sizeof(std::uint64_t)) : 0}};
        }
        return {{packed_key(key_bytes(), place, sub_range), 0}};
    }
    // The same of packed keys of so many bytes. It is faster if these are a constant.
    std::uint64_t packed_key(int bytes, int place, int sub_range) const
    {
        auto at = static_cast<std::ptrdiff_t>(place);
        auto rest = static_cast<std::uint64_t>(sub_range);
        if (bytes & 4)
            rest = rest << 32 | load_number<std::uint32_t>(columns_ + 4 * at);
        if (bytes & 2)
            rest = rest << 16 | load_number<std::uint16_t>(column(bytes & 4) + 2 * at);
        if (bytes & 1)
            rest = rest << 8 | static_cast<unsigned char>(column(bytes & 6)[at]);
        return prefix | rest;
    }
    LeafKey key_in_bag(int place) const
    {
        const char *row = bag_row(place);
        if (whole())
            return {{load_bytes(row, 8), words == 2 ? load_bytes(row + 8, 8) : 0}};
        return {{prefix | suffix(load_bytes(row, bag_key_bytes())), 0}};
    }
    std::uint64_t tid(int place) const
    {
        const char *from = place < ordered_ ? column(key_bytes()) + std::ptrdiff_t{tid_bytes} * place
                                            : bag_row(place) + bag_key_bytes();
        return tid_of(load_bytes(from, tid_bytes));
    }

    // Calls visit(place, entry) for each entry that is not removed.
    template <typename Visit> void visit(Visit visit) const
    {
        int place = 0;
        for (int sub = 0; sub < sub_ranges(); sub++) {
            for (int to = end(sub); place < to; place++) {
                if (!is_removed(place))
                    visit(place, LeafEntry{key_in_columns(place, sub), tid(place)});
            }
        }
        for (; place < places(); place++) {
            if (!is_removed(place))
                visit(place, LeafEntry{key_in_bag(place), tid(place)});
        }
    }

private:
    int ordered_;
    int bag_;
    int marks_; // bytes
    const char *page_;
    const char *columns_;
    const char *bag_at_;
    const unsigned char *marks_end_;
};

// What a search near a key compares first: of packed leaves the column of the key's sub-range, and of all the bag. The page
// may change meanwhile, or be none of a leaf.
struct PageSpan {
    std::size_t begin, end; // bytes of the page
};
struct ComparedSpans {
    PageSpan columns, bag;
};
ComparedSpans compared_near(const char *page, std::size_t page_size, std::uint64_t key);

// Calls visit(place, entry) for each entry of a leaf.
template <typename Visit> void visit_leaf(const char *page, Visit visit) { LeafView(page).visit(visit); }

int leaf_count(const char *page);
// The places of a leaf, used and removed.
int leaf_places(const char *page);
// How many entries there would be room for if all were inserted.
int leaf_room(const char *page);

// Whether an entry fits in as the leaf is.
bool leaf_takes(const char *page, const LeafEntry &entry);
// Adds an entry that the leaf takes, and returns its bytes, the last before pd_lower.
int leaf_add(char *page, const LeafEntry &entry);

// Some places of a leaf.
class PlaceSet
{
public:
    void add(int i) { word_[i / 64] |= std::uint64_t{1} << i % 64; }
    bool has(int i) const { return word_[i / 64] >> i % 64 & 1; }

private:
    std::uint64_t word_[(kMostLeafEntries + 63) / 64];
};
// Removes the entries at these places: marks them, or writes the leaf anew if there is no room for the marks.
// `memory` has room for leaf_capacity entries. Returns false if the others do not fit into the page, which they always should.
[[nodiscard]] bool leaf_remove(char *page, const PlaceSet &places, LeafEntry *memory);

// Removes those of the places that are in the bag, if the leaf has no marks: the last ones take their places. Returns how
// many there were.
int leaf_remove_from_bag(char *page, const PlaceSet &places);

// Copies the entries. Returns how many there are. `entry` has room for leaf_capacity.
int leaf_read(const char *page, LeafEntry *entry);
// The same, the first words of the keys and the tids by themselves, for many leaves.
int leaf_read(const char *page, std::uint64_t *key, std::uint64_t *tid);

// Writes a leaf anew with some entries, whose keys are in the page's range. If `more` is given, it leaves room for that
// entry, too. Returns false, and leaves the page as it was, if there is no room.
bool leaf_write(char *page, const LeafEntry *entry, int count, const LeafEntry *more = nullptr);

// The bits that all keys between these two have in common at their beginning.
inline int common_bits(std::uint64_t first, std::uint64_t last)
{
    return first == last ? 64 : std::countl_zero(first ^ last);
}
// The layout of leaves whose keys begin with `prefix_bits` common bits and whose tids are not above these.
LeafLayout leaf_layout(std::size_t page_size, int words, std::uint64_t key, int prefix_bits,
                       std::uint64_t most_block, int most_offset);
// How many entries fit into the columns of such a leaf, of this leaf, and of one of a table of usual size.
int leaf_fill(const LeafLayout &layout, std::size_t page_size);
int leaf_fill(const char *page);
int usual_leaf_fill(std::size_t page_size, int words);
// How many fit at least into a leaf that has the entries of these two.
int united_leaf_fill(const char *a, const char *b);

// Makes an empty leaf of a page whose header, tail and flags are set.
void leaf_clear(char *page);

// Whether the ends of a leaf's sub-ranges ascend. If damage has changed them, searches may miss entries.
bool sub_ranges_ascend(const char *page);

// What is wrong with the entries of a leaf whose header and tail are sound, or nullptr.
const char *check_leaf(const char *page, std::size_t page_size);
// The part of it that keeps readers of the entries within the page. Of a packed leaf it does not read the page's end.
const char *check_leaf_bounds(const char *page, std::size_t page_size);

} // namespace simhash
