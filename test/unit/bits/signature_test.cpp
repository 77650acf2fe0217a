#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "core/bits/signature.hpp"

#include "../seed.hpp"

namespace simhash
{
namespace
{

using SignatureTest = SeededTest<1301>;
using Bits = std::vector<bool>;

Bits random_bits(std::mt19937_64 &random, int count)
{
    Bits bits(static_cast<std::size_t>(count));
    std::generate(bits.begin(), bits.end(), [&] { return random() % 2 == 1; });
    return bits;
}

// The bytes of a signature at an offset from an aligned address, in memory of exactly that length, so that
// AddressSanitizer sees an overrun by one byte.
class Bytes
{
public:
    Bytes(const Bits &bits, int offset)
        : bits_(static_cast<int>(bits.size())), offset_(offset),
          memory_(new std::uint8_t[static_cast<std::size_t>(offset + signature_bytes(bits_))]())
    {
        for (int j = 0; j < bits_; j++)
            if (bits[static_cast<std::size_t>(j)])
                memory_[static_cast<std::size_t>(offset + j / 8)] |= static_cast<std::uint8_t>(0x80 >> j % 8);
    }

    SignatureView view() const { return {bits_, signature_bytes(bits_), memory_.get() + offset_}; }
    std::uint8_t *data() { return memory_.get() + offset_; }

private:
    int bits_, offset_;
    std::unique_ptr<std::uint8_t[]> memory_;
};

int count_different(const Bits &a, const Bits &b)
{
    int count = 0;
    for (std::size_t j = 0; j < a.size(); j++)
        count += a[j] != b[j];
    return count;
}

TEST_F(SignatureTest, DistancesOfEveryLength)
{
    for (int count = 0; count <= 330; count++) {
        const Bits a = random_bits(random, count), b = random_bits(random, count);
        const Bytes left(a, below(8)), right(b, below(8));
        EXPECT_EQ(signature_distance(left.view(), right.view()), count_different(a, b)) << count;
        EXPECT_EQ(signature_distance(left.view(), left.view()), 0) << count;
    }
}

TEST_F(SignatureTest, EveryBitCounts)
{
    for (int count : {1, 63, 64, 65, 300, 4096}) {
        const Bits a = random_bits(random, count);
        const Bytes left(a, 0);
        Bits opposite = a;
        opposite.flip();
        EXPECT_EQ(signature_distance(left.view(), Bytes(opposite, 3).view()), count);
        for (int j = 0; j < count; j++) {
            Bits b = a;
            b[static_cast<std::size_t>(j)] = !b[static_cast<std::size_t>(j)];
            EXPECT_EQ(signature_distance(left.view(), Bytes(b, 0).view()), 1) << j << " of " << count;
        }
    }
}

// The bits of a mask are part of the format: they do not depend on the byte order of the machine.
TEST_F(SignatureTest, Masks)
{
    for (int count : {0, 1, 64, 72, 77, 128, 333}) {
        const Bits bits = random_bits(random, count);
        const Bytes plain(bits, 0);
        Bytes masked(bits, 1);
        mask_signature(masked.data(), count, 0);
        EXPECT_EQ(signature_distance(masked.view(), plain.view()), 0) << count;
        mask_signature(masked.data(), count, 5);
        for (int i = 0; i < signature_bytes(count); i++) {
            const int used = 0xFF << std::max(0, 8 * (i + 1) - count) & 0xFF;
            EXPECT_EQ(
                masked.data()[i] ^ plain.view().data[i],
                static_cast<int>(split_mix_number(5, static_cast<std::uint64_t>(i / 8 + 1)) >> i % 8 * 8) &
                    used)
                << count;
        }
    }
}

TEST_F(SignatureTest, Sizes)
{
    EXPECT_EQ(signature_bytes(0), 0);
    EXPECT_EQ(signature_bytes(1), 1);
    EXPECT_EQ(signature_bytes(8), 1);
    EXPECT_EQ(signature_bytes(65), 9);
    EXPECT_EQ(signature_bytes(2147483647), 268435456);
    EXPECT_EQ(signature_words(0), 0);
    EXPECT_EQ(signature_words(64), 1);
    EXPECT_EQ(signature_words(65), 2);
    EXPECT_EQ(signature_words(2147483647), 33554432);
}

} // namespace
} // namespace simhash
