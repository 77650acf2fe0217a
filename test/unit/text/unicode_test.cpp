#include <string>

#include <gtest/gtest.h>

#include "core/text/unicode.hpp"

namespace simhash
{
namespace
{

char32_t decode(const std::string &bytes, int *size)
{
    return decode_utf8(bytes.data(), bytes.data() + bytes.size(), size);
}

TEST(Unicode, Utf8RoundTrips)
{
    for (char32_t character = 0; character < 0x110000; character++) {
        char bytes[4];
        if (character >= 0xD800 && character < 0xE000)
            continue;
        int written = encode_utf8(character, bytes);
        int size;
        ASSERT_EQ(decode_utf8(bytes, bytes + written, &size), character);
        ASSERT_EQ(size, written);
        for (int cut = 1; cut < written; cut++) {
            ASSERT_EQ(decode_utf8(bytes, bytes + cut, &size), kInvalidCharacter);
            ASSERT_EQ(size, 1);
        }
    }
}

TEST(Unicode, InvalidBytesAreOneEach)
{
    for (const char *bytes :
         {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xE0\x9F\xBF", "\xED\xA0\x80",
          "\xED\xBF\xBF", "\xF0\x80\x80\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80",
          "\xFE", "\xFF", "\xE6\x41\x42", "\xC3("}) {
        int size;
        EXPECT_EQ(decode(bytes, &size), kInvalidCharacter);
        EXPECT_EQ(size, 1);
    }
}

TEST(Unicode, Classes)
{
    struct {
        char32_t character;
        CharacterClass its_class;
    } const cases[] = {
        {'a', CharacterClass::kWord},
        {'7', CharacterClass::kWord},
        {'_', CharacterClass::kSeparator},
        {' ', CharacterClass::kSeparator},
        {U'é', CharacterClass::kWord},
        {U'я', CharacterClass::kWord},
        {U'한', CharacterClass::kWord},
        {U'日', CharacterClass::kSpaceless},
        {U'の', CharacterClass::kSpaceless},
        {U'カ', CharacterClass::kSpaceless},
        {U'ー', CharacterClass::kSpaceless},
        {U'々', CharacterClass::kSpaceless},
        {U'ก', CharacterClass::kSpaceless},
        {U'ខ', CharacterClass::kSpaceless},
        {U'။', CharacterClass::kSeparator},
        {0x0301, CharacterClass::kMark},
        {0x0E31, CharacterClass::kMark},
        {U'、', CharacterClass::kSeparator},
        {U'€', CharacterClass::kSeparator},
        {0x1F600, CharacterClass::kSeparator},
        {0x20000, CharacterClass::kSpaceless},
        {0x1B05, CharacterClass::kSpaceless},  // Balinese, class AK
        {0x1B50, CharacterClass::kSpaceless},  // AS
        {0x11F02, CharacterClass::kSpaceless}, // Kawi, AP
        {0x1B44, CharacterClass::kMark},       // VI
        // Assigned in 14.0 to 17.0.
        {0x0870, CharacterClass::kWord},
        {0xA7D1, CharacterClass::kWord},
        {0x10D40, CharacterClass::kWord},
        {0x10D70, CharacterClass::kWord},
        {0x1E6C0, CharacterClass::kWord},
        {0x1ACF, CharacterClass::kMark},
        {0x1FA8A, CharacterClass::kSeparator},
        // Ideographs of the extensions G, H, I and J, the last of 17.0, and the first that it does not assign.
        {0x30000, CharacterClass::kSpaceless},
        {0x31350, CharacterClass::kSpaceless},
        {0x2EBF0, CharacterClass::kSpaceless},
        {0x323B0, CharacterClass::kSpaceless},
        {0x33479, CharacterClass::kSpaceless},
        {0x3347A, CharacterClass::kSeparator},
        // Never assigned; private; not a character; the last.
        {0x0378, CharacterClass::kSeparator},
        {0xE000, CharacterClass::kSeparator},
        {0xFFFE, CharacterClass::kSeparator},
        {0x10FFFF, CharacterClass::kSeparator},
        {0x110000, CharacterClass::kSeparator},
        {kInvalidCharacter, CharacterClass::kSeparator},
    };
    for (const auto &c : cases) {
        Character property = character_property(c.character);
        EXPECT_FALSE(property.mapped()) << std::hex << static_cast<std::uint32_t>(c.character);
        EXPECT_EQ(property.character_class(), c.its_class)
            << std::hex << static_cast<std::uint32_t>(c.character);
    }
}

TEST(Unicode, Mappings)
{
    struct {
        char32_t character;
        std::u32string mapping;
    } const cases[] = {
        {'A', U"a"},
        {U'ß', U"ss"},
        {U'ẞ', U"ss"},
        {0x0130, U"i\u0307"},
        {U'ς', U"σ"},
        {U'Å', U"å"},
        {U'Ａ', U"a"},
        {U'ﬁ', U"fi"},
        {0x00AD, U""},
        {0x200D, U""},
        {U'①', U"1"},
        {U'㌀', U"アパート"},
        {0xFDFA, U"صلى الله عليه وسلم"},
        {0x2F800, U"丽"},
        {0xA7D0, U"\uA7D1"}, // the capital letters of 14.0 and 16.0
        {0x10D50, U"\U00010D70"},
        {0x1CCD6, U"a"},
    };
    for (const auto &c : cases) {
        Character property = character_property(c.character);
        ASSERT_TRUE(property.mapped());
        std::size_t length;
        const char32_t *mapping = property.mapping(&length);
        EXPECT_EQ(std::u32string(mapping, length), c.mapping);
        EXPECT_LE(length, kMappingMax);
    }
}

std::u32string composed(const std::u32string &text)
{
    std::u32string out(text.size() * kDecompositionMax, 0);
    out.resize(compose_canonically(text.data(), text.size(), out.data()));
    return out;
}

TEST(Unicode, Composition)
{
    EXPECT_EQ(composed(U"e\u0301"), U"é");
    EXPECT_EQ(composed(U"é"), U"é");
    EXPECT_EQ(composed(U"e\u0323\u0302"), U"ệ");
    EXPECT_EQ(composed(U"e\u0302\u0323"), U"ệ");
    EXPECT_EQ(composed(U"ê\u0323"), U"ệ");
    EXPECT_EQ(composed(U"x\u0301\u0323"), U"x\u0323\u0301") << "canonical order";
    EXPECT_EQ(composed(U"a\u0315\u0300\u05AE\u0301"), U"à\u05AE\u0301\u0315") << "blocked by its own class";
    EXPECT_EQ(composed(U"\u01D8\u0324"), U"\u1E73\u0308\u0301") << "longer than it was";
    EXPECT_EQ(composed(U"\u1112\u1161\u11AB"), U"한");
    EXPECT_EQ(composed(U"하\u11AB"), U"한");
    EXPECT_EQ(composed(U"\u0301"), U"\u0301");
    EXPECT_EQ(composed(U"\u0B47\u0B57"), U"\u0B4C");
    EXPECT_EQ(composed(U"\u0B47\u0300\u0B57"), U"\u0B47\u0300\u0B57");
    // Of 16.0: composites that compose with what precedes them.
    EXPECT_EQ(composed(U"\U0001611E\U0001611E\U0001611F"), U"\U00016126");
    EXPECT_EQ(composed(U"\U0001611E\U00016121"), U"\U00016121\U0001611E");
    EXPECT_EQ(composed(U"\U00016D63\U00016D67\U00016D67"), U"\U00016D6A");
    // At most four characters each, and every composite decomposes into the characters that compose it.
    for (char32_t character = 0xC0; character < 0x30000; character++) {
        Character property = character_property(character);
        if (!property.mapped()) {
            ASSERT_EQ(composed(std::u32string(1, character)), std::u32string(1, character));
        }
    }
}

TEST(Unicode, CommonIdeographsStayAsTheyAre)
{
    for (char32_t c = 0; c < 0x110000; c++) {
        if (c >= 0xD800 && c < 0xE000)
            continue;
        char bytes[4] = {};
        encode_utf8(c, bytes);
        ASSERT_EQ(is_common_ideograph(bytes), c >= 0x4E00 && c < 0xA000) << static_cast<unsigned>(c);
        if (!is_common_ideograph(bytes))
            continue;
        const Character property = character_property(c);
        ASSERT_TRUE(!property.mapped() && property.boundary() && property.combining_class() == 0)
            << static_cast<unsigned>(c);
        ASSERT_EQ(property.character_class(), CharacterClass::kSpaceless) << static_cast<unsigned>(c);
        char32_t composed[kDecompositionMax];
        ASSERT_EQ(compose_canonically(&c, 1, composed), 1u);
        ASSERT_TRUE(composed[0] == c);
    }
    EXPECT_FALSE(is_common_ideograph("\xE4\xB8"
                                     "a"));
    EXPECT_FALSE(is_common_ideograph("\xE5"
                                     "ab"));
}

} // namespace
} // namespace simhash
