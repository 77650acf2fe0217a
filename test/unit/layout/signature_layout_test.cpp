#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "core/layout/signature_layout.hpp"

#include "../seed.hpp"

namespace simhash
{
namespace
{

using Signature = std::vector<std::uint8_t>;

class SignatureLayoutTest : public SeededTest<1302>
{
protected:
    // A random signature whose bit j is set with probability density(j).
    template <typename Density> Signature signature(int bits, Density density)
    {
        Signature bytes(static_cast<std::size_t>((bits + 7) / 8));
        for (int j = 0; j < bits; j++) {
            if (std::generate_canonical<double, 32>(random) < density(j))
                bytes[static_cast<std::size_t>(j / 8)] |= static_cast<std::uint8_t>(0x80 >> j % 8);
        }
        return bytes;
    }
    Signature signature(int bits)
    {
        return signature(bits, [](int) { return 0.5; });
    }

    // A layout chosen from a skewed sample of so many rows.
    std::unique_ptr<SignatureLayout> layout(int bits, int trees, int words, int rows = 0)
    {
        Signature sample;
        for (int i = 0; i < rows; i++) {
            Signature row = signature(bits, [](int j) { return j % 3 == 0 ? 0.5 : 0.02; });
            sample.insert(sample.end(), row.begin(), row.end());
        }
        std::vector<std::uint64_t> columns(static_cast<std::size_t>(bits) * kColumnWords);
        auto chosen = std::make_unique<SignatureLayout>();
        choose_layout(bits, trees, words, sample.data(), static_cast<std::size_t>((bits + 7) / 8), rows,
                      columns.data(), chosen.get());
        return chosen;
    }

