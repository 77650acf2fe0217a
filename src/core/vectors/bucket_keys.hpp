// Keys of buckets for locality-sensitive hashing (Indyk and Motwani 1998). A key is a hash of K hash values of
// one family; a row has L such keys, of tables numbered from 0. Rows that are close share a key more often than
// rows that are far apart.
//
// The keys are stored in users' tables and never change. They are made of integer arithmetic alone, so they are
// the same on every processor, and sums do not depend on the order of addition:
//
//   mix(z)        is the mixing function of SplitMix64, split_mix(), and
//   number(s, n)  its number n with seed s, mix(s + n * 0x9E3779B97F4A7C15)
//
//   t    = number(mix(seed), table + 1)
//   key  = mix(... mix(mix(t ^ h_0) ^ h_1) ... ^ h_(K-1)), where the h_j are the hash values, as unsigned numbers
//
// p-stable projections (Datar, Immorlica, Indyk and Mirrokni 2004) of a vector v with buckets of width w:
//
//   h_j  = floor(sum of g_i v_i / w + b), with s = number(t, j + 1); v_i / w is a Weight, thus a multiple of 2^-24
//   b    is uniform in [0, 1): the highest bits of mix(s), as many as the products have behind the binary point
//   g_i  for the L2 distance: a Gaussian number of 12 binary places. p is the (i mod 4)-th 16 bits, from the lowest,
//        of number(s, i / 4 + 1); g_i is kGaussian[p mod 2048] / 2^12, negative if bit 11 of p is set
//        for the L1 distance: a Cauchy number of 16 binary places. x and y are the high and the low half of
//        z = number(s, i + 1), as signed numbers; while x^2 + y^2 >= 2^62 or y = 0, z is replaced by number(z, 1).
//        g_i is x / y, rounded towards zero: the ratio of the coordinates of a uniform point in a disc
//
// Bit sampling of a bit string of n bits:
//
//   h_j  = bit floor(u n / 2^32) of the string, where u is the high half of number(t, j + 1)
#pragma once

#include "core/signature/signature.hpp"
#include "core/weights/weights.hpp"

#include <cstddef>
#include <cstdint>

namespace simhash
{

enum class Norm { kL1, kL2 };

// The most keys of a row, and hash values of a key.
inline constexpr int kBucketKeysMax = 1024;
inline constexpr int kHashesPerKeyMax = 1024;

// Which of the keys of a row.
struct BucketTable {
    std::uint64_t seed;
    int number; // of the table
    int hashes; // K
};

// `vector` is already divided by the width.
std::uint64_t stable_key(Norm norm, const Weight *vector, std::size_t count, const BucketTable &table);

std::uint64_t sampled_bits_key(const SignatureView &signature, const BucketTable &table);

} // namespace simhash
