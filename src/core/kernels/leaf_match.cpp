// Matches are rare, so the loops test many fingerprints at once for any match. They do not prefetch: that
// gains little for a leaf in memory, and costs as much for one that was fetched ahead (bench/kernels).
#include "core/kernels/leaf_match.hpp"

#include <array>
#include <cstring>

#include "core/kernels/blocks.hpp"

namespace simhash
{

namespace
{

// The fingerprints, and what they are compared with.
struct Words {
    const Fingerprint *word;
    Fingerprint query;
    int radius;

    [[gnu::always_inline]] int distance(int i) const { return __builtin_popcountll(word[i] ^ query); }
};

int match_scalar(const Fingerprint *fingerprints, int count, Fingerprint query, int radius,
                 std::uint16_t *matches)
{
    return match_each(Words{fingerprints, query, radius}, count, matches);
}

#if defined(__x86_64__)

// Branch-free: always writes i, and returns whether to keep it.
inline int append(int i, bool near, std::uint16_t *matches)
{
    *matches = static_cast<std::uint16_t>(i);
    return near;
}

SIMHASH_POPCNT int match_popcnt(const Fingerprint *fingerprints, int count, Fingerprint query, int radius,
                                std::uint16_t *matches)
{
    int found = 0, i = 0;
    for (; i + 4 <= count; i += 4) {
        // Negative where there is a match.
        long long a = _mm_popcnt_u64(fingerprints[i] ^ query) - radius - 1;
        long long b = _mm_popcnt_u64(fingerprints[i + 1] ^ query) - radius - 1;
        long long c = _mm_popcnt_u64(fingerprints[i + 2] ^ query) - radius - 1;
        long long d = _mm_popcnt_u64(fingerprints[i + 3] ^ query) - radius - 1;
        if (__builtin_expect((a | b | c | d) < 0, 0)) {
            found += append(i, a < 0, matches + found);
            found += append(i + 1, b < 0, matches + found);
            found += append(i + 2, c < 0, matches + found);
            found += append(i + 3, d < 0, matches + found);
        }
    }
    return found + match_each(Words{fingerprints, query, radius}, count, matches + found, i);
}

// The bits set in each of four words, or only those in the low halves of bytes.
template <bool kLowOnly> SIMHASH_AVX2 inline __m256i count_bits(__m256i x)
{
    return _mm256_sad_epu8(kLowOnly ? count_low_nibbles(x) : count_bits_of_bytes(x), _mm256_setzero_si256());
}

SIMHASH_AVX2 inline unsigned words_within(__m256i distances, __m256i limit)
{
    __m256i far = _mm256_cmpgt_epi64(distances, limit);
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(far))) ^ 15u;
}

// For each subset of four places, its members as 16 bits each, the first lowest.
constexpr auto kPlaces = [] {
    std::array<std::uint64_t, 16> of{};
    for (unsigned set = 0; set < 16; set++) {
        for (unsigned place = 0, shift = 0; place < 4; place++) {
            if (set >> place & 1) {
                of[set] |= std::uint64_t{place} << shift;
                shift += 16;
            }
        }
    }
    return of;
}();

// Writes four places and keeps those in the set. There are at most i matches up to position i, so there is
// room for four.
SIMHASH_AVX2 inline int append_four(int i, unsigned set, std::uint16_t *matches)
{
    std::uint64_t places = kPlaces[set] + static_cast<std::uint64_t>(i) * 0x0001000100010001;
    std::memcpy(matches, &places, sizeof(places));
    return _mm_popcnt_u32(set);
}

