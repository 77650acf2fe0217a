#include "core/features/weights.hpp"

#include <cmath>

namespace simhash
{

namespace
{

using Lanes = std::int64_t __attribute__((vector_size(16)));

constexpr NibbleMasks<std::int64_t, 0, -1> kNegated;

Lanes load(const std::int64_t *from)
{
    Lanes lanes;
    __builtin_memcpy(&lanes, from, sizeof(lanes));
    return lanes;
}

void store(std::int64_t *to, Lanes lanes) { __builtin_memcpy(to, &lanes, sizeof(lanes)); }

// Signed overflow is undefined in vectors too, so sums are computed unsigned.
using UnsignedLanes = std::uint64_t __attribute__((vector_size(16)));

Lanes sum(Lanes a, Lanes b) { return (Lanes)((UnsignedLanes)a + (UnsignedLanes)b); }
Lanes difference(Lanes a, Lanes b) { return (Lanes)((UnsignedLanes)a - (UnsignedLanes)b); }

// Returns whether no sum overflows.
template <typename Operation> bool combine(Weights *to, const Weights &from, Operation operation)
{
    Lanes overflow = {0, 0};
    for (int j = 0; j < kBits; j += 2)
        store(to->sum + j, operation(load(to->sum + j), load(from.sum + j), &overflow));
    return (overflow[0] | overflow[1]) >= 0;
}

} // namespace

bool add_feature(Weights *to, std::uint64_t hash, Weight weight)
{
    if (weight == INT64_MIN)
        return false; // it has no negative
    Lanes overflow = {0, 0};
    const Lanes value = {weight, weight};
    for (int nibble = 0; nibble < kBits / 4; nibble++) {
        const std::int64_t *mask = kNegated.mask[hash >> (4 * nibble) & 15];
        for (int half = 0; half < 2; half++) {
            Weight *at = to->sum + 4 * nibble + 2 * half;
            Lanes negate = load(mask + 2 * half);
            Lanes vote = difference(value ^ negate, negate);
            Lanes before = load(at);
            Lanes after = sum(before, vote);
            // The sign of the sum differs from both signs only on overflow.
            overflow |= (before ^ after) & (vote ^ after);
            store(at, after);
        }
    }
    return (overflow[0] | overflow[1]) >= 0;
}

bool add_weights(Weights *to, const Weights &from)
{
    return combine(to, from, [](Lanes before, Lanes added, Lanes *overflow) {
        const Lanes after = sum(before, added);
        *overflow |= (before ^ after) & (added ^ after);
        return after;
    });
}

bool subtract_weights(Weights *to, const Weights &from)
{
    return combine(to, from, [](Lanes before, Lanes taken, Lanes *overflow) {
        const Lanes after = difference(before, taken);
        *overflow |= (before ^ taken) & (before ^ after);
        return after;
    });
}

Fingerprint weights_fingerprint(const Weights &weights)
{
    Fingerprint value = 0;
    for (int j = 0; j < kBits; j++)
        value |= static_cast<Fingerprint>(weights.sum[j] >= 0) << j;
    return value;
}

bool weight_from_double(double number, Weight *out)
{
    double units = number * kWeightOne; // exact: a power of two
    if (!(units >= -0x1p63 && units < 0x1p63))
        return false;
    // From 2^52 on every double is an integer.
    double floor = std::floor(units);
    double rest = units - floor; // exact
    Weight whole = static_cast<Weight>(floor);
    if (rest > 0.5 || (rest == 0.5 && (whole & 1) != 0))
        whole++;
    *out = whole;
    return true;
}

} // namespace simhash