    // Calls what(layout) for layouts of all kinds.
    template <typename What> void for_every_kind(What what)
    {
        for (int bits : {65, 100, 127, 128, 129, 256, 500, 512, 1024, 4096}) {
            for (int trees : {1, 2, 3, 8, 16, 31, 32}) {
                for (int words = 1; words <= (bits >= 128 ? 2 : 1); words++) {
                    SCOPED_TRACE(std::to_string(bits) + " bits, " + std::to_string(trees) + " trees, " +
                                 std::to_string(words) + " words");
                    what(*layout(bits, trees, words, bits % 2 == 0 && trees % 2 == 0 ? 70 : 0));
                    if (HasFailure())
                        return;
                }
            }
        }
    }
};

TEST_F(SignatureLayoutTest, WindowsShareAllBitsAndKeysRepeatNone)
{
    for_every_kind([](const SignatureLayout &layout) {
        ASSERT_TRUE(is_signature_layout(layout, layout.size()));
        ASSERT_EQ(layout.size(), 4u + 2 * 128 + 2u * 64 * layout.words * layout.trees);
        std::set<int> dealt;
        int headers = 0, windows = 0;
        for (int t = 0; t < layout.trees; t++) {
            const std::uint16_t *bit = layout.key_bits(t);
            ASSERT_EQ(std::set<int>(bit, bit + 64 * layout.words).size(), 64u * layout.words) << t;
            dealt.insert(bit, bit + layout.header_bits(t));
            headers += layout.header_bits(t);
            windows += layout.window(t);
        }
        ASSERT_EQ(static_cast<int>(dealt.size()), headers) << "windows overlap";
        ASSERT_EQ(windows, layout.bits);
    });
}

TEST_F(SignatureLayoutTest, KeysAreTheBitsOfTheLayout)
{
    for_every_kind([this](const SignatureLayout &layout) {
        Signature row = signature(layout.bits);
        for (int t = 0; t < layout.trees; t++) {
            std::uint64_t expected[2] = {}, key[2] = {1, 1};
            for (int i = 0; i < 64 * layout.words; i++)
                expected[i / 64] |= std::uint64_t{signature_bit(row.data(), layout.key_bits(t)[i])}
                                    << (63 - i % 64);
            signature_key(layout, t, row.data(), key);
            ASSERT_EQ(key[0], expected[0]);
            ASSERT_EQ(key[1], expected[1]);
            ASSERT_EQ(signature_key(layout, t, row.data()), expected[0]);
        }
    });
}

// So a search may reject an entry by its key.
TEST_F(SignatureLayoutTest, KeysAreNotFartherApartThanSignatures)
{
    for_every_kind([this](const SignatureLayout &layout) {
        Signature a = signature(layout.bits), b = a;
        int distance = 0;
        for (int j = 0; j < layout.bits; j += 1 + below(20), distance++)
            b[static_cast<std::size_t>(j / 8)] ^= static_cast<std::uint8_t>(0x80 >> j % 8);
        for (int t = 0; t < layout.trees; t++) {
            std::uint64_t x[2], y[2];
            signature_key(layout, t, a.data(), x);
            signature_key(layout, t, b.data(), y);
            ASSERT_LE(std::popcount(x[0] ^ y[0]) + std::popcount(x[1] ^ y[1]), distance);
        }
    });
}

TEST_F(SignatureLayoutTest, BalancedBitsLead)
{
    auto of_sample = layout(256, 8, 2, 1000);
    for (int t = 0; t < 8; t++) {
        for (int i = 0; i < 10; i++)
            EXPECT_EQ(of_sample->key_bits(t)[i] % 3, 0) << t << " " << i;
    }
}

TEST_F(SignatureLayoutTest, WithoutTablesThereIsOnlyASketch)
{
    for (int rows : {0, 1000}) {
        auto of_sample = layout(256, 0, 2, rows);
        EXPECT_EQ(of_sample->trees, 0);
        EXPECT_EQ(of_sample->size(), 4u + 2 * 128);
        EXPECT_TRUE(is_signature_layout(*of_sample, of_sample->size()));
        EXPECT_EQ(std::set<int>(of_sample->sketch, of_sample->sketch + kSketchBits).size(), 128u);
    }
}

// The relation cache has no room behind the last tree. AddressSanitizer sees what is read there.
TEST_F(SignatureLayoutTest, ACopyReadsNothingBehindTheLastTable)
{
    const std::unique_ptr<SignatureLayout> whole = layout(256, 3, 2);
    const std::unique_ptr<void, decltype(&std::free)> cut(std::malloc(whole->size()), std::free);
    std::memcpy(cut.get(), static_cast<void *>(whole.get()), whole->size());
    const SignatureLayout copy = *static_cast<SignatureLayout *>(cut.get());
    EXPECT_EQ(copy.size(), whole->size());
    EXPECT_EQ(std::memcmp(static_cast<const void *>(&copy), whole.get(), whole->size()), 0);
}

TEST_F(SignatureLayoutTest, DefaultWords)
{
    EXPECT_EQ(default_key_words(65), 1);
    EXPECT_EQ(default_key_words(127), 1);
    EXPECT_EQ(default_key_words(128), 2);
    EXPECT_EQ(default_key_words(512), 2);
    EXPECT_EQ(default_key_words(513), 1);
    EXPECT_EQ(default_key_words(4096), 1);
}

TEST_F(SignatureLayoutTest, AlteredLayoutsFail)
{
    auto expect_bad = [this](const char *what, int bits, int words, auto &&alter) {
        auto altered = layout(bits, 4, words);
        ASSERT_TRUE(is_signature_layout(*altered, altered->size())) << what;
        alter(altered.get());
        EXPECT_FALSE(is_signature_layout(*altered, altered->size())) << what;
    };
    expect_bad("no words", 256, 1, [](SignatureLayout *l) { l->words = 0; });
    expect_bad("three words", 256, 2, [](SignatureLayout *l) { l->words = 3; });
    expect_bad("more words than bits", 127, 1, [](SignatureLayout *l) {
        l->words = 2;
        std::iota(l->key, l->key + 4 * 128, std::uint16_t{0});
    });
    expect_bad("too many trees", 256, 1, [](SignatureLayout *l) { l->trees = kMaxTrees + 1; });
    expect_bad("too few bits", 65, 1, [](SignatureLayout *l) { l->bits = 64; });
    expect_bad("a bit out of range", 256, 2, [](SignatureLayout *l) { l->key[511] = 256; });
    expect_bad("a bit of the first word in the second", 256, 2,
               [](SignatureLayout *l) { l->key[127] = l->key[0]; });
    expect_bad("a bit twice in the second word", 256, 2,
               [](SignatureLayout *l) { l->key[127] = l->key[126]; });
    expect_bad("a bit in two windows", 256, 2, [](SignatureLayout *l) { l->key[0] = l->key[128]; });
    expect_bad("a bit of the sketch out of range", 256, 2, [](SignatureLayout *l) { l->sketch[5] = 256; });
    auto cut = layout(256, 4, 2);
    EXPECT_FALSE(is_signature_layout(*cut, cut->size() - 2));
    EXPECT_FALSE(is_signature_layout(*cut, cut->size() + 2));
    EXPECT_FALSE(is_signature_layout(*cut, 3));
}

} // namespace
} // namespace simhash
