#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "core/page/leaf_find.hpp"

#include "../seed.hpp"

namespace simhash
{
namespace
{

constexpr std::size_t kPageSizes[] = {4096, 8192, 16384, 32768};

using Entries = std::vector<LeafEntry>;

Entries sorted(Entries entries)
{
    std::sort(entries.begin(), entries.end(), [](const LeafEntry &a, const LeafEntry &b) {
        return std::tie(a.key.word[0], a.key.word[1], a.tid) < std::tie(b.key.word[0], b.key.word[1], b.tid);
    });
    return entries;
}

// A leaf on the heap, of its exact size, so that AddressSanitizer sees every access outside it; and what it should hold.
class Leaf
{
public:
    Leaf(std::size_t size, int words, std::uint64_t low, int prefix_bits)
        : size_(size), words_(words), memory_(new char[size])
    {
        init_page(page(), size, 1, 0, words);
        if (prefix_bits > 0) {
            low &= leading_bits(prefix_bits);
            std::uint64_t last = low | ~leading_bits(prefix_bits);
            set_low(page(), {low, 0});
            set_high(page(), {last, ~std::uint64_t{0} >> 16});
            page_tail(page())->right = 9;
            leaf_clear(page());
        }
    }

    char *page() { return memory_.get(); }
    Entries expected;

