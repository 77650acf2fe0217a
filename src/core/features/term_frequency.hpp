// The weight of a feature that occurs tf times: 1 + ln tf, in integers only.
#pragma once

#include <cstdint>

#include "core/features/weights.hpp"

namespace simhash
{

// These weights are multiples of 2^-8.
inline constexpr int kLogarithmicFractionBits = 8;
inline constexpr int kLogarithmicShift = kWeightFractionBits - kLogarithmicFractionBits;
// Their products with a rarity, of 2^-16.
inline constexpr int kRareShift = kWeightFractionBits - 2 * kLogarithmicFractionBits;

// 1 + ln tf in units of 2^-8, rounded to nearest; tf from 1 to 2^32 - 1. At most 5934. 0 if tf is 0.
std::uint32_t logarithmic_weight(std::uint32_t tf);

inline constexpr std::uint32_t kLogarithmicMax = 5934;

} // namespace simhash
