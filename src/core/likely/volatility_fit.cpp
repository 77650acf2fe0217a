#include "core/likely/volatility_fit.hpp"

#include <algorithm>
#include <cmath>

namespace simhash
{

namespace
{

// A lower bound of likelihoods, so that flips that no level explains do not decide.
constexpr double kLeastLikelihood = 1e-30;

} // namespace

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

} // namespace simhash
