#include "core/kernels/pair_match.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__) && !defined(__AARCH64EB__)
#include <arm_neon.h>
#define SIMHASH_NEON 1
#endif

namespace simhash
{

namespace
{

// A step of a kernel finds fewer pairs than kLeastRoom: there is room for one more as long as this holds.
inline bool has_room(std::size_t count, std::size_t room) { return count + kLeastRoom <= room; }

// The rows x of a run, and those that one of them is compared with.
inline RowRun x_rows(const RowRun &run) { return run; }
inline RowRun x_rows(const RunPair &run) { return run.x; }
inline RowRun y_rows(const RowRun &run, std::uint32_t x) { return {x + 1, run.end}; }
inline RowRun y_rows(const RunPair &run, std::uint32_t) { return run.y; }

// Row against row. Inlined into functions for other instruction sets, where std::popcount is one of them.
template <typename Run>
[[gnu::always_inline]] inline std::size_t match_rows(const Fingerprint *xs, const Fingerprint *ys,
                                                     const Run *run, std::size_t runs, int radius,
                                                     MatchCursor *cursor, RowPair *found, std::size_t room)
{
    std::size_t count = 0;
    for (; cursor->run < runs; cursor->run++) {
        const Run &r = run[cursor->run];
        std::uint32_t x = x_rows(r).begin, x_end = x_rows(r).end, y = y_rows(r, x).begin;
        if (cursor->inside) {
            x = cursor->x;
            y = cursor->y;
            cursor->inside = false;
        }
        for (; x < x_end; x++, y = y_rows(r, x).begin) {
            const std::uint32_t y_end = y_rows(r, x).end;
            Fingerprint center = xs[x];
            for (; y < y_end; y++) {
                if (std::popcount(ys[y] ^ center) > radius)
                    continue;
                found[count++] = {x, y};
                if (!has_room(count, room)) {
                    *cursor = {cursor->run, x, y + 1, true};
                    return count;
                }
            }
        }
    }
    return count;
}

template <typename Run>
std::size_t match_scalar(const Fingerprint *x, const Fingerprint *y, const Run *run, std::size_t runs,
                         int radius, MatchCursor *cursor, RowPair *found, std::size_t room)
{
    return match_rows(x, y, run, runs, radius, cursor, found, room);
}

#if defined(__x86_64__)

#define SIMHASH_POPCNT __attribute__((target("popcnt")))
#define SIMHASH_AVX2 __attribute__((target("avx2,popcnt")))
#define SIMHASH_AVX512 __attribute__((target("avx512f,avx512vpopcntdq")))

template <typename Run>
SIMHASH_POPCNT std::size_t match_popcnt(const Fingerprint *x, const Fingerprint *y, const Run *run,
                                        std::size_t runs, int radius, MatchCursor *cursor, RowPair *found,
                                        std::size_t room)
{
    return match_rows(x, y, run, runs, radius, cursor, found, room);
}

// Four rows at a time; the bits of each nibble are counted by a shuffle, and the bytes of each lane summed.
// Which of them are within the limit, as bits.
SIMHASH_AVX2 inline unsigned near_avx2(__m256i rows, __m256i center, __m256i limit)
{
    const __m256i nibble_bits = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, //
                                                 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(15);
    __m256i x = _mm256_xor_si256(rows, center);
    __m256i bits =
        _mm256_add_epi8(_mm256_shuffle_epi8(nibble_bits, _mm256_and_si256(x, low)),
                        _mm256_shuffle_epi8(nibble_bits, _mm256_and_si256(_mm256_srli_epi16(x, 4), low)));
    __m256i far = _mm256_cmpgt_epi64(_mm256_sad_epu8(bits, _mm256_setzero_si256()), limit);
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(far))) ^ 15u;
}

SIMHASH_AVX2 inline unsigned near_last_avx2(const Fingerprint *row, std::uint32_t rows, __m256i center,
                                            __m256i limit)
{
    __m256i present = _mm256_cmpgt_epi64(_mm256_set1_epi64x(rows), _mm256_setr_epi64x(0, 1, 2, 3));
    __m256i present_rows = _mm256_maskload_epi64(reinterpret_cast<const long long *>(row), present);
    return near_avx2(present_rows, center, limit) & ((1u << rows) - 1);
}