    bool add(const LeafEntry &entry)
    {
        if (!leaf_takes(page(), entry))
            return false;
        int lower = page_header(page())->lower;
        int bytes = leaf_add(page(), entry);
        EXPECT_EQ(bytes, page_header(page())->lower - lower);
        expected.push_back(entry);
        return true;
    }
    void write()
    {
        ASSERT_TRUE(leaf_write(page(), expected.data(), static_cast<int>(expected.size())));
        EXPECT_EQ(LeafView(page()).ordered(), static_cast<int>(expected.size()));
    }
    void remove(const std::vector<int> &which)
    {
        Entries memory(static_cast<std::size_t>(leaf_capacity(size_))), kept;
        PlaceSet places = {};
        for (int place : which)
            places.add(place);
        visit_leaf(page(), [&](int place, const LeafEntry &entry) {
            if (!places.has(place))
                kept.push_back(entry);
        });
        EXPECT_TRUE(leaf_remove(page(), places, memory.data()));
        expected = kept;
    }
    void check()
    {
        ASSERT_EQ(check_tree_page(page(), size_, 1, 0, words_), nullptr);
        Entries entries(static_cast<std::size_t>(leaf_capacity(size_)));
        int count = leaf_read(page(), entries.data());
        ASSERT_EQ(count, static_cast<int>(expected.size()));
        ASSERT_EQ(leaf_count(page()), count);
        entries.resize(static_cast<std::size_t>(count));
        ASSERT_EQ(sorted(entries), sorted(expected));
        std::vector<std::uint64_t> keys(entries.size()), tids(entries.size());
        ASSERT_EQ(leaf_read(page(), keys.data(), tids.data()), count);
        for (std::size_t i = 0; i < entries.size(); i++) {
            ASSERT_EQ(keys[i], entries[i].key.word[0]) << i;
            ASSERT_EQ(tids[i], entries[i].tid) << i;
        }
    }
    // Compares the searches of all levels with one by one.
    void search(const LeafQuery &query)
    {
        Entries found(static_cast<std::size_t>(leaf_capacity(size_))), wanted;
        visit_leaf(page(), [&](int, const LeafEntry &entry) {
            std::uint64_t a = entry.key.word[0] ^ query.key.word[0],
                          b = entry.key.word[1] ^ query.key.word[1];
            const int in_header = std::popcount(a & query.header);
            if (std::popcount(a) + std::popcount(b) <= query.radius && in_header >= query.least &&
                in_header <= query.budget)
                wanted.push_back(entry);
        });
        for (SimdLevel level : kSimdLevels) {
            if (!has_simd_level(level))
                continue;
            int count = LeafFind(level)(page(), query, found.data());
            ASSERT_EQ(Entries(found.begin(), found.begin() + count), wanted) << static_cast<int>(level);
        }
    }

private:
    std::size_t size_;
    int words_;
    std::unique_ptr<char[]> memory_;
};

class LeafTest : public SeededTest<515>
{
protected:
    LeafEntry entry(Leaf *leaf, int words)
    {
        const PageTail *tail = page_tail(leaf->page());
        std::uint64_t mask = tail->right == kNoBlock ? ~std::uint64_t{0} : tail->low_key ^ tail->high_key;
        std::uint64_t key = tail->low_key | (random() & mask);
        return {{{key, words == 2 ? random() : 0}}, random() & 0x3FFFFF01FF};
    }
    // Near a key of the leaf, or anywhere.
    LeafQuery query(Leaf *leaf, int words)
    {
        LeafQuery query = {};
        query.key = leaf->expected.empty() || below(4) == 0
                        ? LeafKey{{random(), words == 2 ? random() : 0}}
                        : leaf->expected[random() % leaf->expected.size()].key;
        for (int i = below(12); i > 0; i--)
            query.key.word[0] ^= std::uint64_t{1} << below(64);
        query.radius = below(2) ? below(12) : below(64 * words + 1);
        query.header = leading_bits(below(3) ? below(40) : 0);
        query.budget = below(4);
        query.least = below(3) ? 0 : below(query.budget + 1);
        return query;
    }
};

// Every length of the common bits, with entries in the columns, in the bag and removed ones.
TEST_F(LeafTest, EntriesAreKeptAndFound)
{
    for (std::size_t size : kPageSizes) {
        for (int bits = 0; bits <= 64; bits++) {
            const int words = bits == 0 && below(2) ? 2 : 1;
            Leaf leaf(size, words, random(), bits);
            for (int round = 0; round < 6; round++) {
                for (int i = below(400); i > 0 && leaf.add(entry(&leaf, words)); i--) {
                }
                leaf.check();
                leaf.search(query(&leaf, words));
                if (below(2))
                    leaf.write();
                std::vector<int> places;
                for (int place = 0; place < leaf_places(leaf.page()); place++) {
                    if (below(9) == 0)
                        places.push_back(place);
                }
                if (below(2))
                    leaf.remove(places);
                leaf.check();
                for (int i = 0; i < 4; i++)
                    leaf.search(query(&leaf, words));
                if (HasFatalFailure())
                    return;
            }
        }
    }
}

TEST_F(LeafTest, BytesOfAnEntry)
{
    EXPECT_EQ(leaf_capacity(8192), 903);
    EXPECT_EQ(leaf_fill(leaf_layout(8192, 1, 0, 0, 0xFFFFFFFF, 0xFFFF), 8192), 579);
    EXPECT_EQ(leaf_fill(leaf_layout(8192, 2, 0, 0, 0xFFFFFFFF, 0xFFFF), 8192), 368);
    EXPECT_EQ(usual_leaf_fill(8192, 1), 811);
    for (int bits = 0; bits <= 64; bits++) {
        LeafLayout layout = leaf_layout(8192, 1, ~std::uint64_t{0}, bits, 1000000, 291);
        EXPECT_EQ(layout.tid_bytes, 4);
        EXPECT_EQ(layout.key_bytes(), (64 - bits) / 8);
        EXPECT_EQ(layout.sub_bits(), (64 - bits) % 8);
    }
}

// Tids take as many bytes as they need.
TEST_F(LeafTest, TidsOfEveryWidth)
{
    struct {
        std::uint64_t block;
        std::uint64_t offset;
        int bytes;
    } cases[] = {{0, 1, 4},          {(1 << 23) - 1, 511, 4}, {1 << 23, 1, 5},
                 {0, 512, 4},        {1 << 22, 512, 5},       {0x7FFFFFFF, 511, 5},
                 {0xFFFFFFFE, 1, 6}, {0xFFFFFFFF, 0xFFFF, 6}, {0xFFFF, 0xFFFF, 4}};
    for (auto [block, offset, bytes] : cases) {
        const std::uint64_t tid = block << 16 | offset;
        EXPECT_EQ(leaf_layout(8192, 1, 0, 16, block, static_cast<int>(offset)).tid_bytes, bytes);
        Leaf leaf(8192, 1, 0, 16);
        while (leaf.add({{{random() >> 16, 0}}, random() & 0x3FFFFF01FF})) {
        }
        leaf.expected.resize(leaf.expected.size() * 3 / 4);
        leaf.write();
        const LeafEntry more = {{{5, 0}}, tid};
        EXPECT_EQ(leaf_takes(leaf.page(), more), block < 1 << 23 && offset < 512);
        ASSERT_TRUE(
            leaf_write(leaf.page(), leaf.expected.data(), static_cast<int>(leaf.expected.size()), &more));
        EXPECT_TRUE(leaf_takes(leaf.page(), more));
        EXPECT_TRUE(leaf.add(more));
        leaf.check();
    }
}

TEST_F(LeafTest, AFullLeafIsWrittenAnew)
{
    Leaf leaf(8192, 1, 0, 13);
    while (leaf.add(entry(&leaf, 1))) {
    }
    leaf.check();
    const LeafEntry more = entry(&leaf, 1);
    EXPECT_TRUE(leaf_write(leaf.page(), leaf.expected.data(), static_cast<int>(leaf.expected.size()), &more))
        << "columns take less than the bag";
    while (leaf.add(entry(&leaf, 1))) {
    }
    leaf.write();
    leaf.check();

    // There is no room for marks, so the leaf is written anew without the removed entries.
    while (leaf.add(entry(&leaf, 1))) {
    }
    leaf.remove({0, 1, leaf_places(leaf.page()) - 1});
    EXPECT_EQ(leaf_places(leaf.page()), leaf_count(leaf.page()));
    leaf.check();
    // With room, they are marked, and nothing moves.
    leaf.expected.resize(300);
    leaf.write();
    const std::vector<char> before(leaf.page(), leaf.page() + page_header(leaf.page())->lower);
    leaf.remove({0, 8, 299});
    EXPECT_EQ(leaf_places(leaf.page()), 300);
    EXPECT_EQ(leaf_count(leaf.page()), 297);
    EXPECT_EQ(std::memcmp(before.data() + 24, leaf.page() + 24, before.size() - 24), 0);
    leaf.check();
    leaf.remove({1, 298});
    EXPECT_EQ(leaf_count(leaf.page()), 295);
    leaf.check();
}

TEST_F(LeafTest, TheBagClosesItsGaps)
{
    Leaf leaf(8192, 1, 0, 13);
    for (int i = 0; i < 100; i++)
        leaf.add(entry(&leaf, 1));
    leaf.write();
    for (int i = 0; i < 200; i++)
        leaf.add(entry(&leaf, 1));
    for (int round = 0; round < 20; round++) {
        Entries kept;
        PlaceSet places = {};
        int removed = 0;
        visit_leaf(leaf.page(), [&](int place, const LeafEntry &entry) {
            bool remove = below(5) == 0;
            if (remove)
                places.add(place);
            if (remove && place >= 100)
                removed++;
            else
                kept.push_back(entry);
        });
        EXPECT_EQ(leaf_remove_from_bag(leaf.page(), places), removed);
        leaf.expected = kept;
        leaf.check();
    }
    leaf.remove({1});
    PlaceSet last = {};
    last.add(leaf_places(leaf.page()) - 1);
    EXPECT_EQ(leaf_remove_from_bag(leaf.page(), last), 0) << "marks have numbers of places";
    leaf.check();
}

// Whatever the common bits and the tids of two leaves are, one leaf takes as many entries of both as was said.
TEST_F(LeafTest, UnitedLeaves)
{
    for (int round = 0; round < 400; round++) {
        const int words = below(8) ? 1 : 2, most_bits = words == 2 ? 0 : below(65);
        const std::uint64_t near = random();
        Entries all;
        std::vector<Leaf> leaf;
        for (int side = 0; side < 2; side++) {
            const std::uint64_t tids = ~std::uint64_t{0} >> (16 + below(24));
            leaf.emplace_back(8192, words, below(3) ? near : near ^ random() >> below(64), most_bits);
            bool room = true;
            while (room) {
                LeafEntry one = entry(&leaf[side], words);
                one.tid = random() & tids;
                const Entries &held = leaf[side].expected;
                room = leaf[side].add(one) ||
                       (leaf_write(leaf[side].page(), held.data(), static_cast<int>(held.size()), &one) &&
                        leaf[side].add(one));
            }
            all.insert(all.end(), leaf[side].expected.begin(), leaf[side].expected.end());
        }
        const int fill = united_leaf_fill(leaf[0].page(), leaf[1].page());
        EXPECT_EQ(fill, united_leaf_fill(leaf[1].page(), leaf[0].page()));
        EXPECT_LE(fill, std::max(leaf_fill(leaf[0].page()), leaf_fill(leaf[1].page())));
        std::shuffle(all.begin(), all.end(), random);
        all.resize(std::min(all.size(), static_cast<std::size_t>(fill)));
        set_low(leaf[1].page(), {0, 0});
        set_high(leaf[1].page(), {~std::uint64_t{0}, 1});
        EXPECT_TRUE(leaf_write(leaf[1].page(), all.data(), static_cast<int>(all.size())));
    }
}

// The leaf of a range that has grown takes keys of its old range alone, until it is written anew.
TEST_F(LeafTest, KeysOutsideTheCommonBits)
{
    Leaf leaf(8192, 1, std::uint64_t{0xAB} << 56, 16);
    for (int i = 0; i < 500; i++)
        leaf.add(entry(&leaf, 1));
    set_low(leaf.page(), {0, 0});
    const LeafEntry below_it = {{{7, 0}}, 9};
    EXPECT_FALSE(leaf_takes(leaf.page(), below_it));
    leaf.check();
    ASSERT_TRUE(leaf_write(leaf.page(), leaf.expected.data(), 500, &below_it));
    EXPECT_TRUE(leaf.add(below_it));
    leaf.check();
    leaf.search(near_key(7, 3));
}

TEST_F(LeafTest, DamagedEndsOfSubRanges)
{
    Leaf leaf(8192, 1, 0, 9); // 128 sub-ranges
    for (int i = 0; leaf.add({{{static_cast<std::uint64_t>(i % 128) << 48, 0}}, 1}); i++)
        ;
    leaf.write();
    const LeafView view(leaf.page());
    const std::uint16_t all = static_cast<std::uint16_t>(view.ordered());
    ASSERT_EQ(view.sub_ranges(), 128);
    EXPECT_TRUE(sub_ranges_ascend(leaf.page()));
    for (int sub = 0; sub < 128; sub++) {
        const std::uint16_t end = sub % 2 == 0 && sub < 127 ? std::uint16_t{0} : all;
        std::memcpy(leaf.page() + sizeof(RawPageHeader) + offsetof(LeafHead, end) +
                        static_cast<std::size_t>(sub) * sizeof(end),
                    &end, sizeof(end));
    }
    ASSERT_EQ(check_leaf(leaf.page(), 8192), nullptr);
    EXPECT_FALSE(sub_ranges_ascend(leaf.page()));
    // Each run of sub-ranges seems to hold all entries. No search finds more than there are.
    Entries found(static_cast<std::size_t>(leaf_capacity(8192)));
    for (SimdLevel level : kSimdLevels) {
        for (int radius = 0; radius <= 64 && has_simd_level(level); radius++) {
            int count = LeafFind(level)(leaf.page(), near_key(std::uint64_t{1} << 48, radius), found.data());
            EXPECT_LE(count, int{all}) << radius;
        }
    }
}

TEST_F(LeafTest, DamagedHeadsFail)
{
    auto expect_bad = [this](const char *what, auto &&alter) {
        Leaf leaf(8192, 1, 0, 13);
        for (int i = 0; i < 100; i++)
            leaf.add(entry(&leaf, 1));
        leaf.write();
        ASSERT_EQ(check_leaf(leaf.page(), 8192), nullptr);
        alter(leaf.page());
        EXPECT_NE(check_leaf(leaf.page(), 8192), nullptr) << what;
        EXPECT_NE(check_leaf_bounds(leaf.page(), 8192), nullptr) << what;
    };
    auto head = [](char *page) { return reinterpret_cast<LeafHead *>(page + sizeof(RawPageHeader)); };
    auto set_end = [](char *page, std::uint16_t end) { // of the last of eight sub-ranges
        std::memcpy(page + sizeof(RawPageHeader) + offsetof(LeafHead, end) + 7 * sizeof(end), &end,
                    sizeof(end));
    };
    expect_bad("too many common bits", [&](char *page) { head(page)->prefix_bits = 65; });
    expect_bad("bits after the common ones", [&](char *page) { head(page)->prefix |= 1; });
    expect_bad("tids too short", [&](char *page) { head(page)->tid_bytes = 3; });
    expect_bad("tids too long", [&](char *page) { head(page)->tid_bytes = 7; });
    expect_bad("offsets too short", [&](char *page) { head(page)->offset_bits = 8; });
    expect_bad("offsets too long", [&](char *page) { head(page)->offset_bits = 17; });
    expect_bad("a byte that is 0", [&](char *page) { head(page)->zero = 1; });
    expect_bad("more in the columns", [&](char *page) { set_end(page, 101); });
    expect_bad("more than fits", [&](char *page) { set_end(page, 0xFFFF); });
    expect_bad("a truncated row", [&](char *page) { page_header(page)->lower--; });
    expect_bad("no entries at all", [](char *page) { page_header(page)->lower = sizeof(RawPageHeader); });
    expect_bad("another end", [](char *page) { page_header(page)->special += 8; });
    expect_bad("marks beyond the end", [](char *page) { page_header(page)->upper += 1; });
    expect_bad("marks in the entries", [](char *page) {
        page_header(page)->upper = page_header(page)->lower;
        page_header(page)->upper--;
    });
    expect_bad("a mark beyond the entries", [&](char *page) {
        page_header(page)->upper = static_cast<std::uint16_t>(page_header(page)->special - 13);
        page[page_header(page)->upper] = 0x10;
    });
    expect_bad("marks beyond the entries", [&](char *page) {
        page_header(page)->upper = static_cast<std::uint16_t>(page_header(page)->special - 14);
    });
}

} // namespace
} // namespace simhash
