// A radix sort, for many rows with short keys.
#pragma once

#include <cstddef>
#include <utility>

namespace simhash
{

// Sorts `count` rows by bits `from` to `end` - 1 of key(row), the lowest bit being 0, and keeps the order of rows
// whose bits are equal. Returns where the sorted rows are: rows or spare, which has room for as many. A digit that
// is the same in all rows costs one pass of reading.
template <typename Row, typename Key>
Row *sort_by_digits(Row *rows, Row *spare, std::size_t count, int from, int end, Key key)
{
    constexpr int kDigitBits = 8, kDigits = 1 << kDigitBits;
    for (int shift = from; count > 0 && shift < end; shift += kDigitBits) {
        auto digit = [=](const Row &row) {
            return static_cast<std::size_t>(key(row) >> shift) & (kDigits - 1);
        };
        std::size_t place[kDigits + 1] = {};
        for (std::size_t i = 0; i < count; i++)
            place[digit(rows[i]) + 1]++;
        if (place[digit(rows[0]) + 1] == count)
            continue;
        for (int i = 1; i < kDigits; i++)
            place[i] += place[i - 1];
        for (std::size_t i = 0; i < count; i++)
            spare[place[digit(rows[i])]++] = rows[i];
        std::swap(rows, spare);
    }
    return rows;
}

} // namespace simhash
