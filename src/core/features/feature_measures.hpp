// Exact measures of how alike two sets or vectors of features are.
//
// All sums are integers and exact. So a result depends neither on the order of the features nor on that of the two
// arguments, and only the last steps round: conversions to double, a product, a square root and a quotient, which
// IEEE 754 defines to the last bit.
#pragma once

#include "core/features/feature_counts.hpp"

namespace simhash
{

// The number of features in a range of slots of `a` that `b` has, too.
std::size_t count_common(const FeatureCounts &a, std::size_t from, std::size_t to, const FeatureCounts &b);

// A sum of products of weights: it cannot overflow.
class ProductSum
{
public:
    void add(Weight a, Weight b)
    {
        Wide product = static_cast<Wide>(a) * b;
        low_ += static_cast<std::uint64_t>(product);
        high_ += static_cast<std::int64_t>(product >> 64);
    }

    // The sum as a double, with a relative error of less than 2^-52. The opposite sum has the opposite value.
    double value() const;

private:
    __extension__ typedef __int128 Wide;

    // The sum is high_ * 2^64 + low_.
    Wide low_ = 0;
    Wide high_ = 0;
};

// The cosine of the angle between two vectors, from the sums of their products with each other and with themselves:
// -1 to 1. Returns false if a vector is zero.
bool cosine(const ProductSum &ab, const ProductSum &aa, const ProductSum &bb, double *out);

} // namespace simhash