// With kFilter, bits are first counted in the low halves of bytes only, which takes two thirds of the time.
// If the radius is small, that rules out a random fingerprint.
template <bool kFilter>
SIMHASH_AVX2 int match_sixteens(const Fingerprint *fingerprints, int count, Fingerprint query, int radius,
                                std::uint16_t *matches)
{
    const __m256i center = _mm256_set1_epi64x(static_cast<long long>(query));
    const __m256i limit = _mm256_set1_epi64x(radius);
    int found = 0, i = 0;
    for (; i + 16 <= count; i += 16) {
        __m256i a = _mm256_xor_si256(load_256(fingerprints + i), center);
        __m256i b = _mm256_xor_si256(load_256(fingerprints + i + 4), center);
        __m256i c = _mm256_xor_si256(load_256(fingerprints + i + 8), center);
        __m256i d = _mm256_xor_si256(load_256(fingerprints + i + 12), center);
        __m256i bits_a = count_bits<kFilter>(a), bits_b = count_bits<kFilter>(b);
        __m256i bits_c = count_bits<kFilter>(c), bits_d = count_bits<kFilter>(d);
        __m256i least = _mm256_min_epi16(_mm256_min_epi16(bits_a, bits_b), _mm256_min_epi16(bits_c, bits_d));
        if (__builtin_expect(words_within(least, limit) != 0, 0)) {
            if constexpr (kFilter) {
                bits_a = count_bits<false>(a), bits_b = count_bits<false>(b);
                bits_c = count_bits<false>(c), bits_d = count_bits<false>(d);
            }
            found += append_four(i, words_within(bits_a, limit), matches + found);
            found += append_four(i + 4, words_within(bits_b, limit), matches + found);
            found += append_four(i + 8, words_within(bits_c, limit), matches + found);
            found += append_four(i + 12, words_within(bits_d, limit), matches + found);
        }
    }
    return found + match_each(Words{fingerprints, query, radius}, count, matches + found, i);
}

SIMHASH_AVX2 int match_avx2(const Fingerprint *fingerprints, int count, Fingerprint query, int radius,
                            std::uint16_t *matches)
{
    // A leaf's fingerprints share the query's leading bits; about 24 of the other bits are in low halves.
    constexpr int kFilterMost = 6;
    return radius <= kFilterMost ? match_sixteens<true>(fingerprints, count, query, radius, matches)
                                 : match_sixteens<false>(fingerprints, count, query, radius, matches);
}

SIMHASH_AVX512 inline __m512i distances_of_eight(__m512i fingerprints, __m512i center)
{
    return _mm512_popcnt_epi64(_mm512_xor_si512(fingerprints, center));
}

// The minimum of half words, since the upper halves are 0: one of whole words takes three times as long. The
// mask selects everything; the form without a mask sets off a false warning in GCC 12.
SIMHASH_AVX512 inline __m512i least_halves(__m512i a, __m512i b)
{
    return _mm512_maskz_min_epu32(0xFFFF, a, b);
}

// Matches the fingerprints in `present`, up to eight. Nothing else is read or written.
SIMHASH_AVX512 inline int match_some(const Fingerprint *fingerprints, int i, __mmask8 present, __m512i center,
                                     __m512i limit, std::uint16_t *matches)
{
    __m512i distances = distances_of_eight(_mm512_maskz_loadu_epi64(present, fingerprints + i), center);
    unsigned near = _mm512_mask_cmple_epu64_mask(present, distances, limit);
    int found = 0;
    for (; near != 0; near &= near - 1)
        matches[found++] = static_cast<std::uint16_t>(i + __builtin_ctz(near));
    return found;
}

// Writes eight places and keeps those within the limit. There are at most i matches up to position i, so
// there is room for eight.
SIMHASH_AVX512 inline int append_eight(int i, __m512i distances, __m512i limit, std::uint16_t *matches)
{
    __mmask8 near = _mm512_cmple_epu64_mask(distances, limit);
    __m512i places = _mm512_add_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi64(i));
    _mm_storeu_si128(reinterpret_cast<__m128i *>(matches),
                     _mm512_maskz_cvtepi64_epi16(255, _mm512_maskz_compress_epi64(near, places)));
    return _mm_popcnt_u32(near);
}

