#include "core/page/leaf.hpp"

#include <algorithm>
#include <utility>

#include "core/bits/contract.hpp"

namespace simhash
{

namespace
{

constexpr int kLeastTidBytes = 4, kMostTidBytes = 6;

LeafHead *leaf_head(char *page) { return reinterpret_cast<LeafHead *>(page + sizeof(RawPageHeader)); }
const LeafHead *leaf_head(const char *page)
{
    return reinterpret_cast<const LeafHead *>(page + sizeof(RawPageHeader));
}

std::size_t size_of(const char *page) { return page_header(page)->special + sizeof(PageTail); }

LeafLayout layout_of(const char *page, const PageTail *tail)
{
    const LeafHead *head = leaf_head(page);
    // The end of the page tells of whole words only, and is not read otherwise.
    const int words = head->prefix_bits == 0 && (tail->flags & kPairKeys) ? 2 : 1;
    return {head->prefix, head->prefix_bits, words, head->tid_bytes, head->offset_bits};
}

LeafLayout layout_of(const char *page) { return layout_of(page, page_tail(page)); }

// So that no row of a table makes a leaf change its layout.
int usual_offset_bits(std::size_t page_size)
{
    constexpr std::size_t kLeastRow = 28; // the head of a row and its line pointer
    return bit_width(page_size / kLeastRow);
}

// The greatest block and offset of some tids.
struct MostTid {
    std::uint64_t block = 0;
    std::uint64_t offset = 0;

