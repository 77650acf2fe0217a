// The kernel of searches: which of a leaf's fingerprints lie within a distance.
#pragma once

#include "core/bits/fingerprint.hpp"
#include "core/kernels/simd_level.hpp"

#include <cstdint>

namespace simhash
{

// Writes the positions i < count with hamming_distance(fingerprints[i], query) <= radius to matches,
// ascending, and returns how many there are. Reads nothing outside the fingerprints; may overwrite all of
// matches.
// Requires: matches has room for count; 0 <= radius <= 64; fingerprints is aligned to 8 bytes.
using LeafMatch = int (*)(const Fingerprint *fingerprints, int count, Fingerprint query, int radius,
                          std::uint16_t *matches);

// The kernel of a level. All give the same answers. Requires: has_simd_level(level).
LeafMatch leaf_match(SimdLevel level);

} // namespace simhash
