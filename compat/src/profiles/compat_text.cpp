#include "profiles/compat_text.hpp"

#include <cstring>
#include <iterator>

#include "core/bits/bisect.hpp"
#include "core/text/unicode.hpp"

namespace simhash
{

namespace
{

// clang-format off
#include "profiles/compat_tables.inc"
// clang-format on

constexpr char32_t kSigma = 0x3A3, kFinalSigma = 0x3C2, kDottedI = 0x130;

// The row that may hold the character, the last that does not begin after it; or null.
template <std::size_t n> const char32_t *row_of(const char32_t (&table)[n][2], char32_t character)
{
    const std::size_t after =
        first_enough(std::size_t{0}, n, [&](std::size_t i) { return table[i][0] > character; });
    return after == 0 ? nullptr : table[after - 1];
}

template <std::size_t n> bool in_ranges(const char32_t (&table)[n][2], char32_t character)
{
    const char32_t *row = row_of(table, character);
    return row != nullptr && character <= row[1];
}

bool is_ascii_letter(char32_t c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z' && c < 0x80; }
bool is_ascii_digit(char32_t c) { return c >= '0' && c <= '9'; }
bool is_ascii_space(char32_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_letter(char32_t c) { return c < 0x80 ? is_ascii_letter(c) : in_ranges(kLetters, c); }
bool is_number(char32_t c) { return c < 0x80 ? is_ascii_digit(c) : in_ranges(kNumbers, c); }
bool is_cased(char32_t c) { return c < 0x80 ? is_ascii_letter(c) : in_ranges(kCased, c); }

bool is_case_ignorable(char32_t c)
{
    if (c < 0x80)
        return c == '\'' || c == '.' || c == ':' || c == '^' || c == '`';
    return in_ranges(kCaseIgnorable, c);
}

char32_t lower_case(char32_t c)
{
    if (c < 0x80)
        return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
    const char32_t *row = row_of(kLower, c);
    return row != nullptr && row[0] == c ? row[1] : c;
}

// Matches \w of Python, which includes 'é', or of Go, which does not.
bool is_python_word(char32_t c) { return c == '_' || is_letter(c) || is_number(c); }
bool is_go_word(char c)
{
    auto byte = static_cast<unsigned char>(c);
    return c == '_' || is_ascii_letter(byte) || is_ascii_digit(byte);
}

// A byte of a word to ClickHouse.
bool is_word_byte(char c)
{
    auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || is_ascii_letter(byte) || is_ascii_digit(byte);
}

constexpr std::size_t kLongWord = 4;

} // namespace

bool is_assigned(char32_t character) { return character < 0x80 || in_ranges(kAssigned, character); }

void PreparedText::init(const Profile &profile, const char *text, std::size_t length, char *out)
{
    preparation_ = profile.preparation;
    text_ = text;
    at_ = text;
    end_ = text + length;
    out_ = out;
    used_ = 0;
    token_ = 0;
    gap_ = false;
}

void PreparedText::put(char32_t character)
{
    char bytes[4];
    int size = encode_utf8(character, bytes);
    std::memcpy(out_ + used_, bytes, static_cast<std::size_t>(size));
    used_ += static_cast<std::size_t>(size);
}

bool PreparedText::step()
{
    constexpr int kCharacters = 16384;
    for (int i = 0; i < kCharacters; i++) {
        if (at_ == end_)
            return false;
        if (preparation_ == Preparation::kLongWords) {
            add_bytes_of_word();
            continue;
        }
        int size;
        char32_t character = decode_utf8(at_, end_, &size);
        if (preparation_ == Preparation::kRubyTokens)
            add_ruby(character, size);
        else if (preparation_ == Preparation::kPythonWords)
            add_python_word(character, size);
        else if (character != kInvalidCharacter && preparation_ == Preparation::kGoLower)
            put(lower_case(character));
        else if (character != kInvalidCharacter && preparation_ != Preparation::kNone)
            add_python(character);
        else
            for (int byte = 0; byte < size; byte++)
                out_[used_++] = at_[byte];
        at_ += size;
    }
    return true;
}

// Python uses the full mappings: İ becomes two characters, and Σ becomes ς at the end of a word.
void PreparedText::add_python(char32_t character)
{
    char32_t lower = character == kSigma && final_sigma() ? kFinalSigma : lower_case(character);
    if (is_python_word(lower))
        put(lower);
    else if (preparation_ == Preparation::kPythonSpaced)
        out_[used_++] = ' ';
    if (character == kDottedI && preparation_ == Preparation::kPythonSpaced)
        out_[used_++] = ' '; // the dot above is not part of a word
}

// Whether the Σ at at_ has a cased letter before it and none after it, leaving out case-ignorable characters.
bool PreparedText::final_sigma() const
{
    int size;
    const char *before = at_;
    bool cased = false;
    while (before > text_ && !cased) {
        do
            before--;
        while (before > text_ && (*before & 0xC0) == 0x80);
        char32_t character = decode_utf8(before, end_, &size);
        if (is_case_ignorable(character))
            continue;
        cased = is_cased(character);
        if (!cased)
            return false;
    }
    if (!cased)
        return false;
    for (const char *after = at_ + 2; after < end_; after += size) {
        char32_t character = decode_utf8(after, end_, &size);
        if (!is_case_ignorable(character))
            return !is_cased(character);
    }
    return true;
}

void PreparedText::add_python_word(char32_t character, int size)
{
    bool word = is_python_word(character);
    if (word)
        std::memcpy(out_ + used_, at_, static_cast<std::size_t>(size));
    else if (!gap_)
        out_[used_] = ' ';
    used_ += word ? static_cast<std::size_t>(size) : !gap_;
    gap_ = !word;
}

void PreparedText::add_ruby(char32_t character, int size)
{
    if (is_ascii_space(character)) {
        if (used_ > token_) {
            out_[used_++] = '\n';
            token_ = used_;
        }
        gap_ = false;
    } else if (character == '_' || is_letter(character) || (is_number(character) && size > 1)) {
        if (gap_ && used_ > token_)
            out_[used_++] = ' ';
        put(lower_case(character));
        gap_ = false;
    } else {
        gap_ = true;
    }
    // Remove the separator after the last token.
    if (at_ + size == end_ && used_ > 0 && out_[used_ - 1] == '\n')
        used_--;
}

// A byte, and the whole word with the last of its bytes.
void PreparedText::add_bytes_of_word()
{
    if (!is_word_byte(*at_)) {
        at_++;
        return;
    }
    const char *start = at_;
    while (at_ < end_ && is_word_byte(*at_))
        at_++;
    auto length = static_cast<std::size_t>(at_ - start);
    if (length < kLongWord)
        return;
    if (used_ > 0)
        out_[used_++] = ' ';
    std::memcpy(out_ + used_, start, length);
    used_ += length;
}

void ProfileShingles::init(const Profile &profile, int size, const char *text, std::size_t length)
{
    profile_ = &profile;
    text_ = text;
    length_ = length;
    at_ = 0;
    more_ = length > 0 || profile.empty_fields;
    finished_ = false;
    size_ = static_cast<std::size_t>(size);
    units_ = 0;
    newest_ = 0;
    if (profile.least_units > 0) {
        std::size_t start;
        std::size_t end;
        int units = 0;
        while (units < profile.least_units && next_unit(&start, &end))
            units++;
        at_ = 0;
        more_ = units == profile.least_units;
        finished_ = !more_;
    }
}

bool ProfileShingles::pass_field(std::size_t *end)
{
    if (!more_)
        return false;
    const void *separator =
        at_ < length_ ? std::memchr(text_ + at_, profile_->separator, length_ - at_) : nullptr;
    more_ = separator != nullptr;
    *end = more_ ? static_cast<std::size_t>(static_cast<const char *>(separator) - text_) : length_;
    at_ = *end + more_;
    return true;
}

void ProfileShingles::pass_character()
{
    if (at_ == length_)
        return;
    int size;
    decode_utf8(text_ + at_, text_ + length_, &size);
    at_ += static_cast<std::size_t>(size);
}

// A word, and the address behind it if it is the scheme of one.
void ProfileShingles::pass_go_word(std::size_t *start)
{
    const auto in_word = [](char c) { return is_go_word(c) || c == '\''; };
    pass_while([&](char c) { return !in_word(c); });
    *start = at_;
    pass_while(in_word);
    const std::size_t word_end = at_;
    if (at_ == *start || length_ - at_ <= 3 || std::memcmp(text_ + at_, "://", 3) != 0)
        return;
    at_ += 3;
    const std::size_t address = at_;
    pass_while([](char c) { return is_go_word(c) || c == '.' || c == '/'; });
    if (at_ == address)
        at_ = word_end;
}

void ProfileShingles::pass_ascii_letters(std::size_t *start)
{
    const auto letter = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
    pass_while([&](char c) { return !letter(c); });
    *start = at_;
    pass_while(letter);
}

void ProfileShingles::pass_go_letters(std::size_t *start)
{
    bool inside = false;
    while (at_ < length_) {
        int size;
        char32_t character = decode_utf8(text_ + at_, text_ + length_, &size);
        bool letter = character == '-' || character == '_' || character == '\'' || is_letter(character);
        if (inside && !letter)
            return;
        if (letter && !inside)
            *start = at_;
        inside = inside || letter;
        at_ += static_cast<std::size_t>(size);
    }
    if (!inside)
        *start = at_;
}

bool ProfileShingles::next_unit(std::size_t *start, std::size_t *end)
{
    *start = at_;
    switch (profile_->unit) {
    case ProfileUnit::kNothing:
        return false;
    case ProfileUnit::kByte:
        at_ += at_ < length_;
        break;
    case ProfileUnit::kCharacter:
        pass_character();
        break;
    case ProfileUnit::kField:
        return pass_field(end);
    case ProfileUnit::kGoWord:
        pass_go_word(start);
        break;
    case ProfileUnit::kAsciiLetters:
        pass_ascii_letters(start);
        break;
    case ProfileUnit::kGoLetters:
        pass_go_letters(start);
        break;
    }
    *end = at_;
    return *end > *start;
}

bool ProfileShingles::next(const char **bytes, std::size_t *length)
{
    std::size_t start;
    std::size_t end;
    while (!finished_ && next_unit(&start, &end)) {
        starts_[newest_] = start;
        newest_ = newest_ + 1 == size_ ? 0 : newest_ + 1;
        units_++;
        if (units_ < size_ || (units_ == size_ && profile_->skips_first))
            continue;
        *bytes = text_ + starts_[newest_]; // the oldest
        *length = end - starts_[newest_];
        return true;
    }
    if (finished_)
        return false;
    finished_ = true;
    *bytes = text_;
    *length = length_;
    return units_ < size_ && (profile_->short_text == ShortText::kAlways ||
                              (profile_->short_text == ShortText::kOneShingle && units_ > 0));
}

} // namespace simhash
