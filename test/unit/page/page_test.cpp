#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/page/inner_copy.hpp"
#include "core/page/leaf_find.hpp"
#include "core/page/neighbor_figures.hpp"
#include "core/page/page.hpp"

#include "../seed.hpp"

namespace simhash
{
namespace
{

constexpr std::size_t kPageSizes[] = {4096, 8192, 16384, 32768};

// A page on the heap, of its exact size, so that AddressSanitizer sees every access outside it.
class Page
{
public:
    explicit Page(std::size_t size) : bytes_(new char[size]), size_(size)
    {
        std::memset(bytes_.get(), 0xAA, size);
    }
    Page(const Page &other) : Page(other.size_) { std::memcpy(bytes_.get(), other.bytes_.get(), size_); }

    char *get() { return bytes_.get(); }
    const char *get() const { return bytes_.get(); }
    std::size_t size() const { return size_; }

private:
    std::unique_ptr<char[]> bytes_;
    std::size_t size_;
};

struct Entry {
    Fingerprint fingerprint;
    std::uint64_t tid;

    auto operator<=>(const Entry &) const = default;
};

struct Link {
    Position bound;
    std::uint32_t child;

    auto operator<=>(const Link &) const = default;
};

std::vector<Entry> leaf_entries(const Page &page)
{
    std::vector<Entry> entries;
    visit_leaf(page.get(), [&](int, const LeafEntry &e) { entries.push_back({e.key.word[0], e.tid}); });
    return entries;
}

std::vector<Link> inner_links(const Page &page)
{
    std::vector<Link> links;
    for (int i = 0; i < inner_count(page.get()); i++)
        links.push_back({inner_bound(page.get(), i), inner_link(page.get(), i).child()});
    return links;
}

class PageTest : public SeededTest<8192>
{
protected:
    Entry entry() { return {random(), random() & 0xFFFFFFFFFFFF}; }
    Position position() { return {random() >> below(64), random() & 0xFFFFFFFFFFFF}; }

    Page leaf(std::size_t size, int entries)
    {
        Page page(size);
        init_page(page.get(), size, 1, 0);
        entries = std::min(entries, static_cast<int>(page_free(page.get())) / 12);
        for (int i = 0; i < entries; i++)
            leaf_add(page.get(), {{{random(), 0}}, random() & 0x1FFFFF00FF});
        return page;
    }

    // In columns and sub-ranges.
    Page packed_leaf(std::size_t size, int entries)
    {
        Page page(size);
        init_page(page.get(), size, 1, 0);
        set_low(page.get(), {std::uint64_t{0x123} << 52, 0});
        set_high(page.get(), {std::uint64_t{0x124} << 52, 0});
        page_tail(page.get())->right = 9;
        std::vector<LeafEntry> entry(static_cast<std::size_t>(entries));
        for (LeafEntry &one : entry)
            one = {{{low_of(page.get()).key | random() >> 12, 0}}, random() & 0x1FFFFF00FF};
        EXPECT_TRUE(leaf_write(page.get(), entry.data(), entries));
        return page;
    }

    // Random bounds, sorted.
    Page inner(std::size_t size, int links)
    {
        std::vector<Position> bounds;
        for (int i = 0; i < links; i++)
            bounds.push_back(position());
        std::sort(bounds.begin(), bounds.end());
        Page page(size);
        init_page(page.get(), size, 1, 1);
        if (links > 0)
            set_low(page.get(), bounds[0]);
        for (int i = 0; i < links; i++)
            inner_insert(page.get(), i, bounds[static_cast<std::size_t>(i)],
                         static_cast<std::uint32_t>(random()));
        return page;
    }

    MetaData meta(int distance, int trees)
    {
        MetaData data = {};
        data.magic = kMagic;
        data.version = kFormatVersion;
        EXPECT_TRUE(make_design(distance, trees, &data.design));
        std::iota(data.bit_order, data.bit_order + kBits, std::uint8_t{0});
        std::shuffle(data.bit_order, data.bit_order + kBits, random);
        data.fillfactor = 90;
        return data;
    }

    Page meta_page(std::size_t size, int distance, int trees)
    {
        Page page(size);
        init_meta_page(page.get(), size, meta(distance, trees));
        return page;
    }

