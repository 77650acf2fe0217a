#include "core/layout/key_ball.hpp"

#include "core/bits/contract.hpp"

#include <algorithm>
#include <cmath>

namespace simhash
{

namespace
{

// The n-th highest set bit; 0 if there are fewer.
std::uint64_t nth_highest(std::uint64_t bits, int n)
{
    SIMHASH_ASSERT(n >= 1);
    for (; n > 1 && bits != 0; n--)
        bits ^= std::bit_floor(bits);
    return std::bit_floor(bits);
}

} // namespace

bool next_key(const KeyBall &ball, std::uint64_t from, std::uint64_t *key)
{
    const std::uint64_t header = leading_bits(ball.header_bits);
    if (ball.header_budget == 0) { // one header: most often, `from` is beyond it
        const std::uint64_t first = ball.center & header;
        if (from > (first | ~header))
            return false;
        from = from > first ? from : first;
    }

    // The first bit, from the top, at which `from` leaves the ball.
    std::uint64_t errors = from ^ ball.center;
    std::uint64_t leaves = nth_highest(errors, ball.radius + 1);
    std::uint64_t leaves_header = nth_highest(errors & header, ball.header_budget + 1);
    if (leaves_header > leaves)
        leaves = leaves_header;
    if (leaves == 0) {
        *key = from;
        return true;
    }

    // A larger key agrees with `from` down to some bit, the one found or a higher one, that is 0 in `from`
    // and 1 in the key. The lower that bit, the smaller the key. Below it the key may copy the center, which
    // adds no errors: so the bit is possible if the errors above and at it are within the budgets.
    for (std::uint64_t zeros = ~from & ~(leaves - 1); zeros != 0; zeros &= zeros - 1) {
        std::uint64_t bit = zeros & (~zeros + 1);
        std::uint64_t top = (from & ~(bit - 1)) | bit;
        errors = (top ^ ball.center) & ~(bit - 1);
        int radius = ball.radius - std::popcount(errors);
        int budget = ball.header_budget - std::popcount(errors & header);
        if (radius < 0 || budget < 0)
            continue;

        // The smallest rest: that of the center, with as many of its highest ones cleared as the budgets
        // allow.
        std::uint64_t rest = ball.center & (bit - 1);
        for (std::uint64_t ones = rest; ones != 0 && radius > 0;) {
            std::uint64_t one = std::bit_floor(ones);
            ones &= ~one;
            if (one & header) {
                if (budget == 0)
                    continue;
                budget--;
            }
            rest &= ~one;
            radius--;
        }
        *key = top | rest;
        return true;
    }
    return false;
}

namespace
{

std::uint64_t bit_at(int i) { return std::uint64_t{1} << (63 - i); }

// The smallest rest of a key behind bit i: the center's, with its highest ones cleared as far as the budget allows.
std::uint64_t smallest_rest(const ProbeBall &ball, int i, int budget)
{
    std::uint64_t rest = ball.center & (bit_at(i) - 1) & leading_bits(ball.bits);
    for (std::uint64_t ones = rest; ones != 0 && budget > 0;) {
        int one = std::countl_zero(ones);
        ones &= ~bit_at(one);
        if (ball.cost[one] <= budget) {
            budget -= ball.cost[one];
            rest &= ~bit_at(one);
        }
    }
    return rest;
}

} // namespace

int prefix_bits_for(double leaves)
{
    constexpr int kFiner = 3;
    const int bits = leaves > 1 ? static_cast<int>(std::ceil(std::log2(leaves))) : 0;
    return std::min(bits + kFiner, 64);
}

bool next_key(const ProbeBall &ball, std::uint64_t from, std::uint64_t *key)
{
    if (ball.budget < 0)
        return false;
    // A larger key agrees with `from` down to some bit that is 0 in `from` and 1 in the key: the last bit at which
    // that is within the budget.
    std::uint64_t errors = from ^ ball.center;
    int spent = 0, turn = -1, left = 0;
    for (int i = 0; i < ball.bits; i++) {
        bool differs = errors & bit_at(i);
        int cost = ball.cost[i];
        if (!(from & bit_at(i)) && spent + (differs ? 0 : cost) <= ball.budget) {
            turn = i;
            left = ball.budget - spent - (differs ? 0 : cost);
        }
        if (differs)
            spent += cost;
        if (spent > ball.budget)
            break;
    }
    if (spent <= ball.budget) {
        *key = from;
        return true;
    }
    if (turn < 0)
        return false;
    std::uint64_t bit = bit_at(turn);
    *key = (from & ~(bit - 1)) | bit | smallest_rest(ball, turn, left);
    return true;
}

} // namespace simhash
