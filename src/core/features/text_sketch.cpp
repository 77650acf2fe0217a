#include "core/features/text_sketch.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/bits/contract.hpp"

namespace simhash
{

void TextSketch::init()
{
    sketch_.init(minima_, kBits);
    features_.init(TextUnit::kWord, kSketchWords);
}

bool TextSketch::add_some()
{
    std::uint64_t hashes[1024];
    std::size_t count = features_.next(hashes, std::size(hashes));
    sketch_.add(hashes, count);
    return count > 0;
}

Fingerprint TextSketch::fingerprint() const
{
    SIMHASH_ASSERT(!empty());
    Fingerprint bits = 0;
    for (std::uint64_t minimum : minima_)
        bits = bits << 1 | (minhash_bit(minimum) ? 1U : 0U);
    return bits;
}

// Interpolated between what was measured. Sets of three words are equal only if those of two words are, too.
int text_radius(double similarity)
{
    constexpr struct {
        double similarity;
        int radius;
    } kMeasured[] = {{1, 0}, {.9, 5}, {.8, kNearTextRadius}, {.7, 12}, {.6, 16}, {.5, 20}, {0, kBits}};
    std::size_t next = 1;
    while (next + 1 < std::size(kMeasured) && similarity < kMeasured[next].similarity)
        next++;
    const auto &above = kMeasured[next - 1], &below = kMeasured[next];
    const double fraction = (above.similarity - similarity) / (above.similarity - below.similarity);
    // Rounded up, but for the inexactness of decimals.
    const double radius = above.radius + (below.radius - above.radius) * fraction;
    return std::clamp(static_cast<int>(std::ceil(radius - 1e-6)), 0, kBits);
}

} // namespace simhash
