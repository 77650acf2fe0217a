// What fraction of the near-duplicates a set of probes has covered.
#pragma once

#include "core/likely/volatility_model.hpp"
#include "core/likely/vosh.hpp"

namespace simhash
{

// Sets sums[n], n = 0 to most, to the sum over all sets of n bits in `mask` of the product of their odds.
// These are the chances that exactly n of the bits flip, a Poisson-binomial distribution, times prod (1 +
// odds), which is returned.
Levels sum_flips(const Levels odds[kBits], std::uint64_t mask, int most, Levels sums[]);

// prod (1 + odds) over the bits in `mask`: the reciprocal of the chance that none of them flips.
Levels inverse_of_no_flip(const Levels odds[kBits], std::uint64_t mask);

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
