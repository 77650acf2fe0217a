// The components of a URL. Those of hosts, and positional bigrams of those after the host, reveal mirrors of a site
// (Bharat, Broder, Dean and Henzinger 2000).
#pragma once

#include <cstddef>

namespace simhash
{

enum class UrlPart {
    kHost,
    kPath, // with the query
};

// A *component* is a maximal run of letters (ASCII letters and all bytes beyond ASCII) in a part of the URL. Digits,
// punctuation and escapes like %20 are separators. The scheme, what stands before @ and the fragment belong to no part.
class UrlComponents
{
public:
    UrlComponents(const char *url, std::size_t length, UrlPart part);

    // Components as they stand in the URL, in its case.
    bool next(const char **bytes, std::size_t *length);

private:
    const char *at_;
    const char *end_;
};

inline char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

} // namespace simhash
