#include "core/report/collection_report.hpp"

#include <algorithm>
#include <cmath>

namespace simhash
{

void add_distances(const Fingerprint *sample, std::size_t row, DistanceCounts *counts)
{
    std::uint32_t at[kBits + 1] = {};
    for (std::size_t i = 0; i < row; i++)
        at[hamming_distance(sample[i], sample[row])]++;
    for (int d = 0; d <= kBits; d++)
        counts->at[d] += at[d];
    counts->pairs += static_cast<double>(row);
}

void measure_ones(const Fingerprint *sample, std::size_t count, double ones[kBits])
{
    for (int bit = 0; bit < kBits; bit++) {
        std::size_t set = 0;
        for (std::size_t i = 0; i < count; i++)
            set += sample[i] >> bit & 1;
        ones[bit] = count == 0 ? 0 : static_cast<double>(set) / static_cast<double>(count);
    }
}

double informative_bits(const double ones[kBits])
{
    double bits = 0;
    for (int bit = 0; bit < kBits; bit++) {
        for (double p : {ones[bit], 1 - ones[bit]}) {
            if (p > 0)
                bits -= p * std::log2(p);
        }
    }
    return bits;
}

void fit_chance(const DistanceCounts &counts, const double ones[kBits], double within[kBits + 1])
{
    double mean = 0, square = 0, independent = 0, expected = 0;
    for (int d = 0; d <= kBits; d++) {
        double share = counts.pairs > 0 ? counts.at[d] / counts.pairs : 0;
        mean += share * d;
        square += share * d * d;
    }
    for (int bit = 0; bit < kBits; bit++) {
        double differ = 2 * ones[bit] * (1 - ones[bit]);
        expected += differ;
        independent += differ * (1 - differ);
    }
    int trials = kBits; // the number of bits, all equally likely to differ, that has this variance
    if (expected > independent)
        trials = std::clamp(static_cast<int>(std::lround(expected * expected / (expected - independent))), 1,
                            kBits);
    trials = std::max(trials, std::min(kBits, static_cast<int>(std::ceil(mean))));
    double p = std::clamp(mean / trials, 1e-9, 1 - 1e-9);
    double binomial = trials * p * (1 - p), variance = square - mean * mean;
    double correlation = std::clamp((variance / binomial - 1) / std::max(1, trials - 1), 0.0, 0.999);
    // With less variance the beta distribution is a point, and the logarithms of the gamma function would
    // cancel.
    bool beta = correlation > 1e-6;
    double a = beta ? p * (1 / correlation - 1) : 0, b = beta ? (1 - p) * (1 / correlation - 1) : 0;
    double sum = 0;
    for (int d = 0; d <= kBits; d++) {
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
