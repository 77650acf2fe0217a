// The normal text of a document: its text without differences of spelling that carry no meaning.
//
//  1. Every character is replaced by its NFKC_Casefold mapping, and the result put into Normalization Form C.
//     (Unicode's toNFKC_Casefold: wide, compatibility and upper-case letters become plain lower-case ones,
//     soft hyphens and the like vanish. A chain of more than kChainMax combining characters, or with more than
//     kVanishedMax that vanish, is normalised in parts.) Characters that Unicode 17.0 does not assign, and bytes
//     that are not UTF-8, become separators.
//  2. Letters, marks and numbers stay. An apostrophe, ' or U+2019, stays as ' if characters of words stand
//     directly on both sides. A mark with no letter or number before it is a separator, as is everything
//     else.
//  3. Every run of separators becomes one space, except at the ends, where it is dropped.
#pragma once

#include <cstddef>

#include "core/text/unicode.hpp"

namespace simhash
{

// Normalises a text piece by piece into the caller's buffer. Allocates nothing; safe for any bytes.
class NormalText
{
public:
    static constexpr std::size_t kChainMax = 30;
    static constexpr std::size_t kVanishedMax = 4096;

    // The most bytes that one step may write.
    static constexpr std::size_t kStepMax = 2048;

    // About how many bytes are read at once, so that the caller can look for interrupts: a text may be all separators.
    static constexpr std::size_t kStretch = 256 * 1024;

    void init();

    // Sets the next piece of the text to read. A text may be cut before any ASCII character.
    // Requires: the piece stays in place until exhausted() returns true.
    void read_from(const char *text, std::size_t length);
    bool exhausted() const { return at_ == end_; }

    // Appends to the `used` bytes of the buffer while at least kStepMax of its bytes are free, from a stretch of the
    // piece, and returns how many are used then. The caller may forget settled bytes in between, but not what follows them.
    std::size_t append(char *buffer, std::size_t used, std::size_t size);

    // How many of the used bytes are final: a last space or apostrophe depends on what follows, and is not
    // part of the text if nothing does.
    std::size_t settled(std::size_t used) const
    {
        return last_ == Last::kSpace || last_ == Last::kApostrophe ? used - 1 : used;
    }

private:
    // What the normal text so far ends in.
    enum class Last : unsigned char { kNothing, kCharacter, kSpace, kApostrophe };

    std::size_t append_ascii(char *buffer, std::size_t used, std::size_t length);
    std::size_t append_ideographs(char *buffer, std::size_t used, std::size_t length);
    std::size_t append_segment(char *buffer, std::size_t used);
    std::size_t put(char32_t character, CharacterClass its_class, char *buffer, std::size_t used);
    std::size_t put_separator(char *buffer, std::size_t used);
    std::size_t put_apostrophe(char *buffer, std::size_t used);

    const char *at_;
    const char *end_;
    Last last_;
    CharacterClass last_class_; // of the last letter or number, kWord or kSpaceless
};

} // namespace simhash
