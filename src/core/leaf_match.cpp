#include "core/leaf_match.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace simhash
{

namespace
{

int match_scalar(const Fingerprint *fingerprints, int count, Fingerprint query, int radius,
                 std::uint16_t *matches)
{
    int found = 0;
    for (int i = 0; i < count; i++) {
        matches[found] = static_cast<std::uint16_t>(i);
        found += hamming_distance(fingerprints[i], query) <= radius;
    }
    return found;
}

#if defined(__x86_64__)

__attribute__((target("popcnt"))) int match_popcnt(const Fingerprint *fingerprints, int count,
                                                   Fingerprint query, int radius, std::uint16_t *matches)
{
    int found = 0;
    for (int i = 0; i < count; i++) {
        matches[found] = static_cast<std::uint16_t>(i);
        found += _mm_popcnt_u64(fingerprints[i] ^ query) <= radius;
    }
    return found;
}

// Counts the bits of each nibble by a shuffle and sums the bytes of each lane.
__attribute__((target("avx2,popcnt"))) int match_avx2(const Fingerprint *fingerprints, int count,
                                                      Fingerprint query, int radius, std::uint16_t *matches)
{
    const __m256i nibble_bits = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, //
                                                 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(15);
    const __m256i center = _mm256_set1_epi64x(static_cast<long long>(query));
    const __m256i limit = _mm256_set1_epi64x(radius);
    int found = 0, i = 0;
    for (; i + 4 <= count; i += 4) {
        __m256i x =
            _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(fingerprints + i)), center);
        __m256i bits =
            _mm256_add_epi8(_mm256_shuffle_epi8(nibble_bits, _mm256_and_si256(x, low)),
                            _mm256_shuffle_epi8(nibble_bits, _mm256_and_si256(_mm256_srli_epi16(x, 4), low)));
        __m256i far = _mm256_cmpgt_epi64(_mm256_sad_epu8(bits, _mm256_setzero_si256()), limit);
        unsigned near = static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(far))) ^ 15u;
        for (; near != 0; near &= near - 1)
            matches[found++] = static_cast<std::uint16_t>(i + __builtin_ctz(near));
    }
    for (; i < count; i++) {
        matches[found] = static_cast<std::uint16_t>(i);
        found += _mm_popcnt_u64(fingerprints[i] ^ query) <= radius;
    }
    return found;
}

__attribute__((target("avx512f,avx512vpopcntdq"))) int match_avx512(const Fingerprint *fingerprints,
                                                                    int count, Fingerprint query, int radius,
                                                                    std::uint16_t *matches)
{
    const __m512i center = _mm512_set1_epi64(static_cast<long long>(query));
    const __m512i limit = _mm512_set1_epi64(radius);
    int found = 0;
    for (int i = 0; i < count; i += 8) {
        __mmask8 present = static_cast<__mmask8>(count - i >= 8 ? 255 : (1 << (count - i)) - 1);
        __m512i x = _mm512_xor_si512(_mm512_maskz_loadu_epi64(present, fingerprints + i), center);
        unsigned near = _mm512_mask_cmple_epu64_mask(present, _mm512_popcnt_epi64(x), limit);
        for (; near != 0; near &= near - 1)
            matches[found++] = static_cast<std::uint16_t>(i + __builtin_ctz(near));
    }
    return found;
}

#endif

} // namespace

SimdLevel best_simd_level()
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vpopcntdq"))
        return SimdLevel::avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt"))
        return SimdLevel::avx2;
    if (__builtin_cpu_supports("popcnt"))
        return SimdLevel::popcnt;
#endif
    return SimdLevel::scalar;
}

LeafMatch leaf_match(SimdLevel level)
{
#if defined(__x86_64__)
    switch (level) {
    case SimdLevel::avx512:
        return match_avx512;
    case SimdLevel::avx2:
        return match_avx2;
    case SimdLevel::popcnt:
        return match_popcnt;
    case SimdLevel::scalar:
        break;
    }
#else
    (void)level;
#endif
    return match_scalar;
}

} // namespace simhash
