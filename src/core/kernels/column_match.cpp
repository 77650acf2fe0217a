#include "core/kernels/leaf_match.hpp"

#include <cstddef>
#include <cstring>

#include "core/kernels/blocks.hpp"

namespace simhash
{

namespace
{

template <bool kBoth> struct Columns : KeyColumns {
    [[gnu::always_inline]] int distance(int i) const
    {
        std::uint32_t part;
        std::memcpy(&part, first + std::ptrdiff_t{4} * i, sizeof(part));
        std::uint64_t differs = part ^ query;
        if constexpr (kBoth) {
            std::uint16_t more;
            std::memcpy(&more, second + std::ptrdiff_t{2} * i, sizeof(more));
            differs |= std::uint64_t{static_cast<std::uint16_t>(more ^ second_query)} << 32;
        }
        return __builtin_popcountll(differs);
    }
};

int match_scalar(const KeyColumns &columns, int count, std::uint16_t *matches)
{
    return columns.second == nullptr ? match_each(Columns<false>{columns}, count, matches)
                                     : match_each(Columns<true>{columns}, count, matches);
}

#if defined(__x86_64__)

SIMHASH_POPCNT int match_popcnt(const KeyColumns &columns, int count, std::uint16_t *matches)
{
    return columns.second == nullptr ? match_each(Columns<false>{columns}, count, matches)
                                     : match_each(Columns<true>{columns}, count, matches);
}

template <bool kBoth> struct Avx2Columns : Columns<kBoth> {
    static constexpr int kSize = 16, kBits = 1;

    SIMHASH_AVX2 std::uint32_t near(int at) const
    {
        __m256i sums = _mm256_permute4x64_epi64(_mm256_packs_epi32(eight(at), eight(at + 8)), 0xD8);
        if constexpr (kBoth) {
            __m256i center = _mm256_set1_epi16(static_cast<short>(this->second_query));
            __m256i bits = count_bits_of_bytes(
                _mm256_xor_si256(load_256(this->second + std::ptrdiff_t{2} * at), center));
            sums = _mm256_add_epi16(sums, _mm256_maddubs_epi16(bits, _mm256_set1_epi8(1)));
        }
        __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
        return bytes_within(bytes, this->radius);
    }

private:
    // The distances of eight rows in the first column.
    SIMHASH_AVX2 __m256i eight(int at) const
    {
        __m256i center = _mm256_set1_epi32(static_cast<int>(this->query));
        __m256i bits =
            count_bits_of_bytes(_mm256_xor_si256(load_256(this->first + std::ptrdiff_t{4} * at), center));
        return _mm256_madd_epi16(_mm256_maddubs_epi16(bits, _mm256_set1_epi8(1)), _mm256_set1_epi16(1));
    }
};

SIMHASH_AVX2 int match_avx2(const KeyColumns &columns, int count, std::uint16_t *matches)
{
    return columns.second == nullptr ? match_blocks(Avx2Columns<false>{{columns}}, count, matches)
                                     : match_blocks(Avx2Columns<true>{{columns}}, count, matches);
}

template <bool kBoth> struct Avx512Columns : Columns<kBoth> {
    static constexpr int kSize = 32, kBits = 1;

    SIMHASH_AVX512 std::uint32_t near(int at) const
    {
        return sixteen(at) | static_cast<std::uint32_t>(sixteen(at + 16)) << 16;
    }

private:
    SIMHASH_AVX512 __mmask16 sixteen(int at) const
    {
        __m512i center = _mm512_set1_epi32(static_cast<int>(this->query));
        __m512i sums = _mm512_popcnt_epi32(
            _mm512_xor_si512(_mm512_loadu_si512(this->first + std::ptrdiff_t{4} * at), center));
        if constexpr (kBoth) {
            __m512i parts =
                _mm512_maskz_cvtepu16_epi32(0xFFFF, load_256(this->second + std::ptrdiff_t{2} * at));
            __m512i more =
                _mm512_popcnt_epi32(_mm512_xor_si512(parts, _mm512_set1_epi32(this->second_query)));
            sums = _mm512_add_epi32(sums, more);
        }
        return _mm512_cmple_epu32_mask(sums, _mm512_set1_epi32(this->radius));
    }
};

SIMHASH_AVX512 int match_avx512(const KeyColumns &columns, int count, std::uint16_t *matches)
{
    return columns.second == nullptr ? match_blocks(Avx512Columns<false>{{columns}}, count, matches)
                                     : match_blocks(Avx512Columns<true>{{columns}}, count, matches);
}

#elif defined(SIMHASH_NEON)

template <bool kBoth> struct NeonColumns : Columns<kBoth> {
    static constexpr int kSize = 16, kBits = 4;

    std::uint64_t near(int at) const
    {
        return bytes_within(vcombine_u8(vmovn_u16(eight(at)), vmovn_u16(eight(at + 8))), this->radius);
    }

private:
    uint8x16_t load(const char *from) const { return vld1q_u8(reinterpret_cast<const std::uint8_t *>(from)); }
    uint16x4_t four(int at) const
    {
        uint8x16_t center = vreinterpretq_u8_u32(vdupq_n_u32(this->query));
        uint8x16_t bits = vcntq_u8(veorq_u8(load(this->first + std::ptrdiff_t{4} * at), center));
        return vmovn_u32(vpaddlq_u16(vpaddlq_u8(bits)));
    }
    uint16x8_t eight(int at) const
    {
        uint16x8_t sums = vcombine_u16(four(at), four(at + 4));
        if constexpr (kBoth) {
            uint8x16_t center = vreinterpretq_u8_u16(vdupq_n_u16(this->second_query));
            sums = vaddq_u16(
                sums, vpaddlq_u8(vcntq_u8(veorq_u8(load(this->second + std::ptrdiff_t{2} * at), center))));
        }
        return sums;
    }
};

int match_neon(const KeyColumns &columns, int count, std::uint16_t *matches)
{
    return columns.second == nullptr ? match_blocks(NeonColumns<false>{{columns}}, count, matches)
                                     : match_blocks(NeonColumns<true>{{columns}}, count, matches);
}

#endif

constexpr KernelsByLevel<ColumnMatch> kColumnMatch = {{SIMHASH_KERNELS(match)}};

} // namespace

ColumnMatch column_match(SimdLevel level) { return kColumnMatch[level]; }

} // namespace simhash
