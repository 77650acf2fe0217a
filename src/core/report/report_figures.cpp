#include "core/report/report_figures.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace simhash
{

void add_distances(const BitRows &sample, std::size_t row, DistanceCounts *counts)
{
    const std::size_t words = sample.words();
    const std::uint64_t *last = sample.row(row);
    for (const std::uint64_t *other = sample.word; other < last; other += words) {
        int distance = 0;
        for (std::size_t i = 0; i < words; i++)
            distance += std::popcount(other[i] ^ last[i]);
        counts->at[distance]++;
    }
    counts->pairs += static_cast<double>(row);
}

void measure_ones(const BitRows &sample, double *ones)
{
    for (int bit = 0; bit < sample.bits; bit++) {
        std::size_t set = 0;
        for (std::size_t i = 0; i < sample.count; i++)
            set += sample.row(i)[bit / 64] >> bit % 64 & 1;
        ones[bit] = sample.count == 0 ? 0 : static_cast<double>(set) / static_cast<double>(sample.count);
    }
}

double informative_bits(const double *ones, int bits)
{
    double sum = 0;
    for (int bit = 0; bit < bits; bit++) {
        for (double p : {ones[bit], 1 - ones[bit]}) {
            if (p > 0)
                sum -= p * std::log2(p);
        }
    }
    return sum;
}

void fit_chance(const DistanceCounts &counts, const double *ones, int bits, double *within)
{
    double mean = 0, square = 0, independent = 0, expected = 0;
    for (int d = 0; d <= bits; d++) {
        double share = counts.pairs > 0 ? counts.at[d] / counts.pairs : 0;
        mean += share * d;
        square += share * d * d;
    }
    for (int bit = 0; bit < bits; bit++) {
        double differ = 2 * ones[bit] * (1 - ones[bit]);
        expected += differ;
        independent += differ * (1 - differ);
    }
    int trials = bits; // the number of bits, all equally likely to differ, that has this variance
    if (expected > independent)
        trials = std::clamp(static_cast<int>(std::lround(expected * expected / (expected - independent))), 1,
                            bits);
    trials = std::max(trials, std::min(bits, static_cast<int>(std::ceil(mean))));
    double p = std::clamp(mean / trials, 1e-9, 1 - 1e-9);
    double binomial = trials * p * (1 - p), variance = square - mean * mean;
    double correlation = std::clamp((variance / binomial - 1) / std::max(1, trials - 1), 0.0, 0.999);
    // With less variance the beta distribution is a point, and the logarithms of the gamma function would
    // cancel.
    bool beta = correlation > 1e-6;
    double a = beta ? p * (1 / correlation - 1) : 0, b = beta ? (1 - p) * (1 / correlation - 1) : 0;
    double sum = 0;
    for (int d = 0; d <= bits; d++) {
        if (d <= trials) {
            double choose = std::lgamma(trials + 1) - std::lgamma(d + 1) - std::lgamma(trials - d + 1);
            double log = beta ? std::lgamma(d + a) + std::lgamma(trials - d + b) -
                                    std::lgamma(trials + a + b) -
                                    (std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b))
                              : d * std::log(p) + (trials - d) * std::log1p(-p);
            sum += std::exp(choose + log);
        }
        within[d] = std::min(1.0, sum);
    }
}

void raise_chance(const DistanceCounts &counts, int bits, int distance, double *within, double *pairs)
{
    for (int d = bits; d >= 0; d--)
        pairs[d] = d > distance || d == bits ? counts.at[d] : std::min(counts.at[d], pairs[d + 1]);
    double sum = 0;
    for (int d = 0; d <= bits; d++) {
        sum += pairs[d];
        double modelled = within[d] * counts.pairs;
        bool more = sum > modelled + 3 * std::sqrt(modelled) + 2;
        pairs[d] = more ? sum : 0;
        if (more)
            within[d] = sum / counts.pairs;
        if (d > 0)
            within[d] = std::max(within[d], within[d - 1]);
    }
}

Buckets measure_buckets(const KeyOrder &order, int table, const Fingerprint *sample, std::size_t count,
                        std::uint64_t *key)
{
    Buckets buckets = {0, 0};
    int bits = order.design.table[table].header_bits;
    if (count == 0)
        return buckets;
    for (std::size_t i = 0; i < count; i++)
        key[i] = bits == 0 ? 0 : order.key(table, sample[i]) >> (kBits - bits);
    std::sort(key, key + count);
    for (std::size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && key[to] == key[from];)
            to++;
        double rows = static_cast<double>(to - from);
        buckets.largest = std::max(buckets.largest, rows);
        buckets.shared += rows * (rows - 1);
    }
    double rows = static_cast<double>(count);
    buckets.largest /= rows;
    buckets.shared /= std::max(1.0, rows * (rows - 1));
    return buckets;
}

} // namespace simhash
