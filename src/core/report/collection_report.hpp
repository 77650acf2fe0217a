// What a sample of a collection's fingerprints says about searching it.
#pragma once

#include "core/fingerprint/fingerprint.hpp"
#include "core/tables/key_order.hpp"

#include <cstddef>

namespace simhash
{

// How many of the pairs lie at each distance.
struct DistanceCounts {
    double pairs;
    double at[kBits + 1];
};

// Adds the pairs of row number `row` of a sample with those before it.
void add_distances(const Fingerprint *sample, std::size_t row, DistanceCounts *counts);

// The share of the sample in which each bit is set.
void measure_ones(const Fingerprint *sample, std::size_t count, double ones[kBits]);

// The sum of the bits' entropies: 64 if every bit is set in half of the rows. Bits that depend on each other
// are counted as if they did not.
double informative_bits(const double ones[kBits]);

// The chance that two unrelated rows lie within each radius. It goes on where the pairs are too few to count,
// and leaves out near-duplicates, which a sample has some of as well.
//
// `ones` alone, with bits that know nothing of each other, gives a mean and a variance of the distance. Those
// are the ones of a binomial distribution over fewer bits than 64 if some are skewed. Where the distances in
// `counts` vary more, since bits go together, it is a beta-binomial one with their mean and variance.
void fit_chance(const DistanceCounts &counts, const double ones[kBits], double within[kBits + 1]);

// How the rows fall into buckets of equal headers of a table.
struct Buckets {
    double largest; // the share of rows in the largest one
    double shared;  // the chance that two rows are in the same
};

// Sorts `key`, which has room for `count` keys.
Buckets measure_buckets(const KeyOrder &order, int table, const Fingerprint *sample, std::size_t count,
                        std::uint64_t *key);

} // namespace simhash
