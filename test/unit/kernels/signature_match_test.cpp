#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "core/kernels/signature_match.hpp"

#include "../seed.hpp"
#include "guarded_memory.hpp"
#include "levels.hpp"

namespace simhash
{
namespace
{

constexpr int kMostRows = 600;

using Signature = std::vector<std::uint8_t>;
using Sketch = std::array<std::uint64_t, 2>;

int naive_distance(const std::uint8_t *a, const std::uint8_t *b, std::size_t bytes)
{
    int distance = 0;
    for (std::size_t i = 0; i < bytes; i++) {
        for (int x = a[i] ^ b[i]; x != 0; x >>= 1)
            distance += x & 1;
    }
    return distance;
}

int naive_distance(const Sketch &a, const Sketch &b)
{
    return naive_distance(reinterpret_cast<const std::uint8_t *>(a.data()),
                          reinterpret_cast<const std::uint8_t *>(b.data()), sizeof(Sketch));
}

template <typename Kernel> void expect_different_kernels(Kernel (*kernel_of)(SimdLevel))
{
    for (const Level &one : levels()) {
        for (const Level &other : levels()) {
            EXPECT_EQ(kernel_of(one.level) == kernel_of(other.level), one.level == other.level)
                << one.name << " and " << other.name;
        }
    }
}

TEST(SignatureMatch, LevelsOfThisCpu)
{
    expect_different_kernels(signature_distances);
    expect_different_kernels(plane_match);
}

class SignatureDistancesTest : public SeededTest<514>
{
protected:
    Signature make_signature(std::size_t bytes)
    {
        Signature signature(bytes);
        for (std::uint8_t &byte : signature)
            byte = static_cast<std::uint8_t>(random());
        return signature;
    }

    // Each level, on memory that ends or begins where the signatures do. There are other bytes between them.
    void expect(const Signature &query, std::size_t stride, const std::vector<Signature> &rows)
    {
        std::vector<std::uint16_t> expected;
        for (const Signature &row : rows)
            expected.push_back(
                static_cast<std::uint16_t>(naive_distance(query.data(), row.data(), query.size())));
        std::size_t size = rows.empty() ? 0 : (rows.size() - 1) * stride + query.size();
        for (const Level &level : levels()) {
            expect_at(query_.last(query.size()), rows_.last(size), query, stride, rows, level, expected);
            expect_at(query_.first(), rows_.first(), query, stride, rows, level, expected);
        }
    }

private:
    void expect_at(std::uint8_t *query_at, std::uint8_t *rows_at, const Signature &query, std::size_t stride,
                   const std::vector<Signature> &rows, const Level &level,
                   const std::vector<std::uint16_t> &expected)
    {
        std::copy(query.begin(), query.end(), query_at);
        for (std::size_t i = 0; i < rows.size(); i++)
            std::copy(rows[i].begin(), rows[i].end(), rows_at + i * stride);
        std::uint16_t *distances = distances_.last(rows.size());
        signature_distances(level.level)(query_at, static_cast<int>(query.size()), rows_at, stride,
                                         static_cast<int>(rows.size()), distances);
        ASSERT_EQ(std::vector<std::uint16_t>(distances, distances + rows.size()), expected)
            << level.name << ", " << rows.size() << " rows of " << query.size() << " bytes, stride "
            << stride;
    }