constexpr __mmask8 first_of_eight(int count)
{
    return static_cast<__mmask8>(count >= 8 ? 255 : (1 << count) - 1);
}

SIMHASH_AVX512 int match_avx512(const Fingerprint *fingerprints, int count, Fingerprint query, int radius,
                                std::uint16_t *matches)
{
    const __m512i center = _mm512_set1_epi64(static_cast<long long>(query));
    const __m512i limit = _mm512_set1_epi64(radius);
    // Up to the next cache line, so that no load touches two.
    int head = static_cast<int>((-reinterpret_cast<std::uintptr_t>(fingerprints) & 63) / sizeof(Fingerprint));
    int i = head < count ? head : count;
    int found = i > 0 ? match_some(fingerprints, 0, first_of_eight(i), center, limit, matches) : 0;
    for (; i + 32 <= count; i += 32) {
        __m512i a = distances_of_eight(_mm512_loadu_si512(fingerprints + i), center);
        __m512i b = distances_of_eight(_mm512_loadu_si512(fingerprints + i + 8), center);
        __m512i c = distances_of_eight(_mm512_loadu_si512(fingerprints + i + 16), center);
        __m512i d = distances_of_eight(_mm512_loadu_si512(fingerprints + i + 24), center);
        __m512i least = least_halves(least_halves(a, b), least_halves(c, d));
        if (__builtin_expect(_mm512_cmple_epu64_mask(least, limit) != 0, 0)) {
            found += append_eight(i, a, limit, matches + found);
            found += append_eight(i + 8, b, limit, matches + found);
            found += append_eight(i + 16, c, limit, matches + found);
            found += append_eight(i + 24, d, limit, matches + found);
        }
    }
    for (; i < count; i += 8)
        found += match_some(fingerprints, i, first_of_eight(count - i), center, limit, matches + found);
    return found;
}

#elif defined(SIMHASH_NEON)

// The bits in which each byte of two fingerprints differs from the query's.
inline uint8x16_t differing_bits(const Fingerprint *fingerprints, uint8x16_t center)
{
    return vcntq_u8(veorq_u8(vreinterpretq_u8_u64(vld1q_u64(fingerprints)), center));
}

// The same for four fingerprints; each byte is the sum of two.
inline uint8x16_t differing_bits_of_four(const Fingerprint *fingerprints, uint8x16_t center)
{
    return vpaddq_u8(differing_bits(fingerprints, center), differing_bits(fingerprints + 2, center));
}

// Pairwise addition keeps the order: after three rounds, 16 bytes are the distances of 16 fingerprints.
int match_neon(const Fingerprint *fingerprints, int count, Fingerprint query, int radius,
               std::uint16_t *matches)
{
    const uint8x16_t center = vreinterpretq_u8_u64(vdupq_n_u64(query));
    int found = 0, i = 0;
    for (; i + 16 <= count; i += 16) {
        uint8x16_t distances = vpaddq_u8(vpaddq_u8(differing_bits_of_four(fingerprints + i, center),
                                                   differing_bits_of_four(fingerprints + i + 4, center)),
                                         vpaddq_u8(differing_bits_of_four(fingerprints + i + 8, center),
                                                   differing_bits_of_four(fingerprints + i + 12, center)));
        std::uint64_t near = bytes_within(distances, radius);
        for (; __builtin_expect(near != 0, 0); near &= near - 1)
            matches[found++] = static_cast<std::uint16_t>(i + (__builtin_ctzll(near) >> 2));
    }
    return found + match_each(Words{fingerprints, query, radius}, count, matches + found, i);
}

#endif

constexpr KernelsByLevel<LeafMatch> kLeafMatch = {{SIMHASH_KERNELS(match)}};

} // namespace

LeafMatch leaf_match(SimdLevel level) { return kLeafMatch[level]; }

} // namespace simhash
