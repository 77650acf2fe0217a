#include "core/kernels/split_mix_all.hpp"

#include "core/bits/split_mix.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace simhash
{

namespace
{

void mix_scalar(const std::uint64_t *numbers, std::size_t count, std::uint64_t step, std::uint64_t *to)
{
    for (std::size_t i = 0; i < count; i++)
        to[i] = split_mix(numbers[i] + step);
}

#if defined(__x86_64__)

[[gnu::target("avx512f,avx512dq")]] void mix_avx512(const std::uint64_t *numbers, std::size_t count,
                                                    std::uint64_t step, std::uint64_t *to)
{
    using Words = std::uint64_t __attribute__((vector_size(64)));
    for (std::size_t i = 0; i < count; i += 8) {
        const auto some = static_cast<__mmask8>(count - i < 8 ? (1 << (count - i)) - 1 : 0xFF);
        auto z = reinterpret_cast<Words>(_mm512_maskz_loadu_epi64(some, numbers + i)) + step;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        _mm512_mask_storeu_epi64(to + i, some, reinterpret_cast<__m512i>(z ^ (z >> 31)));
    }
}

#endif

} // namespace

SplitMixAll split_mix_all(SimdLevel level)
{
#if defined(__x86_64__)
    if (level == SimdLevel::kAvx512)
        return mix_avx512;
#endif
    static_cast<void>(level);
    return mix_scalar;
}

} // namespace simhash
