// The order of the fingerprint's bits in an index, chosen from a sample.
//
// Real fingerprints can be skewed: some bits are constant, or set in nearly every row. A block of such bits
// does not tell rows apart, and searches of its tree would read long ranges. So the informative bits are
// spread evenly over the blocks and come first in each.
#pragma once

#include "core/bits/fingerprint.hpp"
#include "core/layout/tree_design.hpp"

#include <cstddef>
#include <cstdint>

namespace simhash
{

// Fills order[i], the bit of the fingerprint that is bit 63 - i of the word that the design's blocks cut. An
// empty sample counts as uniform. Sorts `sample` in place. Duplicates count once, since copies of a row say
// nothing about the bits. Deterministic.
void choose_bit_order(const TreeDesign &design, Fingerprint *sample, std::size_t count,
                      std::uint8_t order[kBits]);

} // namespace simhash
