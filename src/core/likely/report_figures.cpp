#include "core/likely/report_figures.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace simhash
{

namespace
{

// Half of the neighbors that a row has within the radius of its group: more than its near-duplicates.
constexpr std::size_t kEnoughNeighbors = 5;
constexpr std::size_t kPartners = 8; // neighbors of a row that are compared with each other

std::uint32_t enough_neighbors(std::size_t rows)
{
    return static_cast<std::uint32_t>(std::clamp<std::size_t>(rows / 16, 1, kEnoughNeighbors));
}

int group_step(int bits) { return (bits + Neighborhoods::kGroups - 1) / Neighborhoods::kGroups; }

int group_of(int radius, int bits) { return (radius + group_step(bits) - 1) / group_step(bits); }

// The radius from which the neighbors of the group's rows are counted.
int group_radius(int group, int bits) { return std::min(bits, group * group_step(bits)); }

// A distribution is fitted to the neighbors from the radius to here.
int farthest(int radius, int bits) { return std::min(bits, radius + std::max(3, radius / 4)); }

int distance_between(const BitRows &rows, std::size_t a, std::size_t b)
{
    int distance = 0;
    for (std::size_t i = 0; i < rows.words(); i++)
        distance += std::popcount(rows.row(a)[i] ^ rows.row(b)[i]);
    return distance;
}

// Compares some neighbors with each other: if all bits are equally likely to differ, those of two neighbors at
// distances d and e have d e / bits in common.
void add_shared_bits(const BitRows &sample, std::size_t row, const std::uint16_t *distance, int from, int to,
                     NeighborGroup *group)
{
    std::size_t partner[kPartners], partners = 0;
    for (std::size_t i = 0; i < sample.count && partners < kPartners; i++) {
        if (i == row || distance[i] < from || distance[i] > to)
            continue;
        for (std::size_t j = 0; j < partners; j++) {
            const int d = distance[i], e = distance[partner[j]];
            group->shared += (d + e - distance_between(sample, i, partner[j])) / 2.0;
            group->expected += static_cast<double>(d) * e;
        }
        partner[partners++] = i;
    }
}

// The number of neighbors at each distance, up to a scale: a binomial distribution, whose logarithm is multiplied by
// `sharpness`. So it is as wide as correlated bits make it.
class Tail
{
public:
    // Requires: group.at has neighbors from `from` to `to`.
    Tail(const NeighborGroup &group, int from, int to, int bits) : group_(group), from_(from), to_(to)
    {
        trials_ = std::max(group.shared > 0 ? group.expected / group.shared : bits, to + 1.0);
        for (int d = from; d <= to; d++) {
            count_ += group.at[d];
            mean_ += group.at[d] * d;
            log_ways_[d - from] = log_ways(d);
        }
        mean_ /= count_;
    }

    // Fits the odds to the neighbors' mean distance. Returns the logarithm of the likelihood.
    double fit(double sharpness)
    {
        sharpness_ = sharpness;
        double low = -kMostLogOdds, high = kMostLogOdds;
        while (high - low > 1e-6) {
            log_odds_ = (low + high) / 2;
            (measure() <= mean_ ? low : high) = log_odds_;
        }
        measure();
        double sum = 0;
        for (int d = from_; d <= to_; d++)
            sum += group_.at[d] * (sharpness_ * log_ways_[d - from_] + log_odds_ * d - log_sum_);
        return sum;
    }

    double neighbors(int distance) const
    {
        return count_ * std::exp(sharpness_ * log_ways(distance) + log_odds_ * distance - log_sum_);
    }

private:
    static constexpr double kMostLogOdds = 40;

    // The logarithm of the number of ways to choose the bits that differ, without a constant term.
    double log_ways(int d) const { return -std::lgamma(d + 1) - std::lgamma(trials_ - d + 1); }

    // Returns the mean distance, and sets the sum of the distribution.
    double measure()
    {
        double most = -std::numeric_limits<double>::infinity();
        for (int d = from_; d <= to_; d++)
            most = std::max(most, sharpness_ * log_ways_[d - from_] + log_odds_ * d);
        double sum = 0, moment = 0;
        for (int d = from_; d <= to_; d++) {
            const double share = std::exp(sharpness_ * log_ways_[d - from_] + log_odds_ * d - most);
            sum += share;
            moment += share * d;
        }
        log_sum_ = most + std::log(sum);
        return moment / sum;
    }

    const NeighborGroup &group_;
    int from_, to_;
    double trials_;
    double count_ = 0, mean_ = 0;
    double sharpness_ = 1, log_odds_ = 0, log_sum_ = 0;
    double log_ways_[kMostSignatureBits + 1];
};

// Calls `with` for the tail of each group that has neighbors to fit it to.
template <typename With> void for_each_tail(const Neighborhoods &all, int bits, With with)
{
    for (int i = 0; i <= Neighborhoods::kGroups; i++) {
        const NeighborGroup &group = all.group[i];
        const int radius = group_radius(i, bits), to = farthest(radius, bits);
        if (std::all_of(group.at + radius, group.at + to + 1, [](double count) { return count == 0; }))
            continue;
        Tail tail(group, radius, to, bits);
        with(&tail, group, radius);
    }
}

// The sharpness for which the tails of all groups together are likeliest: one group has too few neighbors to tell.
double fit_sharpness(const Neighborhoods &all, int bits)
{
    double best = 1, best_sum = -std::numeric_limits<double>::infinity();
    for (int step = 0; step < 24; step++) {
        double sum = 0, sharpness = std::exp2(-step / 4.0);
        for_each_tail(all, bits,
                      [&](Tail *tail, const NeighborGroup &, int) { sum += tail->fit(sharpness); });
        if (sum < best_sum)
            break;
        best = sharpness;
        best_sum = sum;
    }
    return best;
}

} // namespace

void add_distances(const BitRows &sample, std::size_t row, DistanceCounts *counts)
{
    for (std::size_t other = 0; other < row; other++)
        counts->at[distance_between(sample, other, row)]++;
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

void add_neighborhood(const BitRows &sample, std::size_t row, std::uint16_t *distance, Neighborhoods *all)
{
    const int bits = sample.bits;
    // Half of the other rows choose the radius, and the other half are counted, so that a radius with more neighbors
    // than others by chance is not mistaken for a dense one.
    std::uint32_t choosing[kMostSignatureBits + 1] = {}, counting[kMostSignatureBits + 1] = {};
    for (std::size_t i = 0; i < sample.count; i++) {
        distance[i] = static_cast<std::uint16_t>(distance_between(sample, i, row));
        if (i != row)
            ((i + row) % 2 == 0 ? choosing : counting)[distance[i]]++;
    }
    const std::uint32_t enough = enough_neighbors(sample.count);
    int radius = 0;
    for (std::uint32_t seen = choosing[0]; seen < enough && radius < bits;)
        seen += choosing[++radius];
    NeighborGroup &group = all->group[group_of(radius, bits)];
    radius = group_radius(group_of(radius, bits), bits);
    double neighbors = 0;
    for (int d = 0; d <= bits; d++) {
        group.at[d] += 2 * counting[d];
        neighbors += 2 * counting[d];
        if (d >= radius)
            all->counted[d] += neighbors;
    }
    all->pairs += neighbors;
    add_shared_bits(sample, row, distance, radius, farthest(radius, bits), &group);
}

void estimate_chance(const Neighborhoods &all, int bits, double *within, double *pairs)
{
    std::copy_n(all.counted, bits + 1, within);
    const double sharpness = fit_sharpness(all, bits);
    for_each_tail(all, bits, [&](Tail *tail, const NeighborGroup &group, int radius) {
        tail->fit(sharpness);
        double modelled = 0, seen = 0;
        for (int d = 0; d < radius; d++) {
            modelled += tail->neighbors(d);
            seen += group.at[d];
            within[d] += std::min(modelled, seen + 2 * std::sqrt(seen) + 3); // more would have been seen
        }
    });
    for (int d = 0; d <= bits; d++) {
        pairs[d] = 2 * all.counted[d] > within[d] ? all.counted[d] / 2 : 0;
        within[d] = all.pairs > 0 ? std::min(1.0, within[d] / all.pairs) : 1;
        if (d > 0)
            within[d] = std::max(within[d], within[d - 1]);
    }
}

Buckets measure_buckets(const KeyOrder &order, int tree, const Fingerprint *sample, std::size_t count,
                        std::uint64_t *key)
{
    Buckets buckets = {0, 0};
    int bits = order.design.tree[tree].header_bits;
    if (count == 0)
        return buckets;
    for (std::size_t i = 0; i < count; i++)
        key[i] = bits == 0 ? 0 : order.key(tree, sample[i]) >> (kBits - bits);
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
