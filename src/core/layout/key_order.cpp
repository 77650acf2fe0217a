#include "core/layout/key_order.hpp"

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

void KeyOrder::set(const TreeDesign &new_design, const std::uint8_t new_bit_order[kBits])
{
    SIMHASH_ASSERT(is_bit_order(new_bit_order));
    design = new_design;
    std::memcpy(bit_order, new_bit_order, kBits);
    permutation.set(bit_order);
    inverse.set_inverse(bit_order);

    int first[kMaxBlocks], word_at = 0;
    for (int i = 0; i < design.blocks; i++) {
        first[i] = word_at;
        word_at += design.width[i];
    }
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

} // namespace simhash
