#include "core/features/weights.hpp"

#include <cmath>
#include <cstring>

#include "core/bits/contract.hpp"
#include "core/bits/signature.hpp"

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
    Lanes overflow = {0, 0};
    for (int j = 0; j < kBits; j += 2) {
        const Lanes before = load(to->sum + j), added = load(from.sum + j), after = sum(before, added);
        overflow |= (before ^ after) & (added ^ after);
        store(to->sum + j, after);
    }
    return (overflow[0] | overflow[1]) >= 0;
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

void clear_sums(SignatureSums sums) { std::memset(sums.word, 0, sums.words * sizeof(Weights)); }

bool add_feature(SignatureSums sums, std::uint64_t hash, Weight weight)
{
    for (std::size_t i = 0; i < sums.words; i++)
        if (!add_feature(&sums.word[i], hash_word(hash, i), weight))
            return false;
    return true;
}

void write_signature(SignatureSums sums, int bits, std::uint8_t *to)
{
    SIMHASH_ASSERT(static_cast<std::size_t>(signature_words(bits)) <= sums.words);
    for (int bit = 0; bit < bits; bit += kBits) {
        Fingerprint word = weights_fingerprint(sums.word[bit / kBits]);
        int used = bits - bit < kBits ? bits - bit : kBits;
        if (used < kBits)
            word &= ~(~Fingerprint{0} >> used);
        for (int written = 0; written < used; written += 8)
            *to++ = static_cast<std::uint8_t>(word >> (kBits - 8 - written));
    }
}

} // namespace simhash
