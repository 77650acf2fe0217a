#include "core/kernels/pair_match.hpp"

#include "core/kernels/blocks.hpp"

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

// For small radii, rows of longer runs are first compared by the XOR of their halves. Its distance is at most that of the
// rows, few unrelated rows come so near, and a vector has twice as many.
constexpr int kMostFolded = 6;
constexpr std::uint32_t kLeastFoldedRows = 16, kMostFoldedRows = 4096;

constexpr std::uint32_t fold(Fingerprint row) { return static_cast<std::uint32_t>(row ^ row >> 32); }

// A step of a walk compares row x with the next kRows rows from y on, or with the last `left` of them. Its bits,
// kBitsOfRow for each row, say which are within the radius.
//
// The walk is inlined into a function for the kernel's instruction set, and the kernel's near(), fold_rows() and
// near_folded() there. So these must not be always_inline, which would ask for it here already, and have no vectors among
// their arguments.
template <typename Kernel> struct WholeStep {
    static constexpr std::uint32_t kRows = Kernel::kRows, kBitsOfRow = Kernel::kBitsOfRow;
    const Fingerprint *xs, *ys;
    int radius;

    [[gnu::always_inline]] auto near(std::uint32_t x, std::uint32_t y, std::uint32_t left) const
    {
        return Kernel::near(ys + y, left, xs[x], radius);
    }
};

template <typename Kernel> struct FoldedStep {
    static constexpr std::uint32_t kRows = Kernel::kFoldedRows, kBitsOfRow = Kernel::kFoldedBitsOfRow;
    const Fingerprint *xs, *ys;
    int radius;
    std::uint32_t begin; // the first row that is folded
    std::uint32_t folded[kMostFoldedRows + kRows];

    [[gnu::always_inline]] void set(RowRun y)
    {
        begin = y.begin;
        Kernel::fold_rows(ys + begin, y.end - begin, folded);
        for (std::uint32_t i = 0; i < kRows; i++)
            folded[y.end - begin + i] = 0;
    }
    [[gnu::always_inline]] auto near(std::uint32_t x, std::uint32_t y, std::uint32_t left) const
    {
        const Fingerprint center = xs[x];
        auto may = Kernel::near_folded(folded + (y - begin), fold(center), radius), near = may;
        for (; __builtin_expect(may != 0, 0); may &= may - 1) {
            auto place = static_cast<std::uint32_t>(std::countr_zero(may)) / kBitsOfRow;
            if (place >= left || std::popcount(ys[y + place] ^ center) > radius)
                near ^= may & -may;
        }
        return near;
    }
};

// Compares the rows of a run from the cursor on. Returns false if `found` may be full.
template <typename Step, typename Run>
[[gnu::always_inline]] inline bool match_run(const Step &step, const Run &run, MatchCursor *cursor,
                                             RowPair *found, std::size_t room, std::size_t *count)
{
    std::uint32_t x = x_rows(run).begin, x_end = x_rows(run).end, y = y_rows(run, x).begin;
    if (cursor->inside) {
        x = cursor->x;
        y = cursor->y;
        cursor->inside = false;
    }
    for (; x < x_end; x++, y = y_rows(run, x).begin) {
        const std::uint32_t y_end = y_rows(run, x).end;
        for (; y < y_end; y += Step::kRows) {
            auto near = step.near(x, y, y_end - y);
            if (near == 0)
                continue;
            for (; near != 0; near &= near - 1) {
                auto place = static_cast<std::uint32_t>(std::countr_zero(near));
                found[(*count)++] = {x, y + place / Step::kBitsOfRow};
            }
            if (!has_room(*count, room)) {
                *cursor = {cursor->run, x, y + Step::kRows, true};
                return false;
            }
        }
    }
    return true;
}

template <typename Kernel, typename Run>
[[gnu::always_inline]] inline std::size_t match_runs(const Fingerprint *xs, const Fingerprint *ys,
                                                     const Run *run, std::size_t runs, int radius,
                                                     MatchCursor *cursor, RowPair *found, std::size_t room)
{
    std::size_t count = 0;
    const WholeStep<Kernel> whole = {xs, ys, radius};
    for (; cursor->run < runs; cursor->run++) {
        if (!match_run(whole, run[cursor->run], cursor, found, room, &count))
            return count;
    }
    return count;
}

