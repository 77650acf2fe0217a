// Pages of the trees. Whatever bytes a page holds, the check reads nothing outside it, and a page that passes
// can be searched, copied, split and written to.
#include "targets.hpp"

#include "core/kernels/leaf_match.hpp"
#include "core/page/inner_copy.hpp"
#include "core/page/leaf_cut.hpp"
#include "core/page/page.hpp"

#include <memory>
#include <vector>

namespace simhash
{

namespace
{

void use_leaf(const char *page, Fingerprint query, int radius)
{
    int count = leaf_count(page), found = -1;
    std::unique_ptr<std::uint16_t[]> matches(new std::uint16_t[static_cast<std::size_t>(count)]);
    for (SimdLevel level : kSimdLevels) {
        if (!has_simd_level(level))
            continue;
        int now = leaf_match(level)(leaf_fingerprints(page), count, query, radius, matches.get());
        FUZZ_EXPECT(found < 0 || now == found);
        found = now;
        std::uint64_t sum = 0;
        for (int i = 0; i < now; i++) {
            FUZZ_EXPECT(matches[i] < count);
            sum += leaf_tid(page, matches[i]).packed();
        }
        FUZZ_EXPECT(sum <= ~std::uint64_t{0});
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
        child[static_cast<std::size_t>(i)] = {inner_bound(page, i), inner_link(page, i).child(), 0};
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
    int count = is_leaf(page) ? leaf_count(page) : inner_count(page);
    if (count < 4)
        return;
    std::vector<Position> positions;
    for (int i = 0; i < count; i++)
        positions.push_back(is_leaf(page) ? Position{leaf_fingerprints(page)[i], leaf_tid(page, i).packed()}
                                          : inner_bound(page, i));
    std::sort(positions.begin(), positions.end());
    Position bound;
    int low = std::max(1, count * 4 / 10), high = std::max(1, count * 6 / 10);
    int at = choose_cut(positions.data(), low, high, &bound);
    FUZZ_EXPECT(at >= low && at <= high);
    FUZZ_EXPECT(positions[static_cast<std::size_t>(at)] >= bound);
    FUZZ_EXPECT(positions[static_cast<std::size_t>(at) - 1] <= bound);
}

void fill(char *page, std::uint64_t value)
{
    if (is_leaf(page)) {
        while (leaf_has_room(page))
            leaf_add(page, value, Tid::unpack(value));
        while (leaf_count(page) > 0)
            leaf_remove(page, static_cast<int>(value % static_cast<std::uint64_t>(leaf_count(page))));
    } else {
        while (inner_has_room(page))
            inner_insert(page, static_cast<int>(value % (static_cast<std::uint64_t>(inner_count(page)) + 1)),
                         {value, value}, 7);
    }
    leaf_clear(page);
}

void make_page(char *page, std::size_t size, Bytes *bytes)
{
    auto entries = bytes->take<std::uint16_t>();
    bool leaf = entries & 1;
    init_page(page, size, 1, leaf ? 0 : 1);
    std::uint64_t key = 0, step = (std::uint64_t{1} << 54) + bytes->take<std::uint8_t>();
    int count = (entries >> 1) % ((leaf ? leaf_capacity(size) : inner_capacity(size)) + 1);
    for (int i = 0; i < count || (!leaf && i == 0); i++, key += step) {
        if (leaf)
            leaf_add(page, key * 0x9E3779B97F4A7C15, Tid::unpack(key >> 40 | 1));
        else
            inner_insert(page, i, {key, 0}, static_cast<std::uint32_t>(i) + 3);
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
        FUZZ_EXPECT(!passes && leaf_count(page) == 0);
        return;
    }
    FUZZ_EXPECT(check_page_place(page, page_size, page_tail(page)->table, page_tail(page)->level) == nullptr);
    FUZZ_EXPECT(!covers(page, query) || !belongs_right(page, query));
    if (!is_leaf(page))
        FUZZ_EXPECT(inner_bound(page, 0) == low_of(page));
    if (is_leaf(page))
        use_leaf(page, query.key, radius);
    else
        use_inner(page, query);
    cut(page);
    fill(page, query.key);
}

} // namespace simhash
