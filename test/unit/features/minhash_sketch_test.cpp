#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/features/minhash_sketch.hpp"

namespace simhash
{
namespace
{

using Set = std::vector<std::uint64_t>;
using Minima = std::vector<std::uint64_t>;

Minima sketch_of(Set set, int size, std::size_t piece = SIZE_MAX)
{
    Minima minima(static_cast<std::size_t>(size) + 1, 0xA5);
    MinhashSketch sketch;
    sketch.init(minima.data(), size);
    EXPECT_TRUE(sketch.empty());
    for (std::size_t from = 0; from < set.size(); from += std::min(piece, set.size() - from))
        sketch.add(set.data() + from, std::min(piece, set.size() - from));
    EXPECT_EQ(sketch.empty(), set.empty());
    EXPECT_EQ(minima.back(), 0xA5);
    minima.pop_back();
    return minima;
}

Set random_set(std::size_t count, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    Set set(count);
    std::generate(set.begin(), set.end(), random);
    return set;
}

// The definition, with every round and without stopping.
Minima reference(const Set &set, int size)
{
    Minima minima(static_cast<std::size_t>(size), UINT64_MAX / 2);
    for (std::uint64_t element : set) {
        std::uint64_t seed = split_mix(element ^ 0x6A09E667F3BCC908);
        for (int round = 0; round < 2 * size; round++) {
            std::uint64_t hash =
                split_mix(seed + (static_cast<std::uint64_t>(round) + 1) * 0x9E3779B97F4A7C15);
            auto place = static_cast<std::size_t>(round - size);
            if (round < size)
                place =
                    static_cast<std::size_t>((hash >> 32) * static_cast<std::uint64_t>(size) / 4294967296);
            std::uint64_t value = (static_cast<std::uint64_t>(round) << 48) + hash % 281474976710656;
            minima[place] = std::min(minima[place], value);
        }
    }
    return minima;
}

double equal_part(const Minima &a, const Minima &b)
{
    std::size_t equal = 0;
    for (std::size_t i = 0; i < a.size(); i++)
        equal += a[i] == b[i];
    return static_cast<double>(equal) / static_cast<double>(a.size());
}

double bit_estimate(const Minima &a, const Minima &b)
{
    std::vector<std::uint8_t> left((a.size() + 7) / 8), right(left.size());
    write_minhash_bits(a.data(), static_cast<int>(a.size()), left.data());
    write_minhash_bits(b.data(), static_cast<int>(b.size()), right.data());
    int distance = 0;
    for (std::size_t i = 0; i < left.size(); i++)
        distance += __builtin_popcount(static_cast<unsigned>(left[i] ^ right[i]));
    return 1 - 2.0 * distance / static_cast<double>(a.size());
}

// Stored sketches depend on these.
TEST(Minhash, MinimaNeverChange)
{
    EXPECT_EQ(sketch_of({1, 2, 3}, 4),
              (Minima{218285519184598, 800519803626531, 73976815849992, 380289511852568}));
    EXPECT_EQ(sketch_of({0, UINT64_MAX}, 3), (Minima{45215000365978, 133688438432298, 312901797682159}));
    Minima minima = sketch_of(random_set(100, 1), 20);
    std::uint8_t bits[4] = {0, 0, 0, 0xA5};
    write_minhash_bits(minima.data(), 20, bits);
    EXPECT_EQ(bits[0], 0x24);
    EXPECT_EQ(bits[1], 0x6E);
    EXPECT_EQ(bits[2], 0xF0);
    EXPECT_EQ(bits[2] & 0x0F, 0);
    EXPECT_EQ(bits[3], 0xA5);
}

TEST(Minhash, EqualsItsDefinition)
{
    for (int size : {1, 2, 3, 64, 100, 257, kMinhashSizeMax})
        for (std::size_t count : {1ul, 2ul, 7ul, 300ul}) {
            Set set = random_set(count, count);
            EXPECT_EQ(sketch_of(set, size), reference(set, size)) << size << " minima of " << count;
        }
}

TEST(Minhash, NeitherOrderNorPiecesNorRepetitionsMatter)
{
    std::mt19937_64 random(3);
    for (int size : {5, 256}) {
        Set set = random_set(1000, 4);
        Minima expected = sketch_of(set, size);
        for (std::size_t piece : {1ul, 3ul, 64ul, 999ul}) {
            std::shuffle(set.begin(), set.end(), random);
            EXPECT_EQ(sketch_of(set, size, piece), expected);
        }
        set.insert(set.end(), set.begin(), set.begin() + 500);
        EXPECT_EQ(sketch_of(set, size, 100), expected);
    }
}

TEST(Minhash, MinimaAreNotNegative)
{
    for (std::uint64_t minimum : sketch_of({42}, kMinhashSizeMax))
        EXPECT_LT(minimum, kMinhashEmpty);
}

TEST(Minhash, UnitesSets)
{
    for (std::size_t count : {1ul, 10ul, 2000ul}) {
        Set a = random_set(count, 5), b = random_set(count / 2 + 1, 6), both = a;
        both.insert(both.end(), b.begin(), b.end());
        Minima expected = sketch_of(both, 300), united = sketch_of(a, 300), of_b = sketch_of(b, 300);
        unite_minima(united.data(), of_b.data(), 300);
        EXPECT_EQ(united, expected);

        Minima minima(300);
        MinhashSketch sketch;
        sketch.init(minima.data(), 300);
        sketch.unite(of_b.data());
        EXPECT_FALSE(sketch.empty());
        sketch.add(a.data(), a.size());
        EXPECT_EQ(minima, expected);
    }
}

TEST(Minhash, ConsecutiveNumbersAreAsGoodAsHashes)
{
    Set a(300), b(300);
    double sum = 0;
    for (std::uint64_t from = 0; from < 200; from++) {
        for (std::uint64_t i = 0; i < a.size(); i++) {
            a[i] = from * 1000 + i;
            b[i] = from * 1000 + i + 100;
        }
        sum += equal_part(sketch_of(a, 64), sketch_of(b, 64));
    }
    // 200 common elements of 400; the standard error of 200 * 64 minima is less than 0.0045.
    EXPECT_NEAR(sum / 200, 0.5, 0.018);
}

// The mean of the estimates is the Jaccard index, and their variance is at most that of independent minima.
TEST(Minhash, EstimatesAreUnbiased)
{
    for (int size : {64, 1000})
        for (std::size_t count : {3ul, 40ul, 1000ul, 20000ul})
            for (std::size_t common : {count / 3, count * 9 / 10}) {
                const int rounds = count < 10000 ? 200 : 40;
                const double truth = static_cast<double>(common) / static_cast<double>(2 * count - common);
                double full = 0, full_squares = 0, bits = 0, bit_squares = 0;
                for (int round = 0; round < rounds; round++) {
                    Set a = random_set(2 * count - common, static_cast<std::uint64_t>(round) + 100);
                    Set b(a.begin() + static_cast<std::ptrdiff_t>(count - common), a.end());
                    a.resize(count);
                    Minima left = sketch_of(a, size), right = sketch_of(b, size);
                    double error = equal_part(left, right) - truth;
                    double bit_error = bit_estimate(left, right) - truth;
                    full += error;
                    full_squares += error * error;
                    bits += bit_error;
                    bit_squares += bit_error * bit_error;
                }
                const double variance = truth * (1 - truth) / size, bit_variance = (1 - truth * truth) / size;
                EXPECT_LE(std::abs(full / rounds), 4 * std::sqrt(variance / rounds)) << size << ' ' << count;
                EXPECT_LE(std::abs(bits / rounds), 4 * std::sqrt(bit_variance / rounds))
                    << size << ' ' << count;
                // Four standard errors of a variance that is measured with 40 or 200 estimates.
                const double most = 1 + 4 * std::sqrt(2.0 / rounds);
                EXPECT_LE(full_squares / rounds, most * variance) << size << ' ' << count;
                EXPECT_LE(bit_squares / rounds, most * bit_variance) << size << ' ' << count;
            }
}

} // namespace
} // namespace simhash
