// Parts of the text forms of balls.
#pragma once

#include "core/bits/fingerprint.hpp"
#include "pg/server/postgres.hpp"

namespace simhash
{

inline const char *skip_spaces(const char *text)
{
    while (is_space(*text))
        text++;
    return text;
}

// Reads a decimal number. Returns the position behind it, or null if there is none.
inline const char *read_decimal(const char *text, double *number)
{
    const std::size_t length = std::strspn(text, "+-.0123456789eE");
    char *end;
    *number = std::strtod(text, &end);
    return length > 0 && end == text + length ? end : nullptr;
}

// Reads a comma and a decimal number. Returns the position behind it, or null if the text is malformed.
inline const char *read_number(const char *text, double *number)
{
    text = skip_spaces(text);
    if (*text != ',')
        return nullptr;
    return read_decimal(skip_spaces(text + 1), number);
}

} // namespace simhash
