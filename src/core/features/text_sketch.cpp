#include "core/features/text_sketch.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/bits/contract.hpp"
#include "core/bits/feature_hash.hpp"

namespace simhash
{

void TextSketch::init(TextUnit unit)
{
    constexpr int kSize = 2; // of shingles of either unit
    unit_ = unit;
    sketch_.init(minima_, kBits);
    features_.init(unit, kSize);
}

// Pairs of characters, and single ones: the second of each pair, and the first of a batch's first one.
bool TextSketch::read_characters(std::uint64_t *hashes, std::size_t *found)
{
    std::size_t count = 0;
    const char *pair;
    std::size_t length;
    bool more = true;
    while (count + 3 <= kBatch && (more = features_.next_shingle(&pair, &length)) && length > 0) {
        int first;
        decode_utf8(pair, pair + length, &first);
        const auto size = static_cast<std::size_t>(first);
        hashes[count++] = feature_hash(pair, length);
        if (count == 1)
            hashes[count++] = feature_hash(pair, size);
        if (size < length)
            hashes[count++] = feature_hash(pair + size, length - size);
    }
    *found = count;
    return more || count > 0;
}

bool TextSketch::add_some()
{
    std::uint64_t hashes[kBatch];
    std::size_t count;
    const bool more =
        unit_ == TextUnit::kWord ? features_.next(hashes, kBatch, &count) : read_characters(hashes, &count);
    sketch_.add(hashes, count);
    return more;
}

Fingerprint TextSketch::fingerprint() const
{
    SIMHASH_ASSERT(!empty());
    Fingerprint bits = 0;
    for (std::uint64_t minimum : minima_)
        bits = bits << 1 | (minhash_bit(minimum) ? 1U : 0U);
    return bits;
}

namespace
{

struct MeasuredRadius {
    double similarity;
    int radius;
};
constexpr std::size_t kMeasured = 7;
// Sets of larger shingles are equal only if those of smaller ones are, too.
constexpr MeasuredRadius kWordRadius[kMeasured] = {
    {1, 0}, {.9, 5}, {.8, kNearTextRadius}, {.7, 12}, {.6, 16}, {.5, 20}, {0, kBits}};
constexpr MeasuredRadius kCharacterRadius[kMeasured] = {{1, 0},   {.9, 5},  {.8, 7},   {.7, 9},
                                                        {.6, 11}, {.5, 13}, {0, kBits}};

} // namespace

// Interpolated between what was measured.
int text_radius(TextUnit unit, double similarity)
{
    const MeasuredRadius *measured = unit == TextUnit::kWord ? kWordRadius : kCharacterRadius;
    std::size_t next = 1;
    while (next + 1 < kMeasured && similarity < measured[next].similarity)
        next++;
    const auto &above = measured[next - 1], &below = measured[next];
    const double fraction = (above.similarity - similarity) / (above.similarity - below.similarity);
    // Rounded up, but for the inexactness of decimals.
    const double radius = above.radius + (below.radius - above.radius) * fraction;
    return std::clamp(static_cast<int>(std::ceil(radius - 1e-6)), 0, kBits);
}

} // namespace simhash
