// The SIMD levels of this CPU, with their names.
#pragma once

#include <vector>

#include "core/kernels/simd_level.hpp"

namespace simhash
{

struct Level {
    SimdLevel level;
    const char *name;
};

inline std::vector<Level> levels()
{
    std::vector<Level> all = {{SimdLevel::kScalar, "scalar"},
                              {SimdLevel::kPopcnt, "popcnt"},
                              {SimdLevel::kAvx2, "avx2"},
                              {SimdLevel::kAvx512, "avx512"},
                              {SimdLevel::kNeon, "neon"}};
    std::erase_if(all, [](const Level &level) { return !has_simd_level(level.level); });
    return all;
}

} // namespace simhash
