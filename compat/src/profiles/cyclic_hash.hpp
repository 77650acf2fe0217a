// The cyclic hash of simhash-cpp before its version of 2016: a hash of the last features, which each new feature
// changes.
#pragma once

#include <bit>
#include <cstdint>

#include "profiles/compat_profiles.hpp"

namespace simhash
{

class CyclicHash
{
public:
    // Requires: 1 <= window <= kProfileSizeMax.
    explicit CyclicHash(int window) : window_(window) {}

    // Adds a feature's hash. Returns the hash of the last `window` features, or of all if there are fewer.
    std::uint64_t push(std::uint64_t hash)
    {
        value_ = std::rotl(value_, 1) ^ std::rotl(recent_[oldest_], window_) ^ hash;
        recent_[oldest_] = hash;
        oldest_ = oldest_ + 1 == window_ ? 0 : oldest_ + 1;
        return value_;
    }

private:
    int window_;
    int oldest_ = 0;
    std::uint64_t value_ = 0;
    std::uint64_t recent_[kProfileSizeMax] = {};
};

// The same bits in the opposite order.
inline std::uint64_t reversed_bits(std::uint64_t value)
{
    constexpr std::uint64_t kEverySecond[6] = {0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F,
                                               0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF, 0x00000000FFFFFFFF};
    for (int i = 0; i < 6; i++)
        value = (value & kEverySecond[i]) << (1 << i) | (value >> (1 << i) & kEverySecond[i]);
    return value;
}

} // namespace simhash
