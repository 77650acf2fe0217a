// SplitMix64 of many numbers at once.
#pragma once

#include "core/kernels/simd_level.hpp"

#include <cstddef>
#include <cstdint>

namespace simhash
{

// to[i] = split_mix(numbers[i] + step) for all i < count.
using SplitMixAll = void (*)(const std::uint64_t *numbers, std::size_t count, std::uint64_t step,
                             std::uint64_t *to);

// The kernel of a level. All give the same answers. Requires: has_simd_level(level).
SplitMixAll split_mix_all(SimdLevel level);

} // namespace simhash
