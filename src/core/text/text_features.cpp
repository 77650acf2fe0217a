#include "core/text/text_features.hpp"

#include <bit>
#include <cstring>

#include "core/bits/contract.hpp"
#include "core/bits/feature_hash.hpp"

namespace simhash
{

namespace
{

constexpr std::uint64_t kOnes = 0x0101010101010101;
constexpr std::uint64_t kHighBits = 0x8080808080808080;

// How many of the 8 bytes stand before the first that is a space or not ASCII.
std::size_t plain_bytes(const char *at)
{
    std::uint64_t word;
    std::memcpy(&word, at, sizeof(word));
    if constexpr (std::endian::native == std::endian::big)
        word = __builtin_bswap64(word);
    std::uint64_t spaces = word ^ (kOnes * ' ');
    // A borrow may mark bytes behind a true one, never before.
    std::uint64_t found = (((spaces - kOnes) & ~spaces) | word) & kHighBits;
    return found == 0 ? 8 : static_cast<std::size_t>(std::countr_zero(found)) / 8;
}

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

constexpr std::size_t kIdeograph = 3; // bytes of a common one

// Whether the character is certainly not a mark.
bool no_mark(const char *at) { return is_ascii(*at) || is_common_ideograph(at); }

} // namespace

void TextFeatures::init(TextUnit unit, int size)
{
    SIMHASH_ASSERT(1 <= size && size <= kShingleSizeMax);
    text_.init();
    unit_ = unit;
    in_run_ = false;
    last_ = false;
    complete_ = false;
    finished_ = false;
    size_ = static_cast<std::size_t>(size);
    used_ = 0;
    limit_ = 0;
    scan_ = 0;
    last_end_ = 0;
    units_ = 0;
    newest_ = 0;
}

void TextFeatures::read_from(const char *text, std::size_t length, bool last)
{
    text_.read_from(text, length);
    last_ = last;
}

// Inlined into both functions below: a call for every shingle would cost a third of the speed.
[[gnu::always_inline]] inline bool TextFeatures::advance(const char **bytes, std::size_t *length)
{
    for (;;) {
        Unit unit;
        if (!(unit_ == TextUnit::kWord ? scan_word(&unit) : scan_character(&unit))) {
            if (refill())
                continue;
            if (!complete_ || finished_)
                return false;
            finished_ = true;
            if (units_ == 0 || units_ >= size_)
                return false;
            *bytes = buffer_ + starts_[0];
            *length = last_end_ - starts_[0];
            return true;
        }
        starts_[newest_] = unit.start;
        newest_ = newest_ + 1 == size_ ? 0 : newest_ + 1;
        last_end_ = unit.end;
        if (++units_ >= size_) {
            std::size_t start = starts_[newest_]; // the oldest
            *bytes = buffer_ + start;
            *length = unit.end - start;
            return true;
        }
    }
}

bool TextFeatures::next(std::uint64_t *hashes, std::size_t capacity, std::size_t *count)
{
    const char *bytes;
    std::size_t length, found = 0;
    while (found < capacity && advance(&bytes, &length))
        hashes[found++] = feature_hash(bytes, length);
    *count = found;
    return found > 0 || !at_end();
}

bool TextFeatures::next_shingle(const char **bytes, std::size_t *length)
{
    if (advance(bytes, length))
        return true;
    *length = 0;
    return !at_end();
}

// Makes more text scannable. Returns false if there is none in a stretch, if that takes another piece, or the text is at
// its end.
bool TextFeatures::refill()
{
    if (text_.exhausted()) {
        if (!last_ || complete_)
            return false;
        complete_ = true;
        return true;
    }
    if (kBufferSize - used_ < 2 * NormalText::kStepMax) {
        std::size_t keep = scan_;
        if (units_ > 0 && units_ < size_)
            keep = starts_[0];
        else if (units_ > 0 && size_ > 1)
            keep = starts_[newest_ + 1 == size_ ? 0 : newest_ + 1]; // the oldest that the next shingle needs
        std::memmove(buffer_, buffer_ + keep, used_ - keep);
        used_ -= keep;
        scan_ -= keep;
        last_end_ -= last_end_ < keep ? last_end_ : keep;
        for (std::size_t &start : starts_)
            start -= start < keep ? start : keep;
    }
    const std::size_t before = used_;
    used_ = text_.append(buffer_, used_, kBufferSize);
    limit_ = text_.settled(used_);
    std::memset(buffer_ + used_, 0, kPadding);
    return used_ > before;
}

CharacterClass TextFeatures::class_at(std::size_t at, int *size) const
{
    char first = buffer_[at];
    if (is_ascii(first)) {
        *size = 1;
        return first == ' ' ? CharacterClass::kSeparator : CharacterClass::kWord;
    }
    if (is_common_ideograph(buffer_ + at)) {
        *size = 3;
        return CharacterClass::kSpaceless;
    }
    return character_property(decode_utf8(buffer_ + at, buffer_ + limit_, size)).character_class();
}

// The end of the word that starts here, or of as much of it as there is.
std::size_t TextFeatures::word_end(std::size_t start) const
{
    std::size_t end = start;
    std::size_t most = limit_ - start < kWordMax ? limit_ : start + kWordMax;
    for (;;) {
        while (end < most) {
            std::size_t plain = plain_bytes(buffer_ + end);
            end += plain;
            if (plain < 8)
                break;
        }
        if (end >= most)
            return most;
        if (buffer_[end] == ' ')
            return end;
        int size;
        CharacterClass its_class = class_at(end, &size);
        // A mark at the very start is left over from a cut.
        if (its_class != CharacterClass::kWord && its_class != CharacterClass::kMark)
            return end;
        if (end + static_cast<std::size_t>(size) > most)
            return end;
        end += static_cast<std::size_t>(size);
    }
}

// The same for a character of a spaceless script and its marks.
std::size_t TextFeatures::cluster_end(std::size_t start) const
{
    std::size_t most = limit_ - start < kWordMax ? limit_ : start + kWordMax;
    int size;
    class_at(start, &size);
    std::size_t end = start + static_cast<std::size_t>(size);
    while (end < most && class_at(end, &size) == CharacterClass::kMark &&
           end + static_cast<std::size_t>(size) <= most)
        end += static_cast<std::size_t>(size);
    return end;
}

// Returns false if the buffer holds no further word that is sure to be whole.
bool TextFeatures::scan_word(Unit *unit)
{
    for (;;) {
        if (scan_ == limit_)
            return false;
        if (buffer_[scan_] == ' ') {
            scan_++;
            in_run_ = false;
            continue;
        }
        // Two ideographs without marks, most of the words of a Chinese text.
        if (limit_ - scan_ >= 3 * kIdeograph && is_common_ideograph(buffer_ + scan_) &&
            is_common_ideograph(buffer_ + scan_ + kIdeograph) && no_mark(buffer_ + scan_ + 2 * kIdeograph)) {
            *unit = {scan_, scan_ + 2 * kIdeograph};
            scan_ += kIdeograph;
            in_run_ = true;
            return true;
        }
        int size;
        if (class_at(scan_, &size) != CharacterClass::kSpaceless) {
            std::size_t end = word_end(scan_);
            if (end == limit_ && !complete_)
                return false;
            in_run_ = false;
            *unit = {scan_, end};
            scan_ = end;
            return true;
        }
        std::size_t end = cluster_end(scan_);
        if (end == limit_ && !complete_)
            return false;
        bool neighbor = end < limit_ && class_at(end, &size) == CharacterClass::kSpaceless;
        std::size_t second_end = neighbor ? cluster_end(end) : end;
        if (second_end == limit_ && !complete_)
            return false;
        *unit = {scan_, second_end};
        scan_ = end;
        bool alone = !neighbor && !in_run_;
        in_run_ = neighbor;
        if (neighbor || alone)
            return true;
    }
}

bool TextFeatures::scan_character(Unit *unit)
{
    if (scan_ == limit_)
        return false;
    int size;
    decode_utf8(buffer_ + scan_, buffer_ + limit_, &size);
    *unit = {scan_, scan_ + static_cast<std::size_t>(size)};
    scan_ += static_cast<std::size_t>(size);
    return true;
}

} // namespace simhash
