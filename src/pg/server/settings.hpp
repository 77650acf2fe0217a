// The settings, and what follows from them.
#pragma once

#include "core/kernels/leaf_match.hpp"
#include "core/kernels/pair_match.hpp"

namespace simhash
{

// The kernels that simhash.simd chose: the best that the CPU has, unless a level is forced.
extern LeafMatch match_leaf;
extern const PairMatch *match_pairs;

// simhash.target_recall: above 0 and at most 1, or -1 for the index's option.
extern double target_recall_setting;

// simhash.max_probes: of a search by weights; 0 for no limit.
extern int max_probes_setting;

void define_settings();

} // namespace simhash
