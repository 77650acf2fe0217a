#include "core/text/normal_text.hpp"

#include <array>
#include <cstdint>
#include <cstring>

#include "core/bits/contract.hpp"

namespace simhash
{

namespace
{

constexpr char32_t kTypographicApostrophe = 0x2019;

// ASCII: a letter in lower case or a digit, an apostrophe, or a space for all separators.
constexpr auto kFoldedAscii = [] {
    std::array<char, 128> folded{};
    for (unsigned c = 0; c < 128; c++) {
        bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '\'';
        bool upper = c >= 'A' && c <= 'Z';
        folded[c] = static_cast<char>(kept ? c : upper ? c + 0x20 : ' ');
    }
    return folded;
}();

char fold_ascii(char c) { return kFoldedAscii[static_cast<unsigned char>(c)]; }

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// How many of the bytes are ASCII before the first that is not.
std::size_t ascii_length(const char *at, std::size_t length)
{
    std::size_t i = 0;
    for (; i + 8 <= length; i += 8) {
        std::uint64_t word;
        std::memcpy(&word, at + i, sizeof(word));
        if ((word & 0x8080808080808080) != 0)
            break;
    }
    while (i < length && is_ascii(at[i]))
        i++;
    return i;
}

constexpr char32_t kIotaSubscript = 0x345;
constexpr char32_t kIota = 0x3B9;

// Whether the canonical decomposition ends in U+0345, the only mark that is mapped to a letter, and so does the mapping.
bool ends_in_iota_subscript(char32_t c)
{
    const bool row = c >> 4 == 0x1FB || c >> 4 == 0x1FC || c >> 4 == 0x1FF;
    constexpr unsigned kColumns = 1U << 2 | 1U << 3 | 1U << 4 | 1U << 7 | 1U << 12;
    return c == kIotaSubscript || (c >= 0x1F80 && c < 0x1FB0) || (row && (kColumns >> (c & 0xF) & 1) != 0);
}

// The half-width sound marks, starters that are mapped to marks.
bool starts_as_mark(char32_t c) { return c == 0xFF9E || c == 0xFF9F; }

// A character and those that may combine with it, mapped.
class Segment
{
public:
    static constexpr std::size_t kMost = NormalText::kChainMax * kJoiningMappingMax + kMappingMax;

    bool empty() const { return count_ + iotas_ == 0; }

    // Returns false if the character begins the next segment.
    bool add(char32_t character)
    {
        Character property = character_property(character);
        const char32_t *mapped = &character;
        std::size_t length = 1;
        if (property.mapped()) {
            mapped = property.mapping(&length);
            if (length > 0)
                property = character_property(mapped[0]);
        }
        const bool joins = character == kIotaSubscript || !property.boundary();
        // A joining character adds up to kJoiningMappingMax to the chain, so it may skip the maximum.
        if (length > 0 && !empty() && (!joins || chain_ >= NormalText::kChainMax))
            return false;
        if (length == 0 && !empty() && ++vanished_ > NormalText::kVanishedMax)
            return false;
        SIMHASH_ASSERT(count_ + iotas_ + length <= kMost);
        if (character == kIotaSubscript) {
            chain_++;
            iotas_++;
            return true;
        }
        if (length == 0 || property.combining_class() == 0 || starts_as_mark(character))
            put_iotas();
        for (std::size_t i = 0; i < length; i++) {
            chain_ += static_cast<std::size_t>(!character_property(mapped[i]).boundary());
            mapped_[count_++] = mapped[i];
        }
        if (ends_in_iota_subscript(character)) {
            count_--;
            iotas_++;
        }
        return true;
    }

    // Puts it into Normalization Form C. Nothing is added afterwards.
    const char32_t *compose(std::size_t *count)
    {
        put_iotas();
        *count = chain_ > 0 ? compose_canonically(mapped_, count_, composed_) : count_;
        return chain_ > 0 ? composed_ : mapped_;
    }

private:
    void put_iotas()
    {
        for (; iotas_ > 0; iotas_--)
            mapped_[count_++] = kIota;
    }

