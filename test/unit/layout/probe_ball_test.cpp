#include <algorithm>
#include <optional>

#include <gtest/gtest.h>

#include "core/layout/key_ball.hpp"

#include "../seed.hpp"

namespace simhash
{
namespace
{

using Key = std::optional<std::uint64_t>;

Key next(const ProbeBall &ball, std::uint64_t from)
{
    std::uint64_t key = 0;
    return next_key(ball, from, &key) ? Key(key) : std::nullopt;
}

int cost_of(const ProbeBall &ball, std::uint64_t key)
{
    int sum = 0;
    for (int i = 0; i < 64; i++)
        sum += (key ^ ball.center) >> (63 - i) & 1 ? ball.cost[i] : 0;
    return sum;
}

// The slow way: down the binary tree of all keys, the smaller child first.
bool walk(const ProbeBall &ball, std::uint64_t from, int depth, bool tight, int budget, std::uint64_t *key)
{
    if (budget < 0)
        return false;
    if (depth == 64)
        return true;
    for (bool bit : {false, true}) {
        bool from_bit = from >> (63 - depth) & 1, center_bit = ball.center >> (63 - depth) & 1;
        if (tight && bit < from_bit)
            continue;
        std::uint64_t mask = std::uint64_t{1} << (63 - depth);
        *key = bit ? *key | mask : *key & ~mask;
        if (walk(ball, from, depth + 1, tight && bit == from_bit,
                 budget - (bit != center_bit ? ball.cost[depth] : 0), key))
            return true;
    }
    return false;
}

class ProbeBallTest : public SeededTest<11>
{
protected:
    void random_costs(bool uniform)
    {
        for (std::uint8_t &c : cost_)
            c = uniform ? 1 : static_cast<std::uint8_t>(1 + below(20));
    }

    std::uint8_t cost_[64];
};

TEST_F(ProbeBallTest, FindsTheSmallestKey)
{
    for (int i = 0; i < 20000; i++) {
        random_costs(i % 3 == 0);
        ProbeBall ball = {random(), static_cast<int>(below(i % 3 == 0 ? 6 : 60)), cost_};
        std::uint64_t from =
            i % 2 == 0 ? random() : ball.center ^ (random() & random() & random() & random());
        if (i % 7 == 0)
            from &= ~std::uint64_t{0} << below(64);
        if (i % 5 == 0) {
            ball.bits = static_cast<int>(below(65));
            std::fill(cost_ + ball.bits, cost_ + 64, std::uint8_t{0});
        }
        std::uint64_t key = 0;
        Key expected = walk(ball, from, 0, true, ball.budget, &key) ? Key(key) : std::nullopt;
        ASSERT_EQ(next(ball, from), expected);
        if (expected) {
            ASSERT_LE(cost_of(ball, *expected), ball.budget);
        }
    }
}

TEST_F(ProbeBallTest, VisitsEveryRangeThatHoldsAKey)
{
    // Ranges of 10 leading bits; the first 10 bits decide, since the others may equal the center's.
    for (int round = 0; round < 200; round++) {
        random_costs(round % 2 == 0);
        ProbeBall ball = {random(), static_cast<int>(below(round % 2 == 0 ? 5 : 40)), cost_};
        int visited = 0, expected = 0;
        for (std::uint64_t prefix = 0; prefix < 1024; prefix++) {
            std::uint64_t nearest = prefix << 54 | (ball.center & ~std::uint64_t{0} >> 10);
            bool holds = cost_of(ball, nearest) <= ball.budget;
            expected += holds;
            ASSERT_EQ(reaches(ball, prefix << 54, prefix << 54 | ~std::uint64_t{0} >> 10), holds);
        }
        for (Key key = next(ball, 0); key;) {
            visited++;
            std::uint64_t after = ((*key >> 54) + 1) << 54;
            key = after == 0 ? std::nullopt : next(ball, after);
        }
        ASSERT_EQ(visited, expected);
    }
}

TEST_F(ProbeBallTest, ANegativeBudgetHasNoKey)
{
    random_costs(false);
    EXPECT_EQ(next({random(), -1, cost_}, 0), std::nullopt);
}

TEST(PrefixBitsFor, GrowWithTheTable)
{
    EXPECT_EQ(prefix_bits_for(0), 3);
    EXPECT_EQ(prefix_bits_for(1), 3);
    EXPECT_EQ(prefix_bits_for(2), 4);
    EXPECT_EQ(prefix_bits_for(16384), 17);
    EXPECT_EQ(prefix_bits_for(19608), 18);
    EXPECT_EQ(prefix_bits_for(1e30), 64);
}

} // namespace
} // namespace simhash
