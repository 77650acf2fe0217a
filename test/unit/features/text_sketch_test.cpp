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
TextSketch sketch_of(const std::string &text, std::size_t piece = SIZE_MAX, TextUnit unit = TextUnit::kWord)
{
    TextSketch sketch;
    sketch.init(unit);
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

Fingerprint fingerprint(const std::string &text, TextUnit unit = TextUnit::kWord)
{
    return sketch_of(text, SIZE_MAX, unit).fingerprint();
}

std::vector<std::uint64_t> features(const std::string &text, TextUnit unit, int size)
{
    TextFeatures features;
    features.init(unit, size);
    features.read_from(text.data(), text.size(), true);
    std::vector<std::uint64_t> set(10000);
    std::size_t count;
    features.next(set.data(), set.size(), &count);
    set.resize(count);
    return set;
}

Fingerprint fingerprint_of(std::vector<std::uint64_t> set)
{
    std::uint64_t minima[64];
    MinhashSketch sketch;
    sketch.init(minima, 64);
    sketch.add(set.data(), set.size());
    std::uint8_t bytes[8];
    write_minhash_bits(minima, 64, bytes);
    Fingerprint bits = 0;
    for (std::uint8_t byte : bytes)
        bits = bits << 8 | byte;
    return bits;
}

// These values are stored in users' indexes and must never change.
TEST(TextSketch, FrozenFingerprints)
{
    EXPECT_EQ(fingerprint("The quick brown fox jumps over the lazy dog"), 0xE03EF206304A101Eu);
    EXPECT_EQ(fingerprint("Don\u2019t repeat yourself; don't, DON'T repeat"), 0xC5C257E89722BF4u);
    EXPECT_EQ(fingerprint("one"), 0xE945501819CDA1D7u);
    EXPECT_EQ(fingerprint("私は東京タワーに登りました。"), 0x85AEC850873655E8u);
    EXPECT_EQ(fingerprint("네이버 한국어 문장입니다"), 0x7ECCAE13D8C7EB01u);
    EXPECT_EQ(kNearTextRadius, 8);
    EXPECT_EQ(fingerprint("The quick brown fox", TextUnit::kCharacter), 0x7847B7A9D5489C6Du);
    EXPECT_EQ(fingerprint("東京タワー", TextUnit::kCharacter), 0xED3E4836864A6B88u);
    EXPECT_EQ(fingerprint("a", TextUnit::kCharacter), 0xAA0F3A15DBD826BDu);
}

TEST(TextSketch, IsThatOfTheSetOfPairsOfWords)
{
    std::string text;
    for (int i = 0; i < 5000; i++)
        text += "word" + std::to_string(i * i % 1237) + (i % 7 == 0 ? ", " : " ");
    const Fingerprint expected = fingerprint_of(features(text, TextUnit::kWord, 2));
    EXPECT_EQ(fingerprint(text), expected);
    for (std::size_t piece : {1, 7, 1000, 20000})
        EXPECT_EQ(sketch_of(text, piece).fingerprint(), expected);
}

TEST(TextSketch, OfCharactersIsThatOfSingleOnesAndPairs)
{
    const char *const characters[] = {"W", "ö", "r", "t", " ", "東", "京", "タ", "e\u0301", "-", "x", "y"};
    for (int ascii : {0, 1}) {
        std::string text;
        for (int i = 0; text.size() < 6000; i++) {
            const char *character = characters[(i * i + i / 7) % 12];
            if (ascii == 0 || character[1] == 0)
                text += character;
            std::vector<std::uint64_t> set = features(text, TextUnit::kCharacter, 1);
            if (set.empty() || (text.size() > 50 && i % 97 > 0))
                continue;
            const std::vector<std::uint64_t> pairs = features(text, TextUnit::kCharacter, 2);
            set.insert(set.end(), pairs.begin(), pairs.end());
            const Fingerprint expected = fingerprint_of(set);
            ASSERT_EQ(fingerprint(text, TextUnit::kCharacter), expected) << text;
            if (ascii == 1) {
                ASSERT_EQ(sketch_of(text, 3, TextUnit::kCharacter).fingerprint(), expected) << text;
            }
        }
    }
}

// Constraints and stored balls depend on these.
TEST(TextSketch, RadiusOfSimilarity)
{
    EXPECT_EQ(text_radius(TextUnit::kWord, 1), 0);
    EXPECT_EQ(text_radius(TextUnit::kWord, .95), 3);
    EXPECT_EQ(text_radius(TextUnit::kWord, .9), 5);
    EXPECT_EQ(text_radius(TextUnit::kWord, .85), 7);
    EXPECT_EQ(text_radius(TextUnit::kWord, kNearSimilarity), kNearTextRadius);
    EXPECT_EQ(text_radius(TextUnit::kWord, .75), 10);
    EXPECT_EQ(text_radius(TextUnit::kWord, .7), 12);
    EXPECT_EQ(text_radius(TextUnit::kWord, .6), 16);
    EXPECT_EQ(text_radius(TextUnit::kWord, .5), 20);
    EXPECT_EQ(text_radius(TextUnit::kWord, .25), 42);
    EXPECT_EQ(text_radius(TextUnit::kWord, 0), 64);
    for (int i = 0; i < 10000; i++)
        EXPECT_GE(text_radius(TextUnit::kWord, i / 10000.), text_radius(TextUnit::kWord, (i + 1) / 10000.));
    const int expected[] = {64, 54, 44, 34, 24, 13, 11, 9, 7, 5, 0};
    for (int i = 0; i <= 10; i++)
        EXPECT_EQ(text_radius(TextUnit::kCharacter, i / 10.), expected[i]);
}

TEST(TextSketch, TextsWithoutWordsHaveNone)
{
    EXPECT_TRUE(sketch_of("").empty());
    EXPECT_TRUE(sketch_of("... !").empty());
    EXPECT_FALSE(sketch_of("a").empty());
    EXPECT_TRUE(sketch_of("... !", SIZE_MAX, TextUnit::kCharacter).empty());
    EXPECT_FALSE(sketch_of("a", SIZE_MAX, TextUnit::kCharacter).empty());
}

} // namespace
} // namespace simhash