// The same for kernels that have folded rows.
template <typename Kernel, typename Run>
[[gnu::always_inline]] inline std::size_t
match_folded_runs(const Fingerprint *xs, const Fingerprint *ys, const Run *run, std::size_t runs, int radius,
                  MatchCursor *cursor, RowPair *found, std::size_t room)
{
    if (radius > kMostFolded)
        return match_runs<Kernel>(xs, ys, run, runs, radius, cursor, found, room);
    std::size_t count = 0;
    const WholeStep<Kernel> whole = {xs, ys, radius};
    FoldedStep<Kernel> folded;
    folded.xs = xs;
    folded.ys = ys;
    folded.radius = radius;
    for (; cursor->run < runs; cursor->run++) {
        const Run &r = run[cursor->run];
        const RowRun y = y_rows(r, x_rows(r).begin);
        bool done;
        if (y.begin + kLeastFoldedRows <= y.end && y.end - y.begin <= kMostFoldedRows) {
            folded.set(y);
            done = match_run(folded, r, cursor, found, room, &count);
        } else {
            done = match_run(whole, r, cursor, found, room, &count);
        }
        if (!done)
            return count;
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
    static constexpr std::uint32_t kFoldedRows = 16, kFoldedBitsOfRow = 1;

    // The bits of each nibble are counted by a shuffle, and the bytes of each lane summed.
    SIMHASH_AVX2 static unsigned near(const Fingerprint *row, std::uint32_t left, Fingerprint center,
                                      int radius)
    {
        __m256i x = _mm256_xor_si256(load(row, left), _mm256_set1_epi64x(static_cast<long long>(center)));
        __m256i bits = count_bits_of_bytes(x);
        __m256i far =
            _mm256_cmpgt_epi64(_mm256_sad_epu8(bits, _mm256_setzero_si256()), _mm256_set1_epi64x(radius));
        unsigned near = static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(far))) ^ 15u;
        return left >= kRows ? near : near & ((1u << left) - 1);
    }

    SIMHASH_AVX2 static void fold_rows(const Fingerprint *row, std::uint32_t rows, std::uint32_t *folded)
    {
        std::uint32_t i = 0;
        for (; i + 8 <= rows; i += 8) {
            __m256i a = load_256(row + i), b = load_256(row + i + 4);
            a = _mm256_xor_si256(a, _mm256_srli_epi64(a, 32));
            b = _mm256_xor_si256(b, _mm256_srli_epi64(b, 32));
            __m256 low = _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88);
            __m256i in_order = _mm256_permute4x64_epi64(_mm256_castps_si256(low), 0xD8);
            _mm256_storeu_si256(reinterpret_cast<__m256i *>(folded + i), in_order);
        }
        for (; i < rows; i++)
            folded[i] = fold(row[i]);
    }

    SIMHASH_AVX2 static unsigned near_folded(const std::uint32_t *folded, std::uint32_t center, int radius)
    {
        return far_of_eight(folded, center, radius) ^ far_of_eight(folded + 8, center, radius) << 8 ^ 0xFFFFu;
    }

    template <typename Run>
    SIMHASH_AVX2 static std::size_t match(const Fingerprint *x, const Fingerprint *y, const Run *run,
                                          std::size_t runs, int radius, MatchCursor *cursor, RowPair *found,
                                          std::size_t room)
    {
        return match_folded_runs<Avx2Kernel>(x, y, run, runs, radius, cursor, found, room);
    }

private:
    SIMHASH_AVX2 static unsigned far_of_eight(const std::uint32_t *folded, std::uint32_t center, int radius)
    {
        __m256i x = _mm256_xor_si256(load_256(folded), _mm256_set1_epi32(static_cast<int>(center)));
        __m256i two = _mm256_maddubs_epi16(count_bits_of_bytes(x), _mm256_set1_epi8(1));
        __m256i far =
            _mm256_cmpgt_epi32(_mm256_madd_epi16(two, _mm256_set1_epi16(1)), _mm256_set1_epi32(radius));
        return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(far)));
    }

    SIMHASH_AVX2 static __m256i load(const Fingerprint *row, std::uint32_t left)
    {
        if (left >= kRows)
            return load_256(row);
        __m256i present = _mm256_cmpgt_epi64(_mm256_set1_epi64x(left), _mm256_setr_epi64x(0, 1, 2, 3));
        return _mm256_maskload_epi64(reinterpret_cast<const long long *>(row), present);
    }
};

struct Avx512Kernel {
    static constexpr std::uint32_t kRows = 8, kBitsOfRow = 1;
    static constexpr std::uint32_t kFoldedRows = 32, kFoldedBitsOfRow = 1;

