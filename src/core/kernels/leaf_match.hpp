// The kernel: which of a leaf's fingerprints lie within a distance.
#pragma once

#include "core/fingerprint/fingerprint.hpp"

#include <cstdint>

namespace simhash
{

// Writes the positions i < count with hamming_distance(fingerprints[i], query) <= radius to matches,
// ascending, and returns how many. matches has room for count, and what lies behind the matches may be
// overwritten; radius is 0 to 64; fingerprints is aligned to 8 bytes. Nothing outside of the fingerprints is
// read.
using LeafMatch = int (*)(const Fingerprint *fingerprints, int count, Fingerprint query, int radius,
                          std::uint16_t *matches);

// What a kernel may use: popcnt, avx2 and avx512 (with its popcount of vectors) of x86-64, neon of aarch64.
enum class SimdLevel { scalar, popcnt, avx2, avx512, neon };

// Whether this CPU has a level. Each has scalar.
bool has_simd_level(SimdLevel level);

// The best level that this CPU has.
SimdLevel best_simd_level();

// The kernel of a level, which the CPU must have. All give the same answers.
LeafMatch leaf_match(SimdLevel level);

} // namespace simhash
