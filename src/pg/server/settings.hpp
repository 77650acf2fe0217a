// The settings and the functions that they select.
#pragma once

#include "core/kernels/leaf_match.hpp"
#include "core/kernels/pair_match.hpp"
#include "core/kernels/signature_match.hpp"
#include "core/page/leaf_find.hpp"

namespace simhash
{

// The kernels selected by simhash.simd: the best that the CPU supports, unless a level is forced.
extern LeafMatch match_leaf;
extern const PairMatch *match_pairs;
extern SignatureDistances find_distances;
extern PlaneMatch match_plane;
extern LeafFind find_in_leaf;

// Whether the planner may join by batches of searches (am/joins).
extern bool enable_join;

void define_settings();

} // namespace simhash
