// The features of a document with their counts or weights: the stored form of the type feature_vector.
//
//   offset  size
//        0     1  version, 1
//        1     1  kind: 0 counts, 1 weights
//        2     2  zero
//        4   8*n  the hashes of the features, in ascending order
//            4*n  their counts, or
//            8*n  their weights, in units of 2^-24
//
// Integers are in the machine's byte order. PostgreSQL puts a length word in front. Equal values have equal forms.
#pragma once

#include <cstring>

#include "core/features/feature_counts.hpp"
#include "core/features/term_frequency.hpp"

namespace simhash
{

inline constexpr std::uint8_t kVectorVersion = 1;

// A view of the stored form, which need not be aligned. It is valid as long as that.
class FeatureVector
{
public:
    // Returns false if no version of the extension could have written this.
    [[nodiscard]] bool open(const void *stored, std::size_t bytes);

    bool weighted() const { return weighted_; }
    std::size_t size() const { return size_; }
    std::uint64_t hash(std::size_t i) const { return load<std::uint64_t>(hashes_, i); }
    std::uint32_t count(std::size_t i) const { return load<std::uint32_t>(numbers_, i); }

    // A given weight, or 1 + ln count.
    Weight weight(std::size_t i) const
    {
        return weighted() ? load<Weight>(numbers_, i)
                          : Weight{logarithmic_weight(count(i))} << kLogarithmicShift;
    }

    void copy_hashes(std::size_t from, std::size_t count, std::uint64_t *to) const
    {
        std::memcpy(to, hashes_ + from * sizeof(std::uint64_t), count * sizeof(std::uint64_t));
    }

private:
    template <typename Number> static Number load(const char *from, std::size_t i)
    {
        Number number;
        std::memcpy(&number, from + i * sizeof(Number), sizeof(Number));
        return number;
    }

    bool weighted_;
    std::size_t size_;
    const char *hashes_;
    const char *numbers_;
};

// The bytes of the stored form.
std::size_t vector_size(bool weighted, std::size_t count);

// Writes the stored form of features with different hashes, whose counts are counts or, if `weighted`, as in slot_weight.
// Counts from 2^32 on become 2^32 - 1, whose weight they have. The hashes, 4
// bytes behind `to`, are aligned. Overwrites `rows`. Calls between() from time to time.
void write_vector(bool weighted, FeatureCount *rows, std::size_t count, void *to, void (*between)());

// Adds the features in a range, each with its weight. `small` is the result of small_weights. Returns false if a sum is out
// of range.
[[nodiscard]] bool add_features(const FeatureVector &features, std::size_t from, std::size_t to, bool small,
                                SignatureSums sums);

// Whether all weights are positive multiples of 2^-16 that are not large, as those by rarity are.
bool small_weights(const FeatureVector &features);

// The weight times the rarity of the feature. Returns false if it is out of range.
[[nodiscard]] bool rare_weight(Weight weight, std::uint32_t rarity, Weight *out);

// -- exact measures of how alike two vectors are --
//
// All sums are integers and exact. So a result depends neither on the order of the features nor on that of the two
// arguments, and only the last steps round: conversions to double, a product, a square root and a quotient, which
// IEEE 754 defines to the last bit.

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

// The number of features that both vectors have, and the sum of the products of their weights.
std::size_t count_common(const FeatureVector &a, const FeatureVector &b);
ProductSum sum_products(const FeatureVector &a, const FeatureVector &b);

// The cosine of the angle between two vectors, from the sums of their products with each other and with themselves:
// -1 to 1. Returns false if a vector is zero.
bool cosine(const ProductSum &ab, const ProductSum &aa, const ProductSum &bb, double *out);

// The same of the sums behind two fingerprints. If only the fingerprint of one is known, its sums are taken to be as large
// as those of the other.
bool weights_cosine(const Weights &a, const Weights &b, double *out);
bool weights_cosine(const Weights &a, Fingerprint b, double *out);

} // namespace simhash
