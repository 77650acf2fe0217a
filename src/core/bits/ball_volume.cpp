#include "core/bits/ball_volume.hpp"

#include "core/bits/bisect.hpp"

#include <algorithm>
#include <cmath>

namespace simhash
{

namespace
{

// The logarithm of the fraction of bit strings at this distance, whose own value may be too small for a double.
double log_shell_volume(int bits, int distance)
{
    return std::lgamma(bits + 1.0) - std::lgamma(distance + 1.0) - std::lgamma(bits - distance + 1.0) -
           bits * std::log(2.0);
}

} // namespace

double ball_volume(int bits, int radius)
{
    if (radius < 0)
        return 0;
    if (radius >= bits)
        return 1;
    if (radius > bits / 2)
        return 1 - ball_volume(bits, bits - radius - 1);

    // Up to half of the length, shells grow with their distance: sum them from the largest one inwards, relative
    // to it.
    double shell = 1, sum = 0;
    for (int distance = radius; distance >= 0 && shell > 1e-17 * sum; distance--) {
        sum += shell;
        shell = shell * distance / (bits - distance + 1.0);
    }
    return std::min(std::exp(log_shell_volume(bits, radius)) * sum, 1.0);
}

int ball_radius(int bits, double fraction)
{
    return first_enough(0, bits, [=](int radius) { return ball_volume(bits, radius) >= fraction; });
}

} // namespace simhash
