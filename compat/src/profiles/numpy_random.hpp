// The random integers of NumPy's RandomState: MT19937, and numbers from a range by masked rejection. NumPy keeps this
// stream frozen (NEP 19).
#pragma once

#include <bit>
#include <cstdint>

namespace simhash
{

// Matsumoto and Nishimura's MT19937. std::mt19937 is the same, but its code would be exported from the library.
class MersenneTwister
{
public:
    explicit MersenneTwister(std::uint32_t seed)
    {
        for (std::uint32_t i = 0; i < kSize; i++) {
            state_[i] = seed;
            seed = 1812433253 * (seed ^ seed >> 30) + i + 1;
        }
    }

    std::uint32_t operator()()
    {
        if (at_ == kSize)
            turn();
        std::uint32_t y = state_[at_++];
        y ^= y >> 11;
        y ^= y << 7 & 0x9D2C5680;
        y ^= y << 15 & 0xEFC60000;
        return y ^ y >> 18;
    }

private:
    static constexpr std::uint32_t kSize = 624, kOffset = 397;

    void turn()
    {
        for (std::uint32_t i = 0; i < kSize; i++) {
            std::uint32_t y = (state_[i] & 0x80000000) | (state_[(i + 1) % kSize] & 0x7FFFFFFF);
            state_[i] = state_[(i + kOffset) % kSize] ^ y >> 1 ^ ((y & 1) != 0 ? 0x9908B0DF : 0);
        }
        at_ = 0;
    }

    std::uint32_t state_[kSize];
    std::uint32_t at_ = kSize;
};

class NumpyRandom
{
public:
    explicit NumpyRandom(std::uint32_t seed) : twister_(seed) {}

    // From 0 to `most`, as randint(0, most + 1, dtype=uint64), uint32 and uint16. The arrays of 16-bit numbers
    // take the low half of a draw first; `start_array` drops a half that is left over.
    std::uint64_t below64(std::uint64_t most)
    {
        std::uint64_t value, mask = UINT64_MAX >> std::countl_zero(most);
        do {
            value = static_cast<std::uint64_t>(draw()) << 32;
            value = (value | draw()) & mask;
        } while (value > most);
        return value;
    }
    std::uint32_t below32(std::uint32_t most)
    {
        std::uint32_t value, mask = UINT32_MAX >> std::countl_zero(most);
        do
            value = draw() & mask;
        while (value > most);
        return value;
    }
    std::uint16_t below16(std::uint16_t most)
    {
        std::uint32_t value, mask = UINT32_MAX >> std::countl_zero(std::uint32_t{most});
        do
            value = half_draw() & mask;
        while (value > most);
        return static_cast<std::uint16_t>(value);
    }
    void start_array() { half_left_ = false; }

private:
    std::uint32_t draw() { return twister_(); }

    std::uint32_t half_draw()
    {
        half_left_ = !half_left_;
        drawn_ = half_left_ ? draw() : drawn_ >> 16;
        return drawn_;
    }

    MersenneTwister twister_;
    std::uint32_t drawn_ = 0;
    bool half_left_ = false;
};

} // namespace simhash
