#include "core/bits/fingerprint.hpp"

namespace simhash
{

namespace
{

int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

} // namespace

bool parse_fingerprint(const char *text, std::size_t length, Fingerprint *out)
{
    const char *end = text + length;
    while (text < end && is_space(*text))
        text++;
    while (text < end && is_space(end[-1]))
        end--;
    if (end - text == kHexDigits + 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        text += 2;
    if (end - text != kHexDigits)
        return false;

    Fingerprint value = 0;
    for (; text < end; text++) {
        int digit = hex_digit(*text);
        if (digit < 0)
            return false;
        value = value << 4 | static_cast<Fingerprint>(digit);
    }
    *out = value;
    return true;
}

void format_fingerprint(Fingerprint value, char out[kHexDigits])
{
    for (std::size_t i = kHexDigits; i-- > 0; value >>= 4)
        out[i] = "0123456789abcdef"[value & 15];
}

} // namespace simhash
