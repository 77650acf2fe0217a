// A permutation of 64 bits by a table for each byte: 16 KB, for loops that permute millions of values. There
// it takes a quarter of BitPermutation's time; elsewhere the tables would only evict other data from the
// cache.
#pragma once

#include "core/layout/key_order.hpp"

#include <cstdint>

namespace simhash
{

class BytePermutation
{
public:
    void set(const BitPermutation &permutation)
    {
        for (int i = 0; i < 8; i++) {
            for (std::uint64_t value = 0; value < 256; value++)
                part_[i][value] = permutation(value << (8 * i));
        }
    }

    std::uint64_t operator()(std::uint64_t x) const
    {
        return part_[0][x & 255] | part_[1][x >> 8 & 255] | part_[2][x >> 16 & 255] |
               part_[3][x >> 24 & 255] | part_[4][x >> 32 & 255] | part_[5][x >> 40 & 255] |
               part_[6][x >> 48 & 255] | part_[7][x >> 56];
    }

private:
    std::uint64_t part_[8][256];
};

} // namespace simhash
