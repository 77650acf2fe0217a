#include <cstring>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "core/page/neighbor_figures.hpp"
#include "core/page/store_page.hpp"

#include "../seed.hpp"

namespace simhash
{
namespace
{

using StorePageTest = SeededTest<1303>;

constexpr std::size_t kPageSizes[] = {4096, 8192, 16384, 32768};

SignatureMetaData meta_data(int bits, int trees, int words)
{
    SignatureMetaData meta;
    std::memset(static_cast<void *>(&meta), 0, sizeof(meta));
    meta.magic = kMagic;
    meta.version = kSignatureVersion;
    meta.fillfactor = 90;
    meta.map = root_block(trees) + 1;
    choose_layout(bits, trees, words, nullptr, 0, 0, nullptr, &meta.layout);
    return meta;
}

TEST_F(StorePageTest, MetaPagesHoldAsManyTablesAsFit)
{
    constexpr std::size_t kRest = sizeof(RawPageHeader) + sizeof(NeighborFigures) + sizeof(PageTail);
    EXPECT_EQ(most_signature_trees(1, 8192), kMaxTrees);
    EXPECT_EQ(most_signature_trees(2, 8192), 29);
    for (std::size_t size : kPageSizes) {
        for (int words : {1, 2}) {
            int most = most_signature_trees(words, size);
            ASSERT_GE(most, 1);
            SignatureMetaData meta = meta_data(256, most, words);
            EXPECT_LE(meta.size(), size - kRest);
            if (most < kMaxTrees) {
                EXPECT_GT(meta_data(256, most + 1, words).size(), size - kRest);
            }
            auto page = std::make_unique<char[]>(size);
            init_signature_meta_page(page.get(), size, meta);
            EXPECT_EQ(check_signature_meta_page(page.get(), size), nullptr);
            EXPECT_TRUE(is_signature_meta_page(page.get(), size));
            EXPECT_EQ(std::memcmp(page.get() + sizeof(RawPageHeader), &meta, meta.size()), 0);
        }
    }
}

TEST_F(StorePageTest, AlteredMetaPagesFail)
{
    auto expect_bad = [](const char *what, auto &&alter) {
        SignatureMetaData meta = meta_data(256, 16, 2);
        alter(&meta);
        auto page = std::make_unique<char[]>(8192);
        init_signature_meta_page(page.get(), 8192, meta);
        EXPECT_NE(check_signature_meta_page(page.get(), 8192), nullptr) << what;
    };
    expect_bad("magic", [](SignatureMetaData *d) { d->magic++; });
    expect_bad("version", [](SignatureMetaData *d) { d->version++; });
    expect_bad("map", [](SignatureMetaData *d) { d->map++; });
    expect_bad("words", [](SignatureMetaData *d) { d->layout.words = 0; });
    expect_bad("lists without a page", [](SignatureMetaData *d) { d->lists = {1, 1, d->map, 1, {}}; });
    expect_bad("too many lists", [](SignatureMetaData *d) { d->lists = {1u << 30, 1, d->map + 1, 1, {}}; });
    expect_bad("a repeated bit", [](SignatureMetaData *d) { d->layout.key[70] = d->layout.key[0]; });

    // Half of the last key is missing.
    SignatureMetaData meta = meta_data(256, 16, 2);
    auto page = std::make_unique<char[]>(8192);
    init_signature_meta_page(page.get(), 8192, meta);
    page_header(page.get())->lower -= 128;
    EXPECT_NE(check_signature_meta_page(page.get(), 8192), nullptr);

    init_signature_meta_page(page.get(), 8192, meta);
    page_neighbors(page.get())->share[0] = 2;
    EXPECT_NE(check_signature_meta_page(page.get(), 8192), nullptr);
}

TEST_F(StorePageTest, TheFirstFreeSlotIsFound)
{
    int slots = store_shape(32, 8192).rows();
    auto page = std::make_unique<char[]>(8192);
    init_plane_page(page.get(), 8192);
    const std::uint64_t sketch[2] = {1, 2};
    for (int slot = 0; slot < slots; slot++) {
        ASSERT_EQ(plane_free_slot(page.get(), 0, slots), slot);
        plane_set(page.get(), slot, sketch);
    }
    EXPECT_EQ(plane_free_slot(page.get(), 0, slots), -1);
    for (int slot = slots - 1; slot >= 0; slot--) {
        plane_clear(page.get(), slot);
        ASSERT_EQ(plane_free_slot(page.get(), 0, slots), slot);
    }
}

TEST_F(StorePageTest, ASlotInUseHasASketch)
{
    StoreShape shape = store_shape(32, 8192);
    auto page = std::make_unique<char[]>(8192);
    init_plane_page(page.get(), 8192);
    const std::uint64_t sketch[2] = {1, 2};
    plane_set(page.get(), 0, sketch);
    EXPECT_EQ(check_store_page(page.get(), 8192, shape, kPlanePage), nullptr);
    page[page_header(page.get())->upper] |= 1 << 5;
    EXPECT_NE(check_store_page(page.get(), 8192, shape, kPlanePage), nullptr);
}

} // namespace
} // namespace simhash
