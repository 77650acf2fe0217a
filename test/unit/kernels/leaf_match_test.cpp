#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/kernels/leaf_match.hpp"

#include "../seed.hpp"
#include "guarded_memory.hpp"
#include "levels.hpp"

namespace simhash
{
namespace
{

constexpr int kMost = 700;
constexpr int kStarts = 8; // fingerprints in a cache line

using LeafMatchTest = SeededTest<512>;

std::vector<int> naive(const std::vector<Fingerprint> &fingerprints, Fingerprint query, int radius)
{
    std::vector<int> matches;
    for (std::size_t i = 0; i < fingerprints.size(); i++) {
        int distance = 0;
        for (Fingerprint x = fingerprints[i] ^ query; x != 0; x >>= 1)
            distance += x & 1;
        if (distance <= radius)
            matches.push_back(static_cast<int>(i));
    }
    return matches;
}

class Kernels
{
public:
    // Each level, on memory that ends or begins where the leaf does, and on a leaf that begins anywhere in a
    // cache line.
    void expect(const std::vector<Fingerprint> &fingerprints, Fingerprint query, int radius)
    {
        std::vector<int> expected = naive(fingerprints, query, radius);
        int count = static_cast<int>(fingerprints.size());
        for (const Level &level : levels()) {
            expect_at(leaf_.last(count), matches_.last(count), fingerprints, query, radius, level, expected);
            expect_at(leaf_.first(), matches_.first(), fingerprints, query, radius, level, expected);
            expect_at(leaf_.first() + 1 + starts_++ % (kStarts - 1), matches_.last(count), fingerprints,
                      query, radius, level, expected);
        }
    }

private:
    void expect_at(Fingerprint *leaf, std::uint16_t *matches, const std::vector<Fingerprint> &fingerprints,
                   Fingerprint query, int radius, const Level &level, const std::vector<int> &expected)
    {
        int count = static_cast<int>(fingerprints.size());
        std::copy(fingerprints.begin(), fingerprints.end(), leaf);
        int found = leaf_match(level.level)(leaf, count, query, radius, matches);
        ASSERT_EQ(std::vector<int>(matches, matches + found), expected)
            << level.name << ", " << count << " entries, radius " << radius << ", start "
            << reinterpret_cast<std::uintptr_t>(leaf) % 64;
        ASSERT_TRUE(std::equal(fingerprints.begin(), fingerprints.end(), leaf)) << level.name;
    }

