// The ball around a document whose weights are known: the query of a volatility-guided search. The SQL type
// simhash_weights_ball, a varlena that is made by simhash_ball(weights, radius) and not meant to be stored.
#pragma once

#include "core/fingerprint/weights.hpp"
#include "pg/server/postgres.hpp"

namespace simhash
{

struct GuidedBall {
    int32 vl_len_;
    std::int32_t radius; // -1 to 64
    Fingerprint center;  // the weights' signs
    Weights weights;
};

static_assert(sizeof(GuidedBall) == 528, "simhash_weights_ball has this length");

inline bool in_ball(Fingerprint value, const GuidedBall &ball)
{
    return hamming_distance(value, ball.center) <= ball.radius;
}

// Makes *ball the ball around stored weights.
void set_guided_ball(GuidedBall *ball, Datum weights, std::int64_t radius);

} // namespace simhash
