// Which bits of a fingerprint a near-duplicate is likely to flip.
//
// A document's sum W_j is the projection of its feature vector x on a random direction, so W_j is
// about normal with deviation |x|. A document with vector y at cosine rho to x has the sum rho W_j + noise of
// deviation |x| sqrt(1 - rho^2), and flips the bit with probability
//
//     p_j = Q(|W_j| / (scale * |x|)),   scale = sqrt(1 - rho^2) / rho,   Q(z) = P(a standard normal > z).
//
// Sood and Loguinov (2011, section 5.1) have p_j = P(Y_j > |W_j|) instead, where Y_j is the difference of W_j
// between two documents of the collection, sampled from all of its pairs (Figure 1(b)).
//
// |x| is estimated by s = sqrt(sum_j W_j^2 / 64), which makes the model independent of the weights' unit.
//
// Sums of few features are far apart: those of 20 words are even, and a bit is 1 from 0 on, so a sum of -2 is as close
// to its flip as one of 0. So each W_j is counted from the middle between the two values around which the bit changes.
//
// Near-duplicates are not all equally similar, and no single scale fits them. It would treat flips as
// independent, while distant partners have many of them together and close ones almost none, and so predict
// too much recall or too little, depending on the radius. So the scale has a distribution: a fixed grid of
// levels, with a share of the near-duplicates at each. Given the level, flips are independent. Only the
// shares are fitted.
#pragma once

#include <cstdint>

#include "core/features/weights.hpp"
#include "core/likely/levels.hpp"

namespace simhash
{

inline constexpr int kVolatilityLevels = 5;
static_assert(kVolatilityLevels <= kLevelLanes);

// The grid of scales.
inline constexpr double kVolatilityScale[kVolatilityLevels] = {0.03, 0.1, 0.2, 0.35, 0.7};

// Plain doubles: the metapage holds one as it is.
struct VolatilityModel {
    double share[kVolatilityLevels]; // not negative, and they add up to 1
};

// It leans towards less similar near-duplicates: revisions, excerpts and texts with one word in twenty edited are
// all found as often as the target says, or more often. A fit to revisions misses its target by far for the others,
// because it counts on many copies. See bench/papers.
inline constexpr VolatilityModel kDefaultVolatility = {{0.05, 0.05, 0.3, 0.4, 0.2}};

// Whether the shares are numbers from 0 to 1 that add up to 1, up to rounding.
bool is_volatility_model(const VolatilityModel &model);

// What the model says about one document's near-duplicates.
//
// A bit's odds are p / (1 - p). The chance that exactly the bits S flip is prod_{j in S} odds_j times a
// factor that does not depend on S, so everything is computed with odds.
struct Volatility {
    int radius;                    // 0 to 64: of the search for near-duplicates
    Levels share;                  // the model's
    Levels odds[kBits];            // by bit, 0 to 1
    std::int32_t stability[kBits]; // by bit: less for more volatile bits; no two are equal
};

void set_volatility(const VolatilityModel &model, const Weights &weights, int radius, Volatility *out);

// Sets |W_j|, as above. Returns s, in the unit of the weights.
double flip_sizes(const Weights &weights, double size[kBits]);

// p_j above: the chance that a bit of this size flips at a scale.
double flip_probability(double size, double norm, double scale);

// The chance that a bit flips in a near-duplicate of any level.
double flip_probability(const Volatility &volatility, int bit);

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
