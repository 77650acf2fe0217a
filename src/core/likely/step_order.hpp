// The order in which an exact search by weights reads: the steps that most likely find a near-duplicate first, and in
// each of them the likeliest keys. The flips' probabilities are not those of the index's model but an estimate, for
// similar documents, that takes a tenth of a microsecond.
#pragma once

#include "core/features/weights.hpp"
#include "core/layout/key_order.hpp"
#include "core/layout/search_plan.hpp"

namespace simhash
{

// z for a weight of absolute value 1, if the mean square of the weights is `square`, which is not 0.
float z_per_size(float square);

// What a flip of a bit costs (core/layout/key_ball.hpp): log((1 - p) / p) in units of 1 / kFlipCost, and one. If z is
// the absolute value of the weight in units of the standard deviation of its change, p = Q(z), and the logarithm about
// 1.4 z + 0.267 z^2.
inline constexpr int kFlipCost = 8;
std::uint8_t flip_cost(float z);
// The costs of all bits of the fingerprint.
void flip_costs(const Weights &weights, std::uint8_t cost[kBits]);

// Sorts the steps by how many bits of the header a near-duplicate is expected to flip.
void order_steps(const Weights &weights, const KeyOrder &order, SearchPlan *plan);

} // namespace simhash
