// Signatures of 1024 bits in memory and in files: 16 words each, the queries first, then the rows.
#pragma once

#include <array>
#include <cstdint>

inline constexpr int kSignatureBits = 1024;
inline constexpr int kSignatureWords = kSignatureBits / 64;

// Bit j is bit j % 64 of word j / 64, as the value 1 << j % 64.
using Signature = std::array<std::uint64_t, kSignatureWords>;

// The finalizer of SplitMix64.
inline std::uint64_t mix(std::uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

// SplitMix64. Results do not depend on the standard library.
class Random
{
public:
    explicit Random(std::uint64_t seed) : state_(mix(seed)) {}

    std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15); }
    std::uint64_t below(std::uint64_t n) { return next() % n; }
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

private:
    std::uint64_t state_;
};
