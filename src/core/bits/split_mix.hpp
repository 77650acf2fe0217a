// SplitMix64 (Steele, Lea and Flood 2014): random numbers, each of which is computed without those before it.
#pragma once

#include <cstdint>

namespace simhash
{

inline constexpr std::uint64_t kSplitMixStep = 0x9E3779B97F4A7C15;

constexpr std::uint64_t split_mix(std::uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

// Number n of the generator with a seed, from 1.
constexpr std::uint64_t split_mix_number(std::uint64_t seed, std::uint64_t n)
{
    return split_mix(seed + n * kSplitMixStep);
}

// The hash of a sequence of numbers, from that of all but the last one, or from a seed.
constexpr std::uint64_t hash_next(std::uint64_t state, std::uint64_t number)
{
    return split_mix((state + kSplitMixStep) ^ number);
}

} // namespace simhash