template <typename Run>
SIMHASH_AVX2 std::size_t match_avx2(const Fingerprint *xs, const Fingerprint *ys, const Run *run,
                                    std::size_t runs, int radius, MatchCursor *cursor, RowPair *found,
                                    std::size_t room)
{
    const __m256i limit = _mm256_set1_epi64x(radius);
    std::size_t count = 0;
    for (; cursor->run < runs; cursor->run++) {
        const Run &r = run[cursor->run];
        std::uint32_t x = x_rows(r).begin, x_end = x_rows(r).end, y = y_rows(r, x).begin;
        if (cursor->inside) {
            x = cursor->x;
            y = cursor->y;
            cursor->inside = false;
        }
        for (; x < x_end; x++, y = y_rows(r, x).begin) {
            const std::uint32_t y_end = y_rows(r, x).end;
            __m256i center = _mm256_set1_epi64x(static_cast<long long>(xs[x]));
            for (; y < y_end; y += 4) {
                unsigned near = y_end - y >= 4
                                    ? near_avx2(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(ys + y)),
                                                center, limit)
                                    : near_last_avx2(ys + y, y_end - y, center, limit);
                if (near == 0)
                    continue;
                for (; near != 0; near &= near - 1)
                    found[count++] = {x, y + static_cast<std::uint32_t>(__builtin_ctz(near))};
                if (!has_room(count, room)) {
                    *cursor = {cursor->run, x, y + 4, true};
                    return count;
                }
            }
        }
    }
    return count;
}

// Eight rows at a time.
SIMHASH_AVX512 inline unsigned near_avx512(__m512i rows, __m512i center, __m512i limit)
{
    return _mm512_cmple_epi64_mask(_mm512_popcnt_epi64(_mm512_xor_si512(rows, center)), limit);
}

SIMHASH_AVX512 inline unsigned near_last_avx512(const Fingerprint *row, std::uint32_t rows, __m512i center,
                                                __m512i limit)
{
    auto present = static_cast<__mmask8>((1u << rows) - 1);
    return near_avx512(_mm512_maskz_loadu_epi64(present, row), center, limit) & present;
}

template <typename Run>
SIMHASH_AVX512 std::size_t match_avx512(const Fingerprint *xs, const Fingerprint *ys, const Run *run,
                                        std::size_t runs, int radius, MatchCursor *cursor, RowPair *found,
                                        std::size_t room)
{
    const __m512i limit = _mm512_set1_epi64(radius);
    std::size_t count = 0;
    for (; cursor->run < runs; cursor->run++) {
        const Run &r = run[cursor->run];
        std::uint32_t x = x_rows(r).begin, x_end = x_rows(r).end, y = y_rows(r, x).begin;
        if (cursor->inside) {
            x = cursor->x;
            y = cursor->y;
            cursor->inside = false;
        }
        for (; x < x_end; x++, y = y_rows(r, x).begin) {
            const std::uint32_t y_end = y_rows(r, x).end;
            __m512i center = _mm512_set1_epi64(static_cast<long long>(xs[x]));
            for (; y < y_end; y += 8) {
                unsigned near = y_end - y >= 8 ? near_avx512(_mm512_loadu_si512(ys + y), center, limit)
                                               : near_last_avx512(ys + y, y_end - y, center, limit);
                if (near == 0)
                    continue;
                for (; near != 0; near &= near - 1)
                    found[count++] = {x, y + static_cast<std::uint32_t>(__builtin_ctz(near))};
                if (!has_room(count, room)) {
                    *cursor = {cursor->run, x, y + 8, true};
                    return count;
                }
            }
        }
    }
    return count;
}

#elif defined(SIMHASH_NEON)

