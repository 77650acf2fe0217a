#include "core/bits/feature_hash.hpp"

// Compiled in: no library is needed at run time, so none can change the hash.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace simhash
{

std::uint64_t feature_hash(const void *bytes, std::size_t length) { return XXH3_64bits(bytes, length); }

std::uint64_t number_hash(std::int64_t number)
{
    // std::to_chars would export a table of digits.
    char digits[20]; // of -2^63
    char *end = digits + sizeof digits, *begin = end;
    std::uint64_t rest =
        number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
    do
        *--begin = static_cast<char>('0' + rest % 10);
    while ((rest /= 10) != 0);
    if (number < 0)
        *--begin = '-';
    return feature_hash(begin, static_cast<std::size_t>(end - begin));
}

} // namespace simhash
