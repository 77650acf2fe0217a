// The steps of an exact search by weights, the one that most likely finds a near-duplicate first.
#pragma once

#include "core/tables/key_order.hpp"
#include "core/tables/search_plan.hpp"
#include "core/weights/weights.hpp"

namespace simhash
{

// Sorts the steps by how many bits of the header a near-duplicate is expected to flip. It takes a tenth of a
// microsecond, so the flips' probabilities are not those of the index's model but an estimate of similar documents'.
void order_steps(const Weights &weights, const KeyOrder &order, SearchPlan *plan);

} // namespace simhash
