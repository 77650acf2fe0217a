// Pages of the trees. Whatever bytes a page holds, the check reads nothing outside it, and a page that passes
// can be searched, copied, split and written to.
#include "targets.hpp"

#include "core/page/inner_copy.hpp"
#include "core/page/leaf_cut.hpp"
#include "core/page/leaf_find.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace simhash
{

namespace
{

void use_leaf(const char *page, std::size_t size, std::uint64_t key, int radius)
{
    const int count = leaf_count(page);
    std::vector<LeafEntry> found(static_cast<std::size_t>(leaf_capacity(size))), expected;
    visit_leaf(page, [&](int place, const LeafEntry &entry) {
        FUZZ_EXPECT(place < leaf_places(page));
        if (hamming_distance(entry.key.word[0], key) <= radius)
            expected.push_back(entry);
    });
    FUZZ_EXPECT(count <= leaf_places(page) && leaf_places(page) <= leaf_room(page));
    for (SimdLevel level : kSimdLevels) {
        if (!has_simd_level(level))
            continue;
        int now = LeafFind(level)(page, near_key(key, radius), found.data());
        FUZZ_EXPECT(now <= count);
        FUZZ_EXPECT(!sub_ranges_ascend(page) ||
                    std::equal(expected.begin(), expected.end(), found.begin(), found.begin() + now));
    }
}

void use_inner(const char *page, Position position)
{
    int count = inner_count(page);
    int at = inner_find(page, position);
    FUZZ_EXPECT(at >= 0 && at < count);

    // Copied as by a backend, into exactly as much memory as it takes.
    std::unique_ptr<CachedChild[]> child(new CachedChild[static_cast<std::size_t>(count)]);
    for (int i = 0; i < count; i++)
        child[static_cast<std::size_t>(i)] = {inner_bound(page, i), inner_link(page, i).child(), 0, 0};
    double density = child_density(child.get(), count, is_rightmost(page), high_of(page));
    int found = find_child(child.get(), count, density, position);
    FUZZ_EXPECT(found >= 0 && found < count);
    if (downlinks_ascend(page)) {
        FUZZ_EXPECT(found == at);
        FUZZ_EXPECT(found == 0 || child[static_cast<std::size_t>(found)].lower <= position);
        FUZZ_EXPECT(found == count - 1 || child[static_cast<std::size_t>(found) + 1].lower > position);
    }
}

// As a split does.
void cut(const char *page)
{
    std::vector<Position> positions;
    if (is_leaf(page)) {
        auto add = [&](int, const LeafEntry &entry) { positions.push_back({entry.key.word[0], entry.tid}); };
        visit_leaf(page, add);
    } else {
        for (int i = 0; i < inner_count(page); i++)
            positions.push_back(inner_bound(page, i));
    }
    int count = static_cast<int>(positions.size());
    if (count < 4)
        return;
    std::sort(positions.begin(), positions.end());
    Position bound;
    int low = std::max(1, count * 4 / 10), high = std::max(1, count * 6 / 10);
    int at = choose_cut(positions.data(), low, high, &bound);
    FUZZ_EXPECT(at >= low && at <= high);
    FUZZ_EXPECT(positions[static_cast<std::size_t>(at)] >= bound);
    FUZZ_EXPECT(positions[static_cast<std::size_t>(at) - 1] <= bound);
}

void fill(char *page, std::size_t size, std::uint64_t value)
{
    if (is_leaf(page)) {
        std::vector<LeafEntry> entries(static_cast<std::size_t>(leaf_capacity(size)));
        int count = leaf_read(page, entries.data());
        const LeafEntry one = count > 0 ? entries[value % static_cast<std::uint64_t>(count)] : LeafEntry{};
        for (; leaf_takes(page, one); count++)
            leaf_add(page, one);
        FUZZ_EXPECT(leaf_count(page) == count);
        PlaceSet places = {};
        for (int place = 0; place < leaf_places(page); place++) {
            if (value >> place % 64 & 1)
                places.add(place);
        }
        FUZZ_EXPECT(leaf_remove(page, places, entries.data()));
        count = leaf_read(page, entries.data());
        FUZZ_EXPECT(leaf_count(page) == count);
        FUZZ_EXPECT(leaf_write(page, entries.data(), count) && leaf_count(page) == count);
        FUZZ_EXPECT(check_leaf(page, size) == nullptr);
        leaf_clear(page);
    } else {
        while (inner_has_room(page))
            inner_insert(page, static_cast<int>(value % (static_cast<std::uint64_t>(inner_count(page)) + 1)),
                         {value, value}, 7);
    }
}

void make_page(char *page, std::size_t size, Bytes *bytes)
{
    auto entries = bytes->take<std::uint16_t>();
    bool leaf = entries & 1;
    init_page(page, size, 1, leaf ? 0 : 1);
    if (leaf && (entries & 2)) { // a narrow range
        set_low(page, {std::uint64_t{entries} << 48, 0});
        set_high(page, {(std::uint64_t{entries} + 1 + (entries >> 12)) << 48, 0});
        page_tail(page)->right = 9;
        leaf_clear(page);
    }
    std::uint64_t key = 0, step = (std::uint64_t{1} << 54) + bytes->take<std::uint8_t>();
    int count = (entries >> 1) % ((leaf ? leaf_capacity(size) : inner_capacity(size)) + 1);
    for (int i = 0; i < count || (!leaf && i == 0); i++, key += step) {
        LeafEntry entry = {{{low_of(page).key | (key * 0x9E3779B97F4A7C15) >> (entries & 2 ? 16 : 0), 0}},
                           key >> 40 | 1};
        if (!leaf)
            inner_insert(page, i, {key, 0}, static_cast<std::uint32_t>(i) + 3);
        else if (leaf_takes(page, entry))
            leaf_add(page, entry);
    }
    if (leaf && (entries & 4)) {
        std::vector<LeafEntry> all(static_cast<std::size_t>(leaf_capacity(size)));
        leaf_write(page, all.data(), leaf_read(page, all.data()));
    }
}

} // namespace

void fuzz_page(const std::uint8_t *data, std::size_t size)
{
    Bytes bytes(data, size);
    auto mode = bytes.take<std::uint8_t>();
    auto query = bytes.take<Position>();
    int radius = bytes.take<std::uint8_t>() % (kBits + 1);
    std::size_t page_size = mode & 1 ? 8192 : 4096;
    std::unique_ptr<char[]> memory(new char[page_size]); // the exact size, for AddressSanitizer
    char *page = memory.get();
    if (mode & 2) { // the image itself
        std::memset(page, 0, page_size);
        if (bytes.left() > 0)
            std::memcpy(page, bytes.rest(), std::min(page_size, bytes.left()));
    } else { // a sound page with parts overwritten
        make_page(page, page_size, &bytes);
        while (!bytes.empty()) {
            auto to = bytes.take<std::uint16_t>();
            // Half of the writes go to header and tail, which matter most.
            std::size_t place = to & 1 ? std::size_t{to} >> 1
                                       : page_size - sizeof(PageTail) +
                                             (to >> 1) % (sizeof(PageTail) + sizeof(RawPageHeader));
            page[place % page_size] = static_cast<char>(bytes.take<std::uint8_t>());
        }
    }

    check_page_place(page, page_size, 1, mode & 4 ? 0 : -1);
    bool any = check_any_tree_page(page, page_size, 3) == nullptr;
    bool passes = check_tree_page(page, page_size, 1, -1) == nullptr;
    FUZZ_EXPECT(any || !passes);
    if (!any)
        return;
    if (is_deleted(page)) {
        FUZZ_EXPECT(!passes);
        return;
    }
    FUZZ_EXPECT(check_page_place(page, page_size, page_tail(page)->tree, page_tail(page)->level) == nullptr);
    FUZZ_EXPECT(!covers(page, query) || !belongs_right(page, query));
    if (!is_leaf(page))
        FUZZ_EXPECT(inner_bound(page, 0) == low_of(page));
    if (is_leaf(page))
        use_leaf(page, page_size, query.key, radius);
    else
        use_inner(page, query);
    cut(page);
    fill(page, page_size, query.key);
}

} // namespace simhash
