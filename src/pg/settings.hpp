// The settings, and what follows from them.
#pragma once

#include "core/leaf_match.hpp"

namespace simhash
{

// The kernel that simhash.simd chose: the best that the CPU has, unless a level is forced.
extern LeafMatch match_leaf;

void define_settings();

} // namespace simhash
