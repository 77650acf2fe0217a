// Min-hash: sketches of sets, from which the Jaccard index |A ∩ B| / |A ∪ B| of two sets can be estimated.
//
// A sketch of size t holds t minima. In each place, two sketches are equal with a probability that is the Jaccard
// index J of their sets, so the fraction of equal places is an unbiased estimate of J. Its variance is at most J(1 -
// J) / t.
//
// The minima are computed by fast similarity sketching (Dahlgaard, Knudsen and Thorup, FOCS 2017, Algorithm 1):
//
//   for round i = 0, 1, ..., 2t - 1:
//       for each element: hash it with i to a place, uniformly if i < t, and place i - t otherwise,
//                         and to a fraction v, and lower the place's minimum to i + v
//       stop if every place has been set
//
// It takes about max(n, t ln t) hashes for n elements, where a permutation for each minimum takes n t. The later
// rounds set every place also for small sets. A place's minimum is the same in whatever order and in however many
// parts the elements come, and the minimum of two sketches is the sketch of the union.
//
// An element is a 64-bit hash of a feature. A minimum is (round << 48) + 48 bits of v; two elements have the same one
// by chance with probability 2^-48. It is never negative as a signed number.
//
// Stored sketches depend on this: it never changes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/bits/contract.hpp"
#include "core/bits/split_mix.hpp"

namespace simhash
{

// More would not leave 48 bits for v.
inline constexpr int kMinhashSizeMax = 16384;

// No element has been seen in this place.
inline constexpr std::uint64_t kMinhashEmpty = UINT64_MAX >> 1;

// The minima of a set, in memory that the caller supplies.
class MinhashSketch
{
public:
    // Makes the sketch of the empty set.
    void init(std::uint64_t *minima, int size);

    // Adds elements to the set; repeated ones change nothing. Cheaper if many are added at once. Overwrites `hashes`.
    void add(std::uint64_t *hashes, std::size_t count);

    // Makes this the sketch of the union with another one of the same size, which is not that of the empty set.
    void unite(const std::uint64_t *other);

    // No element has been added. One element is enough to set every place.
    bool empty() const { return set_ == 0; }

private:
    void add_rounds(int round, int rounds, const std::uint64_t *seeds, std::size_t count);
    int last_round();

    std::uint64_t *minima_;
    int size_;
    int set_; // places before this one have a minimum
};

// Makes `to` the sketch of the union of two sets. For other libraries' minima, too, as signed numbers.
void unite_minima(std::uint64_t *to, const std::uint64_t *other, int size);

// One bit of a minimum ("1-bit min-hash", Li and König, WWW 2010): bits of equal minima are equal, and those of
// different ones are with probability 1/2. So two sets' bits differ in a fraction (1 - J) / 2 of the places on
// average.
inline bool minhash_bit(std::uint64_t minimum) { return (split_mix(minimum + kSplitMixStep) & 1) != 0; }

// Writes `size` bits, eight a byte, the first bit being the most significant one, and zeros behind the last bit.
void write_minhash_bits(const std::uint64_t *minima, int size, std::uint8_t *to);

// Banding: minima are cut into bands of as many rows each, and sets are candidates if they agree in all rows of a band.
//
// A key for the rows of a band. Bands and rows that differ have the same key by chance only, with probability 2^-64.
// Keys are stored in columns and indexes: they never change.
constexpr std::uint64_t band_key(std::uint64_t band, const std::uint64_t *minima, int rows)
{
    std::uint64_t key = split_mix_number(0, band + 1);
    for (int i = 0; i < rows; i++)
        key = split_mix_number(key ^ minima[i], 1);
    return key;
}

// Estimates of the Jaccard similarity from signatures by 1-bit min-hash.
//
// If two sets have the Jaccard similarity J, each bit of their signatures differs with probability (1 - J) / 2.
// So 1 - 2 h / n is an unbiased estimate of J, where h of n bits differ. It is from -1 to 1.

// Returns 1 - 2 * distance / bits, rounded once. So it decreases strictly with the distance.
inline double similarity_estimate(int distance, int bits)
{
    SIMHASH_ASSERT(0 <= distance && distance <= bits && bits > 0);
    return (static_cast<double>(bits) - 2.0 * distance) / bits;
}

// Returns the largest distance whose estimate is at least `similarity`, or -1 if there is none. `similarity`
// may be any number. No estimate reaches NaN.
int similarity_radius(double similarity, int bits);

// Returns the smallest radius that contains the distance with a probability of at least `recall` if the sets
// have this similarity. The result does not depend on the platform: only +, -, * and / are used.
int recall_radius(double similarity, int bits, double recall);

} // namespace simhash
