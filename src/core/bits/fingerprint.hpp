// The fingerprint: 64 bits, and the Hamming distance between two of them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace simhash
{

// Bit j has the value 1 << j. Ordered as an unsigned integer.
using Fingerprint = std::uint64_t;

inline constexpr int kBits = 64;
// The length of the longest signature, in a column of type bit.
inline constexpr int kMostSignatureBits = 4096;

// The number of bits in which a and b differ, 0 to 64.
inline int hamming_distance(Fingerprint a, Fingerprint b) { return std::popcount(a ^ b); }

// The number of bits that x needs, 0 for 0. The type of std::bit_width depends on the library.
inline int bit_width(std::uint64_t x) { return 64 - std::countl_zero(x); }

// The highest bits of a word, 0 to 64 of them.
inline std::uint64_t leading_bits(int bits) { return bits == 0 ? 0 : ~std::uint64_t{0} << (64 - bits); }

// The text form: 16 lower-case hexadecimal digits, most significant first.
inline constexpr std::size_t kHexDigits = 16;

// White space in text forms, the same in every locale.
inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Reads 16 hexadecimal digits of either case, with or without a leading 0x. White space around them is
// allowed. Returns false, and does not change *out, for anything else.
bool parse_fingerprint(const char *text, std::size_t length, Fingerprint *out);

// Writes 16 digits, without a terminator.
void format_fingerprint(Fingerprint value, char out[kHexDigits]);

} // namespace simhash
