// The designs that route rows by block values.
#pragma once

#include "core/layout/block_values.hpp"

namespace simhash
{

// The block values of a design, valid until the next call. With trees = 0 it is the distance's default. Raises an error
// if the design has none.
const BlockValues &block_values(int distance, int trees);

} // namespace simhash
