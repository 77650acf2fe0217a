// What a sample of a collection's fingerprints or signatures says about searching it.
#pragma once

#include "core/bits/fingerprint.hpp"
#include "core/bits/signature.hpp"
#include "core/layout/key_order.hpp"
#include "core/layout/signature_layout.hpp"

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

// The neighbors of rows whose neighborhoods are equally dense.
struct NeighborGroup {
    double at[kMostSignatureBits + 1]; // how many there are at each distance
    double shared, expected; // of pairs: bits in which both differ from the row, and products of distances
};

// The neighborhoods of the rows of a sample. Begins with zeros.
struct Neighborhoods {
    static constexpr int kGroups = 128;
    double pairs; // of a row and another
    // Of these, those within each radius that is at least the group's.
    double counted[kMostSignatureBits + 1];
    NeighborGroup group[kGroups + 1]; // by the radius at which the rows have enough neighbors
};

// Adds row number `row` of a sample in random order. `distance` is work space for a number of each row.
void add_neighborhood(const BitRows &sample, std::size_t row, std::uint16_t *distance, Neighborhoods *all);

// The chance that two unrelated rows lie within each radius, from 0 to `bits`. It extends to radii for which there are
// too few pairs to count, and leaves out the near-duplicates in the sample, if a row has only a few. Sets pairs[r] to
// the pairs that were counted within r, or to 0 if more than half of the chance at r is extrapolated.
//
// The neighbors of a row are counted from the radius on within which it has about ten. Below that, where its
// near-duplicates are, their number is extrapolated from those just beyond. So every part of a collection has its own
// distribution: that of a template, of short documents, and of those with rare words. Rows with the same radius share
// one, for precision.
void estimate_chance(const Neighborhoods &all, int bits, double *within, double *pairs);

// How the rows are distributed over the buckets, that is the values of the header, of a tree.
struct Buckets {
    double largest; // the share of rows in the largest one
    double shared;  // the chance that two rows share one
};

// Uses `key` as work space, which has room for `count` keys.
Buckets measure_buckets(const KeyOrder &order, int tree, const Fingerprint *sample, std::size_t count,
                        std::uint64_t *key);

} // namespace simhash