    Page fitted_meta_page(std::size_t size)
    {
        MetaData data = meta(5, 6);
        data.model = 1;
        std::copy_n(kDefaultVolatility.share, kVolatilityLevels, data.model_share);
        Page page(size);
        init_meta_page(page.get(), size, data);
        return page;
    }
};

TEST_F(PageTest, TidsArePackedInOrder)
{
    for (int i = 0; i < 10000; i++) {
        std::uint64_t a = random() & 0xFFFFFFFFFFFF, b = random() & 0xFFFFFFFFFFFF;
        Tid x = Tid::unpack(a), y = Tid::unpack(b);
        ASSERT_EQ(x.packed(), a);
        auto parts = [](Tid t) { return std::vector<int>{t.block_high, t.block_low, t.offset}; };
        ASSERT_EQ(parts(x) < parts(y), a < b);
        auto child = static_cast<std::uint32_t>(random());
        Downlink link = Downlink::make(a, child);
        ASSERT_EQ(link.child(), child);
        ASSERT_EQ(link.tid.packed(), a);
    }
    EXPECT_EQ(Downlink::make(0, kNoBlock).child(), kNoBlock);
    EXPECT_LT((Position{1, 9}), (Position{2, 0}));
    EXPECT_LT((Position{2, 0}), (Position{2, 1}));
    EXPECT_EQ((Position{2, 1}), (Position{2, 1}));
}

TEST_F(PageTest, NewPages)
{
    for (std::size_t size : kPageSizes) {
        for (int tree : {0, 5, kMaxTrees}) {
            for (int level : {0, 1, 255}) {
                Page page(size);
                init_page(page.get(), size, tree, level);
                EXPECT_EQ(is_leaf(page.get()), level == 0);
                EXPECT_TRUE(is_rightmost(page.get()));
                if (level == 0) {
                    EXPECT_EQ(leaf_count(page.get()), 0);
                }
                EXPECT_EQ(page_free(page.get()), static_cast<int>(size - (level == 0 ? 80 : 64)));
                const char *fault = check_tree_page(page.get(), size, tree, level);
                EXPECT_EQ(fault == nullptr, level == 0) << "an inner page has a downlink";
                if (level > 0) {
                    inner_insert(page.get(), 0, {0, 0}, 7);
                    EXPECT_EQ(check_tree_page(page.get(), size, tree, level), nullptr);
                }
                EXPECT_EQ(check_tree_page(page.get(), size, tree, -1), nullptr) << "any level";
                EXPECT_NE(check_tree_page(page.get(), size, tree + 1, level), nullptr);
                EXPECT_NE(check_tree_page(page.get(), size, tree, (level + 1) % 256), nullptr);
                EXPECT_NE(check_meta_page(page.get(), size), nullptr);
                for (std::size_t other : kPageSizes) {
                    if (other < size) {
                        EXPECT_NE(check_tree_page(page.get(), other, tree, level), nullptr);
                    }
                }
            }
        }
    }
}

TEST_F(PageTest, ZeroPagesAreFaulty)
{
    for (std::size_t size : kPageSizes) {
        Page page(size);
        std::memset(page.get(), 0, size);
        EXPECT_NE(check_tree_page(page.get(), size, 0, -1), nullptr);
        EXPECT_NE(check_meta_page(page.get(), size), nullptr);
    }
}

// Adding an entry does not touch either neighbor of the free space.
TEST_F(PageTest, AddingLeavesTheTailAlone)
{
    for (std::size_t size : kPageSizes) {
        Page page(size);
        init_page(page.get(), size, 3, 0);
        PageTail *tail = page_tail(page.get());
        set_low(page.get(), position());
        set_high(page.get(), position());
        tail->right = 77;
        PageTail before = *tail;
        const LeafEntry entry = {{{~Fingerprint{0}, 0}}, 0x7FFFFF01FF};
        while (leaf_takes(page.get(), entry))
            leaf_add(page.get(), entry);
        EXPECT_EQ(std::memcmp(&before, page_tail(page.get()), sizeof(before)), 0);
        EXPECT_EQ(high_of(page.get()), (Position{before.high_key, before.high_tid.packed()}));
    }
}

TEST_F(PageTest, HighsPartSiblings)
{
    Page page = leaf(8192, 1);
    EXPECT_FALSE(belongs_right(page.get(), {~std::uint64_t{0}, ~std::uint64_t{0}}))
        << "the rightmost has no high";
    PageTail *tail = page_tail(page.get());
    tail->right = 9;
    set_low(page.get(), {20, 5});
    set_high(page.get(), {100, 50});
    EXPECT_FALSE(is_rightmost(page.get()));
    EXPECT_FALSE(belongs_right(page.get(), {0, 0}));
    EXPECT_FALSE(belongs_right(page.get(), {99, ~std::uint64_t{0}}));
    EXPECT_FALSE(belongs_right(page.get(), {100, 49}));
    EXPECT_TRUE(belongs_right(page.get(), {100, 50}));
    EXPECT_TRUE(belongs_right(page.get(), {100, 51}));
    EXPECT_TRUE(belongs_right(page.get(), {101, 0}));

    EXPECT_EQ(low_of(page.get()), (Position{20, 5}));
    EXPECT_FALSE(covers(page.get(), {20, 4}));
    EXPECT_TRUE(covers(page.get(), {20, 5}));
    EXPECT_TRUE(covers(page.get(), {100, 49}));
    EXPECT_FALSE(covers(page.get(), {100, 50}));
}

// At the front, at the end and everywhere between, compared with a vector.
TEST_F(PageTest, InnerInsertAtEveryPlace)
{
    for (int count = 0; count <= 12; count++) {
        for (int at = 0; at <= count; at++) {
            Page page = inner(4096, count);
            std::vector<Link> expected = inner_links(page);
            Link link = {position(), static_cast<std::uint32_t>(random())};
            inner_insert(page.get(), at, link.bound, link.child);
            expected.insert(expected.begin() + at, link);
            ASSERT_EQ(inner_links(page), expected) << at << " of " << count;
        }
    }
    for (std::size_t size : kPageSizes) {
        Page page(size);
        init_page(page.get(), size, 4, 3);
        std::vector<Link> expected;
        while (inner_has_room(page.get())) {
            Link link = {position(), static_cast<std::uint32_t>(random())};
            int at = below(expected.size() + 1);
            inner_insert(page.get(), at, link.bound, link.child);
            expected.insert(expected.begin() + at, link);
        }
        EXPECT_EQ(static_cast<int>(expected.size()), inner_capacity(size));
        EXPECT_EQ(inner_links(page), expected);
        EXPECT_NE(check_tree_page(page.get(), size, 4, 3), nullptr)
            << "the first downlink is not the page's low";
        set_low(page.get(), expected[0].bound);
        EXPECT_EQ(check_tree_page(page.get(), size, 4, 3), nullptr);
        EXPECT_EQ(page_tail(page.get())->right, kNoBlock);
    }
}

TEST_F(PageTest, InnerRemoveAtEveryPlace)
{
    for (int count = 1; count <= 12; count++) {
        for (int at = 0; at < count; at++) {
            Page page = inner(4096, count);
            std::vector<Link> expected = inner_links(page);
            inner_remove(page.get(), at);
            expected.erase(expected.begin() + at);
            ASSERT_EQ(inner_links(page), expected) << at << " of " << count;
        }
    }
}

TEST_F(PageTest, DeletedPagesAreNobodys)
{
    for (int level : {0, 1}) {
        Page page = level == 0 ? leaf(8192, 40) : inner(8192, 40);
        set_low(page.get(), level == 0 ? Position{0, 0} : inner_bound(page.get(), 0));
        ASSERT_EQ(check_page_place(page.get(), page.size(), 1, level), nullptr);
        delete_page(page.get());
        EXPECT_TRUE(is_deleted(page.get()));
        EXPECT_FALSE(is_leaf(page.get()));
        EXPECT_TRUE(is_rightmost(page.get()));
        EXPECT_EQ(inner_count(page.get()), 0);
        EXPECT_EQ(check_any_tree_page(page.get(), page.size(), 3), nullptr);
        for (int tree : {0, 1, 2}) {
            for (int at_level : {-1, 0, 1}) {
                EXPECT_NE(check_page_place(page.get(), page.size(), tree, at_level), nullptr);
                EXPECT_NE(check_tree_page(page.get(), page.size(), tree, at_level), nullptr);
            }
        }

        // Without the mark, a claimed page has no tree, and so it has it until the new tree is written.
        Page claimed(page);
        claim_page(claimed.get());
        EXPECT_EQ(check_any_tree_page(claimed.get(), claimed.size(), 3), nullptr) << "after an error";
        page_tail(claimed.get())->flags = kLeaf;
        for (int tree : {0, 1, 2})
            EXPECT_NE(check_page_place(claimed.get(), claimed.size(), tree, -1), nullptr);
        page_header(page.get())->lower += 8;
        EXPECT_NE(check_any_tree_page(page.get(), page.size(), 3), nullptr) << "not empty";
        page_header(page.get())->lower -= 8;
        page_header(page.get())->upper -= 6;
        EXPECT_NE(check_any_tree_page(page.get(), page.size(), 3), nullptr) << "not empty";
    }
}

TEST_F(PageTest, LeavesHaveKeysOfTheLengthOfTheirTable)
{
    for (int words : {1, 2}) {
        Page page(8192);
        init_page(page.get(), page.size(), 1, 0, words);
        EXPECT_EQ(key_words(page.get()), words);
        leaf_add(page.get(), {{{7, 8}}, 5});
        visit_leaf(page.get(), [&](int, const LeafEntry &entry) {
            EXPECT_EQ(entry, (LeafEntry{{{7, words == 2 ? 8u : 0u}}, 5}));
        });
        for (int expected : {1, 2}) {
            EXPECT_EQ(check_tree_page(page.get(), page.size(), 1, 0, expected) == nullptr, words == expected);
            EXPECT_EQ(check_any_tree_page(page.get(), page.size(), 3, expected) == nullptr,
                      words == expected);
            EXPECT_EQ(check_any_tree_page(page.get(), page.size(), 2, expected) == nullptr, words == 1)
                << "the last tree is that of NULLs";
        }
        init_page(page.get(), page.size(), 1, 1, words);
        inner_insert(page.get(), 0, {0, 0}, 7);
        EXPECT_FALSE(has_pair_keys(page.get())) << "an inner page";
        EXPECT_EQ(check_tree_page(page.get(), page.size(), 1, 1, words), nullptr);
    }
}

TEST_F(PageTest, AlteredLeavesOfPairsFail)
{
    auto expect_bad = [this](const char *what, auto &&alter) {
        Page page(8192);
        init_page(page.get(), page.size(), 1, 0, 2);
        for (int i = 0; i < 100; i++)
            leaf_add(page.get(), {{{random(), random()}}, random() & 0x1FFFFF00FF});
        ASSERT_EQ(check_tree_page(page.get(), page.size(), 1, 0, 2), nullptr);
        alter(page.get());
        EXPECT_NE(check_tree_page(page.get(), page.size(), 1, 0, 2), nullptr) << what;
    };
    expect_bad("half a key", [](char *page) { page_header(page)->lower += 8; });
    expect_bad("one key more", [](char *page) { page_header(page)->lower += 16; });
    expect_bad("marks without entries", [](char *page) { page_header(page)->upper -= 14; });
    expect_bad("common bits", [](char *page) { page[24 + 8] = 1; });
    expect_bad("keys of one word", [](char *page) { page_tail(page)->flags ^= kPairKeys; });
    expect_bad("an inner page", [](char *page) { page_tail(page)->flags = kInner | kPairKeys; });
}

TEST_F(PageTest, InsertingInOrderKeepsOrder)
{
    Page page(8192);
    init_page(page.get(), page.size(), 0, 1);
    inner_insert(page.get(), 0, {0, 0}, 0);
    while (inner_has_room(page.get())) {
        Position bound = position();
        inner_insert(page.get(), inner_find(page.get(), bound) + 1, bound, 1);
        for (int i = 1; i < inner_count(page.get()); i++)
            ASSERT_LE(inner_bound(page.get(), i - 1), inner_bound(page.get(), i));
    }
}

TEST_F(PageTest, InnerFindEqualsALinearSearch)
{
    for (int count : {1, 2, 3, 4, 5, 17, 100, inner_capacity(8192)}) {
        for (int n = 0; n < 10; n++) {
            Page page = inner(8192, count);
            for (int i = 0; i < 200; i++) {
                Position where = position();
                if (below(2)) { // a bound, or next to one
                    where = inner_bound(page.get(), below(static_cast<std::size_t>(count)));
                    where.tid += static_cast<std::uint64_t>(below(3)) - 1;
                }
                int expected = 0;
                for (int j = 1; j < count; j++) {
                    if (inner_bound(page.get(), j) <= where)
                        expected = j;
                }
                ASSERT_EQ(inner_find(page.get(), where), expected);
            }
            ASSERT_EQ(inner_find(page.get(), {0, 0}), 0) << "before the first";
        }
    }
}

// The copy of an inner page guesses where the child is and proceeds from there.
TEST_F(PageTest, CopiedChildrenAreFoundAsOnThePage)
{
    for (int count : {1, 2, 3, 17, inner_capacity(8192)}) {
        for (int n = 0; n < 10; n++) {
            Page page = inner(8192, count);
            std::vector<CachedChild> child;
            for (int i = 0; i < count; i++)
                child.push_back({inner_bound(page.get(), i), inner_link(page.get(), i).child(), 0, 0});
            double density = child_density(child.data(), count, true, {0, 0});
            for (int i = 0; i < 200; i++) {
                Position where = below(2) ? child[static_cast<std::size_t>(below(count))].lower : position();
                ASSERT_EQ(find_child(child.data(), count, density, where), inner_find(page.get(), where));
            }
        }
    }
}

TEST_F(PageTest, EqualDownlinksAreOutOfOrder)
{
    Page page(8192);
    init_page(page.get(), 8192, 0, 1);
    inner_insert(page.get(), 0, {0, 0}, 2);
    inner_insert(page.get(), 1, {5, 7}, 3);
    EXPECT_TRUE(downlinks_ascend(page.get()));
    inner_insert(page.get(), 2, {5, 7}, 4);
    EXPECT_FALSE(downlinks_ascend(page.get()));
}

TEST_F(PageTest, MetaPages)
{
    for (std::size_t size : kPageSizes) {
        for (int distance = kMinDistance; distance <= kMaxDistance; distance++) {
            Page page = meta_page(size, distance, default_trees(distance));
            ASSERT_EQ(check_meta_page(page.get(), size), nullptr);
            ASSERT_NE(check_tree_page(page.get(), size, 0, -1), nullptr);
            ASSERT_EQ(page_meta(page.get())->design.distance, distance);
        }
        MetaData data = meta(3, 6);
        Page page(size);
        init_meta_page(page.get(), size, data);
        EXPECT_EQ(std::memcmp(page_meta(page.get()), &data, sizeof(data)), 0);
        EXPECT_EQ(page_header(page.get())->lower, 24 + sizeof(data)) << "PostgreSQL drops the hole above it";
        EXPECT_EQ(check_meta_page(fitted_meta_page(size).get(), size), nullptr);
    }
}

TEST_F(PageTest, OtherFormatsAreToldFromDamage)
{
    auto is_other = [this](auto &&alter) {
        MetaData data = meta(3, 4);
        Page page(8192);
        init_meta_page(page.get(), page.size(), data);
        alter(&data, page.get());
        std::memcpy(page.get() + sizeof(RawPageHeader), &data, sizeof(data));
        return is_other_format(page.get(), page.size());
    };
    EXPECT_FALSE(is_other([](MetaData *, char *) {}));
    EXPECT_FALSE(is_other([](MetaData *d, char *) { d->version = kSignatureVersion; }));
    EXPECT_TRUE(is_other([](MetaData *d, char *) { d->version = 0; }));
    EXPECT_TRUE(
        is_other([](MetaData *d, char *) { d->version = 1 + std::max(kFormatVersion, kSignatureVersion); }));
    EXPECT_TRUE(is_other([](MetaData *d, char *) { d->magic ^= 1; }));
    for (std::uint32_t version : {1u, 2u}) { // whose special space had 24 bytes
        EXPECT_TRUE(is_other([version](MetaData *d, char *page) {
            d->version = version;
            page_header(page)->special = 8192 - 24;
        }));
    }
    EXPECT_FALSE(is_other([](MetaData *d, char *page) {
        d->magic ^= 1;
        page_tail(page)->flags = kLeaf;
    }));
    EXPECT_FALSE(is_other([](MetaData *d, char *page) {
        d->magic ^= 1;
        page_tail(page)->page_id++;
    }));
}

TEST_F(PageTest, AlteredMetaPagesFail)
{
    auto expect_bad = [this](const char *what, auto &&alter) {
        MetaData data = meta(3, 4);
        alter(&data);
        Page page(8192);
        init_meta_page(page.get(), page.size(), data);
        EXPECT_NE(check_meta_page(page.get(), page.size()), nullptr) << what;
    };
    expect_bad("magic", [](MetaData *d) { d->magic ^= 1; });
    expect_bad("version 0", [](MetaData *d) { d->version = 0; });
    expect_bad("a later version", [](MetaData *d) { d->version = kFormatVersion + 1; });
    expect_bad("design", [](MetaData *d) { d->design.width[0]++; });
    expect_bad("bit order", [](MetaData *d) { d->bit_order[0] = d->bit_order[1]; });
    expect_bad("bit order", [](MetaData *d) { d->bit_order[9] = 64; });
    expect_bad("an unknown model", [](MetaData *d) { d->model = 2; });
    expect_bad("a fitted model of nothing", [](MetaData *d) { d->model = 1; });
    for (double share : {-0.1, 1.1, HUGE_VAL, -HUGE_VAL, std::nan("")}) {
        expect_bad("share", [share](MetaData *d) {
            d->model = 1;
            d->model_share[0] = share;
            d->model_share[1] = 1 - share;
        });
    }

    auto expect_bad_bytes = [this](const char *what, auto &&alter) {
        Page page = meta_page(8192, 3, 4);
        alter(page.get());
        EXPECT_NE(check_meta_page(page.get(), page.size()), nullptr) << what;
    };
    expect_bad_bytes("lower", [](char *page) { page_header(page)->lower--; });
    expect_bad_bytes("lower", [](char *page) { page_header(page)->lower = sizeof(RawPageHeader); });
    expect_bad_bytes("special", [](char *page) { page_header(page)->special -= 8; });
    expect_bad_bytes("page size", [](char *page) { page_header(page)->pagesize_version ^= 0x1000; });
    expect_bad_bytes("flags", [](char *page) { page_tail(page)->flags = kMeta | kLeaf; });
    expect_bad_bytes("page id", [](char *page) { page_tail(page)->page_id++; });
    expect_bad_bytes("no room for neighbors", [](char *page) { page_header(page)->upper += 8; });
    expect_bad_bytes("neighbors of no rows", [](char *page) { page_neighbors(page)->steps = 1; });
    expect_bad_bytes("steps", [](char *page) { page_neighbors(page)->steps = kNeighborSteps + 1; });
    for (float wrong : {-1.0F, HUGE_VALF, std::nanf("")}) {
        expect_bad_bytes("mean", [wrong](char *page) { page_neighbors(page)->mean[16] = wrong; });
        expect_bad_bytes("share", [wrong](char *page) { page_neighbors(page)->share[3] = wrong; });
        expect_bad_bytes("typical", [wrong](char *page) { page_neighbors(page)->typical[0] = wrong; });
    }
}

TEST_F(PageTest, AlteredTreePagesFail)
{
    auto expect_bad = [this](const char *what, auto &&alter) {
        for (int level : {0, 1}) {
            for (int count : {1, 40}) {
                Page page = level == 0 ? leaf(8192, count) : inner(8192, count);
                ASSERT_EQ(check_tree_page(page.get(), page.size(), 1, level), nullptr);
                alter(page.get());
                EXPECT_NE(check_tree_page(page.get(), page.size(), 1, level), nullptr)
                    << what << ", level " << level << ", " << count << " entries";
            }
        }
    };
    expect_bad("a key less", [](char *page) { page_header(page)->lower -= 8; });
    expect_bad("a key more", [](char *page) { page_header(page)->lower += 8; });
    expect_bad("half a key", [](char *page) { page_header(page)->lower += 4; });
    expect_bad("lower 0", [](char *page) { page_header(page)->lower = 0; });
    expect_bad("lower in the header", [](char *page) { page_header(page)->lower = 16; });
    expect_bad("lower beyond upper",
               [](char *page) { page_header(page)->lower = page_header(page)->special + 1; });
    expect_bad("lower beyond the page", [](char *page) { page_header(page)->lower = 0xFFF8; });
    expect_bad("upper", [](char *page) { page_header(page)->upper -= 7; });
    expect_bad("upper", [](char *page) { page_header(page)->upper += 2; });
    expect_bad("upper beyond special", [](char *page) { page_header(page)->upper = 8192; });
    expect_bad("upper 0", [](char *page) { page_header(page)->upper = 0; });
    expect_bad("page size", [](char *page) { page_header(page)->pagesize_version = 4096 | 4; });
    expect_bad("layout version", [](char *page) { page_header(page)->pagesize_version++; });
    expect_bad("special", [](char *page) {
        page_header(page)->special = static_cast<std::uint16_t>(page_header(page)->special + 8);
    });
    expect_bad("special", [](char *page) { page_header(page)->special = 0xFFFF; });
    expect_bad("page id", [](char *page) { page_tail(page)->page_id ^= 1; });
    expect_bad("another tree", [](char *page) { page_tail(page)->tree = 2; });
    expect_bad("another level", [](char *page) { page_tail(page)->level ^= 1; });
    expect_bad("the other kind", [](char *page) { page_tail(page)->flags ^= kLeaf | kInner; });
    expect_bad("both kinds", [](char *page) { page_tail(page)->flags = kLeaf | kInner; });
    expect_bad("no kind", [](char *page) { page_tail(page)->flags = 0; });
    expect_bad("an unknown flag", [](char *page) { page_tail(page)->flags |= 0x4000; });
    expect_bad("a metapage", [](char *page) { page_tail(page)->flags = kMeta; });
    expect_bad("an unknown layout", [](char *page) { page_tail(page)->zero = 1; });
    expect_bad("an empty range", [](char *page) {
        page_tail(page)->right = 9;
        set_high(page, low_of(page));
    });
    expect_bad("a split with no right side", [](char *page) { page_tail(page)->flags |= kIncompleteSplit; });

    // Not even if any level is allowed.
    Page raised = leaf(8192, 3), lowered = inner(8192, 3);
    page_tail(raised.get())->level = 1;
    page_tail(lowered.get())->level = 0;
    EXPECT_NE(check_tree_page(raised.get(), raised.size(), 1, -1), nullptr);
    EXPECT_NE(check_tree_page(lowered.get(), lowered.size(), 1, -1), nullptr);

    Page split = leaf(8192, 3);
    page_tail(split.get())->flags |= kIncompleteSplit;
    page_tail(split.get())->right = 12;
    set_high(split.get(), {1, 0});
    EXPECT_EQ(check_tree_page(split.get(), split.size(), 1, 0), nullptr);
}

// Calls every function of a tree page, as the index would without further checks.
std::uint64_t use_tree_page(Page *page)
{
    char *bytes = page->get();
    std::uint64_t sum =
        low_of(bytes).key + high_of(bytes).tid + belongs_right(bytes, {1, 1}) + covers(bytes, {1, 1});
    const ComparedSpans spans = compared_near(bytes, page->size(), sum);
    for (const PageSpan &span : {spans.columns, spans.bag}) {
        if (span.begin > page->size() || span.end > page->size())
            ADD_FAILURE() << "bytes " << span.begin << " to " << span.end << " are beyond the page";
    }
    if (is_leaf(bytes)) {
        for (const Entry &e : leaf_entries(*page))
            sum += e.fingerprint ^ e.tid;
        std::vector<LeafEntry> entries(static_cast<std::size_t>(leaf_capacity(page->size())));
        int count = leaf_read(bytes, entries.data());
        for (SimdLevel level : kSimdLevels) {
            if (has_simd_level(level))
                sum += static_cast<std::uint64_t>(
                    LeafFind(level)(bytes, near_key(sum, static_cast<int>(sum % 65)), entries.data()));
        }
        count = leaf_read(bytes, entries.data());
        const LeafEntry last = count > 0 ? entries[static_cast<std::size_t>(count) - 1] : LeafEntry{};
        while (leaf_takes(bytes, last))
            leaf_add(bytes, last);
        PlaceSet places = {};
        for (int place = 0; place < leaf_places(bytes); place += 3)
            places.add(place);
        EXPECT_TRUE(leaf_remove(bytes, places, entries.data()));
        sum += static_cast<std::uint64_t>(leaf_count(bytes) + leaf_room(bytes));
        count = leaf_read(bytes, entries.data());
        if (!leaf_write(bytes, entries.data(), count))
            ADD_FAILURE() << "the entries of a leaf no longer fit";
        if (leaf_count(bytes) != count)
            ADD_FAILURE() << "a leaf has " << leaf_count(bytes) << " entries instead of " << count;
        leaf_clear(bytes);
    } else {
        for (const Link &link : inner_links(*page))
            sum += link.bound.key ^ link.bound.tid ^ link.child;
        for (std::uint64_t key : {std::uint64_t{0}, sum, ~std::uint64_t{0}}) {
            int at = inner_find(bytes, {key, key});
            if (at < 0 || at >= inner_count(bytes))
                ADD_FAILURE() << "inner_find found " << at;
        }
        for (int i = 0; inner_has_room(bytes); i++)
            inner_insert(bytes, i * 7 % (inner_count(bytes) + 1), {sum, sum}, 5);
    }
    return sum;
}

std::uint64_t use_meta_page(const Page &page)
{
    static KeyOrder order;
    MetaData data;
    std::memcpy(&data, page_meta(page.get()), sizeof(data));
    order.set(data.design, data.bit_order);
    std::uint64_t sum = 0;
    VolatilityModel model;
    std::memcpy(&model, data.model_share, sizeof(model));
    if (data.model != 0 && !is_volatility_model(model))
        ADD_FAILURE() << "a model that is none";
    for (int t = 0; t < data.design.trees; t++)
        sum += order.key(t, 0x0123456789ABCDEF) + order.tree[t].header_mask;
    return sum;
}

// Damages pages in many ways. The check must not read outside the page, and every function must be safe on a
// page that passes.
TEST_F(PageTest, DamagedPages)
{
    std::vector<Page> pages;
    for (std::size_t size : kPageSizes) {
        for (int part : {0, 1, 50, 99, 100}) {
            pages.push_back(leaf(size, leaf_capacity(size) * part / 100));
            pages.push_back(packed_leaf(size, leaf_capacity(size) * part / 150));
        }
        for (int part : {1, 50, 100})
            pages.push_back(inner(size, std::max(1, inner_capacity(size) * part / 100)));
        for (int trees : {1, 4, 6, 10})
            pages.push_back(meta_page(size, 3, trees));
        pages.push_back(fitted_meta_page(size));
    }
    // Large pages take long, so there are more rounds with small ones.
    std::vector<std::size_t> choice;
    for (std::size_t i = 0; i < pages.size(); i++)
        choice.insert(choice.end(), 32768 / pages[i].size(), i);

    int accepted_leaves = 0, accepted_inner = 0, accepted_meta = 0, refused = 0;
    std::uint64_t sum = 0;
    for (int i = 0; i < 200000; i++) {
        Page page(pages[choice[random() % choice.size()]]);
        auto *bytes = reinterpret_cast<unsigned char *>(page.get());
        for (int n = 1 + below(3); n > 0; n--) {
            std::size_t at; // in the header, in the tail, in the metadata or anywhere
            switch (below(6)) {
            case 0:
            case 1:
                at = random() % sizeof(RawPageHeader);
                break;
            case 2:
                at = page.size() - 1 - random() % sizeof(PageTail);
                break;
            case 3:
                at = random() % (sizeof(RawPageHeader) + sizeof(MetaData));
                break;
            default:
                at = random() % page.size();
                break;
            }
            switch (below(5)) {
            case 0:
                bytes[at] = static_cast<unsigned char>(bytes[at] ^ 1u << below(8));
                break;
            case 1:
                bytes[at] = static_cast<unsigned char>(random());
                break;
            case 2: { // an offset moved by whole entries, cut off or beyond the page
                std::uint16_t *offset[] = {&page_header(page.get())->lower, &page_header(page.get())->upper,
                                           &page_header(page.get())->special};
                std::uint16_t *one = offset[below(10) == 0 ? 2 : below(2)];
                const int steps[] = {8, -8, 6, -6, 10, -10, 2, -2, 1, -1};
                int moved = below(2) ? *one + steps[below(10)] * (1 + below(4)) : below(65536);
                *one = static_cast<std::uint16_t>(moved);
                break;
            }
            case 3: { // lower and upper together, so that they may agree again
                int entries = below(2 * page.size() / 14), width = below(2) ? 6 : 10;
                page_header(page.get())->lower = static_cast<std::uint16_t>(24 + 8 * entries);
                page_header(page.get())->upper =
                    static_cast<std::uint16_t>(static_cast<int>(page.size()) - 40 - width * entries);
                break;
            }
            case 4: { // a run of one byte
                std::size_t length = std::min(page.size() - at, std::size_t{1} + random() % 40);
                std::memset(bytes + at, below(2) ? 0 : 0xFF, length);
                break;
            }
            }
        }
        bool used = false;
        for (int level : {-1, 0, 1}) {
            if (!used && check_tree_page(page.get(), page.size(), 1, level) == nullptr) {
                (is_leaf(page.get()) ? accepted_leaves : accepted_inner)++;
                sum += use_tree_page(&page);
                used = true;
            }
        }
        if (!used && check_meta_page(page.get(), page.size()) == nullptr) {
            accepted_meta++;
            sum += use_meta_page(page);
            used = true;
        }
        refused += !used;
        if (HasFailure())
            return;
    }
    std::printf("accepted %d leaves, %d inner pages, %d metapages; refused %d; sum %llx\n", accepted_leaves,
                accepted_inner, accepted_meta, refused, static_cast<unsigned long long>(sum));
    EXPECT_GT(accepted_leaves, 10000);
    EXPECT_GT(accepted_inner, 5000);
    EXPECT_GT(accepted_meta, 5000);
    EXPECT_GT(refused, 50000);
}

// Random bytes, except for what the check looks at first.
TEST_F(PageTest, RandomPages)
{
    for (int i = 0; i < 3000; i++) {
        Page page(4096);
        std::generate_n(page.get(), page.size(), [this] { return static_cast<char>(random()); });
        ASSERT_NE(check_meta_page(page.get(), page.size()), nullptr);
        if (below(4) > 0) {
            page_header(page.get())->special = 4096 - 40;
            page_header(page.get())->pagesize_version = 4096 | 4;
            page_tail(page.get())->page_id = kPageId;
            page_tail(page.get())->tree = 1;
            page_tail(page.get())->level = static_cast<std::uint8_t>(below(2));
            page_tail(page.get())->flags = below(2) ? kLeaf : kInner;
            int entries = below(300);
            page_header(page.get())->lower = static_cast<std::uint16_t>(24 + 8 * entries);
            page_header(page.get())->upper =
                static_cast<std::uint16_t>(4096 - 40 - (is_leaf(page.get()) ? 6 : 10) * entries);
        }
        if (check_tree_page(page.get(), page.size(), 1, -1) == nullptr)
            use_tree_page(&page);
    }
}

} // namespace
} // namespace simhash
