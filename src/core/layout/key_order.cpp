#include "core/layout/key_order.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/bits/contract.hpp"

namespace simhash
{

void BitPermutation::set(const std::uint8_t source[kBits])
{
    std::memset(part_, 0, sizeof(part_));
    for (int i = 0; i < kBits; i++) {
        int from = source[i];
        for (int value = 0; value < 16; value++) {
            if (value >> (from % 4) & 1)
                part_[from / 4][value] |= std::uint64_t{1} << (63 - i);
        }
    }
}

void BitPermutation::set_inverse(const std::uint8_t source[kBits])
{
    std::uint8_t inverse[kBits];
    for (int i = 0; i < kBits; i++)
        inverse[63 - source[i]] = static_cast<std::uint8_t>(63 - i);
    set(inverse);
}

void BitPermutation::compose(const BitPermutation &first, const BitPermutation &second)
{
    SIMHASH_ASSERT(&second != this);
    for (int i = 0; i < 16; i++) {
        for (int value = 0; value < 16; value++)
            part_[i][value] = second(first.part_[i][value]);
    }
}

void KeyOrder::sources(int tree_number, std::uint8_t source[kBits]) const
{
    for (int i = 0; i < kBits; i++)
        source[i] = static_cast<std::uint8_t>(
            std::countr_zero(fingerprint(tree_number, std::uint64_t{1} << (63 - i))));
}

namespace
{

// Where the blocks begin in the word.
void find_blocks(const TreeDesign &design, int first[kMaxBlocks])
{
    for (int i = 0, at = 0; i < design.blocks; at += design.width[i++])
        first[i] = at;
}

} // namespace

void KeyOrder::set(const TreeDesign &new_design, const std::uint8_t new_bit_order[kBits])
{
    SIMHASH_ASSERT(is_bit_order(new_bit_order));
    design = new_design;
    std::memcpy(bit_order, new_bit_order, kBits);
    permutation.set(bit_order);
    inverse.set_inverse(bit_order);

    int first[kMaxBlocks];
    find_blocks(design, first);
    for (int t = 0; t < design.trees; t++) {
        const DesignTree &from = design.tree[t];
        TreeOrder &to = tree[t];
        to.header_bits = from.header_bits;
        to.moves = 0;
        int at = 0; // bits of the key that are done, from the highest
        for (int i = 0; i < design.blocks; i++) {
            int block = from.order[i], width = design.width[block];
            int rotate = (first[block] - at) & 63;
            std::uint64_t mask = leading_bits(width) >> at;
            if (to.moves > 0 && to.move[to.moves - 1].rotate == rotate) {
                to.move[to.moves - 1].mask |= mask;
            } else {
                to.move[to.moves].mask = mask;
                to.move[to.moves].rotate = rotate;
                to.moves++;
            }
            at += width;
        }
        to.header_mask = fingerprint(t, leading_bits(to.header_bits));
    }
}

void identity_sources(std::uint8_t source[kBits])
{
    for (int i = 0; i < kBits; i++)
        source[i] = static_cast<std::uint8_t>(kBits - 1 - i);
}

bool is_bit_order(const std::uint8_t bit_order[kBits])
{
    std::uint64_t seen = 0;
    for (int i = 0; i < kBits; i++) {
        if (bit_order[i] >= kBits)
            return false;
        seen |= std::uint64_t{1} << bit_order[i];
    }
    return seen == ~std::uint64_t{0};
}

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
    int first[kMaxBlocks], filled[kMaxBlocks] = {};
    double sum[kMaxBlocks] = {};
    find_blocks(design, first);
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
