#include "core/volatility.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace simhash
{

namespace
{

// Levels that hold less than this part of the near-duplicates within the radius are left out.
constexpr double kLeastShare = 1e-4;

// No likelihood is smaller: what no level explains must not decide.
constexpr double kLeastLikelihood = 1e-30;

// Q(z) for z = 0, 1/32, … 8, to look up: a query needs some hundred values of it. With linear interpolation
// it is right to some 10^-4 of itself where it matters. Computed without the library's functions, so that a
// query reads the same places on every machine.
constexpr int kTailSteps = 32;
constexpr int kTailEnd = 8;

constexpr double exponential(double x)
{
    int halvings = 0;
    for (; x < -0.25; halvings++)
        x /= 2;
    double sum = 1, term = 1;
    for (int i = 1; i < 14; i++)
        sum += term *= x / i;
    for (; halvings > 0; halvings--)
        sum *= sum;
    return sum;
}

constexpr double normal_density(double z) { return exponential(-z * z / 2) * 0.39894228040143268; }

struct TailTable {
    double tail[kTailEnd * kTailSteps + 2];
};

// From the end, by Simpson's rule.
constexpr TailTable make_tail_table()
{
    TailTable table{};
    double step = 1.0 / kTailSteps;
    table.tail[kTailEnd * kTailSteps] = 6.2209605742717841e-16;
    for (int i = kTailEnd * kTailSteps - 1; i >= 0; i--) {
        double z = i * step;
        table.tail[i] =
            table.tail[i + 1] +
            (normal_density(z) + 4 * normal_density(z + step / 2) + normal_density(z + step)) * step / 6;
    }
    return table;
}

constexpr TailTable kTail = make_tail_table();

// At most 0.5; 0 from 8 on.
double normal_tail(double z)
{
    double at = z * kTailSteps;
    if (!(at < kTailEnd * kTailSteps))
        return 0;
    int i = static_cast<int>(at);
    double tail = kTail.tail[i] + (kTail.tail[i + 1] - kTail.tail[i]) * (at - i);
    return std::min(tail, 0.5);
}

// to[n] = sum a[i] b[n - i]
void convolve(const double a[], const double b[], int most, double to[])
{
    for (int n = 0; n <= most; n++) {
        double sum = 0;
        for (int i = 0; i <= n; i++)
            sum += a[i] * b[n - i];
        to[n] = sum;
    }
}

} // namespace

double scale_cosine(double scale) { return 1 / std::sqrt(1 + scale * scale); }

bool is_volatility_model(const VolatilityModel &model)
{
    double sum = 0;
    for (double share : model.share) {
        if (!(share >= 0 && share <= 1))
            return false;
        sum += share;
    }
    return std::fabs(sum - 1) < 1e-6;
}

double weights_norm(const Weights &weights)
{
    double sum = 0;
    for (Weight weight : weights.sum)
        sum += static_cast<double>(weight) * static_cast<double>(weight);
    return std::sqrt(sum / kBits);
}

double flip_probability(Weight weight, double norm, double scale)
{
    // Weights that are all 0 tell nothing.
    return norm > 0 ? normal_tail(std::fabs(static_cast<double>(weight)) / (norm * scale)) : 0.5;
}

void count_flips(const double p[kBits], std::uint64_t mask, int most, double distribution[])
{
    std::fill(distribution, distribution + most + 1, 0.0);
    distribution[0] = 1;
    int bits = 0;
    for (std::uint64_t rest = mask; rest != 0; rest &= rest - 1) {
        double flip = p[std::countr_zero(rest)];
        bits++;
        for (int n = std::min(bits, most); n > 0; n--)
            distribution[n] = distribution[n] * (1 - flip) + distribution[n - 1] * flip;
        distribution[0] *= 1 - flip;
    }
}

void set_volatility(const VolatilityModel &model, const Weights &weights, int radius, Volatility *out)
{
    out->radius = std::min(radius, kBits);
    out->levels = 0;
    for (int j = 0; j < kBits; j++)
        out->order[j] = static_cast<std::uint8_t>(j);
    double size[kBits];
    for (int j = 0; j < kBits; j++)
        size[j] = std::fabs(static_cast<double>(weights.sum[j]));
    std::sort(out->order, out->order + kBits,
              [&size](int a, int b) { return size[a] != size[b] ? size[a] < size[b] : a < b; });

    double norm = weights_norm(weights);
    double within[kVolatilityLevels];
    double all = 0;
    for (int level = 0; level < kVolatilityLevels; level++) {
        if (!(model.share[level] > 0))
            continue;
        double *p = out->p[out->levels];
        double per_unit = norm > 0 ? 1 / (norm * kVolatilityScale[level]) : 0;
        for (int j = 0; j < kBits; j++)
            p[j] = normal_tail(size[j] * per_unit);
        double distribution[kBits + 1];
        count_flips(p, ~std::uint64_t{0}, out->radius, distribution);
        double sum = 0;
        for (int n = 0; n <= out->radius; n++)
            sum += distribution[n];
        within[out->levels] = model.share[level] * sum;
        out->share[out->levels] = model.share[level];
        all += within[out->levels];
        out->levels++;
    }

    // What is left of the levels, and its sum.
    int kept = 0;
    double kept_sum = 0;
    for (int level = 0; level < out->levels; level++) {
        if (within[level] < kLeastShare * all)
            continue;
        if (kept != level)
            std::copy(out->p[level], out->p[level] + kBits, out->p[kept]);
        for (int j = 0; j < kBits; j++)
            out->odds[kept][j] = out->p[kept][j] / (1 - out->p[kept][j]);
        out->share[kept++] = out->share[level];
        kept_sum += within[level];
    }
    out->levels = kept;
    out->within = all;
    for (int level = 0; level < kept; level++)
        out->share[level] /= kept_sum;
}

void VolatilityFit::begin()
{
    for (int level = 0; level < kVolatilityLevels; level++) {
        model_.share[level] = 1.0 / kVolatilityLevels;
        sum_[level] = 0;
    }
    log_likelihood_ = 0;
    pairs_ = 0;
}

void VolatilityFit::likelihood(const Weights &weights, Fingerprint partner, double out[kVolatilityLevels])
{
    double norm = weights_norm(weights);
    Fingerprint flips = weights_fingerprint(weights) ^ partner;
    double logs[kVolatilityLevels], best = -HUGE_VAL;
    for (int level = 0; level < kVolatilityLevels; level++) {
        logs[level] = 0;
        for (int j = 0; j < kBits; j++) {
            double p = flip_probability(weights.sum[j], norm, kVolatilityScale[level]);
            logs[level] += (flips >> j & 1) != 0 ? std::log(std::max(p, kLeastLikelihood)) : std::log1p(-p);
        }
        best = std::max(best, logs[level]);
    }
    for (int level = 0; level < kVolatilityLevels; level++)
        out[level] = std::exp(logs[level] - best);
}

void VolatilityFit::add(const double likelihood[kVolatilityLevels], double weight)
{
    double all = 0;
    for (int level = 0; level < kVolatilityLevels; level++)
        all += model_.share[level] * likelihood[level];
    if (!(all > 0))
        return;
    for (int level = 0; level < kVolatilityLevels; level++)
        sum_[level] += weight * model_.share[level] * likelihood[level] / all;
    log_likelihood_ += weight * std::log(all);
    pairs_ += weight;
}

double VolatilityFit::finish_round()
{
    if (pairs_ == 0)
        return 0;
    double mean = log_likelihood_ / pairs_;
    for (int level = 0; level < kVolatilityLevels; level++) {
        model_.share[level] = sum_[level] / pairs_;
        sum_[level] = 0;
    }
    log_likelihood_ = 0;
    pairs_ = 0;
    return mean;
}

void FlipCoverage::begin(const Volatility *volatility, const std::uint64_t prefix[], int prefixes)
{
    volatility_ = volatility;
    prefixes_ = prefixes;
    covered_ = 0;
    std::uint64_t taken = 0;
    for (int i = 0; i < prefixes; i++) {
        prefix_[i] = prefix[i];
        own_[i] = prefix[i] & ~taken;
        taken |= prefix[i];
    }
    for (int level = 0; level < volatility->levels; level++) {
        const double *p = volatility->p[level];
        count_flips(p, ~taken, volatility->radius, free_[level]);
        for (int i = 0; i < prefixes; i++) {
            count_flips(p, own_[i], volatility->radius, uncovered_[level][i]);
            double none[1];
            count_flips(p, prefix_[i], 0, none);
            nothing_[level][i] = none[0];
        }
    }
    stale_ = ~0u;
}

double FlipCoverage::set_probability(int level, int prefix, std::uint64_t flips) const
{
    double product = nothing_[level][prefix];
    for (std::uint64_t rest = flips; rest != 0; rest &= rest - 1)
        product *= volatility_->odds[level][std::countr_zero(rest)];
    return product;
}

void FlipCoverage::refresh(int prefix)
{
    if ((stale_ >> prefix & 1) == 0)
        return;
    stale_ &= ~(1u << prefix);
    int most = volatility_->radius;
    for (int level = 0; level < volatility_->levels; level++) {
        double product[2][kBits + 1];
        int now = 0;
        std::copy(free_[level], free_[level] + most + 1, product[now]);
        for (int i = 0; i < prefixes_; i++) {
            if (i == prefix)
                continue;
            convolve(product[now], uncovered_[level][i], most, product[1 - now]);
            now = 1 - now;
        }
        double sum = 0;
        for (int n = 0; n <= most; n++)
            rest_[level][prefix][n] = sum += product[now][n];
    }
}

double FlipCoverage::gain(int prefix, std::uint64_t flips)
{
    int left = volatility_->radius - std::popcount(flips & own_[prefix]);
    if (left < 0)
        return 0;
    refresh(prefix);
    double sum = 0;
    for (int level = 0; level < volatility_->levels; level++)
        sum += volatility_->share[level] * set_probability(level, prefix, flips) * rest_[level][prefix][left];
    return sum;
}

double FlipCoverage::cover(int prefix, std::uint64_t flips)
{
    double gained = gain(prefix, flips);
    int size = std::popcount(flips & own_[prefix]);
    if (size <= volatility_->radius) {
        for (int level = 0; level < volatility_->levels; level++) {
            double &uncovered = uncovered_[level][prefix][size];
            uncovered = std::max(0.0, uncovered - set_probability(level, prefix, flips));
        }
        stale_ |= ~(1u << prefix);
    }
    covered_ = std::min(1.0, covered_ + gained);
    return gained;
}

void FlipCoverage::set_flip_value(int prefix, FlipValue *out)
{
    refresh(prefix);
    out->bits = 0;
    for (std::uint8_t bit : volatility_->order)
        if ((prefix_[prefix] >> bit & 1) != 0)
            out->position[out->bits++] = bit;
    out->most = std::min(volatility_->radius, out->bits);
    out->levels = volatility_->levels;
    for (int level = 0; level < out->levels; level++) {
        for (int rank = 0; rank < out->bits; rank++)
            out->odds[level][rank] = volatility_->odds[level][out->position[rank]];
        for (int size = 0; size <= out->most; size++)
            out->weight[level][size] = volatility_->share[level] * nothing_[level][prefix] *
                                       rest_[level][prefix][volatility_->radius - size];
    }
}

} // namespace simhash
