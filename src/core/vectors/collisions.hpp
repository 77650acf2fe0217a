// The probability that two vectors get the same hash value, and how many keys of how many hash values a search
// needs: the analysis of Indyk and Motwani (1998).
//
// A family is (r, cr, P1, P2)-sensitive if points within r get the same hash value with probability P1 or more, and
// points at cr or beyond with P2 or less.
#pragma once

#include "core/vectors/bucket_keys.hpp"

namespace simhash
{

// P(h(u) = h(v)) of the p-stable projections, for vectors at `distance`.
double collision_probability(Norm norm, double distance, double width);

struct BucketPlan {
    double rho;    // ln(1 / P1) / ln(1 / P2)
    double hashes; // K: so many that a far point shares a given key with probability 1 / n or less
    double keys;   // L: so many that a point within r shares one of them with probability `recall`
    double recall; // that probability, with these K and L
    double
        candidates; // L n P2^K: the expected number of far points that share a key, each counted once for each
};

BucketPlan plan_buckets(double rows, double p1, double p2, double recall);

} // namespace simhash