    GuardedMemory<std::uint8_t> query_{kMostSignatureBytes};
    GuardedMemory<std::uint8_t> rows_{kMostRows * 140};
    GuardedMemory<std::uint16_t> distances_{kMostRows};
};

TEST_F(SignatureDistancesTest, EveryLength)
{
    for (std::size_t bytes = kLeastSignatureBytes; bytes <= kMostSignatureBytes; bytes++) {
        Signature query = make_signature(bytes);
        std::vector<Signature> rows;
        for (int i = below(20); i >= 0; i--)
            rows.push_back(make_signature(bytes));
        expect(query, bytes, rows);
        expect(query, bytes + static_cast<std::size_t>(below(20)), rows);
        if (HasFailure())
            return;
    }
}

TEST_F(SignatureDistancesTest, EveryCount)
{
    for (std::size_t bytes : {9, 16, 31, 32, 33, 63, 64, 65, 72, 128}) {
        Signature query = make_signature(bytes);
        std::vector<Signature> rows;
        for (int count = 0; count <= kMostRows; count++, rows.push_back(make_signature(bytes))) {
            if (count > 40 && count < kMostRows - 2 && count % 61 != 0)
                continue;
            expect(query, bytes, rows);
            expect(query, bytes + 6, rows);
            if (HasFailure())
                return;
        }
    }
}

// The largest and the smallest sums next to each other.
TEST_F(SignatureDistancesTest, AllOrNone)
{
    for (std::size_t bytes = kLeastSignatureBytes; bytes <= kMostSignatureBytes; bytes++) {
        Signature same = make_signature(bytes), opposite = same;
        for (std::uint8_t &byte : opposite)
            byte = static_cast<std::uint8_t>(~byte);
        expect(same, bytes, std::vector<Signature>(13, opposite));
        std::vector<Signature> mixed;
        for (int i = 0; i < 13; i++)
            mixed.push_back(below(2) == 0 ? same : opposite);
        expect(same, bytes, mixed);
        if (HasFailure())
            return;
    }
}

// One bit, in each place.
TEST_F(SignatureDistancesTest, OneBitAnywhere)
{
    for (std::size_t bytes : {9, 15, 31, 32, 33, 72, 100, 128, 512}) {
        Signature query = make_signature(bytes);
        for (std::size_t bit = 0; bit < 8 * bytes; bit += 16) {
            std::vector<Signature> rows(16, query);
            for (std::size_t i = 0; i < 16 && bit + i < 8 * bytes; i++)
                rows[i][(bit + i) / 8] ^= static_cast<std::uint8_t>(0x80 >> (bit + i) % 8);
            expect(query, bytes, rows);
        }
        if (HasFailure())
            return;
    }
}

// The tests of kernels for items of two words, whose distances are 0 to 128.
template <unsigned kSeed> class SketchTest : public SeededTest<kSeed>
{
protected:
    Sketch random_sketch() { return {this->random(), this->random()}; }

    Sketch at_distance(const Sketch &query, int distance)
    {
        Sketch errors = {};
        while (std::popcount(errors[0]) + std::popcount(errors[1]) < distance)
            errors[static_cast<std::size_t>(this->below(2))] |= std::uint64_t{1} << this->below(64);
        return {query[0] ^ errors[0], query[1] ^ errors[1]};
    }

    // Some at each distance.
    std::vector<Sketch> sketches_around(const Sketch &query, int count)
    {
        std::vector<Sketch> sketches;
        for (int i = 0; i < count; i++)
            sketches.push_back(at_distance(query, this->below(129)));
        return sketches;
    }

    virtual void expect(const std::vector<Sketch> &sketches, const Sketch &query, int radius) = 0;

    void test_every_count()
    {
        for (int count = 0; count <= kMostRows; count++) {
            Sketch query = random_sketch();
            std::vector<Sketch> sketches = sketches_around(query, count);
            for (int radius : {0, this->below(129), 128})
                expect(sketches, query, radius);
            if (this->HasFailure())
                return;
        }
    }

    // Just inside and just outside.
    void test_every_radius()
    {
        for (int count : {1, 7, 16, 17, 32, 33, 64, 70}) {
            for (int radius = 0; radius <= 128; radius++) {
                Sketch query = random_sketch();
                std::vector<Sketch> sketches;
                for (int i = 0; i < count; i++)
                    sketches.push_back(at_distance(query, std::clamp(radius + this->below(3) - 1, 0, 128)));
                expect(sketches, query, radius);
                if (this->HasFailure())
                    return;
            }
        }
    }

    void test_all_or_none()
    {
        for (int count : {1, 15, 16, 17, 31, 32, 33, 504, 508, kMostRows}) {
            Sketch query = random_sketch();
            std::vector<Sketch> same(static_cast<std::size_t>(count), query);
            std::vector<Sketch> opposite(static_cast<std::size_t>(count), Sketch{~query[0], ~query[1]});
            expect(same, query, 0);
            expect(opposite, query, 127);
            expect(opposite, query, 128);
        }
    }

    // One match, in each place of a block.
    void test_one_match()
    {
        for (int count : {40, 64}) {
            for (std::size_t at = 0; at < static_cast<std::size_t>(count); at++) {
                Sketch query = random_sketch();
                std::vector<Sketch> sketches(static_cast<std::size_t>(count), Sketch{~query[0], ~query[1]});
                sketches[at] = at_distance(query, 3);
                expect(sketches, query, 3);
                expect(sketches, query, 2);
            }
        }
    }

    // Where the items begin in a cache line.
    unsigned starts_ = 0;
};

std::vector<int> naive_distances(const std::vector<Sketch> &sketches, const Sketch &query)
{
    std::vector<int> distances;
    for (const Sketch &sketch : sketches)
        distances.push_back(naive_distance(sketch, query));
    return distances;
}

std::vector<int> naive_matches(const std::vector<int> &distances, int radius)
{
    std::vector<int> matches;
    for (std::size_t i = 0; i < distances.size(); i++) {
        if (distances[i] <= radius)
            matches.push_back(static_cast<int>(i));
    }
    return matches;
}

class PlaneTest : public SketchTest<515>
{
protected:
    void expect(const std::vector<Sketch> &sketches, const Sketch &query, int radius) override
    {
        std::size_t words = 2 * sketches.size();
        std::vector<int> expected = naive_matches(naive_distances(sketches, query), radius);
        for (const Level &level : levels()) {
            expect_at(plane_.last(words), sketches, query, radius, level, expected);
            expect_at(plane_.first(), sketches, query, radius, level, expected);
            expect_at(plane_.first() + 1 + starts_++ % 7, sketches, query, radius, level, expected);
        }
    }

private:
    void expect_at(std::uint64_t *plane, const std::vector<Sketch> &sketches, const Sketch &query, int radius,
                   const Level &level, const std::vector<int> &expected)
    {
        if (!sketches.empty())
            std::memcpy(plane, sketches.data(), sketches.size() * sizeof(Sketch));
        int count = static_cast<int>(sketches.size());
        std::uint64_t *query_at = query_.last(2);
        std::copy(query.begin(), query.end(), query_at);
        std::uint16_t *matches = matches_.last(sketches.size());
        int found = plane_match(level.level)(plane, count, query_at, radius, matches);
        ASSERT_EQ(std::vector<int>(matches, matches + found), expected)
            << level.name << ", " << count << " sketches, radius " << radius;
    }

    GuardedMemory<std::uint64_t> plane_{2 * kMostRows + 7}, query_{2};
    GuardedMemory<std::uint16_t> matches_{kMostRows};
};

TEST_F(PlaneTest, EveryCount) { test_every_count(); }
TEST_F(PlaneTest, EveryRadius) { test_every_radius(); }
TEST_F(PlaneTest, AllOrNone) { test_all_or_none(); }
TEST_F(PlaneTest, OneMatchAnywhere) { test_one_match(); }

} // namespace
} // namespace simhash
