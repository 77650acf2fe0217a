#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/layout/key_ball.hpp"

#include "../seed.hpp"

namespace simhash
{
namespace
{

constexpr std::uint64_t kLast = ~std::uint64_t{0};

class KeyBallTest : public SeededTest<3>
{
protected:
    // Dense, sparse and in between.
    std::uint64_t key()
    {
        switch (below(6)) {
        case 0:
            return random() & random() & random();
        case 1:
            return random() | random() | random();
        case 2:
            return kLast << below(64);
        case 3:
            return kLast >> below(64);
        default:
            return random();
        }
    }

    // A key with `flips` bits of `from` flipped, some perhaps twice.
    std::uint64_t near(std::uint64_t from, int flips)
    {
        for (; flips > 0; flips--)
            from ^= std::uint64_t{1} << below(64);
        return from;
    }
};

using Key = std::optional<std::uint64_t>;

Key next(const KeyBall &ball, std::uint64_t from)
{
    std::uint64_t key = 0;
    return next_key(ball, from, &key) ? Key(key) : std::nullopt;
}

// Bit i from the highest.
bool bit_of(std::uint64_t key, int i) { return key >> (63 - i) & 1; }

// The slow way: down the binary tree of all keys, the smaller child first, giving up where a budget is
// exceeded. `tight` is set as long as the key equals `from`; elsewhere a subtree within the budgets never
// fails, so this is quick.
bool walk(const KeyBall &ball, std::uint64_t from, int depth, bool tight, int radius, int budget,
          std::uint64_t *key)
{
    if (radius < 0 || budget < 0)
        return false;
    if (depth == 64)
        return true;
    for (bool bit : {false, true}) {
        if (tight && bit < bit_of(from, depth))
            continue;
        bool error = bit != bit_of(ball.center, depth);
        std::uint64_t mask = std::uint64_t{1} << (63 - depth);
        *key = bit ? *key | mask : *key & ~mask;
        if (walk(ball, from, depth + 1, tight && bit == bit_of(from, depth), radius - error,
                 budget - (error && depth < ball.header_bits), key))
            return true;
    }
    return false;
}

Key walk(const KeyBall &ball, std::uint64_t from)
{
    std::uint64_t key = 0;
    return walk(ball, from, 0, true, ball.radius, ball.header_budget, &key) ? Key(key) : std::nullopt;
}

bool holds(const KeyBall &ball, std::uint64_t key)
{
    int errors = 0, header = 0;
    for (int i = 0; i < 64; i++) {
        bool error = bit_of(key, i) != bit_of(ball.center, i);
        errors += error;
        header += error && i < ball.header_bits;
    }
    return errors <= ball.radius && header <= ball.header_budget;
}

// Every key with at most `radius` <= 3 errors that the ball holds, ascending.
std::vector<std::uint64_t> every_key(const KeyBall &ball)
{
    std::vector<std::uint64_t> keys;
    auto take = [&](std::uint64_t errors) {
        if (holds(ball, ball.center ^ errors))
            keys.push_back(ball.center ^ errors);
    };
    take(0);
    for (int a = 0; a < 64 && ball.radius >= 1; a++) {
        take(1ull << a);
        for (int b = 0; b < a && ball.radius >= 2; b++) {
            take(1ull << a | 1ull << b);
            for (int c = 0; c < b && ball.radius >= 3; c++)
                take(1ull << a | 1ull << b | 1ull << c);
        }
    }
    std::sort(keys.begin(), keys.end());
    return keys;
}

std::string name(const KeyBall &ball)
{
    char text[100];
    std::snprintf(text, sizeof(text), "center 0x%016llx, header %d, budget %d, radius %d",
                  static_cast<unsigned long long>(ball.center), ball.header_bits, ball.header_budget,
                  ball.radius);
    return text;
}

#define ASSERT_NEXT(ball, from, expected)                                                                    \
    ASSERT_EQ(next(ball, from), expected) << name(ball) << ", from 0x" << std::hex << (from)

TEST_F(KeyBallTest, LeadingBits)
{
    EXPECT_EQ(leading_bits(0), 0u);
    EXPECT_EQ(leading_bits(64), kLast);
    for (int bits = 1; bits < 64; bits++)
        EXPECT_EQ(leading_bits(bits), ~(kLast >> bits)) << bits;
}

// A whole search by seeking: each key of the ball, once, ascending.
TEST_F(KeyBallTest, EnumeratesSmallBalls)
{
    for (int radius = 0; radius <= 3; radius++) {
        for (int i = 0; i < 12; i++) {
            KeyBall ball = {i == 0 ? 0 : i == 1 ? kLast : key(), 0, 0, radius};
            if (i >= 4) {
                ball.header_bits = i == 4 ? 64 : below(65);
                ball.header_budget = below(radius + 2);
            }
            std::vector<std::uint64_t> expected = every_key(ball), found;
            if (ball.header_bits == 0) {
                const std::size_t sizes[] = {1, 65, 2081, 43745}; // sums of C(64, i)
                ASSERT_EQ(expected.size(), sizes[radius]);
            }
            Key at = next(ball, 0);
            while (at && found.size() <= expected.size()) {
                found.push_back(*at);
                at = *at == kLast ? std::nullopt : next(ball, *at + 1);
            }
            ASSERT_EQ(found, expected) << name(ball);
        }
    }
}

// From any key: the first of the sorted list that is not below it.
TEST_F(KeyBallTest, SeeksInSmallBalls)
{
    for (int i = 0; i < 40; i++) {
        int radius = below(4);
        KeyBall ball = {key(), below(65), below(radius + 1), radius};
        std::vector<std::uint64_t> keys = every_key(ball);
        for (int j = 0; j < 2000; j++) {
            std::uint64_t from = keys[random() % keys.size()];
            switch (below(4)) {
            case 0:
                from++;
                break;
            case 1:
                from--;
                break;
            case 2:
                from = near(from, 1 + below(3));
                break;
            case 3:
                from = key();
                break;
            }
            auto at = std::lower_bound(keys.begin(), keys.end(), from);
            ASSERT_NEXT(ball, from, at == keys.end() ? std::nullopt : Key(*at));
        }
    }
}

TEST_F(KeyBallTest, EqualsTheSlowWalk)
{
    int none = 0;
    for (int i = 0; i < 100000; i++) {
        KeyBall ball = {key(), below(65), below(8), below(16)};
        if (below(4) == 0) {
            ball.header_budget = below(66);
            ball.radius = below(66);
        }
        std::uint64_t from = below(2) ? key() : near(ball.center, below(12));
        Key expected = walk(ball, from);
        ASSERT_NEXT(ball, from, expected);
        none += !expected;
        if (expected && *expected != from) { // the same from any key between
            std::uint64_t between = from + random() % (*expected - from);
            ASSERT_NEXT(ball, between, expected);
        }
    }
    EXPECT_GT(none, 1000);
}

TEST_F(KeyBallTest, Extremes)
{
    const std::uint64_t centers[] = {
        0, 1, kLast, kLast - 1, kLast / 3, ~(kLast / 3), ~(kLast >> 1), kLast >> 1, 0x5EED};
    for (std::uint64_t center : centers) {
        for (int header : {0, 1, 2, 31, 32, 63, 64}) {
            for (int budget : {0, 1, 2, 31, 63, 64, 1000}) {
                for (int radius : {0, 1, 2, 32, 62, 63, 64, 1000}) {
                    KeyBall ball = {center, header, budget, radius};
                    for (std::uint64_t from :
                         {std::uint64_t{0}, std::uint64_t{1}, kLast, kLast - 1, center, center + 1,
                          center - 1, ~center, ~center + 1, ~center - 1, ~(kLast >> 1), kLast >> 1})
                        ASSERT_NEXT(ball, from, walk(ball, from));
                }
            }
        }
    }
}

TEST_F(KeyBallTest, ABallOfEverythingHoldsEachKey)
{
    for (int i = 0; i < 2000; i++) {
        std::uint64_t from = i == 0 ? 0 : i == 1 ? kLast : key();
        ASSERT_NEXT((KeyBall{key(), below(65), 64, 64}), from, Key(from));
        ASSERT_NEXT((KeyBall{key(), 0, 0, 64}), from, Key(from));
    }
}

TEST_F(KeyBallTest, ABallOfOneKey)
{
    for (int i = 0; i < 2000; i++) {
        KeyBall ball = {key(), below(65), below(3), 0};
        ASSERT_NEXT(ball, 0, Key(ball.center));
        ASSERT_NEXT(ball, ball.center, Key(ball.center));
        if (ball.center != kLast) {
            ASSERT_NEXT(ball, ball.center + 1, std::nullopt);
        }
        std::uint64_t from = key();
        ASSERT_NEXT(ball, from, from <= ball.center ? Key(ball.center) : std::nullopt);
    }
}

// Only the header counts: whole ranges of keys are in the ball, and the rest is skipped.
TEST_F(KeyBallTest, AHeaderWithoutErrorsIsARange)
{
    for (int i = 0; i < 2000; i++) {
        KeyBall ball = {key(), 1 + below(63), 0, 64};
        std::uint64_t mask = leading_bits(ball.header_bits), first = ball.center & mask, last = first | ~mask;
        ASSERT_NEXT(ball, 0, Key(first));
        ASSERT_NEXT(ball, last, Key(last));
        if (last != kLast) {
            ASSERT_NEXT(ball, last + 1, std::nullopt);
        }
        std::uint64_t inside = first | (key() & ~mask);
        ASSERT_NEXT(ball, inside, Key(inside));
    }
}

} // namespace
} // namespace simhash
