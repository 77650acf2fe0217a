// Rows are read one after the other, which suits the prefetchers of processors. The sums of several rows are then
// added across vectors together.
#include <array>

#include "core/bits/contract.hpp"
#include "core/bits/signature.hpp"
#include "core/kernels/blocks.hpp"
#include "core/kernels/signature_match.hpp"

namespace simhash
{

namespace
{

// 32 bytes without and 32 with all bits set.
constexpr auto kLastBytes = [] {
    std::array<std::uint8_t, 64> bytes{};
    for (std::size_t i = 32; i < 64; i++)
        bytes[i] = 255;
    return bytes;
}();

// A mask of `size` bytes that selects the last `count`.
inline const std::uint8_t *last_bytes(int size, int count)
{
    SIMHASH_ASSERT(size <= 32);
    return kLastBytes.data() + 32 - size + count;
}

// What follows the last whole word is compared in a word that ends with the row.
[[gnu::always_inline]] inline int row_distance(const std::uint8_t *query, const std::uint8_t *row, int bytes)
{
    int distance = 0, i = 0;
    for (; i + 8 <= bytes; i += 8)
        distance += __builtin_popcountll(signature_word(query + i, 8) ^ signature_word(row + i, 8));
    if (i < bytes) {
        std::uint64_t errors = signature_word(query + bytes - 8, 8) ^ signature_word(row + bytes - 8, 8);
        distance += __builtin_popcountll(errors & signature_word(last_bytes(8, bytes - i), 8));
    }
    return distance;
}

[[gnu::always_inline]] inline void row_distances(const std::uint8_t *query, int bytes,
                                                 const std::uint8_t *rows, std::size_t stride, int count,
                                                 std::uint16_t *distance)
{
    for (int i = 0; i < count; i++, rows += stride)
        distance[i] = static_cast<std::uint16_t>(row_distance(query, rows, bytes));
}

void distances_scalar(const std::uint8_t *query, int bytes, const std::uint8_t *rows, std::size_t stride,
                      int count, std::uint16_t *distance)
{
    row_distances(query, bytes, rows, stride, count, distance);
}

#if defined(__x86_64__)

SIMHASH_POPCNT void distances_popcnt(const std::uint8_t *query, int bytes, const std::uint8_t *rows,
                                     std::size_t stride, int count, std::uint16_t *distance)
{
    row_distances(query, bytes, rows, stride, count, distance);
}

// Each of the four words has a sum for each of four rows, in 16 bits. Adds the words.
SIMHASH_AVX2 inline __m128i add_words(__m256i sums)
{
    __m128i two = _mm_add_epi16(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    return _mm_add_epi16(two, _mm_unpackhi_epi64(two, two));
}

SIMHASH_AVX2 inline void store_four(__m256i sums, std::uint16_t *distance)
{
    _mm_storel_epi64(reinterpret_cast<__m128i *>(distance), add_words(sums));
}

// The distance of a row, as a sum in each word. The last vector ends with the row; `last` selects the bytes in it
// that were not in the one before.
SIMHASH_AVX2 inline __m256i row_sums(const std::uint8_t *query, const std::uint8_t *row, int bytes,
                                     __m256i last)
{
    SIMHASH_ASSERT(bytes >= 32);
    __m256i sums = _mm256_setzero_si256();
    int i = 0;
    for (; i + 32 <= bytes; i += 32)
        sums = _mm256_add_epi8(sums,
                               count_bits_of_bytes(_mm256_xor_si256(load_256(query + i), load_256(row + i))));
    if (i < bytes) {
        __m256i errors = _mm256_xor_si256(load_256(query + bytes - 32), load_256(row + bytes - 32));
        sums = _mm256_add_epi8(sums, count_bits_of_bytes(_mm256_and_si256(errors, last)));
    }
    return _mm256_sad_epu8(sums, _mm256_setzero_si256());
}

SIMHASH_AVX2 void distances_avx2(const std::uint8_t *query, int bytes, const std::uint8_t *rows,
                                 std::size_t stride, int count, std::uint16_t *distance)
{
    int i = 0;
    if (bytes >= 32) {
        const __m256i last = load_256(last_bytes(32, bytes % 32));
        for (; i + 4 <= count; i += 4, rows += 4 * stride) {
            __m256i a = row_sums(query, rows, bytes, last);
            __m256i b = row_sums(query, rows + stride, bytes, last);
            __m256i c = row_sums(query, rows + 2 * stride, bytes, last);
            __m256i d = row_sums(query, rows + 3 * stride, bytes, last);
            __m256i ab = _mm256_or_si256(a, _mm256_slli_epi64(b, 16));
            __m256i cd = _mm256_or_si256(c, _mm256_slli_epi64(d, 16));
            store_four(_mm256_or_si256(ab, _mm256_slli_epi64(cd, 32)), distance + i);
        }
    }
    row_distances(query, bytes, rows, stride, count - i, distance + i);
}

// The forms without a mask, here one that selects everything, set off a false warning in GCC 12.
SIMHASH_AVX512 inline __m256i lower_half(__m512i x) { return _mm512_maskz_extracti64x4_epi64(15, x, 0); }
SIMHASH_AVX512 inline __m256i upper_half(__m512i x) { return _mm512_maskz_extracti64x4_epi64(15, x, 1); }
SIMHASH_AVX512 inline __m256i add_halves(__m512i x) { return _mm256_add_epi16(lower_half(x), upper_half(x)); }

// Sums of four rows, below 2^16, in one vector.
SIMHASH_AVX512 inline __m512i pack(__m512i a, __m512i b, __m512i c, __m512i d)
{
    __m512i ab = _mm512_or_si512(a, _mm512_maskz_slli_epi64(255, b, 16));
    __m512i cd = _mm512_or_si512(c, _mm512_maskz_slli_epi64(255, d, 16));
    return _mm512_or_si512(ab, _mm512_maskz_slli_epi64(255, cd, 32));
}

// A query whose bytes after the last whole vector have been loaded.
struct LoadedQuery {
    const std::uint8_t *bytes;
    int whole; // bytes in whole vectors
    __mmask64 present;
    __m512i last;
};

SIMHASH_AVX512 inline LoadedQuery load_query(const std::uint8_t *query, int bytes)
{
    __mmask64 present = (std::uint64_t{1} << bytes % 64) - 1;
    int whole = bytes / 64 * 64;
    return {query, whole, present, _mm512_maskz_loadu_epi8(present, query + whole)};
}

SIMHASH_AVX512 inline __m512i row_sums(const LoadedQuery &query, const std::uint8_t *row)
{
    __m512i sums = _mm512_setzero_si512();
    for (int i = 0; i < query.whole; i += 64) {
        __m512i errors = _mm512_xor_si512(_mm512_loadu_si512(query.bytes + i), _mm512_loadu_si512(row + i));
        sums = _mm512_add_epi64(sums, _mm512_popcnt_epi64(errors));
    }
    if (query.present != 0) {
        __m512i errors =
            _mm512_xor_si512(query.last, _mm512_maskz_loadu_epi8(query.present, row + query.whole));
        sums = _mm512_add_epi64(sums, _mm512_popcnt_epi64(errors));
    }
    return sums;
}

// The sums of two rows of 32 bytes, one in each half.
SIMHASH_AVX512 inline __m512i two_row_sums(__m512i query, const std::uint8_t *row, const std::uint8_t *other)
{
    __m512i rows = _mm512_maskz_inserti64x4(255, _mm512_castsi256_si512(load_256(row)), load_256(other), 1);
    return _mm512_popcnt_epi64(_mm512_xor_si512(rows, query));
}

SIMHASH_AVX512 void distances_of_32(const std::uint8_t *query, const std::uint8_t *rows, std::size_t stride,
                                    int count, std::uint16_t *distance)
{
    const __m512i center = _mm512_maskz_broadcast_i64x4(255, load_256(query));
    int i = 0;
    for (; i + 8 <= count; i += 8, rows += 8 * stride) {
        __m512i a = two_row_sums(center, rows, rows + 4 * stride);
        __m512i b = two_row_sums(center, rows + stride, rows + 5 * stride);
        __m512i c = two_row_sums(center, rows + 2 * stride, rows + 6 * stride);
        __m512i d = two_row_sums(center, rows + 3 * stride, rows + 7 * stride);
        __m512i sums = pack(a, b, c, d);
        store_four(lower_half(sums), distance + i);
        store_four(upper_half(sums), distance + i + 4);
    }
    row_distances(query, 32, rows, stride, count - i, distance + i);
}

SIMHASH_AVX512 void distances_avx512(const std::uint8_t *query, int bytes, const std::uint8_t *rows,
                                     std::size_t stride, int count, std::uint16_t *distance)
{
    if (bytes == 32)
        return distances_of_32(query, rows, stride, count, distance);
    const LoadedQuery loaded = load_query(query, bytes);
    int i = 0;
    for (; i + 4 <= count; i += 4, rows += 4 * stride) {
        __m512i sums = pack(row_sums(loaded, rows), row_sums(loaded, rows + stride),
                            row_sums(loaded, rows + 2 * stride), row_sums(loaded, rows + 3 * stride));
        store_four(add_halves(sums), distance + i);
    }
    for (; i < count; i++, rows += stride) {
        __m128i sum = add_words(add_halves(row_sums(loaded, rows)));
        distance[i] = static_cast<std::uint16_t>(_mm_cvtsi128_si32(sum));
    }
}

#elif defined(SIMHASH_NEON)

inline uint8x16_t differing_bits(const std::uint8_t *query, const std::uint8_t *row)
{
    return veorq_u8(vld1q_u8(query), vld1q_u8(row));
}

// The last vector ends with the row; `last` selects the bytes in it that were not in the one before.
inline std::uint16_t row_distance(const std::uint8_t *query, const std::uint8_t *row, int bytes,
                                  uint8x16_t last)
{
    SIMHASH_ASSERT(bytes >= 16);
    uint16x8_t sums = vdupq_n_u16(0);
    int i = 0;
    for (; i + 16 <= bytes; i += 16)
        sums = vpadalq_u8(sums, vcntq_u8(differing_bits(query + i, row + i)));
    if (i < bytes)
        sums =
            vpadalq_u8(sums, vcntq_u8(vandq_u8(differing_bits(query + bytes - 16, row + bytes - 16), last)));
    return vaddvq_u16(sums);
}

void distances_neon(const std::uint8_t *query, int bytes, const std::uint8_t *rows, std::size_t stride,
                    int count, std::uint16_t *distance)
{
    if (bytes < 16)
        return row_distances(query, bytes, rows, stride, count, distance);
    const uint8x16_t last = vld1q_u8(last_bytes(16, bytes % 16));
    for (int i = 0; i < count; i++, rows += stride)
        distance[i] = row_distance(query, rows, bytes, last);
}

#endif

constexpr KernelsByLevel<SignatureDistances> kSignatureDistances = {{SIMHASH_KERNELS(distances)}};

} // namespace

SignatureDistances signature_distances(SimdLevel level) { return kSignatureDistances[level]; }

} // namespace simhash