    SIMHASH_AVX512 static unsigned near(const Fingerprint *row, std::uint32_t left, Fingerprint center,
                                        int radius)
    {
        if (left >= kRows)
            return near_of(_mm512_loadu_si512(row), center, radius);
        auto present = static_cast<__mmask8>((1u << left) - 1);
        return near_of(_mm512_maskz_loadu_epi64(present, row), center, radius) & present;
    }

    SIMHASH_AVX512 static void fold_rows(const Fingerprint *row, std::uint32_t rows, std::uint32_t *folded)
    {
        Avx2Kernel::fold_rows(row, rows, folded);
    }

    SIMHASH_AVX512 static unsigned near_folded(const std::uint32_t *folded, std::uint32_t center, int radius)
    {
        return near_of_sixteen(folded, center, radius) | near_of_sixteen(folded + 16, center, radius) << 16;
    }

    template <typename Run>
    SIMHASH_AVX512 static std::size_t match(const Fingerprint *x, const Fingerprint *y, const Run *run,
                                            std::size_t runs, int radius, MatchCursor *cursor, RowPair *found,
                                            std::size_t room)
    {
        return match_folded_runs<Avx512Kernel>(x, y, run, runs, radius, cursor, found, room);
    }

private:
    SIMHASH_AVX512 static unsigned near_of_sixteen(const std::uint32_t *folded, std::uint32_t center,
                                                   int radius)
    {
        __m512i errors =
            _mm512_xor_si512(_mm512_loadu_si512(folded), _mm512_set1_epi32(static_cast<int>(center)));
        return _mm512_cmple_epi32_mask(_mm512_popcnt_epi32(errors), _mm512_set1_epi32(radius));
    }

    SIMHASH_AVX512 static unsigned near_of(__m512i rows, Fingerprint center, int radius)
    {
        __m512i errors = _mm512_xor_si512(rows, _mm512_set1_epi64(static_cast<long long>(center)));
        return _mm512_cmple_epi64_mask(_mm512_popcnt_epi64(errors), _mm512_set1_epi64(radius));
    }
};

#elif defined(SIMHASH_NEON)

struct NeonKernel {
    static constexpr std::uint32_t kRows = 8, kBitsOfRow = 8;
    static constexpr std::uint32_t kFoldedRows = 16, kFoldedBitsOfRow = 4;

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

    static void fold_rows(const Fingerprint *row, std::uint32_t rows, std::uint32_t *folded)
    {
        std::uint32_t i = 0;
        for (; i + 2 <= rows; i += 2) {
            uint64x2_t a = vld1q_u64(row + i);
            vst1_u32(folded + i, vmovn_u64(veorq_u64(a, vshrq_n_u64(a, 32))));
        }
        for (; i < rows; i++)
            folded[i] = fold(row[i]);
    }

    static std::uint64_t near_folded(const std::uint32_t *folded, std::uint32_t center, int radius)
    {
        uint8x16_t bits[4];
        for (int i = 0; i < 4; i++)
            bits[i] =
                vcntq_u8(vreinterpretq_u8_u32(veorq_u32(vld1q_u32(folded + 4 * i), vdupq_n_u32(center))));
        // Pairwise addition keeps the order: after two rounds, each byte is a distance.
        uint8x16_t distances = vpaddq_u8(vpaddq_u8(bits[0], bits[1]), vpaddq_u8(bits[2], bits[3]));
        return bytes_within(distances, radius);
    }

    template <typename Run>
    static std::size_t match(const Fingerprint *x, const Fingerprint *y, const Run *run, std::size_t runs,
                             int radius, MatchCursor *cursor, RowPair *found, std::size_t room)
    {
        return match_folded_runs<NeonKernel>(x, y, run, runs, radius, cursor, found, room);
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

constexpr KernelsByLevel<PairMatch> kPairMatch = {{
    make_pair_match<ScalarKernel>(1.5),
#if defined(__x86_64__)
    make_pair_match<PopcntKernel>(0.5),
    make_pair_match<Avx2Kernel>(0.3),
    make_pair_match<Avx512Kernel>(0.12),
#elif defined(SIMHASH_NEON)
    {},
    {},
    {},
    make_pair_match<NeonKernel>(0.4), // not measured
#endif
}};

} // namespace

const PairMatch &pair_match(SimdLevel level) { return kPairMatch[level]; }

} // namespace simhash
