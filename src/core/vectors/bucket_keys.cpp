#include "core/vectors/bucket_keys.hpp"

#include "core/contract/contract.hpp"
#include "core/hash/split_mix.hpp"
#include "core/vectors/random_projection.hpp"

namespace simhash
{

namespace
{

// clang-format off
#include "core/vectors/gaussian_table.inc"
// clang-format on

// A sum is below 2^16 dimensions * 2^47 * 2^63.
__extension__ typedef __int128 Sum;
static_assert(kDimensionsMax <= 65536);

constexpr int kGaussianPlaces = 12, kCauchyPlaces = 16;

struct SignedGaussian {
    std::int16_t value[4096];
};

constexpr SignedGaussian make_signed_gaussian()
{
    SignedGaussian table{};
    for (int p = 0; p < 4096; p++)
        table.value[p] = static_cast<std::int16_t>(p < 2048 ? kGaussian[p] : -kGaussian[p - 2048]);
    return table;
}

constexpr SignedGaussian kSignedGaussian = make_signed_gaussian();

Sum gaussian_projection(const Weight *vector, std::size_t count, std::uint64_t stream)
{
    Sum sum = 0;
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < count; i++, word >>= 16) {
        if (i % 4 == 0)
            word = split_mix_number(stream, i / 4 + 1);
        sum += static_cast<Sum>(vector[i]) * kSignedGaussian.value[word & 4095];
    }
    return sum;
}

// In units of 2^-16.
std::int64_t cauchy(std::uint64_t word)
{
    for (;; word = split_mix_number(word, 1)) {
        std::int64_t x = static_cast<std::int32_t>(word >> 32);
        std::int64_t y = static_cast<std::int32_t>(word);
        if (y == 0 || x * x + y * y >= std::int64_t{1} << 62)
            continue;
        // Faster than a division of integers. The dividend has at most 48 bits and the divisor 32, so the rounding of
        // the quotient does not reach the next integer.
        return static_cast<std::int64_t>(static_cast<double>(x * (1 << kCauchyPlaces)) /
                                         static_cast<double>(y));
    }
}

Sum cauchy_projection(const Weight *vector, std::size_t count, std::uint64_t stream)
{
    Sum sum = 0;
    for (std::size_t i = 0; i < count; i++)
        if (vector[i] != 0)
            sum += static_cast<Sum>(vector[i]) * cauchy(split_mix_number(stream, i + 1));
    return sum;
}

// floor(sum / 2^places + b), without the bits beyond the 64th.
std::uint64_t bucket(Sum sum, int places, std::uint64_t stream)
{
    return static_cast<std::uint64_t>((sum + (split_mix(stream) >> (64 - places))) >> places);
}

std::uint64_t table_stream(const BucketTable &table)
{
    return split_mix_number(split_mix(table.seed), static_cast<std::uint64_t>(table.number) + 1);
}

} // namespace

std::uint64_t stable_key(Norm norm, const Weight *vector, std::size_t count, const BucketTable &table)
{
    SIMHASH_ASSERT(count <= kDimensionsMax);
    const std::uint64_t first = table_stream(table);
    std::uint64_t key = first;
    for (int j = 0; j < table.hashes; j++) {
        const std::uint64_t stream = split_mix_number(first, static_cast<std::uint64_t>(j) + 1);
        const bool l1 = norm == Norm::kL1;
        const Sum sum =
            l1 ? cauchy_projection(vector, count, stream) : gaussian_projection(vector, count, stream);
        key = split_mix(key ^
                        bucket(sum, kWeightFractionBits + (l1 ? kCauchyPlaces : kGaussianPlaces), stream));
    }
    return key;
}

std::uint64_t sampled_bits_key(const SignatureView &signature, const BucketTable &table)
{
    SIMHASH_ASSERT(signature.bits > 0);
    const std::uint64_t first = table_stream(table);
    const auto bits = static_cast<std::uint64_t>(signature.bits);
    std::uint64_t key = first;
    for (int j = 0; j < table.hashes; j++) {
        const std::uint64_t word = split_mix_number(first, static_cast<std::uint64_t>(j) + 1);
        const std::uint64_t bit = (word >> 32) * bits >> 32;
        key = split_mix(key ^ ((signature.data[bit / 8] & 0x80 >> bit % 8) != 0 ? 1 : 0));
    }
    return key;
}

} // namespace simhash
