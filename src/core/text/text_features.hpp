// The features of a text: words or characters of its normal text, one by one or in overlapping shingles.
//
// - A *word* is a maximal run of characters of class kWord, marks and apostrophes. Where a script puts no
//   spaces between words, every two neighboring characters (each with its marks) are one, as in 東京都 to
//   東京, 京都; a single one is a word by itself. A word longer than kWordMax bytes is cut before the character
//   that would exceed it.
// - A *character* is a code point of the normal text, spaces included.
// - A *shingle* of n units is the stretch of the normal text from the start of the first to the end of the
//   last. A text with fewer than n units, but one at least, is one shingle.
//
// Every unit except the last n - 1 starts a shingle, so a text of m units has m - n + 1 features, counted
// with repetitions. A feature is the XXH3 hash of its bytes in UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/text/normal_text.hpp"

namespace simhash
{

enum class TextUnit : unsigned char { kWord, kCharacter };

inline constexpr int kShingleSizeMax = 25;
inline constexpr std::size_t kWordMax = 255;

// Reads features from a text piece by piece. Allocates nothing; safe for any bytes.
//
//   features.init(unit, size);
//   features.read_from(text, length, true);
//   while (features.next(hashes, capacity, &count)) …
class TextFeatures
{
public:
    void init(TextUnit unit, int size);

    // Sets the next piece of the text, and whether it is the last. See NormalText::read_from.
    void read_from(const char *text, std::size_t length, bool last);

    // Writes up to `capacity` hashes and their number, which is 0 where a long stretch of the text has none. Returns false
    // at the end of the piece.
    bool next(std::uint64_t *hashes, std::size_t capacity, std::size_t *count);

    // Returns the shingles one by one instead; one of length 0 stands for a long stretch without. *bytes is valid until
    // the next call.
    bool next_shingle(const char **bytes, std::size_t *length);

private:
    struct Unit {
        std::size_t start;
        std::size_t end;
    };

    bool advance(const char **bytes, std::size_t *length);
    bool scan_word(Unit *unit);
    bool scan_character(Unit *unit);
    std::size_t word_end(std::size_t start) const;
    std::size_t cluster_end(std::size_t start) const;
    CharacterClass class_at(std::size_t at, int *size) const;
    bool refill();
    bool at_end() const { return text_.exhausted() && (!last_ || finished_); }

    // Holds the longest shingle and a good deal more, but fits in the first-level cache.
    static constexpr std::size_t kBufferSize = 16384;
    // A pair of characters without a space between has two clusters of kWordMax.
    static constexpr std::size_t kLongest = (kShingleSizeMax - 1) * (2 * kWordMax + 1) + 2 * kWordMax;
    static_assert(kBufferSize >= kLongest + 1 + kWordMax + NormalText::kStepMax);
    static constexpr std::size_t kPadding = 8;

    NormalText text_;
    TextUnit unit_;
    bool in_run_;   // the last word scanned began one character before scan_
    bool last_;     // there is no further piece
    bool complete_; // the buffer ends where the text does
    bool finished_;
    std::size_t size_;
    std::size_t used_;
    std::size_t limit_; // what may be scanned
    std::size_t scan_;
    std::size_t last_end_; // of the last unit
    std::uint64_t units_;
    std::size_t newest_;                  // where in starts_ the next unit's start goes
    std::size_t starts_[kShingleSizeMax]; // the starts of the last `size_` units, in a ring
    char buffer_[kBufferSize + kPadding];
};

} // namespace simhash
