#include "core/kernels/simd_level.hpp"

namespace simhash
{

bool has_simd_level(SimdLevel level)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
#endif
    switch (level) {
    case SimdLevel::kScalar:
        return true;
#if defined(__x86_64__)
    case SimdLevel::kPopcnt:
        return __builtin_cpu_supports("popcnt");
    case SimdLevel::kAvx2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
    case SimdLevel::kAvx512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vpopcntdq") &&
               __builtin_cpu_supports("popcnt");
#elif defined(SIMHASH_NEON)
    case SimdLevel::kNeon:
        return true;
#endif
    default:
        return false;
    }
}

SimdLevel best_simd_level()
{
    SimdLevel best = SimdLevel::kScalar;
    for (SimdLevel level : kSimdLevels) {
        if (has_simd_level(level))
            best = level;
    }
    return best;
}

} // namespace simhash
