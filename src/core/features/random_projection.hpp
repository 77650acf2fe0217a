// Weights and a fingerprint of a vector of numbers, such as an embedding, by random hyperplanes (Charikar
// 2002): bit j tells on which side of the j-th hyperplane the vector lies. Two vectors at angle t differ in
// 64 t / pi bits on average.
//
// The hyperplane's normal vector has a Gaussian number g(i, j) for each dimension i, counted from 0. The
// numbers are computed as needed; no matrix is kept:
//
//   word(n)  is SplitMix64: z = key + (n + 1) * 0x9E3779B97F4A7C15, mixed; key is mix(seed) of the same mixing
//   p        is the (j mod 4)-th 16 bits, from the lowest, of word(16 i + j / 4)
//   g(i, j)  is kGaussian[p mod 2048] / 2^12, negative if bit 11 of p is set
//
// Signatures of more bits take 64 from each of several blocks of hyperplanes. Block 0 is as above; in block b > 0
// the key is mix(key of block 0 - b * 0x9E3779B97F4A7C15), from numbers before the first that block 0 uses.
//
// W_j is the sum of x_i * g(i, j) in the order of i, divided by the vector's Euclidean norm. Products of a
// float and a g are exact in a double, and every other operation is correctly rounded: the result has the
// same bits on every processor, with or without fused multiply-add.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/features/weights.hpp"

namespace simhash
{

inline constexpr std::size_t kDimensionsMax = 65536;

class RandomProjection
{
public:
    explicit RandomProjection(std::uint64_t seed, std::uint64_t block = 0);

    // Adds the vector's next dimensions, which are finite numbers.
    void add(const float *values, std::size_t count);

    // Returns false if the vector has no direction: it is empty, or all zeros.
    bool finish(Weights *out) const;

private:
    void add_piece(const float *values, std::size_t count);

    std::uint64_t key_;
    std::uint64_t dimensions_ = 0;
    double squares_ = 0;
    double sums_[kBits] = {};
};

} // namespace simhash
