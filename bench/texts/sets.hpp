// Sets of features: unions, the Jaccard index, and the bits of the minima that indexes on texts store.
#pragma once

#include "core/bits/fingerprint.hpp"
#include "core/features/text_sketch.hpp"
#include "../features/texts.hpp"

namespace simhash
{

inline FeatureSet united(FeatureSet a, const FeatureSet &b)
{
    a.insert(a.end(), b.begin(), b.end());
    return distinct(a);
}

inline double jaccard(const FeatureSet &a, const FeatureSet &b)
{
    const std::size_t common = count_common(a, b, 0);
    return static_cast<double>(common) / static_cast<double>(a.size() + b.size() - common);
}

inline Fingerprint minhash_of(FeatureSet set)
{
    std::uint64_t minima[kBits];
    MinhashSketch sketch;
    sketch.init(minima, kBits);
    sketch.add(set.data(), set.size());
    Fingerprint bits = 0;
    for (std::uint64_t minimum : minima)
        bits = bits << 1 | (minhash_bit(minimum) ? 1U : 0U);
    return bits;
}

} // namespace simhash
