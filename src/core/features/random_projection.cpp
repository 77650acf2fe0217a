#include "core/features/random_projection.hpp"

#include <array>
#include <cmath>

#include "core/bits/contract.hpp"
#include "core/bits/split_mix.hpp"

namespace simhash
{

namespace
{

// clang-format off
#include "core/features/gaussian_table.inc"
// clang-format on

constexpr std::size_t kLevels = 4096;

constexpr auto kSignedGaussian = [] {
    std::array<float, kLevels> table{};
    for (std::size_t k = 0; k < kLevels; k++) {
        float magnitude = static_cast<float>(kGaussian[k % 2048]) / 4096;
        table[k] = k < 2048 ? magnitude : -magnitude;
    }
    return table;
}();

constexpr std::uint64_t kWords = kBits / 4;
constexpr std::size_t kPiece = 256;

using Lanes = double __attribute__((vector_size(16)));

// The numbers of the two lowest 16 bits of a word.
Lanes gaussians(std::uint64_t word)
{
    return Lanes{static_cast<double>(kSignedGaussian[word & 4095]),
                 static_cast<double>(kSignedGaussian[word >> 16 & 4095])};
}

Lanes load(const double *from) { return Lanes{from[0], from[1]}; }

void store(double *to, Lanes lanes) { __builtin_memcpy(to, &lanes, sizeof(lanes)); }

} // namespace

RandomProjection::RandomProjection(std::uint64_t seed, std::uint64_t block) : key_(split_mix(seed))
{
    if (block > 0)
        key_ = split_mix(key_ - block * kSplitMixStep);
}

void RandomProjection::add(const float *values, std::size_t count)
{
    for (; count > kPiece; values += kPiece, count -= kPiece)
        add_piece(values, kPiece);
    add_piece(values, count);
}

// Four bits at a time, whose sums stay in registers.
void RandomProjection::add_piece(const float *values, std::size_t count)
{
    double numbers[kPiece];
    std::uint64_t states[kPiece]; // of the generator, before the dimension's first word
    std::size_t used = 0;
    for (std::size_t i = 0; i < count; i++, dimensions_++) {
        double x = static_cast<double>(values[i]);
        SIMHASH_ASSERT(std::isfinite(x));
        if (x == 0)
            continue; // it adds nothing
        squares_ += x * x;
        numbers[used] = x;
        states[used++] = key_ + dimensions_ * kWords * kSplitMixStep;
    }
    for (std::uint64_t w = 0; w < kWords; w++) {
        Lanes low = load(sums_ + 4 * w);
        Lanes high = load(sums_ + 4 * w + 2);
        for (std::size_t i = 0; i < used; i++) {
            std::uint64_t word = split_mix_number(states[i], w + 1);
            const Lanes x = {numbers[i], numbers[i]};
            low += x * gaussians(word);
            high += x * gaussians(word >> 32);
        }
        store(sums_ + 4 * w, low);
        store(sums_ + 4 * w + 2, high);
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
