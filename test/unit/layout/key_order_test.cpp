#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include "core/layout/key_ball.hpp"
#include "core/layout/key_order.hpp"

#include "../seed.hpp"

namespace simhash
{
namespace
{

class KeyOrderTest : public SeededTest<63>
{
protected:
    void shuffle_bits(std::uint8_t order[kBits])
    {
        std::iota(order, order + kBits, std::uint8_t{0});
        std::shuffle(order, order + kBits, random);
    }

    // Calls what(order) for every design, each with its own bit order.
    template <typename What> void for_every_order(What what)
    {
        auto order = std::make_unique<KeyOrder>();
        for (int distance = kMinDistance; distance <= kMaxDistance; distance++) {
            for (int trees = 1; trees <= kMaxTrees; trees++) {
                TreeDesign design;
                if (!make_design(distance, trees, &design))
                    continue;
                SCOPED_TRACE("distance " + std::to_string(distance) + ", trees " + std::to_string(trees));
                std::uint8_t bits[kBits];
                shuffle_bits(bits);
                order->set(design, bits);
                what(*order);
                if (HasFailure())
                    return;
            }
        }
    }
};

std::uint64_t unit(int bit) { return std::uint64_t{1} << bit; }

// Bit 63 - i of the result is bit source[i] of x, one at a time.
std::uint64_t permute(const std::uint8_t source[kBits], std::uint64_t x)
{
    std::uint64_t result = 0;
    for (int i = 0; i < kBits; i++)
        result = result << 1 | (x >> source[i] & 1);
    return result;
}

// A key by definition: the word's bits as a string, cut into blocks, the blocks in the tree's order.
std::uint64_t naive_key(const KeyOrder &order, int tree, Fingerprint fingerprint)
{
    std::string word, key;
    for (int i = 0; i < kBits; i++)
        word += fingerprint >> order.bit_order[i] & 1 ? '1' : '0';
    for (int i = 0; i < order.design.blocks; i++) {
        std::size_t block = order.design.tree[tree].order[i], first = 0;
        for (std::size_t j = 0; j < block; j++)
            first += order.design.width[j];
        key += word.substr(first, order.design.width[block]);
    }
    return std::stoull(key, nullptr, 2);
}

TEST_F(KeyOrderTest, PermutationMovesEachBit)
{
    for (int n = 0; n < 200; n++) {
        std::uint8_t source[kBits];
        shuffle_bits(source);
        BitPermutation permutation, inverse;
        permutation.set(source);
        inverse.set_inverse(source);
        for (int i = 0; i < kBits; i++) {
            ASSERT_EQ(permutation(unit(source[i])), unit(63 - i));
            ASSERT_EQ(inverse(unit(63 - i)), unit(source[i]));
        }
        for (int i = 0; i < 20; i++) {
            std::uint64_t x = random();
            ASSERT_EQ(permutation(x), permute(source, x));
            ASSERT_EQ(inverse(permutation(x)), x);
            ASSERT_EQ(permutation(inverse(x)), x);
        }
        ASSERT_EQ(permutation(0), 0u);
        ASSERT_EQ(permutation(~std::uint64_t{0}), ~std::uint64_t{0});
    }
}

// The previous permutation leaves no trace.
TEST_F(KeyOrderTest, PermutationCanBeSetAgain)
{
    std::uint8_t first[kBits], second[kBits];
    shuffle_bits(first);
    shuffle_bits(second);
    BitPermutation permutation;
    permutation.set(first);
    permutation.set(second);
    for (int bit = 0; bit < kBits; bit++)
        ASSERT_EQ(permutation(unit(bit)), permute(second, unit(bit)));
    permutation.set_inverse(first);
    for (int i = 0; i < kBits; i++)
        ASSERT_EQ(permutation(unit(63 - i)), unit(first[i]));
}

TEST_F(KeyOrderTest, ComposedPermutationIsOneAfterTheOther)
{
    for (int n = 0; n < 50; n++) {
        std::uint8_t source[2][kBits];
        BitPermutation first, second, composed, inverse, identity;
        shuffle_bits(source[0]);
        shuffle_bits(source[1]);
        first.set(source[0]);
        second.set(source[1]);
        composed.compose(first, second);
        for (int bit = 0; bit < kBits; bit++)
            ASSERT_EQ(composed(unit(bit)), permute(source[1], permute(source[0], unit(bit))));
        inverse.set_inverse(source[0]);
        identity.compose(first, inverse);
        first.compose(first, second); // in place
        for (int i = 0; i < 20; i++) {
            std::uint64_t x = random();
            ASSERT_EQ(composed(x), permute(source[1], permute(source[0], x)));
            ASSERT_EQ(first(x), composed(x));
            ASSERT_EQ(identity(x), x);
        }
    }
}

TEST_F(KeyOrderTest, IdentitySourcesMoveNoBit)
{
    std::uint8_t source[kBits];
    identity_sources(source);
    BitPermutation identity;
    identity.set(source);
    for (int bit = 0; bit < kBits; bit++)
        ASSERT_EQ(identity(unit(bit)), unit(bit));
}

TEST_F(KeyOrderTest, KeyIsThePermutationByBlocks)
{
    for_every_order([this](const KeyOrder &order) {
        for (int tree = 0; tree < order.design.trees; tree++) {
            std::uint8_t source[kBits];
            order.sources(tree, source);
            ASSERT_TRUE(is_bit_order(source)); // so keys are bijective
            for (int i = 0; i < 5; i++) {
                Fingerprint x = random();
                ASSERT_EQ(order.key(tree, x), permute(source, x)) << "tree " << tree;
                ASSERT_EQ(order.key(tree, x), naive_key(order, tree, x)) << "tree " << tree;
            }
        }
    });
}

TEST_F(KeyOrderTest, KeysAreBijectiveAndKeepDistances)
{
    for_every_order([this](const KeyOrder &order) {
        for (int tree = 0; tree < order.design.trees; tree++) {
            std::uint64_t seen = 0;
            for (int bit = 0; bit < kBits; bit++) {
                std::uint64_t key = order.key(tree, unit(bit));
                ASSERT_EQ(std::popcount(key), 1);
                seen |= key;
            }
            ASSERT_EQ(seen, ~std::uint64_t{0}) << "two bits go to the same place";
            for (int i = 0; i < 5; i++) {
                Fingerprint x = random(), y = random() & random();
                ASSERT_EQ(hamming_distance(order.key(tree, x), order.key(tree, x ^ y)), std::popcount(y));
                ASSERT_EQ(order.key(tree, x) ^ order.key(tree, y), order.key(tree, x ^ y));
            }
        }
    });
}

TEST_F(KeyOrderTest, HeaderMaskIsWhatLeadsTheKey)
{
    for_every_order([](const KeyOrder &order) {
        for (int tree = 0; tree < order.design.trees; tree++) {
            const TreeOrder &t = order.tree[tree];
            ASSERT_EQ(t.header_bits, order.design.tree[tree].header_bits);
            Fingerprint mask = 0;
            for (int bit = 0; bit < kBits; bit++) {
                if (order.key(tree, unit(bit)) & leading_bits(t.header_bits))
                    mask |= unit(bit);
            }
            ASSERT_EQ(t.header_mask, mask) << "tree " << tree;
            ASSERT_EQ(std::popcount(mask), t.header_bits);
        }
    });
}

// A copy of size() bytes works like the original.
TEST_F(KeyOrderTest, SizeIsEnoughOfACopy)
{
    for_every_order([this](const KeyOrder &order) {
        void *bytes = std::malloc(order.size());
        std::memcpy(bytes, &order, order.size());
        const auto *copy = static_cast<const KeyOrder *>(bytes);
        int last = order.design.trees - 1;
        Fingerprint x = random();
        EXPECT_EQ(copy->size(), order.size());
        EXPECT_EQ(copy->key(last, x), order.key(last, x));
        EXPECT_EQ(copy->tree[last].header_mask, order.tree[last].header_mask);
        std::free(bytes);
    });
}

// With one block of 64 bits, the key is the word; the natural bit order makes it the fingerprint.
TEST_F(KeyOrderTest, OneTableKeepsTheWord)
{
    TreeDesign design;
    ASSERT_TRUE(make_design(3, 1, &design));
    std::uint8_t bits[kBits];
    identity_sources(bits);
    auto order = std::make_unique<KeyOrder>();
    order->set(design, bits);
    for (int i = 0; i < 100; i++) {
        Fingerprint x = random();
        EXPECT_EQ(order->key(0, x), x);
    }
    EXPECT_EQ(order->tree[0].header_mask, ~Fingerprint{0});
}

TEST_F(KeyOrderTest, BitOrderNamesEachBitOnce)
{
    std::uint8_t order[kBits];
    for (int n = 0; n < 200; n++) {
        shuffle_bits(order);
        ASSERT_TRUE(is_bit_order(order));
        int at = static_cast<int>(random() % kBits);
        std::uint8_t good = order[at];
        for (int value = 0; value < 256; value++) {
            order[at] = static_cast<std::uint8_t>(value);
            ASSERT_EQ(is_bit_order(order), value == good) << value;
        }
    }
    std::fill(order, order + kBits, std::uint8_t{0});
    EXPECT_FALSE(is_bit_order(order));
}

} // namespace
} // namespace simhash
