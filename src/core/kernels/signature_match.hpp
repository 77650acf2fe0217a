// The kernels of wide signatures: the distances of stored signatures, and which of the sketches that stand for them
// are near. None reads outside the items that it is given.
#pragma once

#include "core/bits/fingerprint.hpp"
#include "core/kernels/simd_level.hpp"

#include <cstddef>
#include <cstdint>

namespace simhash
{

inline constexpr int kLeastSignatureBytes = 9;
inline constexpr int kMostSignatureBytes = kMostSignatureBits / 8;

// Writes the Hamming distance to the query of each of `count` signatures. They begin `stride` bytes apart.
// Requires: kLeastSignatureBytes <= bytes <= kMostSignatureBytes; stride >= bytes. Nothing is aligned.
using SignatureDistances = void (*)(const std::uint8_t *query, int bytes, const std::uint8_t *rows,
                                    std::size_t stride, int count, std::uint16_t *distance);

// Writes the positions i < count of sketches within the radius to matches, ascending, and returns how many
// there are. A sketch has 128 bits, a pair of words. May overwrite all of matches.
// Requires: matches has room for count; 0 <= radius <= 128; sketches is aligned to 8 bytes.
using PlaneMatch = int (*)(const std::uint64_t *sketches, int count, const std::uint64_t query[2], int radius,
                           std::uint16_t *matches);

// The kernels of a level. All give the same answers. Requires: has_simd_level(level).
SignatureDistances signature_distances(SimdLevel level);
PlaneMatch plane_match(SimdLevel level);

} // namespace simhash
