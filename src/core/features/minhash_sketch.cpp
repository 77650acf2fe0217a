#include "core/features/minhash_sketch.hpp"

#include <algorithm>
#include <cstring>

#include "core/bits/bisect.hpp"
#include "core/bits/contract.hpp"
#include "core/kernels/split_mix_all.hpp"

namespace simhash
{

namespace
{

constexpr int kRoundShift = 48;
constexpr std::uint64_t kFractionMask = (std::uint64_t{1} << kRoundShift) - 1;
static_assert(2 * kMinhashSizeMax <= 1 << (63 - kRoundShift));

// Elements may be numbers in sequence; their hashes for all rounds must be independent.
std::uint64_t scatter(std::uint64_t element) { return split_mix(element ^ 0x6A09E667F3BCC908); }

const SplitMixAll kMix = split_mix_all(best_simd_level());
constexpr std::size_t kBlock = 64;

// Probabilities that differ by less than this part are taken as equal. Rounding errors are smaller.
constexpr double kTolerance = 1e-12;

// Writes the probability that k bits differ, relative to that of the likeliest number, for k from 0 to `bits`.
// Returns the sum. What underflows does not matter.
double binomial_terms(int bits, double p, double *term)
{
    SIMHASH_ASSERT(0 < p && p <= 0.5);
    const double odds = p / (1 - p);
    const int mode = static_cast<int>((bits + 1) * p);
    double below = 0, above = 0;

    term[mode] = 1;
    for (int k = mode; k < bits; k++)
        term[k + 1] = term[k] * (odds * (bits - k) / (k + 1));
    for (int k = mode; k > 0; k--)
        term[k - 1] = term[k] * (k / (odds * (bits - k + 1)));
    // The small ones first.
    for (int k = 0; k < mode; k++)
        below += term[k];
    for (int k = bits; k >= mode; k--)
        above += term[k];
    return below + above;
}

} // namespace

void MinhashSketch::init(std::uint64_t *minima, int size)
{
    SIMHASH_ASSERT(1 <= size && size <= kMinhashSizeMax);
    minima_ = minima;
    size_ = size;
    set_ = 0;
    std::fill_n(minima, size, kMinhashEmpty);
}

// The round of the largest minimum: elements change nothing in later rounds. While a place is not set, the last of all.
int MinhashSketch::last_round()
{
    while (set_ < size_ && minima_[set_] != kMinhashEmpty)
        set_++;
    if (set_ < size_)
        return 2 * size_ - 1;
    return static_cast<int>(*std::max_element(minima_, minima_ + size_) >> kRoundShift);
}

// Adds elements in some rounds: `seeds` has `count` for each of them, and as many as a block in all, or it is one round.
void MinhashSketch::add_rounds(int round, int rounds, const std::uint64_t *seeds, std::size_t count)
{
    const auto size = static_cast<std::uint64_t>(size_);
    const std::uint64_t step = (static_cast<std::uint64_t>(round) + 1) * kSplitMixStep;
    const std::size_t all = count * static_cast<std::size_t>(std::min(rounds, 2 * size_ - round));
    std::uint64_t hashes[kBlock];
    for (std::size_t from = 0; from < all; from += kBlock) {
        const std::size_t block = std::min(all - from, kBlock);
        kMix(seeds + from, block, step, hashes);
        for (std::size_t begin = 0; begin<block; round += rounds> 1 ? 1 : 0) {
            const std::uint64_t high = static_cast<std::uint64_t>(round) << kRoundShift;
            for (const std::size_t end = std::min(begin + count, block); begin < end; begin++) {
                const std::uint64_t place = round < size_ ? (hashes[begin] >> 32) * size >> 32
                                                          : static_cast<std::uint64_t>(round - size_);
                minima_[place] = std::min(minima_[place], high | (hashes[begin] & kFractionMask));
            }
        }
    }
}

void MinhashSketch::add(std::uint64_t *hashes, std::size_t count)
{
    if (count == 0)
        return;
    std::transform(hashes, hashes + count, hashes, scatter);
    // Few elements are added in several rounds at once: as others, with the seeds of the later rounds.
    std::uint64_t copies[kBlock];
    const std::uint64_t *seeds = hashes;
    const int rounds = static_cast<int>(std::max<std::size_t>(kBlock / count, 1));
    if (rounds > 1) {
        for (std::size_t i = 0; i < count; i++)
            for (std::size_t round = 0; round < static_cast<std::size_t>(rounds); round++)
                copies[round * count + i] = hashes[i] + round * kSplitMixStep;
        seeds = copies;
    }
    for (int round = 0; round <= last_round(); round += rounds)
        add_rounds(round, rounds, seeds, count);
}

void MinhashSketch::unite(const std::uint64_t *other)
{
    unite_minima(minima_, other, size_);
    set_ = size_;
}

void unite_minima(std::uint64_t *to, const std::uint64_t *other, int size)
{
    for (int i = 0; i < size; i++)
        to[i] = static_cast<std::uint64_t>(
            std::min(static_cast<std::int64_t>(to[i]), static_cast<std::int64_t>(other[i])));
}

void write_minhash_bits(const std::uint64_t *minima, int size, std::uint8_t *to)
{
    std::memset(to, 0, (static_cast<std::size_t>(size) + 7) / 8);
    for (int i = 0; i < size; i++)
        if (minhash_bit(minima[i]))
            to[i / 8] |= static_cast<std::uint8_t>(0x80 >> i % 8);
}

int similarity_radius(double similarity, int bits)
{
    SIMHASH_ASSERT(bits > 0);
    return first_enough(0, bits + 1,
                        [=](int distance) { return !(similarity_estimate(distance, bits) >= similarity); }) -
           1;
}

// Of the distribution's two tails, the smaller one is added up, because its rounding errors are small relative
// to it.
int recall_radius(double similarity, int bits, double recall)
{
    SIMHASH_ASSERT(0 <= similarity && similarity <= 1 && 0 <= recall && recall <= 1);
    SIMHASH_ASSERT(1 <= bits && bits <= kMinhashSizeMax);
    const double p = (1 - similarity) / 2;
    double term[kMinhashSizeMax + 1], part = 0;
    int radius;

    if (p <= 0)
        return 0;
    if (recall >= 1)
        return bits;
    const double sum = binomial_terms(bits, p, term);
    if (recall < 0.5) {
        const double enough = recall * sum * (1 - kTolerance);
        for (radius = 0; (part += term[radius]) < enough; radius++) {
        }
    } else {
        const double rest = (1 - recall) * sum * (1 + kTolerance);
        for (radius = bits; radius > 0 && (part += term[radius]) <= rest; radius--) {
        }
    }
    return radius;
}

} // namespace simhash
