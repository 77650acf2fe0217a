// Weights as text: [w0,w1,...,w63], decimal, exact.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/features/weights.hpp"

namespace simhash
{

// A weight takes a sign, 12 digits, a point and 8 decimals at most.
inline constexpr std::size_t kWeightTextMax = 22;
inline constexpr std::size_t kWeightsTextMax = kBits * (kWeightTextMax + 1) + 1;

// Write the shortest decimals that read back as the same weight, without a terminator, and return the length.
std::size_t format_weight(Weight weight, char out[kWeightTextMax]);
std::size_t format_weights(const Weights &weights, char out[kWeightsTextMax]);

enum class WeightsTextError {
    kNone,
    kSyntax,     // not a list of decimal numbers in brackets
    kCount,      // not 64 of them
    kOutOfRange, // a number beyond the range of a weight
    kNotFinite,  // NaN or infinity
};

// The part of the text that an error is about.
struct WeightsTextFault {
    std::size_t at;
    std::size_t length;
    std::size_t count; // the numbers read, for kCount
};

// Reads one decimal number, with an optional sign, point and exponent, that takes up the whole text. The
// result is the nearest multiple of 2^-24, ties to even, however many digits the number has.
WeightsTextError parse_weight(const char *text, std::size_t length, Weight *out);

// Reads 64 numbers, with white space anywhere between. On error *out is undefined and *fault says where.
WeightsTextError parse_weights(const char *text, std::size_t length, Weights *out, WeightsTextFault *fault);

} // namespace simhash
