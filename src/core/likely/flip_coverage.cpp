#include "core/likely/flip_coverage.hpp"

#include <algorithm>
#include <bit>

#include "core/bits/contract.hpp"

namespace simhash
{

namespace
{

// The common numbers of flips are compile-time constants, so that all sums stay in registers. For other small
// radii the next of these is used, which counts more flips than necessary.
int counted_flips(int radius) { return radius <= 3 ? 3 : radius <= 5 ? 5 : radius <= 8 ? 8 : radius; }

template <int kMost> Levels sum_few_flips(const Levels odds[kBits], std::uint64_t mask, Levels sums[])
{
    Levels all;
    for (int p = 0; p < kLevelPairs; p++) {
        LevelPair product = pair_of(1), sum[kMost + 1] = {pair_of(1)};
        for (std::uint64_t rest = mask; rest != 0; rest &= rest - 1) {
            LevelPair odd = odds[std::countr_zero(rest)].pair[p];
            product *= odd + pair_of(1);
#pragma GCC unroll 16
            for (int n = kMost; n > 0; n--)
                sum[n] += sum[n - 1] * odd;
        }
        all.pair[p] = product;
#pragma GCC unroll 16
        for (int n = 0; n <= kMost; n++)
            sums[n].pair[p] = sum[n];
    }
    return all;
}

Levels sum_many_flips(const Levels odds[kBits], std::uint64_t mask, int most, Levels sums[])
{
    std::fill(sums, sums + most + 1, levels_of(0));
    sums[0] = levels_of(1);
    Levels all = levels_of(1);
    int bits = 0;
    for (std::uint64_t rest = mask; rest != 0; rest &= rest - 1) {
        const Levels &odd = odds[std::countr_zero(rest)];
        all = all * (odd + levels_of(1));
        bits++;
        for (int n = std::min(bits, most); n > 0; n--)
            sums[n] = sums[n] + sums[n - 1] * odd;
    }
    return all;
}

template <int kMost> void convolve_few(const Levels a[], const Levels b[], Levels to[])
{
    for (int p = 0; p < kLevelPairs; p++) {
        LevelPair left[kMost + 1], right[kMost + 1];
#pragma GCC unroll 16
        for (int n = 0; n <= kMost; n++) {
            left[n] = a[n].pair[p];
            right[n] = b[n].pair[p];
        }
#pragma GCC unroll 16
        for (int n = 0; n <= kMost; n++) {
            LevelPair sum = left[0] * right[n];
#pragma GCC unroll 16
            for (int i = 1; i <= n; i++)
                sum += left[i] * right[n - i];
            to[n].pair[p] = sum;
        }
    }
}

void convolve_many(const Levels a[], const Levels b[], int most, Levels to[])
{
    for (int n = 0; n <= most; n++) {
        Levels sum = a[0] * b[n];
        for (int i = 1; i <= n; i++)
            sum = sum + a[i] * b[n - i];
        to[n] = sum;
    }
}

// to[n] = sum a[i] b[n - i].
void convolve(const Levels a[], const Levels b[], int most, Levels to[])
{
    SIMHASH_ASSERT(to != a && to != b);
    switch (most) {
    case 3:
        return convolve_few<3>(a, b, to);
    case 5:
        return convolve_few<5>(a, b, to);
    case 8:
        return convolve_few<8>(a, b, to);
    default:
        return convolve_many(a, b, most, to);
    }
}

// Not below 0.
Levels positive(const Levels &levels)
{
    Levels result;
    for (int i = 0; i < kLevelPairs; i++)
        result.pair[i] = levels.pair[i] > pair_of(0) ? levels.pair[i] : pair_of(0);
    return result;
}

void accumulate(const Levels from[], int most, Levels to[])
{
    to[0] = from[0];
    for (int n = 1; n <= most; n++)
        to[n] = to[n - 1] + from[n];
}

} // namespace

Levels sum_flips(const Levels odds[kBits], std::uint64_t mask, int most, Levels sums[])
{
    switch (most) {
    case 3:
        return sum_few_flips<3>(odds, mask, sums);
    case 5:
        return sum_few_flips<5>(odds, mask, sums);
    case 8:
        return sum_few_flips<8>(odds, mask, sums);
    default:
        return sum_many_flips(odds, mask, most, sums);
    }
}

Levels inverse_of_no_flip(const Levels odds[kBits], std::uint64_t mask)
{
    Levels all = levels_of(1);
    for (std::uint64_t rest = mask; rest != 0; rest &= rest - 1)
        all = all * (odds[std::countr_zero(rest)] + levels_of(1));
    return all;
}

void FlipCoverage::begin(const Volatility *volatility, const std::uint64_t prefix[], int prefixes)
{
    volatility_ = volatility;
    radius_ = volatility->radius;
    prefixes_ = prefixes;
    covered_ = 0;
    most_ = counted_flips(radius_);
    const Levels *odds = volatility->odds;
    Levels flips = levels_of(1);
    std::uint64_t taken = 0;
    for (int i = 0; i < prefixes; i++) {
        prefix_[i] = prefix[i];
        own_[i] = prefix[i] & ~taken;
        taken |= prefix[i];
        flips = flips * sum_flips(odds, own_[i], most_, uncovered_[i]);
        shared_[i] = levels_of(1) / inverse_of_no_flip(odds, prefix_[i] & ~own_[i]);
    }
    flips = flips * sum_flips(odds, ~taken, most_, free_);

    // For each prefix, the flips elsewhere: the product of all factors on its left and on its right.
    Levels product[kCoveragePrefixes][kBits + 1], right[2][kBits + 1], both[kBits + 1];
    const Levels *left[kCoveragePrefixes + 1] = {free_};
    for (int i = 0; i < prefixes; i++) {
        convolve(left[i], uncovered_[i], most_, product[i]);
        left[i + 1] = product[i];
    }
    accumulate(left[prefixes - 1], most_, rest_[prefixes - 1]);
    const Levels *after = uncovered_[prefixes - 1];
    for (int i = prefixes - 2; i >= 0; i--) {
        convolve(left[i], after, most_, both);
        accumulate(both, most_, rest_[i]);
        if (i > 0) {
            convolve(uncovered_[i], after, most_, right[i % 2]);
            after = right[i % 2];
        }
    }
    stale_ = 0;

    within_ = levels_of(0);
    for (int n = 0; n <= radius_; n++)
        within_ = within_ + left[prefixes][n];
    worth_ = volatility->share / flips;
    worth_ = worth_ * levels_of(1 / sum_of(worth_ * within_));
}

Levels FlipCoverage::set_odds(std::uint64_t flips) const
{
    Levels product = levels_of(1);
    for (std::uint64_t rest = flips; rest != 0; rest &= rest - 1)
        product = product * volatility_->odds[std::countr_zero(rest)];
    return product;
}

void FlipCoverage::refresh(int prefix)
{
    if ((stale_ >> prefix & 1) == 0)
        return;
    stale_ &= ~(1u << prefix);
    Levels product[2][kBits + 1];
    const Levels *now = free_;
    int next = 0;
    for (int i = 0; i < prefixes_; i++) {
        if (i == prefix)
            continue;
        convolve(now, uncovered_[i], most_, product[next]);
        now = product[next];
        next = 1 - next;
    }
    accumulate(now, most_, rest_[prefix]);
}

double FlipCoverage::gain(int prefix, std::uint64_t flips)
{
    if (std::popcount(flips) > radius_)
        return 0;
    refresh(prefix);
    int left = radius_ - std::popcount(flips & own_[prefix]);
    return sum_of(worth_ * (shared_[prefix] * set_odds(flips)) * rest_[prefix][left]);
}

double FlipCoverage::cover(int prefix, std::uint64_t flips) { return cover(prefix, flips, nullptr, 0, 1); }

double FlipCoverage::cover(int prefix, std::uint64_t flips, const std::uint8_t more[], int count,
                           unsigned which)
{
    static_assert(kCoveredTogether == 4);
    SIMHASH_ASSERT(count <= kCoveredTogether);
    constexpr std::uint8_t kSize[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    refresh(prefix);
    Levels odds[1 << kCoveredTogether], sum[kCoveredTogether + 1] = {};
    odds[0] = shared_[prefix] * set_odds(flips);
    unsigned own = 0;
    for (int i = 0; i < count; i++) {
        for (int set = 0; set < 1 << i; set++)
            odds[set | 1 << i] = odds[set] * volatility_->odds[more[i]];
        own |= static_cast<unsigned>(own_[prefix] >> more[i] & 1) << i;
    }
    int left = radius_ - std::popcount(flips), size = std::popcount(flips & own_[prefix]);
    for (unsigned rest = which; rest != 0; rest &= rest - 1) {
        int set = std::countr_zero(rest);
        if (kSize[set] <= left)
            sum[kSize[static_cast<unsigned>(set) & own]] =
                sum[kSize[static_cast<unsigned>(set) & own]] + odds[set];
    }
    double gained = 0;
    for (int i = 0; i <= count && size + i <= radius_; i++) {
        Levels &uncovered = uncovered_[prefix][size + i];
        uncovered = positive(uncovered - sum[i]);
        gained += sum_of(worth_ * sum[i] * rest_[prefix][radius_ - size - i]);
    }
    stale_ |= ~(1u << prefix);
    covered_ = std::min(1.0, covered_ + gained);
    return gained;
}

void FlipCoverage::set_flip_weight(int prefix, FlipValue *out)
{
    refresh(prefix);
    out->bits = std::popcount(prefix_[prefix]);
    out->most = std::min(radius_, out->bits);
    Levels weight = worth_ * shared_[prefix];
    for (int size = 0; size <= out->most; size++)
        out->weight[size] = weight * rest_[prefix][radius_ - size];
}

void FlipCoverage::set_flip_order(int prefix, FlipValue *out) const
{
    // A bit's rank is the number of those that are more volatile.
    using Four = std::int32_t __attribute__((vector_size(16)));
    Four stability[kBits / 4 + 1];
    std::int32_t padded[kBits + 4];
    int bits = 0;
    for (std::uint64_t rest = prefix_[prefix]; rest != 0; rest &= rest - 1)
        padded[bits++] = volatility_->stability[std::countr_zero(rest)];
    int fours = (bits + 3) / 4;
    std::fill(padded + bits, padded + fours * 4, INT32_MAX);
    for (int i = 0; i < fours; i++)
        stability[i] = Four{padded[4 * i], padded[4 * i + 1], padded[4 * i + 2], padded[4 * i + 3]};
    for (int i = 0; i < bits; i++) {
        Four own = {padded[i], padded[i], padded[i], padded[i]}, less = {};
        for (int j = 0; j < fours; j++)
            less += stability[j] < own; // -1 where it is
        int rank = -(less[0] + less[1] + less[2] + less[3]);
        out->position[rank] = static_cast<std::uint8_t>(padded[i] & 63);
        out->odds[rank] = volatility_->odds[padded[i] & 63];
    }
}

} // namespace simhash