// Eight rows at a time: those within the limit, as the highest bit of a byte each.
inline std::uint64_t near_neon(const Fingerprint *row, uint8x16_t center, uint8x8_t limit)
{
    uint8x16_t bits[4];
    for (int i = 0; i < 4; i++)
        bits[i] = vcntq_u8(veorq_u8(vreinterpretq_u8_u64(vld1q_u64(row + 2 * i)), center));
    // Adding neighbours keeps the order: three times, and each byte is a distance.
    uint8x16_t sums = vpaddq_u8(vpaddq_u8(bits[0], bits[1]), vpaddq_u8(bits[2], bits[3]));
    uint8x8_t distances = vpadd_u8(vget_low_u8(sums), vget_high_u8(sums));
    return vget_lane_u64(vreinterpret_u64_u8(vcle_u8(distances, limit)), 0) & 0x8080808080808080;
}

inline std::uint64_t near_last_neon(const Fingerprint *row, std::uint32_t rows, Fingerprint center,
                                    int radius)
{
    std::uint64_t near = 0;
    for (std::uint32_t i = 0; i < rows; i++)
        near |= std::uint64_t{hamming_distance(row[i], center) <= radius} << (8 * i + 7);
    return near;
}

template <typename Run>
std::size_t match_neon(const Fingerprint *xs, const Fingerprint *ys, const Run *run, std::size_t runs,
                       int radius, MatchCursor *cursor, RowPair *found, std::size_t room)
{
    const uint8x8_t limit = vdup_n_u8(static_cast<std::uint8_t>(radius));
    std::size_t count = 0;
    for (; cursor->run < runs; cursor->run++) {
        const Run &r = run[cursor->run];
        std::uint32_t x = x_rows(r).begin, x_end = x_rows(r).end, y = y_rows(r, x).begin;
        if (cursor->inside) {
            x = cursor->x;
            y = cursor->y;
            cursor->inside = false;
        }
        for (; x < x_end; x++, y = y_rows(r, x).begin) {
            const std::uint32_t y_end = y_rows(r, x).end;
            const uint8x16_t center = vreinterpretq_u8_u64(vdupq_n_u64(xs[x]));
            for (; y < y_end; y += 8) {
                std::uint64_t near = y_end - y >= 8 ? near_neon(ys + y, center, limit)
                                                    : near_last_neon(ys + y, y_end - y, xs[x], radius);
                if (near == 0)
                    continue;
                for (; near != 0; near &= near - 1)
                    found[count++] = {x, y + static_cast<std::uint32_t>(__builtin_ctzll(near) / 8)};
                if (!has_room(count, room)) {
                    *cursor = {cursor->run, x, y + 8, true};
                    return count;
                }
            }
        }
    }
    return count;
}

#endif

// The kernels for both kinds of runs. Pairs within an array are between it and itself.
template <auto Match>
std::size_t match_within(const Fingerprint *row, const RowRun *run, std::size_t runs, int radius,
                         MatchCursor *cursor, RowPair *found, std::size_t room)
{
    return Match(row, row, run, runs, radius, cursor, found, room);
}

} // namespace

const PairMatch &pair_match(SimdLevel level)
{
    static constexpr PairMatch scalar = {match_within<match_scalar<RowRun>>, match_scalar<RunPair>, 1.5};
#if defined(__x86_64__)
    static constexpr PairMatch popcnt = {match_within<match_popcnt<RowRun>>, match_popcnt<RunPair>, 0.5};
    static constexpr PairMatch avx2 = {match_within<match_avx2<RowRun>>, match_avx2<RunPair>, 0.3};
    static constexpr PairMatch avx512 = {match_within<match_avx512<RowRun>>, match_avx512<RunPair>, 0.12};
#elif defined(SIMHASH_NEON)
    static constexpr PairMatch neon = {match_within<match_neon<RowRun>>, match_neon<RunPair>,
                                       0.4}; // not measured
#endif
    switch (level) {
#if defined(__x86_64__)
    case SimdLevel::avx512:
        return avx512;
    case SimdLevel::avx2:
        return avx2;
    case SimdLevel::popcnt:
        return popcnt;
#elif defined(SIMHASH_NEON)
    case SimdLevel::neon:
        return neon;
#endif
    default:
        return scalar;
    }
}

} // namespace simhash
