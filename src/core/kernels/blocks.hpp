// What the kernels share that compare a block of items at a time.
#pragma once

#include "core/kernels/simd_level.hpp"

#include <bit>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(SIMHASH_NEON)
#include <arm_neon.h>
#endif

namespace simhash
{

// The position of a block of `size` items: i, or earlier so that the block ends with the last item.
inline int block_at(int i, int size, int count) { return i + size <= count ? i : count - size; }

// Writes the positions from <= i < count of items within the radius to matches, ascending, and returns how many there are.
// Branch-free: always writes i, and keeps it if the item is near.
template <typename Items>
[[gnu::always_inline]] inline int match_each(const Items &items, int count, std::uint16_t *matches,
                                             int from = 0)
{
    int found = 0;
    for (int i = from; i < count; i++) {
        matches[found] = static_cast<std::uint16_t>(i);
        found += items.distance(i) <= items.radius;
    }
    return found;
}

// The same by blocks, or one at a time if there are too few for one. Items::near() compares the kSize items from a
// position on and returns kBits bits for each, of which the highest is set if the item is near.
//
// It is inlined into a function for the kernel's instruction set, and near() there. So near() must not be
// always_inline, which would ask for it here already, and has no vectors among its arguments.
template <typename Items>
[[gnu::always_inline]] inline int match_blocks(const Items &items, int count, std::uint16_t *matches)
{
    if (count < Items::kSize)
        return match_each(items, count, matches);
    int found = 0;
    for (int i = 0; i < count; i += Items::kSize) {
        int at = block_at(i, Items::kSize, count);
        auto near = items.near(at);
        // Without the items that were in the block before.
        for (near = near >> (i - at) * Items::kBits << (i - at) * Items::kBits; near != 0; near &= near - 1)
            matches[found++] = static_cast<std::uint16_t>(at + std::countr_zero(near) / Items::kBits);
    }
    return found;
}

#if defined(__x86_64__)

#define SIMHASH_POPCNT __attribute__((target("popcnt")))
#define SIMHASH_AVX2 __attribute__((target("avx2,popcnt")))
#define SIMHASH_AVX512 __attribute__((target("avx512f,avx512bw,avx512vpopcntdq,popcnt")))

// The bits set in the low half of each byte, by a table.
SIMHASH_AVX2 inline __m256i count_low_nibbles(__m256i x)
{
    const __m256i nibble_bits = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, //
                                                 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    return _mm256_shuffle_epi8(nibble_bits, _mm256_and_si256(x, _mm256_set1_epi8(15)));
}

// The bits set in each byte.
SIMHASH_AVX2 inline __m256i count_bits_of_bytes(__m256i x)
{
    return _mm256_add_epi8(count_low_nibbles(x), count_low_nibbles(_mm256_srli_epi16(x, 4)));
}

SIMHASH_AVX2 inline __m256i load_256(const void *at)
{
    return _mm256_loadu_si256(static_cast<const __m256i *>(at));
}

// The bytes that are at most a limit, as bits.
SIMHASH_AVX2 inline std::uint32_t bytes_within(__m128i bytes, int limit)
{
    __m128i near = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(static_cast<char>(limit))), bytes);
    return static_cast<std::uint32_t>(_mm_movemask_epi8(near));
}

#elif defined(SIMHASH_NEON)

// Pairwise addition keeps the order: 16 bytes are the sums of the 16 bytes of each of 16 vectors.
inline uint8x16_t sums_of_16(const uint8x16_t x[16])
{
    uint8x16_t two[8], four[4];
    for (int i = 0; i < 8; i++)
        two[i] = vpaddq_u8(x[2 * i], x[2 * i + 1]);
    for (int i = 0; i < 4; i++)
        four[i] = vpaddq_u8(two[2 * i], two[2 * i + 1]);
    return vpaddq_u8(vpaddq_u8(four[0], four[1]), vpaddq_u8(four[2], four[3]));
}

// The bytes that are at most a limit, as the highest of four bits each.
inline std::uint64_t bytes_within(uint8x16_t bytes, int limit)
{
    uint8x16_t near = vcleq_u8(bytes, vdupq_n_u8(static_cast<std::uint8_t>(limit)));
    uint8x8_t nibbles = vshrn_n_u16(vreinterpretq_u16_u8(near), 4);
    return vget_lane_u64(vreinterpret_u64_u8(nibbles), 0) & 0x8888888888888888;
}

#endif

} // namespace simhash
