// Reads the text forms of types that consist of words, numbers and punctuation without white space.
#pragma once

#include "pg/server/postgres.hpp"

extern "C" {
#include "mb/pg_wchar.h"
}

namespace simhash
{

// Only the beginning of long input is quoted in messages.
inline int quoted_length(const char *text, std::size_t length)
{
    constexpr int kCharacters = 64;
    return pg_mbcliplen(text, static_cast<int>(Min(length, 8 * kCharacters)), kCharacters);
}

inline const char *quoted(const char *text)
{
    return pnstrdup(text, static_cast<Size>(quoted_length(text, std::strlen(text))));
}

class TextReader
{
public:
    explicit TextReader(const char *from) : at_(from) {}

    bool take(const char *expected)
    {
        std::size_t length = std::strlen(expected);
        if (std::strncmp(at_, expected, length) != 0)
            return false;
        at_ += length;
        return true;
    }

    bool read_number(int base, std::uint64_t most, std::uint64_t *out)
    {
        // strtoull would skip white space, a sign, and 0x before hexadecimal digits.
        if (!isxdigit(static_cast<unsigned char>(*at_)) || at_[1] == 'x' || at_[1] == 'X')
            return false;
        char *end;
        errno = 0;
        *out = std::strtoull(at_, &end, base);
        bool valid = errno == 0 && end > at_ && *out <= most;
        at_ = end;
        return valid;
    }

    // The characters up to one of these, or to the end.
    std::size_t skip_until(const char *ends)
    {
        std::size_t length = std::strcspn(at_, ends);
        at_ += length;
        return length;
    }

    const char *at() const { return at_; }

private:
    const char *at_;
};

} // namespace simhash
