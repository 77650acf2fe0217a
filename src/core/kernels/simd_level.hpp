// Which instructions the kernels may use, chosen when the program runs: the build itself is baseline.
#pragma once

#include "core/bits/contract.hpp"

#if defined(__aarch64__) && !defined(__AARCH64EB__)
#define SIMHASH_NEON 1
#endif

namespace simhash
{

// popcnt, avx2 and avx512 (with vectors of bytes and the popcount of vectors) of x86-64, neon of aarch64.
enum class SimdLevel { kScalar, kPopcnt, kAvx2, kAvx512, kNeon };

// All of them, the better ones of a processor last.
inline constexpr SimdLevel kSimdLevels[] = {SimdLevel::kScalar, SimdLevel::kPopcnt, SimdLevel::kAvx2,
                                            SimdLevel::kAvx512, SimdLevel::kNeon};

// Whether this CPU has a level. Every CPU has kScalar.
bool has_simd_level(SimdLevel level);

// The best level that this CPU has.
SimdLevel best_simd_level();

// The kernels of all levels; of those that this build lacks, none.
template <typename Kernel> struct KernelsByLevel {
    Kernel kernel[sizeof(kSimdLevels) / sizeof(kSimdLevels[0])];

    const Kernel &operator[](SimdLevel level) const
    {
        SIMHASH_ASSERT(has_simd_level(level));
        return kernel[static_cast<int>(level)];
    }
};

// Those whose functions are called name_scalar, name_popcnt and so on.
#if defined(__x86_64__)
#define SIMHASH_KERNELS(name) name##_scalar, name##_popcnt, name##_avx2, name##_avx512
#elif defined(SIMHASH_NEON)
#define SIMHASH_KERNELS(name) name##_scalar, {}, {}, {}, name##_neon
#else
#define SIMHASH_KERNELS(name) name##_scalar
#endif

} // namespace simhash
