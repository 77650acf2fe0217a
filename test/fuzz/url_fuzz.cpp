// The components of any bytes as a URL: maximal runs of their characters, in order, before the
// fragment.
#include "targets.hpp"

#include "core/text/url_features.hpp"

namespace simhash
{

namespace
{

void check_part(const Exact &url, UrlPart part)
{
    auto is_part = [](char c) { return (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') || (c & 0x80) != 0; };
    UrlComponents components(url.bytes.get(), url.length, part);
    const char *at, *last = url.bytes.get();
    const char *fragment =
        url.length == 0 ? nullptr : static_cast<const char *>(std::memchr(last, '#', url.length));
    const char *end = fragment != nullptr ? fragment : last + url.length;
    std::size_t length;
    while (components.next(&at, &length)) {
        FUZZ_EXPECT(length > 0 && url.holds(at, length) && at >= last && at + length <= end);
        for (std::size_t i = 0; i < length; i++)
            FUZZ_EXPECT(is_part(at[i]));
        FUZZ_EXPECT(at + length == end || !is_part(at[length])); // a maximal run
        last = at + length;
    }
    FUZZ_EXPECT(!components.next(&at, &length));
}

} // namespace

void fuzz_url(const std::uint8_t *data, std::size_t size)
{
    Exact url(data, size);
    check_part(url, UrlPart::kHost);
    check_part(url, UrlPart::kPath);
}

} // namespace simhash
