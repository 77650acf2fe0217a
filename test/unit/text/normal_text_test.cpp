#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/text/normal_text.hpp"

namespace simhash
{
namespace
{

// Normalises with a buffer of this size, from which settled bytes are removed when it is full.
std::string normal(const std::string &text, std::size_t size = 8192)
{
    // On the heap, so that the sanitizers see any overrun.
    std::vector<char> input(text.begin(), text.end());
    std::vector<char> buffer(size);
    NormalText normaliser;
    normaliser.init();
    normaliser.read_from(input.data(), input.size());
    std::string out;
    std::size_t used = 0;
    while (!normaliser.exhausted()) {
        used = normaliser.append(buffer.data(), used, size);
        std::size_t settled = normaliser.settled(used);
        out.append(buffer.data(), settled);
        std::copy(buffer.data() + settled, buffer.data() + used, buffer.data());
        used -= settled;
    }
    return out;
}

TEST(NormalText, Ascii)
{
    EXPECT_EQ(normal(""), "");
    EXPECT_EQ(normal(" \t\r\n.,;"), "");
    EXPECT_EQ(normal("The Quick,  brown\nFOX!"), "the quick brown fox");
    EXPECT_EQ(normal("  a--b  "), "a b");
    EXPECT_EQ(normal("3.14 snake_case C++ x@y.org"), "3 14 snake case c x y org");
    EXPECT_EQ(normal(std::string("a\0b", 3)), "a b");
}

TEST(NormalText, Apostrophes)
{
    EXPECT_EQ(normal("Don't"), "don't");
    EXPECT_EQ(normal("Don\u2019t"), "don't");
    EXPECT_EQ(normal("Don\uFF07t"), "don't");
    EXPECT_EQ(normal("'tis the dogs' 'quoted' rock'n'roll"), "tis the dogs quoted rock'n'roll");
    EXPECT_EQ(normal("a''b a' b a '"), "a b a b a");
    EXPECT_EQ(normal("l'\u00E9t\u00E9 \u00E9'a a'"), "l'\u00E9t\u00E9 \u00E9'a a");
    EXPECT_EQ(normal("日'本 a'本 日'b"), "日 本 a 本 日 b");
    EXPECT_EQ(normal("a'\u0301b"), "a b");
    EXPECT_EQ(normal("e\u0301'e\u0301"), "é'é");
    EXPECT_EQ(normal("x\u0301'y"), "x\u0301'y") << "a mark belongs to its word";
}

TEST(NormalText, SpellingThatMeansNothing)
{
    EXPECT_EQ(normal("STRASSE Straße STRAẞE"), "strasse strasse strasse");
    EXPECT_EQ(normal("cafe\u0301 café CAFÉ CAFE\u0301"), "café café café café");
    EXPECT_EQ(normal("Ｆｕｌｌ　Ｗｉｄｔｈ１２"), "full width12");
    EXPECT_EQ(normal("ﬁne co\u00ADoperate zero\u200Bwidth"), "fine cooperate zerowidth");
    EXPECT_EQ(normal("ΣΊΣΥΦΟΣ Σίσυφος"), "σίσυφοσ σίσυφοσ");
    EXPECT_EQ(normal("ﾊﾟﾋﾟ パピ"), "パピ パピ");
    EXPECT_EQ(normal("\u1112\u1161\u11AB\u1100\u1173\u11AF 한글"), "한글 한글");
    EXPECT_EQ(normal("İI ıi"), "i\u0307i ıi") << "the same for every language";
    EXPECT_EQ(normal("₂ ½"), "2 1 2");
    EXPECT_EQ(normal("\U00016100\U0001611E\U00016121"), "\U00016100\U00016121\U0001611E")
        << "composites may combine, too";
}

// Of canonically equivalent texts, whatever the order of their marks.
TEST(NormalText, IotaSubscript)
{
    for (const char *text : {"\u1FB7", "\u1FB6\u0345", "\u1FB3\u0342", "α\u0345\u0342", "α\u0342\u0345",
                             "Α\u0345\u0342", "\u1FBC\u0342"})
        EXPECT_EQ(normal(text), "\u1FB6ι") << text;
    for (const char *text :
         {"\u1F85\u0323", "\u1F81\u0323\u0301", "α\u0345\u0323\u0314\u0301", "\u1F05\u0323\u0345"})
        EXPECT_EQ(normal(text), "\u1F05\u0323ι") << text;
    EXPECT_EQ(normal("α\u0345\u0345\u0301β"), "άιιβ");
    EXPECT_EQ(normal("α\u0345\u034F\u0301"), "αί") << "nothing moves across this one";
    EXPECT_EQ(normal("α\u0345ι \u0345\u0301 x\u0345"), "αιι ι xι");
    EXPECT_EQ(normal("\u1FB3\xFF"), "αι");
    // A starter that becomes a mark comes behind the letter.
    EXPECT_EQ(normal("\u1FB3\uFF9E"), normal("\u03B1\u03B9\u3099"));
    EXPECT_EQ(normal("\u0345\uFF9F"), normal("\u03B9\u309A"));
}

TEST(NormalText, SeparatorsBeyondAscii)
{
    EXPECT_EQ(normal("東京、大阪。"), "東京 大阪");
    EXPECT_EQ(normal("a\u00A0b\u3000c\u2014d"), "a b c d");
    EXPECT_EQ(normal("\U0001F600\uFE0F"), "");
    EXPECT_EQ(normal("a\U0003347Ab") /* not assigned in 17.0 */, "a b");
    EXPECT_EQ(normal("\u0301a \u0301b"), "a b") << "marks of nothing";
    EXPECT_EQ(normal("a\xFF"
                     "b\xE6\x9D"),
              "a b")
        << "not UTF-8";
    EXPECT_EQ(normal("=\u0338 a\u0338"), "a\u0338");
}

TEST(NormalText, LongChainsAreCut)
{
    std::string marks;
    for (int i = 0; i < 30; i++)
        marks += "\u0301";
    EXPECT_EQ(normal("x" + marks + "\u0323y"), "x" + marks + "\u0323y") << "the 31st stays behind";
    EXPECT_EQ(normal("x" + marks.substr(2) + "\u0323y"), "x\u0323" + marks.substr(2) + "y");
    std::string endless = "x";
    for (int i = 0; i < 100000; i++)
        endless += "\u0301";
    EXPECT_EQ(normal(endless), endless);
}

std::string repeated(const char *text, int times)
{
    std::string all;
    for (int i = 0; i < times; i++)
        all += text;
    return all;
}

// A mark that is mapped to two skips a length of the chain.
TEST(NormalText, ChainsOfMarksThatBecomeTwo)
{
    int found = 0;
    for (char32_t mark = 0x80; mark < 0x110000; mark++) {
        std::size_t length;
        const Character property = character_property(mark);
        if (!property.mapped())
            continue;
        const char32_t *mapping = property.mapping(&length);
        if (length != 2 || character_property(mapping[0]).boundary())
            continue;
        found++;
        char bytes[4], mapped[8];
        const std::string one(bytes, static_cast<std::size_t>(encode_utf8(mark, bytes)));
        int size = encode_utf8(mapping[0], mapped);
        size += encode_utf8(mapping[1], mapped + size);
        const std::string two(mapped, static_cast<std::size_t>(size));
        for (int before = 26; before <= 31; before++) {
            const std::string text =
                normal("x" + repeated("\u0301", before) + one + repeated("\u0301", 5000));
            EXPECT_EQ(text.size(), 1 + repeated("\u0301", before + 5000).size() + two.size());
        }
    }
    EXPECT_GE(found, 4);
}

TEST(NormalText, CharactersThatVanish)
{
    EXPECT_EQ(normal(repeated("\u00AD", 100000)), "");
    EXPECT_EQ(normal("e" + repeated("\u00AD", 4096) + "\u0301y"), "éy");
    EXPECT_EQ(normal("e" + repeated("\u00AD", 4097) + "\u0301y"), "e\u0301y") << "normalised in parts";
    EXPECT_EQ(normal("x" + repeated("\u00AD", 400000) + "y"), "xy");
}

TEST(NormalText, IsIdempotentAndIndependentOfTheBuffer)
{
    std::mt19937_64 random(4);
    const std::u32string alphabet =
        U"aZ' \u2019é\u0301\u0323日カﾊﾟกัßİ한\u1112\u1161\u11AB\u00ADＡ\uFDFA\U0001F600";
    for (int i = 0; i < 300; i++) {
        std::string text;
        std::size_t length = random() % 6000;
        for (std::size_t k = 0; k < length; k++) {
            if (random() % 50 == 0) {
                text += static_cast<char>(random()); // any byte
                continue;
            }
            char bytes[4];
            text.append(bytes,
                        static_cast<std::size_t>(encode_utf8(alphabet[random() % alphabet.size()], bytes)));
        }
        std::string once = normal(text, 65536);
        ASSERT_EQ(normal(text, 2048 + random() % 3000), once);
        ASSERT_EQ(normal(once, 2049), once);
        ASSERT_EQ(once.find("  "), std::string::npos);
    }
}

} // namespace
} // namespace simhash
