#include "core/kernels/pair_match.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(SIMHASH_NEON)
#include <arm_neon.h>
#endif

namespace simhash
{

namespace
{

// A step of a kernel finds fewer pairs than kLeastRoom, so while this holds there is room for another step.
inline bool has_room(std::size_t count, std::size_t room) { return count + kLeastRoom <= room; }

// The rows x of a run, and the rows y that one of them is compared with.
inline RowRun x_rows(const RowRun &run) { return run; }
inline RowRun x_rows(const RunPair &run) { return run.x; }
inline RowRun y_rows(const RowRun &run, std::uint32_t x) { return {x + 1, run.end}; }
inline RowRun y_rows(const RunPair &run, std::uint32_t) { return run.y; }

// The walk of all kernels. Kernel::near() compares a row with the next kRows others, or with the last `left`
// of them; its bits, kBitsOfRow for each row, say which are within the radius.
//
// The walk is inlined into a function for the kernel's instruction set, and near() there. So near() must not
// be always_inline, which would ask for it here already, and has no vectors among its arguments.
template <typename Kernel, typename Run>
[[gnu::always_inline]] inline std::size_t match_runs(const Fingerprint *xs, const Fingerprint *ys,
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
            const Fingerprint center = xs[x];
            for (; y < y_end; y += Kernel::kRows) {
                auto near = Kernel::near(ys + y, y_end - y, center, radius);
                if (near == 0)
                    continue;
                for (; near != 0; near &= near - 1) {
                    auto place = static_cast<std::uint32_t>(std::countr_zero(near));
                    found[count++] = {x, y + place / Kernel::kBitsOfRow};
                }
                if (!has_room(count, room)) {
                    *cursor = {cursor->run, x, y + Kernel::kRows, true};
                    return count;
                }
            }
        }
    }
    return count;
}

struct ScalarKernel {
    static constexpr std::uint32_t kRows = 1, kBitsOfRow = 1;

    static unsigned near(const Fingerprint *row, std::uint32_t, Fingerprint center, int radius)
    {
        return hamming_distance(*row, center) <= radius;
    }

    template <typename Run>
    static std::size_t match(const Fingerprint *x, const Fingerprint *y, const Run *run, std::size_t runs,
                             int radius, MatchCursor *cursor, RowPair *found, std::size_t room)
    {
        return match_runs<ScalarKernel>(x, y, run, runs, radius, cursor, found, room);
    }
};

#if defined(__x86_64__)

#define SIMHASH_POPCNT __attribute__((target("popcnt")))
#define SIMHASH_AVX2 __attribute__((target("avx2,popcnt")))
#define SIMHASH_AVX512 __attribute__((target("avx512f,avx512vpopcntdq")))

struct PopcntKernel {
    static constexpr std::uint32_t kRows = 1, kBitsOfRow = 1;

    SIMHASH_POPCNT static unsigned near(const Fingerprint *row, std::uint32_t, Fingerprint center, int radius)
    {
        return _mm_popcnt_u64(*row ^ center) <= radius;
    }

    template <typename Run>
    SIMHASH_POPCNT static std::size_t match(const Fingerprint *x, const Fingerprint *y, const Run *run,
                                            std::size_t runs, int radius, MatchCursor *cursor, RowPair *found,
                                            std::size_t room)
    {
        return match_runs<PopcntKernel>(x, y, run, runs, radius, cursor, found, room);
    }
};

struct Avx2Kernel {
    static constexpr std::uint32_t kRows = 4, kBitsOfRow = 1;

    // The bits of each nibble are counted by a shuffle, and the bytes of each lane summed.
    SIMHASH_AVX2 static unsigned near(const Fingerprint *row, std::uint32_t left, Fingerprint center,
                                      int radius)
    {
        const __m256i nibble_bits = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, //
                                                     0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
        const __m256i low = _mm256_set1_epi8(15);
        __m256i x = _mm256_xor_si256(load(row, left), _mm256_set1_epi64x(static_cast<long long>(center)));
        __m256i bits =
            _mm256_add_epi8(_mm256_shuffle_epi8(nibble_bits, _mm256_and_si256(x, low)),
                            _mm256_shuffle_epi8(nibble_bits, _mm256_and_si256(_mm256_srli_epi16(x, 4), low)));
        __m256i far =
            _mm256_cmpgt_epi64(_mm256_sad_epu8(bits, _mm256_setzero_si256()), _mm256_set1_epi64x(radius));
        unsigned near = static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(far))) ^ 15u;
        return left >= kRows ? near : near & ((1u << left) - 1);
    }

    template <typename Run>
    SIMHASH_AVX2 static std::size_t match(const Fingerprint *x, const Fingerprint *y, const Run *run,
                                          std::size_t runs, int radius, MatchCursor *cursor, RowPair *found,
                                          std::size_t room)
    {
        return match_runs<Avx2Kernel>(x, y, run, runs, radius, cursor, found, room);
    }

