// Banding: minima are cut into bands of as many rows each, and sets are candidates if they agree in all rows of a band.
#pragma once

#include <cstdint>

#include "core/bits/split_mix.hpp"

namespace simhash
{

// A key for the rows of a band. Bands and rows that differ have the same key by chance only, with probability 2^-64.
// Keys are stored in columns and indexes: they never change.
constexpr std::uint64_t band_key(std::uint64_t band, const std::uint64_t *minima, int rows)
{
    std::uint64_t key = split_mix_number(0, band + 1);
    for (int i = 0; i < rows; i++)
        key = split_mix_number(key ^ minima[i], 1);
    return key;
}

} // namespace simhash
