// What a sample of a collection's fingerprints or signatures says about searching it.
#pragma once

#include "core/fingerprint/fingerprint.hpp"
#include "core/signature/signature.hpp"
#include "core/signature_tables/signature_layout.hpp"
#include "core/tables/key_order.hpp"

#include <cstddef>

namespace simhash
{

// Values of `bits` bits, one after the other: fingerprints, or signatures. Bit i of a value is bit i % 64 of its word
// i / 64, and unused bits are zero.
struct BitRows {
    const std::uint64_t *word;
    std::size_t count;
    int bits;

    std::size_t words() const { return static_cast<std::size_t>(signature_words(bits)); }
    const std::uint64_t *row(std::size_t i) const { return word + i * words(); }
};

// How many of the pairs lie at each distance.
struct DistanceCounts {
    double pairs;
    double at[kMostSignatureBits + 1];
};

// Adds the pairs of row number `row` of a sample with those before it.
void add_distances(const BitRows &sample, std::size_t row, DistanceCounts *counts);

// The share of the sample in which each bit is set.
void measure_ones(const BitRows &sample, double *ones);

// The sum of the bits' entropies: the number of bits if every bit is set in half of the rows. Dependence between bits
// is ignored.
double informative_bits(const double *ones, int bits);

// The chance that two unrelated rows lie within each radius, from 0 to `bits`. It extends to radii for which there are
// too few pairs to count, and leaves out the near-duplicates in the sample.
//
// If bits are independent, `ones` gives the mean and the variance of the distance: those of a binomial
// distribution, over fewer bits if some are skewed. Where the distances in `counts` vary more,
// because bits are correlated, the distribution is a beta-binomial one with their mean and variance.
void fit_chance(const DistanceCounts &counts, const double *ones, int bits, double *within);

// Raises these chances where the sample shows clearly more: rows of one template are closer to each other than
// unrelated ones, and hardly change the mean and the variance. The pairs at more than `distance` count, and at each
// smaller distance at most as many as at the next greater one, because the others may be near-duplicates.
// Sets pairs[r] to how many count within r, or to 0 if the chance at r remains that of the model.
void raise_chance(const DistanceCounts &counts, int bits, int distance, double *within, double *pairs);

// How the rows are distributed over the buckets, that is the values of the header, of a table.
struct Buckets {
    double largest; // the share of rows in the largest one
    double shared;  // the chance that two rows share one
};

// Uses `key` as work space, which has room for `count` keys.
Buckets measure_buckets(const KeyOrder &order, int table, const Fingerprint *sample, std::size_t count,
                        std::uint64_t *key);

} // namespace simhash
