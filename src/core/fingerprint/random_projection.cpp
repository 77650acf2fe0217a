#include "core/fingerprint/random_projection.hpp"

#include <cmath>

#include "core/fingerprint/split_mix.hpp"

namespace simhash
{

namespace
{

// clang-format off
#include "core/fingerprint/gaussian_table.inc"
// clang-format on

constexpr int kLevels = 4096;

struct SignedGaussian {
    float value[kLevels];
};

constexpr SignedGaussian make_signed_gaussian()
{
    SignedGaussian table{};
    for (int k = 0; k < kLevels; k++) {
        float magnitude = static_cast<float>(kGaussian[k % 2048]) / 4096;
        table.value[k] = k < 2048 ? magnitude : -magnitude;
    }
    return table;
}

constexpr SignedGaussian kSignedGaussian = make_signed_gaussian();

} // namespace

RandomProjection::RandomProjection(std::uint64_t seed) : key_(split_mix(seed)) {}

void RandomProjection::add(const float *values, std::size_t count)
{
    constexpr int kWords = kBits / 4;
    for (std::size_t i = 0; i < count; i++, dimensions_++) {
        double x = static_cast<double>(values[i]);
        if (x == 0)
            continue; // it adds nothing
        squares_ += x * x;
        for (int w = 0; w < kWords; w++) {
            std::uint64_t n = dimensions_ * kWords + static_cast<std::uint64_t>(w);
            std::uint64_t word = split_mix_number(key_, n + 1);
            double *sum = sums_ + 4 * w;
            for (int piece = 0; piece < 4; piece++)
                sum[piece] += x * static_cast<double>(kSignedGaussian.value[word >> (16 * piece) & 4095]);
        }
    }
}

bool RandomProjection::finish(Weights *out) const
{
    if (squares_ == 0)
        return false;
    double norm = std::sqrt(squares_);
    for (int j = 0; j < kBits; j++)
        if (!weight_from_double(sums_[j] / norm, &out->sum[j]))
            return false;
    return true;
}

} // namespace simhash
