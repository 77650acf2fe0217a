// The character properties of the units 'word' and 'character': Unicode 17.0.0, frozen.
//
// A character that Unicode 17.0 does not assign is a separator, even if a later version assigns it, as are
// surrogates and bytes that are not UTF-8. The data of a later version would belong to units of other names.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simhash
{

enum class CharacterClass : std::uint8_t {
    kSeparator, // everything except letters, marks and numbers
    kWord,      // a letter or number of a script that puts spaces between words
    kSpaceless, // a letter or number of one that does not: line-breaking class SA, ID, CJ, NS, AK, AP or AS
    kMark,      // a combining mark, which belongs to the character before it
};

inline constexpr char32_t kInvalidCharacter = 0xFFFFFFFF;

// Reads the UTF-8 sequence at `at` and sets *size to its length. Anything but a well-formed sequence gives
// kInvalidCharacter and a size of 1.
char32_t decode_utf8(const char *at, const char *end, int *size);

// Whether the three bytes at `at` are an ideograph from U+4E00 to U+9FFF. Those are letters of class kSpaceless, which
// NFKC_Casefold does not map and which neither combine nor move.
inline bool is_common_ideograph(const char *at)
{
    const auto byte = [at](int i) { return static_cast<unsigned char>(at[i]); };
    return byte(0) >= 0xE4 && byte(0) <= 0xE9 && (byte(0) > 0xE4 || byte(1) >= 0xB8) &&
           (byte(1) & 0xC0) == 0x80 && (byte(2) & 0xC0) == 0x80;
}

// Writes the character and returns the number of bytes. The character is valid.
int encode_utf8(char32_t character, char out[4]);

// A character's property.
class Character
{
public:
    explicit Character(std::uint16_t property) : property_(property) {}

    // Whether NFKC_Casefold maps it to other characters, or to none. The other properties are for characters
    // that it does not map.
    bool mapped() const { return (property_ & 0x8000) != 0; }
    // What it maps to.
    const char32_t *mapping(std::size_t *length) const;

    CharacterClass character_class() const { return static_cast<CharacterClass>(property_ & 3); }
    // Whether it never combines with, nor moves before, a preceding character.
    bool boundary() const { return (property_ & 4) != 0; }
    // The canonical combining class, 0 to 240.
    int combining_class() const { return property_ >> 3 & 0xFF; }

private:
    std::uint16_t property_;
};

Character character_property(char32_t character);

// The most characters that one maps to, and that one maps to which begin with no boundary.
inline constexpr std::size_t kMappingMax = 18;
inline constexpr std::size_t kJoiningMappingMax = 2;

// Writes characters in Normalization Form C, and returns their number. Requires: NFKC_Casefold does not map
// any of them, and `out` has room for kDecompositionMax times as many.
inline constexpr std::size_t kDecompositionMax = 4;
std::size_t compose_canonically(const char32_t *characters, std::size_t count, char32_t *out);

} // namespace simhash
