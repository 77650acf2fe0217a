// The kernels of wide signatures: the distances of stored signatures, of the sketches that stand for them, and of
// the entries of a leaf with keys of 128 bits. None reads outside the items that it is given.
#pragma once

#include "core/kernels/simd_level.hpp"

#include <cstddef>
#include <cstdint>

namespace simhash
{

inline constexpr int kLeastSignatureBytes = 9;
inline constexpr int kMostSignatureBytes = 512;

// Writes the Hamming distance to the query of each of `count` signatures. They begin `stride` bytes apart.
// Requires: kLeastSignatureBytes <= bytes <= kMostSignatureBytes; stride >= bytes. Nothing is aligned.
using SignatureDistances = void (*)(const std::uint8_t *query, int bytes, const std::uint8_t *rows,
                                    std::size_t stride, int count, std::uint16_t *distance);

// Writes the distances to the query, 0 to 128, of `count` sketches of 128 bits, each a pair of words.
// Requires: sketches is aligned to 8 bytes.
using PlaneDistances = void (*)(const std::uint64_t *sketches, int count, const std::uint64_t query[2],
                                std::uint8_t *distance);

// Writes the positions i < count of sketches within the radius to matches, ascending, and returns how many
// there are. May overwrite all of matches.
// Requires: matches has room for count; 0 <= radius <= 128; sketches is aligned to 8 bytes.
using PlaneMatch = int (*)(const std::uint64_t *sketches, int count, const std::uint64_t query[2], int radius,
                           std::uint16_t *matches);

// The same for keys of 128 bits whose words are in two arrays.
// Requires: matches has room for count; 0 <= radius <= 128; first and second are aligned to 8 bytes.
using PairLeafMatch = int (*)(const std::uint64_t *first, const std::uint64_t *second, int count,
                              std::uint64_t query1, std::uint64_t query2, int radius, std::uint16_t *matches);

// The kernels of a level. All give the same answers. Requires: has_simd_level(level).
SignatureDistances signature_distances(SimdLevel level);
PlaneDistances plane_distances(SimdLevel level);
PlaneMatch plane_match(SimdLevel level);
PairLeafMatch pair_leaf_match(SimdLevel level);

} // namespace simhash
