// The order in which an index looks at the bits of its fingerprints, chosen from a sample of them.
//
// Real fingerprints can be skewed: dead bits, or bits that are set in nearly every row. A block of such bits
// tells nothing apart, and its table would read long ranges. So the informative bits are spread evenly over
// the blocks, and lead them.
#pragma once

#include "core/fingerprint/fingerprint.hpp"
#include "core/tables/table_design.hpp"

#include <cstddef>
#include <cstdint>

namespace simhash
{

// Fills order[i], the bit of the fingerprint that is bit 63 - i of the word that the design's blocks cut.
// An empty sample is taken for uniform. `sample` is sorted in place, and duplicates count once: copies of one
// row say nothing about the bits. Deterministic.
void choose_bit_order(const TableDesign &design, Fingerprint *sample, std::size_t count,
                      std::uint8_t order[kBits]);

} // namespace simhash
