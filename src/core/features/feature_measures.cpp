#include "core/features/feature_measures.hpp"

#include <algorithm>
#include <cmath>

namespace simhash
{

std::size_t count_common(const FeatureCounts &a, std::size_t from, std::size_t to, const FeatureCounts &b)
{
    std::size_t common = 0;
    for (const FeatureCount *slot = a.slots() + from; slot < a.slots() + to; slot++)
        common += slot->count != 0 && b.find(slot->hash).count != 0;
    return common;
}

double ProductSum::value() const
{
    Wide high = high_ + (low_ >> 64);
    std::uint64_t low = static_cast<std::uint64_t>(low_);
    // The magnitude is converted: in the sum of a negative high part and the low part, digits would cancel out.
    bool negative = high < 0;
    if (negative) {
        high = -high - (low != 0);
        low = -low;
    }
    double magnitude = static_cast<double>(high) * 0x1p64 + static_cast<double>(low);
    return negative ? -magnitude : magnitude;
}

bool cosine(const ProductSum &ab, const ProductSum &aa, const ProductSum &bb, double *out)
{
    double squares = aa.value() * bb.value();
    if (squares == 0)
        return false;
    // The square root of x * x is x, so the cosine of a vector with itself is exactly 1.
    *out = std::clamp(ab.value() / std::sqrt(squares), -1.0, 1.0);
    return true;
}

} // namespace simhash
