// The settings, and what follows from them.
#pragma once

#include "core/kernels/leaf_match.hpp"
#include "core/kernels/pair_match.hpp"

namespace simhash
{

// The kernels that simhash.simd chose: the best that the CPU has, unless a level is forced.
extern LeafMatch match_leaf;
extern const PairMatch *match_pairs;

void define_settings();

} // namespace simhash
