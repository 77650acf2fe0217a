// A Hamming ball around a document's weights, and the recall with which it may be searched: the query of a
// volatility-guided search. The SQL type simhash_weights_ball has 536 bytes and is passed by reference.
#pragma once

#include "core/weights/weights.hpp"
#include "pg/server/postgres.hpp"

namespace simhash
{

// A recall outside this range means the same as the nearer end. At the upper end a search is exact, unless the number
// of probes is limited.
inline constexpr double kLeastRecall = 0.01;
inline constexpr double kExactRecall = 1;

// A NaN recall means an exact search, since it permits no approximation.
inline double clamp_recall(double recall)
{
    return recall < kLeastRecall ? kLeastRecall : recall < kExactRecall ? recall : kExactRecall;
}

struct GuidedBall {
    Weights weights;
    Fingerprint center;       // the fingerprint of the weights' signs
    double recall;            // kLeastRecall to kExactRecall
    std::int32_t radius;      // -1 to 64
    std::int32_t most_probes; // 0 for no limit
};

static_assert(sizeof(GuidedBall) == 536, "simhash_weights_ball is declared with this length");

inline bool in_ball(Fingerprint value, const GuidedBall &ball)
{
    return hamming_distance(value, ball.center) <= ball.radius;
}

inline bool is_exact(double recall, std::int32_t most_probes)
{
    return recall >= kExactRecall && most_probes <= 0;
}

inline bool is_exact(const GuidedBall &ball) { return is_exact(ball.recall, ball.most_probes); }

inline const GuidedBall &datum_guided_ball(Datum datum)
{
    return *reinterpret_cast<const GuidedBall *>(DatumGetPointer(datum));
}

} // namespace simhash
