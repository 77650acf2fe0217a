#include "core/features/estimate.hpp"

#include <cmath>

#include "core/bits/bisect.hpp"
#include "core/bits/contract.hpp"

namespace simhash
{

namespace
{

// Probabilities that differ by less than this part are taken as equal. Rounding errors are smaller.
constexpr double kTolerance = 1e-12;

// Writes the probability that k bits differ, relative to that of the likeliest number, for k from 0 to `bits`.
// Returns the sum. What underflows does not matter.
double binomial_terms(int bits, double p, double *term)
{
    SIMHASH_ASSERT(0 < p && p <= 0.5);
    const double odds = p / (1 - p);
    const int mode = static_cast<int>((bits + 1) * p);
    double below = 0, above = 0;

    term[mode] = 1;
    for (int k = mode; k < bits; k++)
        term[k + 1] = term[k] * (odds * (bits - k) / (k + 1));
    for (int k = mode; k > 0; k--)
        term[k - 1] = term[k] * (k / (odds * (bits - k + 1)));
    // The small ones first.
    for (int k = 0; k < mode; k++)
        below += term[k];
    for (int k = bits; k >= mode; k--)
        above += term[k];
    return below + above;
}

} // namespace

int similarity_radius(double similarity, int bits)
{
    SIMHASH_ASSERT(bits > 0);
    return first_enough(0, bits + 1,
                        [=](int distance) { return !(similarity_estimate(distance, bits) >= similarity); }) -
           1;
}

// Of the distribution's two tails, the smaller one is added up, because its rounding errors are small relative
// to it.
int recall_radius(double similarity, int bits, double recall)
{
    SIMHASH_ASSERT(0 <= similarity && similarity <= 1 && 0 <= recall && recall <= 1);
    SIMHASH_ASSERT(1 <= bits && bits <= kMinhashSizeMax);
    const double p = (1 - similarity) / 2;
    double term[kMinhashSizeMax + 1], part = 0;
    int radius;

    if (p <= 0)
        return 0;
    if (recall >= 1)
        return bits;
    const double sum = binomial_terms(bits, p, term);
    if (recall < 0.5) {
        const double enough = recall * sum * (1 - kTolerance);
        for (radius = 0; (part += term[radius]) < enough; radius++) {
        }
    } else {
        const double rest = (1 - recall) * sum * (1 + kTolerance);
        for (radius = bits; radius > 0 && (part += term[radius]) <= rest; radius--) {
        }
    }
    return radius;
}

} // namespace simhash
