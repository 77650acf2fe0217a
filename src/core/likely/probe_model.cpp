#include "core/likely/probe_model.hpp"

#include "core/bits/ball_volume.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace simhash
{

namespace
{

// The rate at which costs are computed: that of rows for which it matters in which order leaves are read.
constexpr int kCostRate = 7; // f = 0.21

// The cost of a bit that differs with that probability.
constexpr double kMeanCost = 8;

// P(a normal variable > x) for x >= 0, interpolated: a query with weights needs thousands of values.
class NormalTail
{
public:
    bool filled() const { return at_[0] > 0; }
    void fill()
    {
        for (int i = kPoints; i >= 0; i--)
            at_[i] =
                static_cast<float>(0.5 * std::erfc(static_cast<double>(i) / kPointsPerUnit / std::sqrt(2.0)));
    }
    float operator()(float x) const
    {
        float place = std::min(x * kPointsPerUnit, static_cast<float>(kPoints) - 0.5F);
        int point = static_cast<int>(place);
        return at_[point] + (at_[point + 1] - at_[point]) * (place - static_cast<float>(point));
    }

private:
    static constexpr int kPointsPerUnit = 64, kPoints = 8 * kPointsPerUnit;
    float at_[kPoints + 1] = {};
};

const NormalTail &normal_tail()
{
    // Not filled by its constructor, which would need functions of libstdc++ for threads.
    static NormalTail tail;
    if (!tail.filled())
        tail.fill();
    return tail;
}

// Buckets of weights relative to their mean absolute value.
constexpr float kBucketWidth = 0.0625F;
float middle(int bucket) { return (static_cast<float>(bucket) + 0.5F) * kBucketWidth; }

// Multiplies by the probability that a bit differs from the query's, or that it does not.
void multiply(const FlipRates &rate, bool differs, FlipRates *value)
{
    for (int g = 0; g < kFlipRates; g++)
        value->at[g] *= differs ? rate.at[g] : 1 - rate.at[g];
}

void add(const FlipRates &value, FlipRates *sum)
{
    for (int g = 0; g < kFlipRates; g++)
        sum->at[g] += value.at[g];
}

// The leaves of a tree in the order of their probability: those of a shell have the same.
class Shells
{
public:
    Shells(double leaves, double f)
        : depth_(static_cast<int>(std::lround(std::log2(std::max(1.0, leaves))))), ratio_(f / (1 - f)),
          each_(std::pow(1 - f, depth_))
    {
    }

    // The probability that a row is in the first `leaves` leaves.
    double holding(double leaves)
    {
        double sum = 0;
        for (; more(); next()) {
            double some = std::min(leaves, count_);
            sum += some * each_;
            leaves -= some;
        }
        return sum;
    }

    // The number of leaves that hold a row with this probability.
    double leaves_for(double probability)
    {
        double sum = 0;
        for (; more(); next()) {
            if (count_ * each_ >= probability)
                return sum + probability / each_;
            sum += count_;
            probability -= count_ * each_;
        }
        return std::numeric_limits<double>::infinity();
    }

private:
    bool more() const { return errors_ <= depth_; }
    void next()
    {
        count_ *= (depth_ - errors_) / (errors_ + 1.0);
        each_ *= ratio_;
        errors_++;
    }

    int depth_, errors_ = 0;
    double ratio_, each_, count_ = 1;
};

// Of each tree, so that all of them together reach `recall`.
double share_of_tree(double recall, int trees) { return 1 - std::pow(1 - recall, 1.0 / trees); }

} // namespace

void FlipModel::set_uniform()
{
    uniform_ = true;
    for (int g = 0; g < kFlipRates; g++)
        rates_[0].at[g] = flip_rate(g);
}

void FlipModel::set_weights(const float *weights, int bits)
{
    set_uniform();
    float mean = 0;
    for (int j = 0; j < bits; j++)
        mean += std::fabs(weights[j]) / static_cast<float>(bits);
    if (!(mean > 0) || !std::isfinite(mean))
        return;
    uniform_ = false;
    int count[kBuckets] = {};
    for (int j = 0; j < bits; j++) {
        float place = std::fabs(weights[j]) / mean / kBucketWidth;
        bucket_[j] = static_cast<std::uint8_t>(std::min(place, static_cast<float>(kBuckets) - 0.5F));
        count[bucket_[j]]++;
    }
    // The scales grow by a constant factor, and the mean with them. Between two scales all rates are interpolated, so
    // their mean is exact.
    constexpr float kFirstScale = 1.0F / 64, kGrowth = 1.4F;
    constexpr int kScales = 40;
    const NormalTail &tail = normal_tail();
    FlipRates *rates = rates_;
    float below[kBuckets] = {}, at[kBuckets], mean_below = 0, scale = kFirstScale;
    for (int b = 0; b < kBuckets; b++)
        rates[b].at[0] = 0;
    for (int step = 0, g = 1; g < kFlipRates; step++, scale *= kGrowth) {
        float mean_at = 0;
        for (int b = 0; b < kBuckets; b++) {
            at[b] = tail(middle(b) / scale);
            mean_at += static_cast<float>(count[b]) / static_cast<float>(bits) * at[b];
        }
        for (; g < kFlipRates && (mean_at >= flip_rate(g) || step == kScales); g++) {
            float fraction = std::clamp((flip_rate(g) - mean_below) / (mean_at - mean_below), 0.0F, 1.0F);
            for (int b = 0; b < kBuckets; b++)
                rates[b].at[g] = below[b] + (at[b] - below[b]) * fraction;
        }
        std::copy(at, at + kBuckets, below);
        mean_below = mean_at;
    }
}

void ProbeModel::begin(const SignatureLayout *layout, const FlipModel *flips, const std::uint64_t *key)
{
    layout_ = layout;
    flips_ = flips;
    key_ = key;
    for (int t = 0; t < layout->trees; t++)
        std::fill(missed_[t].at, missed_[t].at + kFlipRates, 1.0F);
    for (auto &memo : memo_)
        memo.bits = -1;
}

// Adds the probability of the keys that are not below a bound, or not above it if it is the upper one. `value` is that of
// the first `from` bits, in which all of them agree with the bound.
void ProbeModel::add_side(int tree, std::uint64_t bound, bool upper, int from, FlipRates value,
                          FlipRates *sum) const
{
    const std::uint16_t *bit = layout_->key_bits(tree);
    const std::uint64_t errors = bound ^ key_[tree];
    // If the rest of the bound is the extreme one, all keys belong to the range.
    const int end = kKeyBits - std::countr_zero(upper ? ~bound : bound);
    for (int i = from; i < end; i++) {
        const FlipRates &rate = flips_->of_bit(bit[i]);
        const bool differs = errors >> (63 - i) & 1;
        if ((bound >> (63 - i) & 1) == (upper ? 1 : 0)) { // the branch beside the bound lies within the range
            FlipRates beside = value;
            multiply(rate, !differs, &beside);
            add(beside, sum);
        }
        multiply(rate, differs, &value);
    }
    add(value, sum);
}

// Adds P(low <= key <= high): the range is cut into ranges of keys with the same leading bits.
void ProbeModel::add_range(int tree, std::uint64_t low, std::uint64_t high, FlipRates *sum) const
{
    const std::uint16_t *bit = layout_->key_bits(tree);
    const int common = std::countl_zero(low ^ high);
    FlipRates prefix;
    std::fill(prefix.at, prefix.at + kFlipRates, 1.0F);
    for (int i = 0; i < common; i++)
        multiply(flips_->of_bit(bit[i]), (low ^ key_[tree]) >> (63 - i) & 1, &prefix);
    if (common == kKeyBits) {
        add(prefix, sum);
        return;
    }
    // Below the first bit in which they differ: all that is above `low` on one side, and below `high` on the other.
    for (const bool upper : {false, true}) {
        const std::uint64_t bound = upper ? high : low;
        FlipRates side = prefix;
        multiply(flips_->of_bit(bit[common]), (bound ^ key_[tree]) >> (63 - common) & 1, &side);
        add_side(tree, bound, upper, common + 1, side, sum);
    }
}

const FlipRates &ProbeModel::within(int bits, int radius)
{
    auto &memo = memo_[static_cast<unsigned>(bits * 7 + radius) % 64];
    if (memo.bits != bits || memo.radius != radius) {
        memo.bits = bits;
        memo.radius = radius;
        binomial_within(bits, radius, &memo.rates);
    }
    return memo.rates;
}

void ProbeModel::read_leaf(int tree, std::uint64_t low, std::uint64_t high, int radius)
{
    FlipRates in_leaf = {};
    add_range(tree, low, high, &in_leaf);
    int depth = std::countl_zero(low ^ high);
    int errors = depth == 0 ? 0 : std::popcount((low ^ key_[tree]) >> (64 - depth));
    const FlipRates &candidate = within(layout_->key_length() - depth, radius - errors);
    for (int g = 0; g < kFlipRates; g++)
        missed_[tree].at[g] -= in_leaf.at[g] * candidate.at[g];
}

double ProbeModel::found(double f) const
{
    double at = f / static_cast<double>(kFlipStep);
    int g = std::clamp(static_cast<int>(at), 0, kFlipRates - 2);
    double fraction = std::min(at - g, 1.0), missed = 1;
    for (int t = 0; t < layout_->trees; t++) {
        const FlipRates &rates = missed_[t];
        double low = static_cast<double>(rates.at[g]), high = static_cast<double>(rates.at[g + 1]);
        missed *= std::max(0.0, low + (high - low) * fraction);
    }
    return 1 - missed;
}

void binomial_within(int n, int radius, FlipRates *result)
{
    for (int g = 0; g < kFlipRates; g++) {
        double f = static_cast<double>(flip_rate(g)), term = std::pow(1 - f, n), sum = 0;
        for (int i = 0; i <= std::min(n, radius); i++) {
            sum += term;
            term *= (n - i) / (i + 1.0) * (f / (1 - f));
        }
        result->at[g] = static_cast<float>(std::min(1.0, sum));
    }
}

int candidate_radius(int bits, int depth, int errors, double rows, double count)
{
    int rest = bits - depth, radius = 0;
    while (radius < rest && ball_volume(rest, radius + 1) * count <= rows)
        radius++;
    return radius + errors;
}

void probe_costs(const SignatureLayout &layout, const FlipModel &flips, int tree, std::uint8_t cost[kKeyBits])
{
    for (int i = 0; i < kKeyBits; i++) {
        if (flips.uniform()) {
            cost[i] = 1;
            continue;
        }
        double p = static_cast<double>(flips.of_bit(layout.key_bits(tree)[i]).at[kCostRate]);
        double f = static_cast<double>(flip_rate(kCostRate));
        double relative = std::log((1 - p) / std::max(p, 1e-12)) / std::log((1 - f) / f);
        cost[i] = static_cast<std::uint8_t>(std::clamp(std::lround(kMeanCost * relative), 1L, 255L));
    }
}

double forecast_leaves(const ProbeProgress &progress)
{
    double f = std::clamp(progress.f, 1e-3, 0.5);
    double held = Shells(progress.leaves, f).holding(progress.read / progress.trees);
    double factor = share_of_tree(progress.found, progress.trees) / std::max(held, 1e-300);
    double needed = share_of_tree(progress.target, progress.trees) / std::max(factor, 1e-300);
    return std::max(0.0, Shells(progress.leaves, f).leaves_for(needed) * progress.trees - progress.read);
}

} // namespace simhash
