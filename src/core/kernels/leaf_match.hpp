// The kernel: which of a leaf's fingerprints lie within a distance.
#pragma once

#include "core/fingerprint/fingerprint.hpp"
#include "core/kernels/simd_level.hpp"

#include <cstdint>

namespace simhash
{

// Writes the positions i < count with hamming_distance(fingerprints[i], query) <= radius to matches,
// ascending, and returns how many. matches has room for count, and what lies behind the matches may be
// overwritten; radius is 0 to 64; fingerprints is aligned to 8 bytes. Nothing outside of the fingerprints is
// read.
using LeafMatch = int (*)(const Fingerprint *fingerprints, int count, Fingerprint query, int radius,
                          std::uint16_t *matches);

// The kernel of a level, which the CPU must have. All give the same answers.
LeafMatch leaf_match(SimdLevel level);

} // namespace simhash
