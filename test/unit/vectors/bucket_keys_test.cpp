#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/vectors/bucket_keys.hpp"
#include "core/vectors/random_projection.hpp"

namespace simhash
{
namespace
{

#include "core/vectors/gaussian_table.inc"

__extension__ typedef __int128 Wide;

constexpr Norm kNorms[] = {Norm::kL1, Norm::kL2};

std::vector<Weight> divided(const std::vector<double> &vector, double width)
{
    std::vector<Weight> out(vector.size());
    for (std::size_t i = 0; i < vector.size(); i++)
        EXPECT_TRUE(weight_from_double(vector[i] / width, &out[i]));
    return out;
}

std::uint64_t key(Norm norm, const std::vector<double> &vector, double width, const BucketTable &table)
{
    return stable_key(norm, divided(vector, width).data(), vector.size(), table);
}

std::vector<std::uint8_t> bytes_of(const std::string &digits)
{
    std::vector<std::uint8_t> out((digits.size() + 7) / 8);
    for (std::size_t j = 0; j < digits.size(); j++)
        if (digits[j] == '1')
            out[j / 8] = static_cast<std::uint8_t>(out[j / 8] | 0x80 >> j % 8);
    return out;
}

std::uint64_t key(const std::string &digits, const BucketTable &table)
{
    const std::vector<std::uint8_t> bytes = bytes_of(digits);
    return sampled_bits_key({static_cast<int>(digits.size()), static_cast<int>(bytes.size()), bytes.data()},
                            table);
}

std::vector<double> random_vector(std::mt19937_64 &random, std::size_t dimensions, int limit)
{
    std::vector<double> vector(dimensions);
    for (double &x : vector)
        x = static_cast<double>(random() % static_cast<unsigned>(2 * limit)) / 7 - limit / 7.0;
    return vector;
}

// A second implementation, from the description in the header.

std::uint64_t mixed(std::uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

std::uint64_t number(std::uint64_t s, std::uint64_t n) { return mixed(s + n * 0x9E3779B97F4A7C15); }

Wide gaussian(std::uint64_t s, std::uint64_t i)
{
    auto p = static_cast<unsigned>(number(s, i / 4 + 1) >> (16 * (i % 4)) & 0xFFFF);
    int magnitude = kGaussian[p % 2048];
    return (p & 2048) != 0 ? -magnitude : magnitude;
}

Wide cauchy(std::uint64_t s, std::uint64_t i)
{
    std::uint64_t z = number(s, i + 1);
    for (;; z = number(z, 1)) {
        Wide x = static_cast<std::int32_t>(z >> 32), y = static_cast<std::int32_t>(z & 0xFFFFFFFF);
        if (x * x + y * y < Wide{1} << 62 && y != 0)
            return x * 65536 / y;
    }
}

std::uint64_t defined_key(Norm norm, const std::vector<Weight> &vector, const BucketTable &table)
{
    const std::uint64_t t = number(mixed(table.seed), static_cast<unsigned>(table.number) + 1);
    const int places = 24 + (norm == Norm::kL1 ? 16 : 12);
    std::uint64_t key = t;
    for (unsigned j = 0; j < static_cast<unsigned>(table.hashes); j++) {
        const std::uint64_t s = number(t, j + 1);
        Wide sum = mixed(s) >> (64 - places);
        for (std::size_t i = vector.size(); i-- > 0;)
            sum += (norm == Norm::kL1 ? cauchy(s, i) : gaussian(s, i)) * vector[i];
        Wide floor = sum / (Wide{1} << places);
        if (floor * (Wide{1} << places) > sum)
            floor--;
        key = mixed(key ^ static_cast<std::uint64_t>(floor));
    }
    return key;
}

TEST(BucketKeys, Definition)
{
    std::mt19937_64 random(5);
    for (std::size_t dimensions : {1, 2, 3, 4, 5, 16, 300})
        for (int i = 0; i < 20; i++) {
            const std::vector<Weight> vector = divided(random_vector(random, dimensions, 1000), 0.75);
            const BucketTable table = {i < 2 ? ~std::uint64_t{0} : random() % 4, i, 1 + i % 6};
            for (Norm norm : kNorms)
                EXPECT_EQ(stable_key(norm, vector.data(), dimensions, table),
                          defined_key(norm, vector, table));
        }
}

// Sums of the largest numbers do not overflow.
TEST(BucketKeys, Extremes)
{
    for (Weight extreme : {INT64_MAX, INT64_MIN}) {
        const std::vector<Weight> vector(kDimensionsMax, extreme);
        for (Norm norm : kNorms)
            EXPECT_EQ(stable_key(norm, vector.data(), vector.size(), {0, 0, 2}),
                      defined_key(norm, vector, {0, 0, 2}));
    }
}

// These values are stored in users' tables and must never change.
TEST(BucketKeys, Frozen)
{
    EXPECT_EQ(key(Norm::kL1, {1, 2, 3}, 4, {0, 0, 3}), 0x133B2047B2A7D2D1u);
    EXPECT_EQ(key(Norm::kL1, {1, 2, 3}, 4, {0, 1, 3}), 0x951E39C9C99D18EDu);
    EXPECT_EQ(key(Norm::kL1, {-1, 0.1, 1e9}, 0.5, {7, 2, 10}), 0x7E5DBFBA673F8EBDu);
    EXPECT_EQ(key(Norm::kL2, {1, 2, 3}, 4, {0, 0, 3}), 0x15B462994B56B11Eu);
    EXPECT_EQ(key(Norm::kL2, {1, 2, 3}, 4, {0, 1, 3}), 0x67185C5A5B0DE1ABu);
    EXPECT_EQ(key(Norm::kL2, {-1, 0.1, 1e9}, 0.5, {7, 2, 10}), 0x8C1317C76D9F0D23u);
    std::vector<double> vector(1536);
    for (int i = 0; i < 1536; i++)
        vector[static_cast<std::size_t>(i)] = (i + 1) * 7919 % 1009 - 500;
    EXPECT_EQ(key(Norm::kL1, vector, 1000, {1, 3, 8}), 0xC0830884D543EB64u);
    EXPECT_EQ(key(Norm::kL2, vector, 1000, {1, 3, 8}), 0x21D5D27771702762u);
    EXPECT_EQ(key("0110100110010110", {0, 0, 5}), 0xC323B8E893E2C747u);
    EXPECT_EQ(key("0110100110010110", {0, 1, 5}), 0x53EAFAD0DDF71613u);
    EXPECT_EQ(key("01101001100101101", {9, 1, 64}), 0x1194AF3EB848804Au);
}

// A vector has the key of the same vector in other units, and zeros behind it do not change the key.
TEST(BucketKeys, ScaleAndPadding)
{
    std::mt19937_64 random(6);
    for (int i = 0; i < 50; i++) {
        std::vector<double> vector = random_vector(random, 20, 100);
        for (Norm norm : kNorms) {
            const BucketTable table = {1, i, 4};
            const std::uint64_t expected = key(norm, vector, 3, table);
            std::vector<double> scaled = vector, longer = vector;
            for (double &x : scaled)
                x *= 1024;
            longer.insert(longer.end(), {0, 0, -0.0});
            EXPECT_EQ(key(norm, scaled, 3 * 1024, table), expected);
            EXPECT_EQ(key(norm, longer, 3, table), expected);
        }
    }
}

// Keys of different tables, and of different seeds, are different even where all hash values are equal.
TEST(BucketKeys, Tables)
{
    std::vector<std::uint64_t> keys;
    for (std::uint64_t seed : {0, 1})
        for (int table = 0; table < 100; table++)
            keys.push_back(key(Norm::kL2, {0, 0}, 1, {seed, table, 3}));
    std::sort(keys.begin(), keys.end());
    EXPECT_EQ(std::unique(keys.begin(), keys.end()) - keys.begin(), 200);
}

// Every bit of a string is sampled, and no other.
TEST(BucketKeys, EveryBit)
{
    for (std::size_t bits : {1, 7, 64, 65, 4096}) {
        const std::string zeros(bits, '0');
        for (std::size_t j = 0; j < bits; j += bits < 100 ? 1 : 97) {
            std::string one = zeros;
            one[j] = '1';
            int differ = 0;
            for (int table = 0; table < 100; table++)
                differ += key(one, {0, table, 1024}) != key(zeros, {0, table, 1024});
            EXPECT_GT(differ, 0) << bits << ' ' << j;
        }
    }
}

} // namespace
} // namespace simhash
