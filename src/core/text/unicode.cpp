#include "core/text/unicode.hpp"

#include <iterator>

#include "core/bits/bisect.hpp"
#include "core/bits/contract.hpp"

namespace simhash
{

namespace
{

// clang-format off
#include "core/text/unicode_tables.inc"
// clang-format on

static_assert(kLongestMapping == kMappingMax);
static_assert(kLongestJoiningMapping == kJoiningMappingMax);

constexpr int kBlockBits = 5;
constexpr char32_t kGap = 0x33480, kGapEnd = 0xE0000; // nothing is assigned between
constexpr std::uint16_t kUnassigned = 4;

constexpr std::size_t kCompositions = std::size(kComposition) / 3;

// Hangul syllables compose by arithmetic.
constexpr char32_t kSyllables = 0xAC00, kLeading = 0x1100, kVowels = 0x1161, kTrailing = 0x11A7;
constexpr char32_t kLeadingCount = 19, kVowelCount = 21, kTrailingCount = 28;
constexpr char32_t kSyllableCount = kLeadingCount * kVowelCount * kTrailingCount;

// A row of kComposition, or null if the character does not decompose.
const char32_t *decomposition(char32_t character)
{
    if (character < 0xC0)
        return nullptr;
    const auto row = [](std::size_t i) { return kComposition + 3 * kDecomposition[i]; };
    const std::size_t at =
        first_enough(std::size_t{0}, kCompositions, [=](std::size_t i) { return row(i)[2] >= character; });
    return at < kCompositions && row(at)[2] == character ? row(at) : nullptr;
}

std::size_t decompose(char32_t character, char32_t *out)
{
    if (character >= kSyllables && character < kSyllables + kSyllableCount) {
        char32_t index = character - kSyllables;
        out[0] = kLeading + index / (kVowelCount * kTrailingCount);
        out[1] = kVowels + index % (kVowelCount * kTrailingCount) / kTrailingCount;
        out[2] = kTrailing + index % kTrailingCount;
        return out[2] == kTrailing ? 2 : 3;
    }
    // The last parts come out first.
    char32_t parts[kDecompositionMax];
    std::size_t count = 0;
    const char32_t *row;
    while (count + 1 < kDecompositionMax && (row = decomposition(character)) != nullptr) {
        parts[count++] = row[1];
        character = row[0];
    }
    std::size_t length = 0;
    out[length++] = character;
    while (count > 0)
        out[length++] = parts[--count];
    return length;
}

// The composite of two characters, or 0.
char32_t composite(char32_t first, char32_t second)
{
    if (first >= kLeading && first < kLeading + kLeadingCount && second >= kVowels &&
        second < kVowels + kVowelCount)
        return kSyllables + ((first - kLeading) * kVowelCount + (second - kVowels)) * kTrailingCount;
    if (first >= kSyllables && first < kSyllables + kSyllableCount &&
        (first - kSyllables) % kTrailingCount == 0 && second > kTrailing &&
        second < kTrailing + kTrailingCount)
        return first + (second - kTrailing);

    const auto row = [](std::size_t i) { return kComposition + 3 * i; };
    const std::size_t at = first_enough(std::size_t{0}, kCompositions, [=](std::size_t i) {
        return row(i)[0] != first ? row(i)[0] > first : row(i)[1] >= second;
    });
    return at < kCompositions && row(at)[0] == first && row(at)[1] == second ? row(at)[2] : 0;
}

int combining_class(char32_t character) { return character_property(character).combining_class(); }

} // namespace

char32_t decode_utf8(const char *at, const char *end, int *size)
{
    SIMHASH_ASSERT(at < end);
    auto byte = [at](int i) { return static_cast<unsigned char>(at[i]); };
    auto continues = [&](int i) { return (byte(i) & 0xC0) == 0x80; };
    std::ptrdiff_t left = end - at;
    unsigned first = byte(0);
    *size = 1;
    if (first < 0x80)
        return first;
    if (first >= 0xC2 && first < 0xE0 && left >= 2 && continues(1)) {
        *size = 2;
        return (first & 0x1Fu) << 6 | (byte(1) & 0x3Fu);
    }
    if (first >= 0xE0 && first < 0xF0 && left >= 3 && continues(1) && continues(2)) {
        char32_t character = (first & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
        if (character < 0x800 || (character >= 0xD800 && character < 0xE000))
            return kInvalidCharacter;
        *size = 3;
        return character;
    }
    if (first >= 0xF0 && first < 0xF5 && left >= 4 && continues(1) && continues(2) && continues(3)) {
        char32_t character =
            (first & 0x07u) << 18 | (byte(1) & 0x3Fu) << 12 | (byte(2) & 0x3Fu) << 6 | (byte(3) & 0x3Fu);
        if (character < 0x10000 || character > 0x10FFFF)
            return kInvalidCharacter;
        *size = 4;
        return character;
    }
    return kInvalidCharacter;
}

int encode_utf8(char32_t character, char out[4])
{
    SIMHASH_ASSERT(character <= 0x10FFFF && (character < 0xD800 || character > 0xDFFF));
    auto tail = [character](int shift) { return static_cast<char>(0x80 | (character >> shift & 0x3F)); };
    if (character < 0x80) {
        out[0] = static_cast<char>(character);
        return 1;
    }
    if (character < 0x800) {
        out[0] = static_cast<char>(0xC0 | character >> 6);
        out[1] = tail(0);
        return 2;
    }
    if (character < 0x10000) {
        out[0] = static_cast<char>(0xE0 | character >> 12);
        out[1] = tail(6);
        out[2] = tail(0);
        return 3;
    }
    out[0] = static_cast<char>(0xF0 | character >> 18);
    out[1] = tail(12);
    out[2] = tail(6);
    out[3] = tail(0);
    return 4;
}

const char32_t *Character::mapping(std::size_t *length) const
{
    const char32_t *entry = kMapped + (property_ & 0x7FFF);
    *length = entry[0];
    return entry + 1;
}

Character character_property(char32_t character)
{
    if (character >= kGap) {
        if (character < kGapEnd)
            return Character(kUnassigned);
        character -= kGapEnd - kGap;
    }
    std::size_t block = character >> kBlockBits;
    if (block >= std::size(kStage))
        return Character(kUnassigned);
    std::size_t at =
        (static_cast<std::size_t>(kStage[block]) << kBlockBits) + (character & ((1u << kBlockBits) - 1));
    return Character(kProperty[at]);
}

std::size_t compose_canonically(const char32_t *characters, std::size_t count, char32_t *out)
{
    std::size_t length = 0;
    for (std::size_t i = 0; i < count; i++)
        length += decompose(characters[i], out + length);

    // Canonical order: runs of marks are sorted by class; they are short.
    for (std::size_t i = 1; i < length; i++) {
        char32_t moving = out[i];
        int moving_class = combining_class(moving);
        if (moving_class == 0)
            continue;
        std::size_t at = i;
        for (; at > 0 && combining_class(out[at - 1]) > moving_class; at--)
            out[at] = out[at - 1];
        out[at] = moving;
    }

    // Every character tries to join the last starter, unless one of its own class or higher stands between.
    std::size_t kept = 0;
    std::size_t starter = length; // none yet
    int last_class = 0;
    for (std::size_t i = 0; i < length; i++) {
        char32_t character = out[i];
        int its_class = combining_class(character);
        if (starter != length && (kept == starter + 1 || (last_class != 0 && last_class < its_class))) {
            char32_t joined = composite(out[starter], character);
            if (joined != 0) {
                out[starter] = joined;
                continue;
            }
        }
        if (its_class == 0)
            starter = kept;
        last_class = its_class;
        out[kept++] = character;
    }
    return kept;
}

} // namespace simhash