    std::size_t count_ = 0;
    std::size_t chain_ = 0;
    // Iotas made of U+0345, which come after the marks that follow: by its combining class it is the last of them, so
    // canonically equivalent texts have it anywhere among them.
    std::size_t iotas_ = 0;
    std::size_t vanished_ = 0;
    char32_t mapped_[kMost];
    char32_t composed_[kMost * kDecompositionMax];
};
static_assert(Segment::kMost * kDecompositionMax * 4 <= NormalText::kStepMax);

} // namespace

void NormalText::init()
{
    at_ = nullptr;
    end_ = nullptr;
    last_ = Last::kNothing;
    last_class_ = CharacterClass::kWord;
}

void NormalText::read_from(const char *text, std::size_t length)
{
    at_ = text;
    end_ = text + length;
}

std::size_t NormalText::append(char *buffer, std::size_t used, std::size_t size)
{
    const char *stop = static_cast<std::size_t>(end_ - at_) > kStretch ? at_ + kStretch : end_;
    while (at_ < stop && used + kStepMax <= size) {
        std::size_t length = static_cast<std::size_t>(end_ - at_);
        if (length > size - used)
            length = size - used;
        std::size_t ascii = ascii_length(at_, length);
        // A letter before a character beyond ASCII may be composed with it.
        bool combines =
            ascii > 0 && at_ + ascii < end_ && !is_ascii(at_[ascii]) && fold_ascii(at_[ascii - 1]) > '\'';
        if (combines)
            ascii--;
        if (ascii > 0)
            used = append_ascii(buffer, used, ascii);
        else if (length >= 3 && is_common_ideograph(at_))
            used = append_ideographs(buffer, used, length);
        else
            used = append_segment(buffer, used);
    }
    return used;
}

// ASCII, the text of most documents: a step per byte, with no branches except for apostrophes.
std::size_t NormalText::append_ascii(char *buffer, std::size_t used, std::size_t length)
{
    const char *at = at_;
    const char *end = at_ + length;
    at_ = end;
    if (last_ == Last::kApostrophe) {
        char folded = fold_ascii(*at++);
        used = folded == '\''  ? put_apostrophe(buffer, used)
               : folded == ' ' ? put_separator(buffer, used)
                               : put(static_cast<char32_t>(folded), CharacterClass::kWord, buffer, used);
        if (at == end)
            return used;
    }
    bool nothing = last_ == Last::kNothing;
    bool spaced = nothing || last_ == Last::kSpace;
    std::size_t start = used;
    for (; at < end; at++) {
        char folded = fold_ascii(*at);
        if (folded == '\'') {
            bool after_word = !spaced && (used > start || last_class_ == CharacterClass::kWord);
            if (at + 1 == end && after_word) {
                // The next character decides.
                buffer[used++] = '\'';
                last_ = Last::kApostrophe;
                last_class_ = CharacterClass::kWord;
                return used;
            }
            folded = after_word && fold_ascii(at[1]) > '\'' ? '\'' : ' ';
        }
        buffer[used] = folded;
        bool space = folded == ' ';
        used += static_cast<std::size_t>(!(space && spaced));
        spaced = space;
    }
    if (spaced)
        last_ = nothing && used == start ? Last::kNothing : Last::kSpace;
    else {
        last_ = Last::kCharacter;
        if (used > start)
            last_class_ = CharacterClass::kWord;
    }
    return used;
}

// Common ideographs, which stay as they are.
std::size_t NormalText::append_ideographs(char *buffer, std::size_t used, std::size_t length)
{
    if (last_ == Last::kApostrophe)
        used = put_separator(buffer, used);
    const char *end = at_ + length - 2;
    for (; at_ < end && is_common_ideograph(at_); at_ += 3, used += 3)
        std::memcpy(buffer + used, at_, 3);
    last_ = Last::kCharacter;
    last_class_ = CharacterClass::kSpaceless;
    return used;
}

// Anything else: a character with those that combine with it is normalised on its own.
std::size_t NormalText::append_segment(char *buffer, std::size_t used)
{
    Segment segment;
    while (at_ < end_) {
        int size;
        char32_t character = decode_utf8(at_, end_, &size);
        if (character == kInvalidCharacter && segment.empty()) {
            at_ += size;
            return put_separator(buffer, used);
        }
        if (character == kInvalidCharacter || !segment.add(character))
            break;
        at_ += size;
        if (segment.empty())
            return used;
    }
    std::size_t count;
    const char32_t *normal = segment.compose(&count);
    for (std::size_t i = 0; i < count; i++) {
        if (normal[i] == '\'' || normal[i] == kTypographicApostrophe)
            used = put_apostrophe(buffer, used);
        else
            used = put(normal[i], character_property(normal[i]).character_class(), buffer, used);
    }
    return used;
}

std::size_t NormalText::put(char32_t character, CharacterClass its_class, char *buffer, std::size_t used)
{
    switch (its_class) {
    case CharacterClass::kSeparator:
        return put_separator(buffer, used);
    case CharacterClass::kMark:
        if (last_ != Last::kCharacter)
            return put_separator(buffer, used);
        break;
    case CharacterClass::kWord:
        last_class_ = its_class;
        break;
    case CharacterClass::kSpaceless:
        if (last_ == Last::kApostrophe)
            used = put_separator(buffer, used);
        last_class_ = its_class;
        break;
    }
    last_ = Last::kCharacter;
    return used + static_cast<std::size_t>(encode_utf8(character, buffer + used));
}

std::size_t NormalText::put_separator(char *buffer, std::size_t used)
{
    if (last_ == Last::kNothing || last_ == Last::kSpace)
        return used;
    if (last_ == Last::kApostrophe)
        used--;
    last_ = Last::kSpace;
    buffer[used] = ' ';
    return used + 1;
}

std::size_t NormalText::put_apostrophe(char *buffer, std::size_t used)
{
    if (last_ != Last::kCharacter || last_class_ != CharacterClass::kWord)
        return put_separator(buffer, used);
    last_ = Last::kApostrophe;
    buffer[used] = '\'';
    return used + 1;
}

} // namespace simhash
