// Merges rows with equal words.
#pragma once

#include "am/pairs/pair_cells.hpp"

namespace simhash
{

// Keeps the first of the visible rows with equal words. If `add`, adds its pairs with the others to the output.
void link_equal(PairJoin *join, bool add, Rows *rows);

} // namespace simhash
