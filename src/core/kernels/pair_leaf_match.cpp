#include "core/kernels/blocks.hpp"
#include "core/kernels/signature_match.hpp"

namespace simhash
{

namespace
{

// The two words of the entries, and what they are compared with.
struct PairLeaf {
    const std::uint64_t *first;
    const std::uint64_t *second;
    std::uint64_t query1;
    std::uint64_t query2;
    int radius;

    [[gnu::always_inline]] int distance(int i) const
    {
        return __builtin_popcountll(first[i] ^ query1) + __builtin_popcountll(second[i] ^ query2);
    }
};

int match_scalar(const std::uint64_t *first, const std::uint64_t *second, int count, std::uint64_t query1,
                 std::uint64_t query2, int radius, std::uint16_t *matches)
{
    return match_each(PairLeaf{first, second, query1, query2, radius}, count, matches);
}

#if defined(__x86_64__)

SIMHASH_POPCNT int match_popcnt(const std::uint64_t *first, const std::uint64_t *second, int count,
                                std::uint64_t query1, std::uint64_t query2, int radius,
                                std::uint16_t *matches)
{
    return match_each(PairLeaf{first, second, query1, query2, radius}, count, matches);
}

struct Avx2PairLeaf : PairLeaf {
    static constexpr int kSize = 16, kBits = 1;

    SIMHASH_AVX2 std::uint32_t near(int at) const
    {
        __m256i a = distances(at), b = distances(at + 4), c = distances(at + 8), d = distances(at + 12);
        __m256i least = _mm256_min_epi16(_mm256_min_epi16(a, b), _mm256_min_epi16(c, d));
        if (__builtin_expect(words_within(least) == 0, 1))
            return 0;
        return words_within(a) | words_within(b) << 4 | words_within(c) << 8 | words_within(d) << 12;
    }

private:
    SIMHASH_AVX2 static __m256i differing_bits(const std::uint64_t *words, std::uint64_t query)
    {
        __m256i center = _mm256_set1_epi64x(static_cast<long long>(query));
        return count_bits_of_bytes(_mm256_xor_si256(load_256(words), center));
    }
    SIMHASH_AVX2 __m256i distances(int at) const
    {
        __m256i bits =
            _mm256_add_epi8(differing_bits(first + at, query1), differing_bits(second + at, query2));
        return _mm256_sad_epu8(bits, _mm256_setzero_si256());
    }
    SIMHASH_AVX2 std::uint32_t words_within(__m256i distances) const
    {
        __m256i far = _mm256_cmpgt_epi64(distances, _mm256_set1_epi64x(radius));
        return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(far))) ^ 15u;
    }
};

SIMHASH_AVX2 int match_avx2(const std::uint64_t *first, const std::uint64_t *second, int count,
                            std::uint64_t query1, std::uint64_t query2, int radius, std::uint16_t *matches)
{
    return match_blocks(Avx2PairLeaf{{first, second, query1, query2, radius}}, count, matches);
}

struct Avx512PairLeaf : PairLeaf {
    static constexpr int kSize = 32, kBits = 1;

    SIMHASH_AVX512 std::uint32_t near(int at) const
    {
        __m512i a = distances(at), b = distances(at + 8), c = distances(at + 16), d = distances(at + 24);
        if (__builtin_expect(words_within(least_halves(least_halves(a, b), least_halves(c, d))) == 0, 1))
            return 0;
        return words_within(a) | words_within(b) << 8 | words_within(c) << 16 | words_within(d) << 24;
    }

private:
    SIMHASH_AVX512 static __m512i differing_bits(const std::uint64_t *words, std::uint64_t query)
    {
        __m512i center = _mm512_set1_epi64(static_cast<long long>(query));
        return _mm512_popcnt_epi64(_mm512_xor_si512(_mm512_loadu_si512(words), center));
    }
    SIMHASH_AVX512 __m512i distances(int at) const
    {
        return _mm512_add_epi64(differing_bits(first + at, query1), differing_bits(second + at, query2));
    }
    // The minimum of half words, as in leaf_match.cpp.
    SIMHASH_AVX512 static __m512i least_halves(__m512i a, __m512i b)
    {
        return _mm512_maskz_min_epu32(0xFFFF, a, b);
    }
    SIMHASH_AVX512 std::uint32_t words_within(__m512i distances) const
    {
        return _mm512_cmple_epu64_mask(distances, _mm512_set1_epi64(radius));
    }
};

SIMHASH_AVX512 int match_avx512(const std::uint64_t *first, const std::uint64_t *second, int count,
                                std::uint64_t query1, std::uint64_t query2, int radius,
                                std::uint16_t *matches)
{
    return match_blocks(Avx512PairLeaf{{first, second, query1, query2, radius}}, count, matches);
}

#elif defined(SIMHASH_NEON)

struct NeonPairLeaf : PairLeaf {
    static constexpr int kSize = 16, kBits = 4;

    std::uint64_t near(int at) const
    {
        uint8x16_t bits[8];
        for (int i = 0; i < 8; i++)
            bits[i] = vaddq_u8(differing_bits(first + at + 2 * i, query1),
                               differing_bits(second + at + 2 * i, query2));
        uint8x16_t a = vpaddq_u8(vpaddq_u8(bits[0], bits[1]), vpaddq_u8(bits[2], bits[3]));
        uint8x16_t b = vpaddq_u8(vpaddq_u8(bits[4], bits[5]), vpaddq_u8(bits[6], bits[7]));
        return bytes_within(vpaddq_u8(a, b), radius);
    }

private:
    static uint8x16_t differing_bits(const std::uint64_t *words, std::uint64_t query)
    {
        return vcntq_u8(vreinterpretq_u8_u64(veorq_u64(vld1q_u64(words), vdupq_n_u64(query))));
    }
};

int match_neon(const std::uint64_t *first, const std::uint64_t *second, int count, std::uint64_t query1,
               std::uint64_t query2, int radius, std::uint16_t *matches)
{
    return match_blocks(NeonPairLeaf{{first, second, query1, query2, radius}}, count, matches);
}

#endif

constexpr KernelsByLevel<PairLeafMatch> kPairLeafMatch = {
    .scalar = match_scalar,
#if defined(__x86_64__)
    .popcnt = match_popcnt,
    .avx2 = match_avx2,
    .avx512 = match_avx512,
#elif defined(SIMHASH_NEON)
    .neon = match_neon,
#endif
};

} // namespace

PairLeafMatch pair_leaf_match(SimdLevel level) { return kPairLeafMatch[level]; }

} // namespace simhash
