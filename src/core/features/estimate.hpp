// Estimates of the Jaccard similarity from signatures by 1-bit min-hash: their statistics, and the Hamming
// distances that they correspond to.
//
// If two sets have the Jaccard similarity J, each bit of their signatures differs with probability (1 - J) / 2.
// So 1 - 2 h / n is an unbiased estimate of J, where h of n bits differ. It is from -1 to 1.
#pragma once

#include "core/bits/contract.hpp"
#include "core/features/minhash_sketch.hpp"

namespace simhash
{

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
