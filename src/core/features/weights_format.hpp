// The stored form of simhash_weights: in tables and in queries.
//
//   offset  size
//        0     1  version, 1
//        1     1  shift: the power of two that was divided out of every weight, 0 to 63
//        2     1  width in bytes of a stored weight: 1, 2, 4 or 8
//        3     1  zero
//        4  64*w  the weights in units of 2^(shift - 24), W_0 first, two's complement
//
// Stored integers are in the machine's byte order, as in all of PostgreSQL's data files; the external form is
// for exchange between machines. PostgreSQL puts a length word of 4 bytes (or 1) in front.
//
// The packed form of weights is unique: the largest shift that divides all, then the least width that holds
// all; zeros have shift 0, width 1. Readers accept any form.
//
// The external form, for binary transfer: the version byte 1, then 64 weights in units of 2^-24, W_0 first,
// each of 8 bytes, big-endian, two's complement.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/features/weights.hpp"

namespace simhash
{

inline constexpr std::uint8_t kWeightsVersion = 1;

struct StoredWeightsHeader {
    std::uint8_t version;
    std::uint8_t shift;
    std::uint8_t width;
    std::uint8_t zero;
};
static_assert(sizeof(StoredWeightsHeader) == 4);
static_assert(alignof(StoredWeightsHeader) == 1);
static_assert(offsetof(StoredWeightsHeader, shift) == 1);
static_assert(offsetof(StoredWeightsHeader, width) == 2);

// The largest stored value, without its length word.
inline constexpr std::size_t kStoredWeightsMax = sizeof(StoredWeightsHeader) + sizeof(Weights);
static_assert(kStoredWeightsMax == 516);

inline constexpr std::size_t kExternalWeightsSize = 1 + sizeof(Weights);
static_assert(kExternalWeightsSize == 513);

// Writes the packed form, at most kStoredWeightsMax bytes, and returns its size.
std::size_t pack_weights(const Weights &weights, void *to);

// Reads any stored form. Returns false, and does not change *out, for anything else: another version or size,
// or weights that the shift takes out of range.
bool unpack_weights(const void *from, std::size_t size, Weights *out);

// The external form, in and out. Reading returns false for another version.
void write_external_weights(const Weights &weights, std::uint8_t to[kExternalWeightsSize]);
bool read_external_weights(const std::uint8_t from[kExternalWeightsSize], Weights *out);

// Weights as text: [w0,w1,...,w63], decimal, exact.

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

// Reads 64 numbers, with white space anywhere between. A negative one that would be rounded to 0 becomes -2^-24, since signs
// decide bits. On error *out is undefined and *fault says where.
WeightsTextError parse_weights(const char *text, std::size_t length, Weights *out, WeightsTextFault *fault);

} // namespace simhash
