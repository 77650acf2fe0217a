// Fits the volatility model to pairs of near-duplicates.
#pragma once

#include "core/bits/fingerprint.hpp"
#include "core/likely/volatility_model.hpp"

namespace simhash
{

// Fits the shares to pairs of near-duplicates by maximum likelihood: expectation maximisation over the
// levels, which has one optimum. Add the likelihoods of every pair and finish the round, about 50 times. The
// caller may keep the likelihoods from round to round.
class VolatilityFit
{
public:
    void begin();

    // The likelihood of a pair's flips at each level, up to a common factor.
    static void likelihood(const Weights &weights, Fingerprint partner, double out[kVolatilityLevels]);

    // A pair may count as more or less than one.
    void add(const double likelihood[kVolatilityLevels], double weight);

    // Returns the mean log-likelihood of the round's pairs under the shares before it.
    double finish_round();

    const VolatilityModel &model() const { return model_; }

private:
    VolatilityModel model_;
    double sum_[kVolatilityLevels];
    double log_likelihood_;
    double pairs_;
};

} // namespace simhash
