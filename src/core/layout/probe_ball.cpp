#include "core/layout/probe_ball.hpp"

#include <algorithm>
#include <cmath>

namespace simhash
{

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
