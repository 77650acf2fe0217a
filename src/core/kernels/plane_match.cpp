// Bits are counted in each word of a vector. Several vectors are packed into one, a byte of a word each, before the
// two words of each sketch are added.
#include "core/kernels/blocks.hpp"
#include "core/kernels/signature_match.hpp"

namespace simhash
{

namespace
{

// The sketches, and what they are compared with.
struct Plane {
    const std::uint64_t *sketches;
    const std::uint64_t *query;
    int radius;

    [[gnu::always_inline]] int distance(int i) const
    {
        return __builtin_popcountll(sketches[2 * i] ^ query[0]) +
               __builtin_popcountll(sketches[2 * i + 1] ^ query[1]);
    }
};

int match_scalar(const std::uint64_t *sketches, int count, const std::uint64_t query[2], int radius,
                 std::uint16_t *matches)
{
    return match_each(Plane{sketches, query, radius}, count, matches);
}

#if defined(__x86_64__)

SIMHASH_POPCNT int match_popcnt(const std::uint64_t *sketches, int count, const std::uint64_t query[2],
                                int radius, std::uint16_t *matches)
{
    return match_each(Plane{sketches, query, radius}, count, matches);
}

struct Avx2Plane : Plane {
    static constexpr int kSize = 16, kBits = 1;

    SIMHASH_AVX2 std::uint32_t near(int at) const { return bytes_within(distances_of(at), radius); }

private:
    // For vectors of two sketches.
    SIMHASH_AVX2 __m256i one(const std::uint64_t *from) const
    {
        __m256i center =
            _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i *>(query)));
        __m256i bits = count_bits_of_bytes(_mm256_xor_si256(load_256(from), center));
        return _mm256_sad_epu8(bits, _mm256_setzero_si256());
    }
    SIMHASH_AVX2 __m256i two(const std::uint64_t *from) const
    {
        return _mm256_or_si256(one(from), _mm256_slli_epi64(one(from + 4), 8));
    }
    SIMHASH_AVX2 __m256i four(const std::uint64_t *from) const
    {
        return _mm256_or_si256(two(from), _mm256_slli_epi64(two(from + 8), 16));
    }
    SIMHASH_AVX2 __m128i distances_of(int at) const
    {
        const std::uint64_t *from = sketches + 2 * at;
        __m256i eight = _mm256_or_si256(four(from), _mm256_slli_epi64(four(from + 16), 32));
        __m256i sums = _mm256_add_epi8(eight, _mm256_shuffle_epi32(eight, _MM_SHUFFLE(1, 0, 3, 2)));
        return _mm_unpacklo_epi8(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    }
};

SIMHASH_AVX2 int match_avx2(const std::uint64_t *sketches, int count, const std::uint64_t query[2],
                            int radius, std::uint16_t *matches)
{
    return match_blocks(Avx2Plane{{sketches, query, radius}}, count, matches);
}

// Some functions have a mask that selects everything: the form without one sets off a false warning in GCC 12.
struct Avx512Plane : Plane {
    static constexpr int kSize = 32, kBits = 1;

    SIMHASH_AVX512 std::uint32_t near(int at) const
    {
        __m512i sums = sums_of(at);
        if (_mm512_cmple_epu8_mask(sums, _mm512_set1_epi8(static_cast<char>(radius))) == 0)
            return 0;
        return bytes_within(in_order<0>(sums), radius) | bytes_within(in_order<1>(sums), radius) << 16;
    }

private:
    // For vectors of four sketches.
    SIMHASH_AVX512 __m512i one(const std::uint64_t *from) const
    {
        __m512i center =
            _mm512_maskz_broadcast_i32x4(0xFFFF, _mm_loadu_si128(reinterpret_cast<const __m128i *>(query)));
        return _mm512_popcnt_epi64(_mm512_xor_si512(_mm512_loadu_si512(from), center));
    }
    SIMHASH_AVX512 static __m512i pack(__m512i a, __m512i b, unsigned bits)
    {
        return _mm512_or_si512(a, _mm512_maskz_slli_epi64(255, b, bits));
    }
    SIMHASH_AVX512 __m512i two(const std::uint64_t *from) const { return pack(one(from), one(from + 8), 8); }
    SIMHASH_AVX512 __m512i four(const std::uint64_t *from) const
    {
        return pack(two(from), two(from + 16), 16);
    }

    // Byte k of both words of lane j is the distance of sketch 4 k + j.
    SIMHASH_AVX512 __m512i sums_of(int at) const
    {
        const std::uint64_t *from = sketches + 2 * at;
        __m512i eight = pack(four(from), four(from + 32), 32);
        return _mm512_add_epi8(eight, _mm512_maskz_shuffle_epi32(0xFFFF, eight, _MM_PERM_BADC));
    }

    // The distances of the first or the second 16 sketches.
    template <int kHalf> SIMHASH_AVX512 static __m128i in_order(__m512i sums)
    {
        __m128i a = _mm_unpacklo_epi8(lane<0>(sums), lane<1>(sums));
        __m128i b = _mm_unpacklo_epi8(lane<2>(sums), lane<3>(sums));
        return kHalf == 0 ? _mm_unpacklo_epi16(a, b) : _mm_unpackhi_epi16(a, b);
    }
    template <int kLane> SIMHASH_AVX512 static __m128i lane(__m512i x)
    {
        return _mm512_maskz_extracti32x4_epi32(15, x, kLane);
    }
};

SIMHASH_AVX512 int match_avx512(const std::uint64_t *sketches, int count, const std::uint64_t query[2],
                                int radius, std::uint16_t *matches)
{
    return match_blocks(Avx512Plane{{sketches, query, radius}}, count, matches);
}

#elif defined(SIMHASH_NEON)

struct NeonPlane : Plane {
    static constexpr int kSize = 16, kBits = 4;

    std::uint64_t near(int at) const { return bytes_within(distances_of(at), radius); }

private:
    uint8x16_t distances_of(int at) const
    {
        uint8x16_t center = vreinterpretq_u8_u64(vld1q_u64(query)), bits[16];
        for (int i = 0; i < 16; i++)
            bits[i] = vcntq_u8(veorq_u8(vreinterpretq_u8_u64(vld1q_u64(sketches + 2 * (at + i))), center));
        return sums_of_16(bits);
    }
};

int match_neon(const std::uint64_t *sketches, int count, const std::uint64_t query[2], int radius,
               std::uint16_t *matches)
{
    return match_blocks(NeonPlane{{sketches, query, radius}}, count, matches);
}

#endif

constexpr KernelsByLevel<PlaneMatch> kPlaneMatch = {{SIMHASH_KERNELS(match)}};

} // namespace

PlaneMatch plane_match(SimdLevel level) { return kPlaneMatch[level]; }

} // namespace simhash
