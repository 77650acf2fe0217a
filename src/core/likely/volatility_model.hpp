// Which bits of a fingerprint a near-duplicate is likely to flip, and what fraction of the near-duplicates a
// set of probes has covered.
//
// The model. A document's sum W_j is the projection of its feature vector x on a random direction, so W_j is
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
// Near-duplicates are not all equally similar, and no single scale fits them. It would treat flips as
// independent, while distant partners have many of them together and close ones almost none, and so predict
// too much recall or too little, depending on the radius. So the scale has a distribution: a fixed grid of
// levels, with a share of the near-duplicates at each. Given the level, flips are independent. Only the
// shares are fitted.
#pragma once

#include <cstdint>

#include "core/bits/fingerprint.hpp"
#include "core/features/weights.hpp"
#include "core/likely/levels.hpp"
#include "core/likely/vosh.hpp"

namespace simhash
{

inline constexpr int kVolatilityLevels = 5;
static_assert(kVolatilityLevels <= kLevelLanes);

// The grid of scales.
inline constexpr double kVolatilityScale[kVolatilityLevels] = {0.03, 0.1, 0.2, 0.35, 0.7};

// rho, the cosine of documents at a scale.
double scale_cosine(double scale);

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

// The chance that bit j of a document with norm s flips at a scale: p_j above.
double flip_probability(Weight weight, double norm, double scale);

// The chance that a bit flips in a near-duplicate of any level.
double flip_probability(const Volatility &volatility, int bit);

// s, in the unit of the weights.
double weights_norm(const Weights &weights);

// Sets sums[n], n = 0 to most, to the sum over all sets of n bits in `mask` of the product of their odds.
// These are the chances that exactly n of the bits flip, a Poisson-binomial distribution, times prod (1 +
// odds), which is returned.
Levels sum_flips(const Levels odds[kBits], std::uint64_t mask, int most, Levels sums[]);

// prod (1 + odds) over the bits in `mask`: the reciprocal of the chance that none of them flips.
Levels inverse_of_no_flip(const Levels odds[kBits], std::uint64_t mask);

// --- Fitting ----------------------------------------------------------------------------------------------

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

// --- Coverage ---------------------------------------------------------------------------------------------

inline constexpr int kCoveragePrefixes = 4;
inline constexpr int kCoveredTogether = 4;

// The near-duplicates within the radius that some probe has covered, as a fraction of all.
//
// A probe covers the near-duplicates whose flips within one prefix, a set of bits, are exactly S. With
// prefixes of disjoint bits and independent flips the uncovered rest of each level is a product of one factor
// for each prefix: U_i[n], the chance of n flips in prefix i that make up no S probed there. Convolved with
// each other and with the free bits they give the chance that at most `radius` flips are covered by no probe:
// exact, and cheap to keep current, since a probe changes one number of one factor.
//
// Prefixes may share some bits. Each then treats them as its own, as if they flipped independently for it,
// and only the first counts them against the radius. With eight of 20 bits shared, the error of this is not
// measurable on real texts.
//
// All factors are in odds, without the chance that nothing flips, which is part of `worth_`.
class FlipCoverage
{
public:
    // Keeps the pointer to the volatility.
    void begin(const Volatility *volatility, const std::uint64_t prefix[], int prefixes);

    // What a probe of a set of flips in a prefix would add to what is covered. Requires: the set has not been
    // probed in that prefix.
    double gain(int prefix, std::uint64_t flips);

    // Records the probe, and returns its gain. Requires: the same as gain().
    double cover(int prefix, std::uint64_t flips);

    // The same for several sets at once: `flips` with some of `count` more bits. Bit n of `which` stands for
    // the set with the bits more[i] where bit i of n is 1. Sets of more than radius flips are left out.
    double cover(int prefix, std::uint64_t flips, const std::uint8_t more[], int count, unsigned which);

    // 0 to 1.
    double covered() const { return covered_; }

    // The gains of a prefix's probes while no other prefix is probed, for VOSH: the current weights, and the
    // order of the bits, which does not change. Together they fill all of *out.
    void set_flip_weight(int prefix, FlipValue *out);
    void set_flip_order(int prefix, FlipValue *out) const;

private:
    void refresh(int prefix);
    Levels set_odds(std::uint64_t flips) const;

    const Volatility *volatility_;
    int radius_;
    int most_; // flips that are counted, at least the radius
    int prefixes_;
    std::uint64_t prefix_[kCoveragePrefixes];
    std::uint64_t own_[kCoveragePrefixes]; // the prefix without bits of earlier ones
    double covered_;
    unsigned stale_;                   // by prefix: whether rest_ is out of date
    Levels worth_;                     // of a set of flips whose odds are 1, in recall
    Levels within_;                    // the odds of at most `radius` flips
    Levels shared_[kCoveragePrefixes]; // the chance that no bit shared with an earlier one flips
    Levels free_[kBits + 1];
    Levels uncovered_[kCoveragePrefixes][kBits + 1];
    Levels rest_[kCoveragePrefixes][kBits + 1]; // at most n flips elsewhere, not covered there
};

} // namespace simhash
