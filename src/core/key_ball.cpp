#include "core/key_ball.hpp"

namespace simhash
{

bool next_key(const KeyBall &ball, std::uint64_t from, std::uint64_t *key)
{
    if (in_ball(ball, from)) {
        *key = from;
        return true;
    }

    // A larger key shares its leading bits with `from` down to some bit that is 0 there and 1 in the key. The
    // lower that bit, the smaller the key. Below it everything is free, so copying the center adds no error:
    // the bit will do if the errors above and at it are within the budgets.
    std::uint64_t header = leading_bits(ball.header_bits);
    for (std::uint64_t zeros = ~from; zeros != 0; zeros &= zeros - 1) {
        std::uint64_t bit = zeros & (~zeros + 1);
        std::uint64_t top = (from & ~(bit - 1)) | bit;
        std::uint64_t errors = (top ^ ball.center) & ~(bit - 1);
        int radius = ball.radius - std::popcount(errors);
        int budget = ball.header_budget - std::popcount(errors & header);
        if (radius < 0 || budget < 0)
            continue;

        // The smallest rest: the center's, with its highest ones cleared as far as the budgets go.
        std::uint64_t rest = ball.center & (bit - 1);
        for (std::uint64_t ones = rest; ones != 0 && radius > 0;) {
            std::uint64_t one = std::uint64_t{1} << (63 - std::countl_zero(ones));
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

} // namespace simhash
