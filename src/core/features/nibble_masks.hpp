// Masks for the bits of a hash, four at a time. With the baseline instruction set, a lookup is the cheapest
// way to get from bits to the lanes of a vector.
#pragma once

namespace simhash
{

// mask[nibble][bit] is kOne where the bit is 1, and kZero where it is 0.
template <typename Lane, Lane kOne, Lane kZero> struct NibbleMasks {
    alignas(4 * sizeof(Lane)) Lane mask[16][4] = {};

    constexpr NibbleMasks()
    {
        for (unsigned nibble = 0; nibble < 16; nibble++)
            for (unsigned bit = 0; bit < 4; bit++)
                mask[nibble][bit] = (nibble >> bit & 1) != 0 ? kOne : kZero;
    }
};

} // namespace simhash
