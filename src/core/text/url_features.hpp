// The components of a URL after its host, whose positional bigrams reveal mirrors of a site
// (Bharat, Broder, Dean and Henzinger 2000).
#pragma once

#include <cstddef>

namespace simhash
{

// A *component* is a maximal run of letters (ASCII letters and all bytes beyond ASCII) in the path and the
// query. Digits, punctuation and escapes like %20 are separators; scheme, host, port and fragment are left
// out.
class UrlComponents
{
public:
    UrlComponents(const char *url, std::size_t length);

    // Components as they stand in the URL, in its case.
    bool next(const char **bytes, std::size_t *length);

private:
    const char *at_;
    const char *end_;
};

inline char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

} // namespace simhash