    unsigned starts_ = 0;
    GuardedMemory<Fingerprint> leaf_{kMost + kStarts};
    GuardedMemory<std::uint16_t> matches_{kMost};
};

TEST_F(LeafMatchTest, LevelsOfThisCpu)
{
    std::string names;
    for (const Level &level : levels())
        names += std::string(" ") + level.name;
    std::printf("levels:%s\n", names.c_str());
    EXPECT_TRUE(has_simd_level(SimdLevel::kScalar));
    EXPECT_TRUE(has_simd_level(best_simd_level()));
    EXPECT_FALSE(has_simd_level(SimdLevel::kNeon) && has_simd_level(SimdLevel::kPopcnt));
    EXPECT_EQ(best_simd_level(), levels().back().level);
    for (const Level &one : levels()) {
        for (const Level &other : levels()) {
            EXPECT_EQ(leaf_match(one.level) == leaf_match(other.level), one.level == other.level)
                << one.name << " and " << other.name;
        }
    }
#if defined(__aarch64__)
    EXPECT_EQ(best_simd_level(), SimdLevel::kNeon);
#endif
}

#if defined(__x86_64__)
// According to the operating system: a level that is overlooked would not be tested.
TEST_F(LeafMatchTest, NoLevelIsOverlooked)
{
    std::ifstream cpuinfo("/proc/cpuinfo");
    std::string line;
    while (std::getline(cpuinfo, line) && line.rfind("flags", 0) != 0)
        ;
    if (line.empty())
        GTEST_SKIP() << "no flags in /proc/cpuinfo";
    std::istringstream words(line);
    std::set<std::string> flags{std::istream_iterator<std::string>(words), {}};
    EXPECT_EQ(has_simd_level(SimdLevel::kPopcnt), flags.count("popcnt") == 1);
    EXPECT_EQ(has_simd_level(SimdLevel::kAvx2), flags.count("avx2") == 1);
    EXPECT_EQ(has_simd_level(SimdLevel::kAvx512),
              flags.count("avx512_vpopcntdq") == 1 && flags.count("avx512bw") == 1);
}
#endif

// Rows at every distance, so that each radius divides them.
TEST_F(LeafMatchTest, EverySizeAndRadius)
{
    Kernels kernels;
    for (int count = 0; count <= kMost; count++) {
        Fingerprint query = random();
        std::vector<Fingerprint> rows;
        for (int i = 0; i < count; i++) {
            Fingerprint row = query;
            for (int flips = below(70); flips > 0; flips--)
                row ^= Fingerprint{1} << below(64);
            rows.push_back(below(50) == 0 ? ~query : row);
        }
        for (int radius : {0, below(65), below(65), 64})
            kernels.expect(rows, query, radius);
        if (HasFailure())
            return;
    }
}

TEST_F(LeafMatchTest, EveryRadius)
{
    Kernels kernels;
    for (int count : {0, 1, 3, 4, 5, 7, 8, 9, 63, 64, 65}) {
        for (int radius = 0; radius <= 64; radius++) {
            Fingerprint query = random();
            std::vector<Fingerprint> rows;
            for (int i = 0; i < count; i++) { // just inside and just outside
                int distance = std::clamp(radius + below(3) - 1, 0, 64);
                Fingerprint errors = 0;
                while (std::popcount(errors) < distance)
                    errors |= Fingerprint{1} << below(64);
                rows.push_back(query ^ errors);
            }
            kernels.expect(rows, query, radius);
            if (HasFailure())
                return;
        }
    }
}

// All match, none matches: the longest and the shortest answer.
TEST_F(LeafMatchTest, AllOrNone)
{
    Kernels kernels;
    for (int count : {1, 4, 8, 15, 16, 17, 577, 580, kMost}) {
        for (Fingerprint query : {Fingerprint{0}, ~Fingerprint{0}, Fingerprint{0x8000000000000000}}) {
            std::vector<Fingerprint> same(static_cast<std::size_t>(count), query);
            std::vector<Fingerprint> opposite(static_cast<std::size_t>(count), ~query);
            kernels.expect(same, query, 0);
            kernels.expect(opposite, query, 63);
            kernels.expect(opposite, query, 64);
        }
        if (HasFailure())
            return;
    }
}

// Differences only in some bits of each byte: a kernel that counts by parts must count every part.
TEST_F(LeafMatchTest, PartsOfBytes)
{
    Kernels kernels;
    constexpr Fingerprint kParts[] = {0x0F0F0F0F0F0F0F0F, 0xF0F0F0F0F0F0F0F0, 0x5555555555555555,
                                      0xAAAAAAAAAAAAAAAA, 0x00000000FFFFFFFF, 0xFFFFFFFF00000000,
                                      0x8080808080808080};
    for (Fingerprint bits : kParts) {
        for (int radius = 0; radius <= 12; radius++) {
            Fingerprint query = random();
            std::vector<Fingerprint> rows;
            for (int i = 0; i < 100; i++) {
                Fingerprint errors = random() & bits;
                for (int keep = below(radius + 4); std::popcount(errors) > keep;)
                    errors &= errors - 1;
                rows.push_back(query ^ errors);
            }
            kernels.expect(rows, query, radius);
            if (HasFailure())
                return;
        }
    }
}

// One match, in each place of a vector.
TEST_F(LeafMatchTest, OneMatchAnywhere)
{
    Kernels kernels;
    for (std::size_t at = 0; at < 40; at++) {
        Fingerprint query = random();
        std::vector<Fingerprint> rows(40, ~query);
        rows[at] = query ^ 7;
        kernels.expect(rows, query, 3);
        kernels.expect(rows, query, 2);
        if (HasFailure())
            return;
    }
}

} // namespace
} // namespace simhash