private:
    SIMHASH_AVX2 static __m256i load(const Fingerprint *row, std::uint32_t left)
    {
        if (left >= kRows)
            return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(row));
        __m256i present = _mm256_cmpgt_epi64(_mm256_set1_epi64x(left), _mm256_setr_epi64x(0, 1, 2, 3));
        return _mm256_maskload_epi64(reinterpret_cast<const long long *>(row), present);
    }
};

struct Avx512Kernel {
    static constexpr std::uint32_t kRows = 8, kBitsOfRow = 1;

    SIMHASH_AVX512 static unsigned near(const Fingerprint *row, std::uint32_t left, Fingerprint center,
                                        int radius)
    {
        if (left >= kRows)
            return near_of(_mm512_loadu_si512(row), center, radius);
        auto present = static_cast<__mmask8>((1u << left) - 1);
        return near_of(_mm512_maskz_loadu_epi64(present, row), center, radius) & present;
    }

    template <typename Run>
    SIMHASH_AVX512 static std::size_t match(const Fingerprint *x, const Fingerprint *y, const Run *run,
                                            std::size_t runs, int radius, MatchCursor *cursor, RowPair *found,
                                            std::size_t room)
    {
        return match_runs<Avx512Kernel>(x, y, run, runs, radius, cursor, found, room);
    }

private:
    SIMHASH_AVX512 static unsigned near_of(__m512i rows, Fingerprint center, int radius)
    {
        __m512i errors = _mm512_xor_si512(rows, _mm512_set1_epi64(static_cast<long long>(center)));
        return _mm512_cmple_epi64_mask(_mm512_popcnt_epi64(errors), _mm512_set1_epi64(radius));
    }
};

#elif defined(SIMHASH_NEON)

struct NeonKernel {
    static constexpr std::uint32_t kRows = 8, kBitsOfRow = 8;

    // The highest bit of a byte for each row.
    static std::uint64_t near(const Fingerprint *row, std::uint32_t left, Fingerprint center, int radius)
    {
        if (left >= kRows)
            return near_of_eight(row, vreinterpretq_u8_u64(vdupq_n_u64(center)),
                                 vdup_n_u8(static_cast<std::uint8_t>(radius)));
        std::uint64_t near = 0;
        for (std::uint32_t i = 0; i < left; i++)
            near |= std::uint64_t{hamming_distance(row[i], center) <= radius} << (8 * i + 7);
        return near;
    }

    template <typename Run>
    static std::size_t match(const Fingerprint *x, const Fingerprint *y, const Run *run, std::size_t runs,
                             int radius, MatchCursor *cursor, RowPair *found, std::size_t room)
    {
        return match_runs<NeonKernel>(x, y, run, runs, radius, cursor, found, room);
    }

private:
    static std::uint64_t near_of_eight(const Fingerprint *row, uint8x16_t center, uint8x8_t limit)
    {
        uint8x16_t bits[4];
        for (int i = 0; i < 4; i++)
            bits[i] = vcntq_u8(veorq_u8(vreinterpretq_u8_u64(vld1q_u64(row + 2 * i)), center));
        // Pairwise addition keeps the order: after three rounds, each byte is a distance.
        uint8x16_t sums = vpaddq_u8(vpaddq_u8(bits[0], bits[1]), vpaddq_u8(bits[2], bits[3]));
        uint8x8_t distances = vpadd_u8(vget_low_u8(sums), vget_high_u8(sums));
        return vget_lane_u64(vreinterpret_u64_u8(vcle_u8(distances, limit)), 0) & 0x8080808080808080;
    }
};

#endif

// Pairs within an array are pairs between it and itself.
template <typename Kernel>
std::size_t match_within(const Fingerprint *row, const RowRun *run, std::size_t runs, int radius,
                         MatchCursor *cursor, RowPair *found, std::size_t room)
{
    return Kernel::match(row, row, run, runs, radius, cursor, found, room);
}

template <typename Kernel> constexpr PairMatch make_pair_match(double nanoseconds)
{
    return {match_within<Kernel>, Kernel::template match<RunPair>, nanoseconds};
}

constexpr KernelsByLevel<PairMatch> kPairMatch = {
    .scalar = make_pair_match<ScalarKernel>(1.5),
#if defined(__x86_64__)
    .popcnt = make_pair_match<PopcntKernel>(0.5),
    .avx2 = make_pair_match<Avx2Kernel>(0.3),
    .avx512 = make_pair_match<Avx512Kernel>(0.12),
#elif defined(SIMHASH_NEON)
    .neon = make_pair_match<NeonKernel>(0.4), // not measured
#endif
};

} // namespace

const PairMatch &pair_match(SimdLevel level) { return kPairMatch[level]; }

} // namespace simhash
