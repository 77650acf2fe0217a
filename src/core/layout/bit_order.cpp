#include "core/layout/bit_order.hpp"

#include <algorithm>
#include <cmath>

namespace simhash
{

namespace
{

// The entropy of a bit that is set with probability p, in steps of 1/32 bit: finer differences are noise.
int entropy_steps(double p)
{
    if (p <= 0 || p >= 1)
        return 0;
    return static_cast<int>(std::lround(-32 * (p * std::log2(p) + (1 - p) * std::log2(1 - p))));
}

} // namespace

void choose_bit_order(const TreeDesign &design, Fingerprint *sample, std::size_t count,
                      std::uint8_t order[kBits])
{
    std::sort(sample, sample + count);
    count = static_cast<std::size_t>(std::unique(sample, sample + count) - sample);

    std::size_t ones[kBits] = {};
    for (std::size_t i = 0; i < count; i++) {
        for (int bit = 0; bit < kBits; bit++)
            ones[bit] += sample[i] >> bit & 1;
    }
    int entropy[kBits];
    std::uint8_t ranked[kBits];
    for (int bit = 0; bit < kBits; bit++) {
        entropy[bit] =
            count == 0 ? 32 : entropy_steps(static_cast<double>(ones[bit]) / static_cast<double>(count));
        ranked[bit] = static_cast<std::uint8_t>(kBits - 1 - bit);
    }
    std::sort(ranked, ranked + kBits, [&entropy](std::uint8_t a, std::uint8_t b) {
        return entropy[a] != entropy[b] ? entropy[a] > entropy[b] : a > b;
    });

    // Deal the bits, most informative first, each to the block with the least entropy for its width.
    int first[kMaxBlocks], filled[kMaxBlocks] = {}, at = 0;
    double sum[kMaxBlocks] = {};
    for (int i = 0; i < design.blocks; i++) {
        first[i] = at;
        at += design.width[i];
    }
    for (std::uint8_t bit : ranked) {
        int poorest = -1;
        double half = entropy[bit] / 2.0; // so that a narrow block is not filled up before a wide one has any
        for (int i = 0; i < design.blocks; i++) {
            if (filled[i] < design.width[i] &&
                (poorest < 0 ||
                 (sum[i] + half) / design.width[i] < (sum[poorest] + half) / design.width[poorest]))
                poorest = i;
        }
        order[first[poorest] + filled[poorest]++] = bit;
        sum[poorest] += entropy[bit] + 1e-3; // dead bits are dealt evenly too
    }
}

} // namespace simhash