    void add(std::uint64_t tid)
    {
        block = std::max(block, tid >> 16);
        offset = std::max(offset, tid & 0xFFFF);
    }
};

// The bits that all keys of a page's range have in common at their beginning.
int range_bits(const char *page)
{
    Position high = high_of(page);
    return common_bits(low_of(page).key, is_rightmost(page) ? ~std::uint64_t{0}
                                         : high.tid == 0    ? high.key - 1
                                                            : high.key);
}

// The same of a key and some entries.
int entry_bits(std::uint64_t key, const LeafEntry *entry, int count, const LeafEntry *more)
{
    std::uint64_t differs = more == nullptr ? 0 : more->key.word[0] ^ key;
    for (int i = 0; i < count; i++)
        differs |= entry[i].key.word[0] ^ key;
    return common_bits(differs, 0);
}

bool fits(const LeafLayout &layout, const char *page, int count, bool more)
{
    return layout.bytes(count) + (more ? static_cast<std::size_t>(layout.bag_row_bytes()) : 0) <=
               page_header(page)->special &&
           count + more <= leaf_capacity(size_of(page));
}

void store_columns(char *page, const LeafLayout &layout, const LeafEntry *entry, int count)
{
    // The entries of each sub-range, then where it begins, and in the end where it ends.
    int at[128] = {};
    for (int i = 0; i < count; i++)
        at[layout.sub_range(entry[i].key.word[0])]++;
    for (int sub = 0, begin = 0; sub < layout.sub_ranges(); sub++)
        begin += std::exchange(at[sub], begin);

    char *columns = page + layout.columns_at();
    const int bytes = layout.key_bytes();
    auto column = [&](int before) { return columns + std::ptrdiff_t{before} * count; };
    for (int i = 0; i < count; i++) {
        const LeafKey &key = entry[i].key;
        std::ptrdiff_t place = at[layout.sub_range(key.word[0])]++;
        if (layout.whole()) {
            std::memcpy(columns + place * bytes, &key, static_cast<std::size_t>(bytes));
        } else {
            if (bytes & 4) {
                auto part = static_cast<std::uint32_t>(key.word[0] >> 8 * (bytes - 4));
                std::memcpy(columns + 4 * place, &part, sizeof(part));
            }
            if (bytes & 2) {
                auto part = static_cast<std::uint16_t>(key.word[0] >> 8 * (bytes & 1));
                std::memcpy(column(bytes & 4) + 2 * place, &part, sizeof(part));
            }
            if (bytes & 1)
                column(bytes & 6)[place] = static_cast<char>(key.word[0]);
        }
        store_bytes(column(bytes) + place * layout.tid_bytes, layout.tid_code(entry[i].tid),
                    layout.tid_bytes);
    }
    char *ends = page + sizeof(RawPageHeader) + offsetof(LeafHead, end);
    for (int sub = 0; sub < layout.sub_ranges(); sub++) {
        auto end = static_cast<std::uint16_t>(at[sub]);
        std::memcpy(ends + sizeof(end) * static_cast<std::size_t>(sub), &end, sizeof(end));
    }
}

} // namespace

LeafView::LeafView(const char *page) : LeafLayout(layout_of(page))
{
    const RawPageHeader *header = page_header(page);
    page_ = page;
    ordered_ = stored_end(page, sub_ranges() - 1);
    columns_ = page + columns_at();
    bag_at_ = page + bytes(ordered_);
    bag_ = static_cast<int>(page + header->lower - bag_at_) / bag_row_bytes();
    marks_ = header->special - header->upper;
    marks_end_ = reinterpret_cast<const unsigned char *>(page + header->special);
}

ComparedSpans compared_near(const char *page, std::size_t page_size, std::uint64_t key)
{
    // A page of something else may say that its tail is elsewhere.
    LeafLayout layout =
        layout_of(page, reinterpret_cast<const PageTail *>(page + page_size - sizeof(PageTail)));
    layout.prefix_bits %= 64;
    auto end_of = [&](int sub) { return static_cast<std::size_t>(stored_end(page, sub)); };
    auto span = [&](std::size_t begin, std::size_t end) {
        return PageSpan{std::min(begin, page_size), std::min(end, page_size)};
    };
    const std::size_t columns = layout.columns_at(), rows = end_of(layout.sub_ranges() - 1);
    const std::size_t bag = columns + static_cast<std::size_t>(layout.row_bytes()) * rows;
    const PageSpan bag_span = span(bag, page_header(page)->lower);
    if (layout.whole())
        return {span(columns, bag), bag_span};
    const int sub = layout.sub_range(key);
    return {span(columns + 4 * (sub == 0 ? 0 : end_of(sub - 1)), columns + 4 * end_of(sub)), bag_span};
}

int LeafView::removed() const
{
    int sum = 0;
    for (int i = 1; i <= marks_; i++)
        sum += std::popcount(marks_end_[-i]);
    return sum;
}

int leaf_count(const char *page)
{
    LeafView leaf(page);
    return leaf.places() - leaf.removed();
}

int leaf_places(const char *page) { return LeafView(page).places(); }

int leaf_room(const char *page)
{
    LeafView leaf(page);
    return std::min(leaf_capacity(size_of(page)), leaf.places() + page_free(page) / leaf.bag_row_bytes());
}

bool leaf_takes(const char *page, const LeafEntry &entry)
{
    LeafView leaf(page);
    return page_free(page) >= leaf.bag_row_bytes() && leaf.places() < leaf_capacity(size_of(page)) &&
           leaf.has_prefix(entry.key.word[0]) && leaf.has_tid(entry.tid);
}

int leaf_add(char *page, const LeafEntry &entry)
{
    SIMHASH_ASSERT(leaf_takes(page, entry));
    RawPageHeader *header = page_header(page);
    LeafLayout layout = layout_of(page);
    char *row = page + header->lower;
    const int bytes = layout.bag_key_bytes();
    if (layout.whole()) {
        for (int word = 0; word < layout.words; word++)
            store_bytes(row + 8 * word, entry.key.word[word], 8);
    } else {
        store_bytes(row, layout.suffix(entry.key.word[0]), bytes);
    }
    store_bytes(row + bytes, layout.tid_code(entry.tid), layout.tid_bytes);
    header->lower = static_cast<std::uint16_t>(header->lower + layout.bag_row_bytes());
    return layout.bag_row_bytes();
}

int leaf_read(const char *page, LeafEntry *entry)
{
    int count = 0;
    visit_leaf(page, [&](int, const LeafEntry &one) { entry[count++] = one; });
    return count;
}

namespace
{

template <int kBytes> void read_packed_keys(const LeafView &leaf, std::uint64_t *key)
{
    for (int sub = 0, place = 0; sub < leaf.sub_ranges(); sub++) {
        for (const int end = leaf.end(sub); place < end; place++)
            key[place] = leaf.packed_key(kBytes, place, sub);
    }
}

// By the number of bytes of a key.
constexpr void (*kReadPackedKeys[])(const LeafView &leaf, std::uint64_t *key) = {
    read_packed_keys<0>, read_packed_keys<1>, read_packed_keys<2>, read_packed_keys<3>,
    read_packed_keys<4>, read_packed_keys<5>, read_packed_keys<6>, read_packed_keys<7>};

} // namespace

int leaf_read(const char *page, std::uint64_t *key, std::uint64_t *tid)
{
    const LeafView leaf(page);
    int count = 0;
    if (leaf.whole() || leaf.tid_bytes != kLeastTidBytes || leaf.removed() > 0) {
        leaf.visit([&](int, const LeafEntry &one) {
            key[count] = one.key.word[0];
            tid[count++] = one.tid;
        });
        return count;
    }
    kReadPackedKeys[leaf.key_bytes()](leaf, key);
    const char *tids = leaf.column(leaf.key_bytes());
    for (; count < leaf.ordered(); count++)
        tid[count] = leaf.tid_of(load_bytes(tids + std::ptrdiff_t{kLeastTidBytes} * count, kLeastTidBytes));
    for (; count < leaf.places(); count++) {
        key[count] = leaf.key_in_bag(count).word[0];
        tid[count] = leaf.tid(count);
    }
    return count;
}

bool leaf_remove(char *page, const PlaceSet &places, LeafEntry *memory)
{
    RawPageHeader *header = page_header(page);
    LeafView leaf(page);
    int marks = (leaf.places() + 7) / 8, old_marks = header->special - header->upper;
    if (marks - old_marks <= page_free(page)) {
        header->upper = static_cast<std::uint16_t>(header->special - marks);
        std::memset(page + header->upper, 0, static_cast<std::size_t>(marks - old_marks));
        for (int i = 0; i < leaf.places(); i++) {
            if (places.has(i)) {
                char *byte = page + header->special - 1 - i / 8;
                *byte = static_cast<char>(static_cast<unsigned char>(*byte) | 1U << i % 8);
            }
        }
        return true;
    }
    int count = 0;
    leaf.visit([&](int place, const LeafEntry &entry) {
        if (!places.has(place))
            memory[count++] = entry;
    });
    return leaf_write(page, memory, count);
}

int leaf_remove_from_bag(char *page, const PlaceSet &places)
{
    RawPageHeader *header = page_header(page);
    LeafView leaf(page);
    if (header->upper != header->special)
        return 0;
    const auto bytes = static_cast<std::size_t>(leaf.bag_row_bytes());
    int removed = 0;
    for (int place = leaf.places() - 1; place >= leaf.ordered(); place--) {
        if (!places.has(place))
            continue;
        header->lower = static_cast<std::uint16_t>(header->lower - bytes);
        std::memmove(page + (leaf.bag_row(place) - page), page + header->lower, bytes);
        removed++;
    }
    return removed;
}

bool leaf_write(char *page, const LeafEntry *entry, int count, const LeafEntry *more)
{
    MostTid most;
    for (int i = 0; i < count; i++)
        most.add(entry[i].tid);
    if (more != nullptr)
        most.add(more->tid);
    // The bits of the range, so that the leaf takes every key of it; or, if they are too few, those of the entries.
    const std::uint64_t key = count > 0         ? entry[0].key.word[0]
                              : more != nullptr ? more->key.word[0]
                                                : low_of(page).key;
    const int most_bits = entry_bits(key, entry, count, more);
    LeafLayout layout;
    for (int bits : {std::min(range_bits(page), most_bits), most_bits}) {
        layout =
            leaf_layout(size_of(page), key_words(page), key, bits, most.block, static_cast<int>(most.offset));
        if (fits(layout, page, count, more != nullptr))
            break;
    }
    if (!fits(layout, page, count, more != nullptr))
        return false;

    RawPageHeader *header = page_header(page);
    LeafHead *head = leaf_head(page);
    std::memset(page + sizeof(RawPageHeader), 0, header->special - sizeof(RawPageHeader));
    *head = {layout.prefix,
             static_cast<std::uint8_t>(layout.prefix_bits),
             static_cast<std::uint8_t>(layout.tid_bytes),
             static_cast<std::uint8_t>(layout.offset_bits),
             0,
             {}};
    store_columns(page, layout, entry, count);
    header->lower = static_cast<std::uint16_t>(layout.bytes(count));
    header->upper = header->special;
    return true;
}

LeafLayout leaf_layout(std::size_t page_size, int words, std::uint64_t key, int prefix_bits,
                       std::uint64_t most_block, int most_offset)
{
    const int bits = words == 2 ? 0 : prefix_bits;
    int offset_bits =
        std::max(usual_offset_bits(page_size), bit_width(static_cast<std::uint64_t>(most_offset)));
    int tid_bytes = (bit_width(most_block) + offset_bits + 7) / 8;
    return {key & leading_bits(bits), bits, words, std::clamp(tid_bytes, kLeastTidBytes, kMostTidBytes),
            offset_bits};
}

int usual_leaf_fill(std::size_t page_size, int words)
{
    return leaf_fill(leaf_layout(page_size, words, 0, 16, 0, 0), page_size);
}

int leaf_fill(const LeafLayout &layout, std::size_t page_size)
{
    int fill = static_cast<int>((page_size - sizeof(PageTail) - layout.columns_at()) /
                                static_cast<std::size_t>(layout.row_bytes()));
    return std::min(fill, leaf_capacity(page_size));
}

int leaf_fill(const char *page) { return leaf_fill(layout_of(page), size_of(page)); }

int united_leaf_fill(const char *a, const char *b)
{
    const LeafLayout layout[] = {layout_of(a), layout_of(b)};
    int bits = common_bits(layout[0].prefix, layout[1].prefix), block_bits = 0, offset_bits = 0;
    for (const LeafLayout &one : layout) {
        bits = std::min(bits, one.prefix_bits);
        block_bits = std::max(block_bits, 8 * one.tid_bytes - one.offset_bits);
        offset_bits = std::max(offset_bits, one.offset_bits);
    }
    const std::size_t page_size = size_of(a);
    return leaf_fill(leaf_layout(page_size, key_words(a), layout[0].prefix, bits,
                                 (std::uint64_t{1} << block_bits) - 1, (1 << offset_bits) - 1),
                     page_size);
}

void leaf_clear(char *page)
{
    SIMHASH_ASSERT(is_leaf(page));
    leaf_write(page, nullptr, 0);
}

bool sub_ranges_ascend(const char *page)
{
    LeafView leaf(page);
    for (int sub = 1; sub < leaf.sub_ranges(); sub++) {
        if (leaf.end(sub) < leaf.end(sub - 1))
            return false;
    }
    return true;
}

namespace
{

bool is_known_layout(const LeafHead &head, std::size_t page_size)
{
    return head.prefix_bits <= 64 && head.tid_bytes >= kLeastTidBytes && head.tid_bytes <= kMostTidBytes &&
           head.offset_bits >= usual_offset_bits(page_size) && head.offset_bits <= 16 && head.zero == 0 &&
           (head.prefix & ~leading_bits(head.prefix_bits)) == 0;
}

// Whether more entries are marked as removed than there are places. The marks' first byte is that of the last places.
bool marks_too_many(const char *page, int places)
{
    const RawPageHeader *header = page_header(page);
    const int marks = header->special - header->upper;
    return marks > (places + 7) / 8 ||
           (8 * marks > places &&
            static_cast<unsigned char>(page[header->upper]) >> (places - 8 * (marks - 1)) != 0);
}

} // namespace

const char *check_leaf(const char *page, std::size_t page_size)
{
    if (has_pair_keys(page) && leaf_head(page)->prefix_bits > 0)
        return "The leaf has an unknown layout.";
    return check_leaf_bounds(page, page_size);
}

const char *check_leaf_bounds(const char *page, std::size_t page_size)
{
    const RawPageHeader *header = page_header(page);
    if (header->special != page_size - sizeof(PageTail) || header->upper < header->lower ||
        header->upper > header->special)
        return "The page's free space is out of bounds.";
    if (header->lower < sizeof(RawPageHeader) + sizeof(LeafHead))
        return "The leaf is truncated.";
    if (!is_known_layout(*leaf_head(page), page_size))
        return "The leaf has an unknown layout.";
    LeafLayout layout = layout_of(page);
    if (layout.columns_at() > header->lower)
        return "The leaf is truncated.";
    std::size_t bag_at = layout.bytes(stored_end(page, layout.sub_ranges() - 1));
    if (bag_at > header->lower ||
        (header->lower - bag_at) % static_cast<std::size_t>(layout.bag_row_bytes()) != 0)
        return "The leaf's keys are truncated.";
    LeafView leaf(page);
    if (leaf.places() > leaf_capacity(page_size))
        return "The leaf has too many entries.";
    if (marks_too_many(page, leaf.places()))
        return "The leaf marks more entries as removed than it has.";
    return nullptr;
}

} // namespace simhash
