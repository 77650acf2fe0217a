#include "core/text/url_features.hpp"

#include <cstring>

namespace simhash
{

namespace
{

bool is_ascii_letter(char c) { return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_component_byte(char c) { return is_ascii_letter(c) || (c & 0x80) != 0; }
bool is_hex_digit(char c) { return is_digit(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'f'); }

// The end of the scheme, if there is one: a letter, then letters, digits, + - . and a colon before //.
const char *skip_scheme(const char *at, const char *end)
{
    const char *behind = at;
    if (behind < end && is_ascii_letter(*behind))
        while (behind < end && (is_ascii_letter(*behind) || is_digit(*behind) || *behind == '+' ||
                                *behind == '-' || *behind == '.'))
            behind++;
    return behind > at && end - behind >= 3 && std::memcmp(behind, "://", 3) == 0 ? behind + 1 : at;
}

} // namespace

UrlComponents::UrlComponents(const char *url, std::size_t length, UrlPart part) : at_(url), end_(url + length)
{
    if (length == 0)
        return;
    if (const void *fragment = std::memchr(url, '#', length))
        end_ = static_cast<const char *>(fragment);
    at_ = skip_scheme(at_, end_);
    const char *host = at_;
    if (end_ - at_ >= 2 && at_[0] == '/' && at_[1] == '/') {
        host = at_ += 2;
        for (; at_ < end_ && *at_ != '/' && *at_ != '?'; at_++)
            if (*at_ == '@')
                host = at_ + 1;
    }
    if (part == UrlPart::kHost) {
        end_ = at_;
        at_ = host;
    }
}

bool UrlComponents::next(const char **bytes, std::size_t *length)
{
    while (at_ < end_ && !is_component_byte(*at_)) {
        bool escape = *at_ == '%' && end_ - at_ >= 3 && is_hex_digit(at_[1]) && is_hex_digit(at_[2]);
        at_ += escape ? 3 : 1;
    }
    *bytes = at_;
    while (at_ < end_ && is_component_byte(*at_))
        at_++;
    *length = static_cast<std::size_t>(at_ - *bytes);
    return *length > 0;
}

} // namespace simhash
