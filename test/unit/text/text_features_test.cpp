#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/bits/feature_hash.hpp"
#include "core/features/feature_counts.hpp"
#include "core/text/text_features.hpp"

namespace simhash
{
namespace
{

using Hashes = std::vector<std::uint64_t>;

Hashes read(const std::string &text, TextUnit unit, int size, std::size_t capacity = 7,
            std::size_t piece = SIZE_MAX)
{
    static TextFeatures features;
    features.init(unit, size);
    Hashes all;
    std::vector<std::uint64_t> some(capacity);
    for (std::size_t from = 0;;) {
        std::size_t end = text.size() - from <= piece ? text.size() : from + piece;
        while (end < text.size() && (text[end] & 0x80) != 0)
            end++;
        std::vector<char> bytes(text.begin() + static_cast<std::ptrdiff_t>(from),
                                text.begin() + static_cast<std::ptrdiff_t>(end));
        features.read_from(bytes.data(), bytes.size(), end == text.size());
        std::size_t count;
        while (features.next(some.data(), capacity, &count))
            all.insert(all.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(count));
        if (end == text.size())
            return all;
        from = end;
    }
}

Hashes hashes(std::initializer_list<std::string> features)
{
    Hashes all;
    for (const std::string &feature : features)
        all.push_back(feature_hash(feature.data(), feature.size()));
    return all;
}

Hashes words(const std::string &text, int size = 1) { return read(text, TextUnit::kWord, size); }
Hashes characters(const std::string &text, int size) { return read(text, TextUnit::kCharacter, size); }

TEST(TextFeatures, Words)
{
    EXPECT_EQ(words(""), Hashes());
    EXPECT_EQ(words("... !"), Hashes());
    EXPECT_EQ(words("To be, or not TO BE"), hashes({"to", "be", "or", "not", "to", "be"}));
    EXPECT_EQ(words("don\u2019t Straße"), hashes({"don't", "strasse"}));
    EXPECT_EQ(words("Привет, мир! 한국어 문장"), hashes({"привет", "мир", "한국어", "문장"}));
}

TEST(TextFeatures, SpacelessScriptsByTwo)
{
    EXPECT_EQ(words("東京都"), hashes({"東京", "京都"}));
    EXPECT_EQ(words("水"), hashes({"水"}));
    EXPECT_EQ(words("水 火"), hashes({"水", "火"}));
    EXPECT_EQ(words("ver2版本a"), hashes({"ver2", "版本", "a"}));
    EXPECT_EQ(words("東、京都"), hashes({"東", "京都"}));
    EXPECT_EQ(words("東\u0301京都"), hashes({"東\u0301京", "京都"}));
    EXPECT_EQ(words("東京\u0301都"), hashes({"東京\u0301", "京\u0301都"}));
    EXPECT_EQ(words("データベース"), hashes({"デー", "ータ", "タベ", "ベー", "ース"}));
    EXPECT_EQ(words("กำลัง"), hashes({"ก\u0E4D\u0E32", "\u0E32ล\u0E31", "ล\u0E31ง"}));
}

TEST(TextFeatures, Shingles)
{
    EXPECT_EQ(words("To be, or not to be", 2), hashes({"to be", "be or", "or not", "not to", "to be"}));
    EXPECT_EQ(words("one, two", 3), hashes({"one two"})) << "fewer units than asked for";
    EXPECT_EQ(words("one", 25), hashes({"one"}));
    EXPECT_EQ(words("", 3), Hashes());
    EXPECT_EQ(words("東京都 a", 2), hashes({"東京都", "京都 a"}));
    EXPECT_EQ(characters("A b-c", 3), hashes({"a b", " b ", "b c"}));
    EXPECT_EQ(characters("e\u0301t\u00E9 ", 2), hashes({"ét", "té"}));
    EXPECT_EQ(characters("東京都", 2), hashes({"東京", "京都"}));
    EXPECT_EQ(characters("ab", 5), hashes({"ab"}));
    EXPECT_EQ(characters(" ! ", 1), Hashes());
    EXPECT_EQ(characters("aa", 1), hashes({"a", "a"}));
}

TEST(TextFeatures, LongWordsAreCut)
{
    std::string a(255, 'a');
    EXPECT_EQ(words(a), hashes({a}));
    EXPECT_EQ(words(a + "b c"), hashes({a, "b", "c"}));
    std::string e;
    for (int i = 0; i < 128; i++)
        e += "é";
    EXPECT_EQ(words(e), hashes({e.substr(0, 254), "é"}));
    EXPECT_EQ(words(std::string(1000000, 'x')).size(), 3922u);
    EXPECT_EQ(words(a + a + a, 2), hashes({a + a, a + a}));
}

// The same features however the text is cut and read.
TEST(TextFeatures, StreamingChangesNothing)
{
    std::mt19937_64 random(5);
    const std::u32string alphabet =
        U"abcdefghijklmnopqrstuvwxyz      ''ÉTßİ日本語のテキストﾊﾟกัง한\u0301\u0323\u00AD\u2019.";
    for (int i = 0; i < 60; i++) {
        std::string text;
        std::size_t length = random() % 40000;
        std::size_t range = 1 + random() % alphabet.size();
        for (std::size_t k = 0; k < length; k++) {
            char bytes[4];
            if (random() % 200 == 0)
                text += static_cast<char>(random());
            else
                text.append(bytes, static_cast<std::size_t>(encode_utf8(alphabet[random() % range], bytes)));
        }
        TextUnit unit = random() % 2 == 0 ? TextUnit::kWord : TextUnit::kCharacter;
        int size = 1 + static_cast<int>(random() % kShingleSizeMax);
        Hashes whole = read(text, unit, size, 100000);
        ASSERT_EQ(read(text, unit, size, 1 + random() % 300), whole);
        ASSERT_EQ(read(text, unit, size, 64, 1 + random() % 2000), whole);
    }
}

// So that the caller can look for interrupts.
TEST(TextFeatures, LongStretchesWithoutAny)
{
    for (const char *nothing : {" ", ".", "\u2014", "\u00AD", "\u0301", "\xFF"}) {
        std::string text = "one ";
        for (int i = 0; i < 1000000; i++)
            text += nothing;
        text += " two";
        static TextFeatures features;
        features.init(TextUnit::kWord, 1);
        features.read_from(text.data(), text.size(), true);
        Hashes all;
        std::uint64_t hashes[4];
        std::size_t count;
        std::size_t rests = 0;
        while (features.next(hashes, 4, &count)) {
            all.insert(all.end(), hashes, hashes + count);
            rests += static_cast<std::size_t>(count == 0);
        }
        EXPECT_GE(rests + 1, text.size() / NormalText::kStretch);
        EXPECT_LE(rests, text.size() / NormalText::kStretch + 3);
        EXPECT_EQ(all, words("one two")) << nothing;
    }
}

TEST(TextFeatures, ShinglesThemselves)
{
    auto shingles = [](const std::string &text, TextUnit unit, int size) {
        static TextFeatures features;
        features.init(unit, size);
        features.read_from(text.data(), text.size(), true);
        std::vector<std::string> all;
        const char *bytes;
        std::size_t length;
        while (features.next_shingle(&bytes, &length))
            if (length > 0)
                all.emplace_back(bytes, length);
        EXPECT_FALSE(features.next_shingle(&bytes, &length));
        return all;
    };
    using Strings = std::vector<std::string>;
    EXPECT_EQ(shingles("To be, or", TextUnit::kWord, 2), (Strings{"to be", "be or"}));
    EXPECT_EQ(shingles("A b", TextUnit::kWord, 3), Strings{"a b"});
    EXPECT_EQ(shingles("A-b", TextUnit::kCharacter, 2), (Strings{"a ", " b"}));
    EXPECT_EQ(shingles("", TextUnit::kWord, 1), Strings());
}

Fingerprint fingerprint(const std::string &text)
{
    std::vector<FeatureCount> slots(1024);
    FeatureCounts counts;
    TableSalts salts(0);
    counts.init(slots.data(), slots.size(), &salts);
    for (std::uint64_t hash : words(text))
        counts.add(hash, 1);
    Weights weights = {};
    counts.add_logarithmic(0, counts.capacity(), {&weights, 1});
    return weights_fingerprint(weights);
}

// These values are stored in users' tables and must never change.
TEST(TextFeatures, FrozenFingerprints)
{
    EXPECT_EQ(fingerprint("The quick brown fox jumps over the lazy dog"), 0x8212868318D29267u);
    EXPECT_EQ(fingerprint("Don\u2019t repeat yourself; don't, DON'T repeat"), 0x2D3D7766CEBA8BD8u);
    EXPECT_EQ(fingerprint("Die Straße heißt STRASSE"), 0x67CB68426C46338Cu);
    EXPECT_EQ(fingerprint("私は東京タワーに登りました。"), 0xA73932B5E964CBB6u);
    EXPECT_EQ(fingerprint("ฉันกำลังเรียนภาษาไทย"), 0x1B3CCE97FEA1A81Du);
    EXPECT_EQ(fingerprint("네이버 한국어 문장입니다"), 0xDDA32E63111F5134u);
}

} // namespace
} // namespace simhash
