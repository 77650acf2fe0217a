#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/features/text_sketch.hpp"

namespace simhash
{
namespace
{

// The sketch of a text that is read in pieces of so many bytes.
TextSketch sketch_of(const std::string &text, std::size_t piece = SIZE_MAX)
{
    TextSketch sketch;
    sketch.init();
    EXPECT_TRUE(sketch.empty());
    for (std::size_t from = 0;;) {
        std::size_t length = std::min(piece, text.size() - from);
        sketch.read_from(text.data() + from, length, from + length == text.size());
        while (sketch.add_some()) {
        }
        from += length;
        if (from == text.size())
            return sketch;
    }
}

Fingerprint fingerprint(const std::string &text) { return sketch_of(text).fingerprint(); }

// These values are stored in users' indexes and must never change.
TEST(TextSketch, FrozenFingerprints)
{
    EXPECT_EQ(fingerprint("The quick brown fox jumps over the lazy dog"), 0xE03EF206304A101Eu);
    EXPECT_EQ(fingerprint("Don\u2019t repeat yourself; don't, DON'T repeat"), 0xC5C257E89722BF4u);
    EXPECT_EQ(fingerprint("one"), 0xE945501819CDA1D7u);
    EXPECT_EQ(fingerprint("私は東京タワーに登りました。"), 0x85AEC850873655E8u);
    EXPECT_EQ(fingerprint("네이버 한국어 문장입니다"), 0x7ECCAE13D8C7EB01u);
    EXPECT_EQ(kNearTextRadius, 8);
}

TEST(TextSketch, IsThatOfTheSetOfPairsOfWords)
{
    std::string text;
    for (int i = 0; i < 5000; i++)
        text += "word" + std::to_string(i * i % 1237) + (i % 7 == 0 ? ", " : " ");
    TextFeatures features;
    features.init(TextUnit::kWord, 2);
    features.read_from(text.data(), text.size(), true);
    std::vector<std::uint64_t> set(10000);
    std::uint64_t minima[64];
    MinhashSketch sketch;
    sketch.init(minima, 64);
    sketch.add(set.data(), features.next(set.data(), set.size()));
    std::uint8_t bytes[8];
    write_minhash_bits(minima, 64, bytes);
    Fingerprint expected = 0;
    for (std::uint8_t byte : bytes)
        expected = expected << 8 | byte;
    EXPECT_EQ(fingerprint(text), expected);
    for (std::size_t piece : {1, 7, 1000, 20000})
        EXPECT_EQ(sketch_of(text, piece).fingerprint(), expected);
}

// Constraints and stored balls depend on these.
TEST(TextSketch, RadiusOfSimilarity)
{
    EXPECT_EQ(text_radius(1), 0);
    EXPECT_EQ(text_radius(.95), 3);
    EXPECT_EQ(text_radius(.9), 5);
    EXPECT_EQ(text_radius(.85), 7);
    EXPECT_EQ(text_radius(kNearSimilarity), kNearTextRadius);
    EXPECT_EQ(text_radius(.75), 10);
    EXPECT_EQ(text_radius(.7), 12);
    EXPECT_EQ(text_radius(.6), 16);
    EXPECT_EQ(text_radius(.5), 20);
    EXPECT_EQ(text_radius(.25), 42);
    EXPECT_EQ(text_radius(0), 64);
    for (int i = 0; i < 10000; i++)
        EXPECT_GE(text_radius(i / 10000.), text_radius((i + 1) / 10000.));
}

TEST(TextSketch, TextsWithoutWordsHaveNone)
{
    EXPECT_TRUE(sketch_of("").empty());
    EXPECT_TRUE(sketch_of("... !").empty());
    EXPECT_FALSE(sketch_of("a").empty());
}

} // namespace
} // namespace simhash
