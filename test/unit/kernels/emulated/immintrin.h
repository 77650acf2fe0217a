// In place of the compiler's header: AVX-512 by SIMDe, for a processor that has AVX2 alone. What SIMDe 0.7.4 lacks is
// below.
#pragma once

#include_next <immintrin.h>

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

// The compiler would use AVX-512 by itself.
#define target(features) target("avx2,popcnt")

namespace emulated
{

// The lanes of a mask, as value(i), and 0 in place of the others.
template <typename Lane, typename Vector = __m512i, typename Value> Vector lanes(std::uint64_t mask, Value value)
{
    std::array<Lane, sizeof(Vector) / sizeof(Lane)> all = {};
    for (std::size_t i = 0; i < all.size(); i++) {
        if (mask >> i & 1)
            all[i] = static_cast<Lane>(value(i));
    }
    return std::bit_cast<Vector>(all);
}

template <typename Lane> Lane lane(const void *from, std::size_t i)
{
    Lane lane;
    std::memcpy(&lane, static_cast<const char *>(from) + i * sizeof(Lane), sizeof(Lane));
    return lane;
}

inline __m512i loadu_epi8(std::uint64_t mask, const void *from)
{
    return lanes<std::uint8_t>(mask, [&](std::size_t i) { return lane<std::uint8_t>(from, i); });
}

inline __m512i loadu_epi64(std::uint64_t mask, const void *from)
{
    return lanes<std::uint64_t>(mask, [&](std::size_t i) { return lane<std::uint64_t>(from, i); });
}

inline void storeu_epi64(void *to, std::uint64_t mask, __m512i x)
{
    for (std::size_t i = 0; i < 8; i++) {
        if (mask >> i & 1)
            std::memcpy(static_cast<std::uint64_t *>(to) + i, reinterpret_cast<const std::uint64_t *>(&x) + i, 8);
    }
}

inline __m128i cvtepi64_epi16(std::uint64_t mask, __m512i x)
{
    return lanes<std::uint16_t, __m128i>(mask, [&](std::size_t i) { return lane<std::uint64_t>(&x, i); });
}

inline __m512i cvtepu16_epi32(std::uint64_t mask, __m256i x)
{
    return lanes<std::uint32_t>(mask, [&](std::size_t i) { return lane<std::uint16_t>(&x, i); });
}

inline __m512i shuffle_epi32(std::uint64_t mask, __m512i x, unsigned order)
{
    return lanes<std::uint32_t>(
        mask, [&](std::size_t i) { return lane<std::uint32_t>(&x, (i & 12) | (order >> 2 * (i & 3) & 3)); });
}

inline __m512i slli_epi64(std::uint64_t mask, __m512i x, unsigned bits)
{
    return lanes<std::uint64_t>(mask, [&](std::size_t i) { return lane<std::uint64_t>(&x, i) << bits; });
}

} // namespace emulated

#define _mm512_maskz_loadu_epi8 emulated::loadu_epi8
#define _mm512_maskz_loadu_epi64 emulated::loadu_epi64
#define _mm512_mask_storeu_epi64 emulated::storeu_epi64
#define _mm512_maskz_cvtepi64_epi16 emulated::cvtepi64_epi16
#define _mm512_maskz_cvtepu16_epi32 emulated::cvtepu16_epi32
#define _mm512_maskz_shuffle_epi32 emulated::shuffle_epi32
#define _mm512_maskz_slli_epi64 emulated::slli_epi64
// SIMDe's macro has an argument too many.
#undef _mm512_mask_cmple_epu64_mask
#define _mm512_mask_cmple_epu64_mask(mask, a, b) static_cast<__mmask8>(_mm512_cmple_epu64_mask(a, b) & (mask))
