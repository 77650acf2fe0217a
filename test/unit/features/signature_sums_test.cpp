#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/bits/feature_hash.hpp"
#include "core/bits/signature.hpp"
#include "core/features/feature_counts.hpp"
#include "core/features/term_frequency.hpp"
#include "core/features/weights.hpp"

namespace simhash
{
namespace
{

class Sums
{
public:
    explicit Sums(int bits) : words_(static_cast<std::size_t>(signature_words(bits))) {}
    SignatureSums get() { return {words_.data(), words_.size()}; }
    Weights &operator[](std::size_t word) { return words_[word]; }

private:
    std::vector<Weights> words_;
};

std::vector<std::uint8_t> write(SignatureSums sums, int bits)
{
    // One byte more, to see that it is not written.
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(bits + 7) / 8 + 1, 0xA5);
    write_signature(sums, bits, bytes.data());
    EXPECT_EQ(bytes.back(), 0xA5);
    bytes.pop_back();
    return bytes;
}

bool bit(const std::vector<std::uint8_t> &signature, int j)
{
    return (signature[static_cast<std::size_t>(j) / 8] & 0x80 >> j % 8) != 0;
}

std::vector<std::uint8_t> signature(const std::vector<std::string> &features, int bits)
{
    Sums sums(bits);
    clear_sums(sums.get());
    for (const std::string &feature : features)
        EXPECT_TRUE(add_feature(sums.get(), feature_hash(feature.data(), feature.size()), kWeightOne));
    return write(sums.get(), bits);
}

// A second implementation of the generator, from its published form, which counts up.
TEST(SignatureSums, WordsOfAHash)
{
    for (std::uint64_t hash : {std::uint64_t{0}, std::uint64_t{1234567}, ~std::uint64_t{0}}) {
        EXPECT_EQ(hash_word(hash, 0), hash);
        std::uint64_t state = hash;
        for (std::size_t i = 1; i < 64; i++) {
            std::uint64_t z = state += 0x9E3779B97F4A7C15;
            z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
            z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
            EXPECT_EQ(hash_word(hash, i), z ^ (z >> 31)) << i;
        }
    }
    // The generator's published numbers for the seed 1234567.
    EXPECT_EQ(hash_word(1234567, 1), 6457827717110365317u);
    EXPECT_EQ(hash_word(1234567, 2), 3203168211198807973u);
    EXPECT_EQ(hash_word(1234567, 3), 9817491932198370423u);
}

TEST(SignatureSums, BitsAreNumberedFromTheLeft)
{
    constexpr int kMost = kMostSignatureBits;
    std::mt19937_64 random(11);
    Sums sums(kMost);
    for (std::size_t word = 0; word < kMost / kBits; word++)
        for (Weight &sum : sums[word].sum)
            sum = static_cast<Weight>(random() % 5) - 2; // many zeros, which give ones
    std::vector<std::uint8_t> whole = write(sums.get(), kMost);
    for (int j = 0; j < kMost; j++) {
        Weight sum = sums[static_cast<std::size_t>(j / kBits)].sum[kBits - 1 - j % kBits];
        EXPECT_EQ(signature_sum(sums.get(), j), sum);
        ASSERT_EQ(bit(whole, j), sum >= 0) << j;
    }
    for (int bits = kSignatureBitsMin; bits <= 300; bits++) {
        std::vector<std::uint8_t> part =
            write({sums.get().word, static_cast<std::size_t>(signature_words(bits))}, bits);
        for (int j = 0; j < 8 * static_cast<int>(part.size()); j++)
            ASSERT_EQ(bit(part, j), j < bits && bit(whole, j)) << bits << " " << j;
    }
    EXPECT_EQ(signature_words(64), 1);
    EXPECT_EQ(signature_words(65), 2);
    EXPECT_EQ(signature_words(4096), 64);
}

TEST(SignatureSums, AddsToEveryWord)
{
    Sums sums(256);
    clear_sums(sums.get());
    ASSERT_TRUE(add_feature(sums.get(), 77, 5));
    ASSERT_TRUE(add_feature(sums.get(), 78, -3));
    for (std::size_t word = 0; word < 4; word++) {
        Weights expected = {};
        ASSERT_TRUE(add_feature(&expected, hash_word(77, word), 5));
        ASSERT_TRUE(add_feature(&expected, hash_word(78, word), -3));
        for (int j = 0; j < kBits; j++)
            EXPECT_EQ(sums[word].sum[j], expected.sum[j]);
    }
    // The overflow of one sum of the last word is found.
    sums[3].sum[17] = (hash_word(77, 3) >> 17 & 1) != 0 ? INT64_MAX : INT64_MIN;
    EXPECT_FALSE(add_feature(sums.get(), 77, 5));
}

// Features that occur equally often are combined before they are added: for all sizes of such groups.
TEST(SignatureSums, CombinedVotesEqualOneByOneAddition)
{
    std::mt19937_64 random(12);
    for (std::uint32_t different : {1u, 3u, 31u, 32u, 40u}) {
        for (std::size_t features = 1; features < 2000; features += 1 + features / 7) {
            std::vector<FeatureCount> slots(4096);
            FeatureCounts counts;
            TableSalts salts(random());
            counts.init(slots.data(), slots.size(), &salts);
            Sums expected(300);
            Sums sums(300);
            clear_sums(expected.get());
            clear_sums(sums.get());
            for (std::size_t i = 0; i < features; i++) {
                std::uint64_t hash = random();
                auto tf = 1 + static_cast<std::uint32_t>(random() % different);
                counts.add(hash, tf);
                ASSERT_TRUE(
                    add_feature(expected.get(), hash, Weight{logarithmic_weight(tf)} << kLogarithmicShift));
            }
            // In two parts.
            std::size_t cut = random() % slots.size();
            counts.add_logarithmic(0, cut, sums.get());
            counts.add_logarithmic(cut, slots.size(), sums.get());
            for (int j = 0; j < 300; j++)
                ASSERT_EQ(signature_sum(sums.get(), j), signature_sum(expected.get(), j))
                    << features << " features, bit " << j;
        }
    }
}

// These values are stored in users' tables and must never change.
TEST(SignatureSums, FrozenSignatures)
{
    EXPECT_EQ(signature({"a"}, 100), (std::vector<std::uint8_t>{0xE6, 0xC6, 0x32, 0xB6, 0x1E, 0x96, 0x4E,
                                                                0x1F, 0xDB, 0xAC, 0x1E, 0x87, 0x50}));
    EXPECT_EQ(signature({"the", "quick", "brown", "fox"}, 200),
              (std::vector<std::uint8_t>{0xCF, 0x8F, 0xC6, 0xA3, 0xBD, 0xFB, 0xBB, 0xEF, 0xFF,
                                         0xBD, 0xAF, 0xCD, 0x56, 0xBF, 0xFD, 0xFD, 0xF5, 0xEC,
                                         0xDD, 0xDE, 0xBE, 0xF7, 0xE6, 0x3E, 0x87}));
}

// Different features have independent words, and the words of a feature are independent of each other.
TEST(SignatureSums, WordsAreIndependent)
{
    std::set<std::uint64_t> all;
    double differing = 0;
    constexpr std::size_t kFeatures = 200;
    for (std::size_t i = 0; i < kFeatures; i++) {
        std::string name = "feature " + std::to_string(i);
        std::uint64_t hash = feature_hash(name.data(), name.size());
        for (std::size_t word = 0; word < 64; word++) {
            all.insert(hash_word(hash, word));
            differing += hamming_distance(hash_word(hash, word), hash_word(hash, (word + 1) % 64));
        }
    }
    EXPECT_EQ(all.size(), kFeatures * 64);
    // A binomial mean with a standard deviation of 0.035.
    EXPECT_NEAR(differing / (kFeatures * 64), 32, 0.2);
}

// The share of differing bits is that of the angle between the documents' vectors of weights.
TEST(SignatureSums, DistanceFollowsTheAngle)
{
    constexpr int kBitNumber = 1024;
    constexpr int kFeatures = 101; // odd: no sum is 0
    constexpr int kPairs = 40;
    for (int shared : {0, 50, 80, 95, 100}) {
        double differing = 0;
        for (int pair = 0; pair < kPairs; pair++) {
            std::vector<std::string> a;
            std::vector<std::string> b;
            for (int i = 0; i < kFeatures; i++) {
                a.push_back("a" + std::to_string(pair) + " " + std::to_string(i));
                b.push_back(i < shared ? a.back() : "b" + std::to_string(pair) + " " + std::to_string(i));
            }
            std::vector<std::uint8_t> left = signature(a, kBitNumber);
            std::vector<std::uint8_t> right = signature(b, kBitNumber);
            for (int j = 0; j < kBitNumber; j++)
                differing += bit(left, j) != bit(right, j);
        }
        double angle = std::acos(static_cast<double>(shared) / kFeatures);
        double expected = kBitNumber * angle / 3.14159265358979;
        // Four standard deviations of the mean, and 1 % for the sums being no Gaussian numbers.
        EXPECT_NEAR(differing / kPairs, expected, 4 * 16 / std::sqrt(kPairs) + 0.01 * kBitNumber) << shared;
    }
}

} // namespace
} // namespace simhash
