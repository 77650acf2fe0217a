// Names of profiles, which are not case-sensitive.
#pragma once

#include <cstddef>
#include <cstring>

namespace simhash
{

// Whether `given`, of `length` bytes, is a profile's name. Only ASCII letters have cases.
inline bool is_name(const char *name, const char *given, std::size_t length)
{
    auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
    if (std::strlen(name) != length)
        return false;
    for (std::size_t i = 0; i < length; i++)
        if (lower(name[i]) != lower(given[i]))
            return false;
    return true;
}

} // namespace simhash
