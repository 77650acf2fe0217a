// A Hamming ball: all fingerprints within a radius of a center. The SQL type simhash_ball is either that, or a ball around
// a document's weights with the recall and the number of probes with which an index may search it: the query of a
// volatility-guided search.
//
// The stored form, without the length word. It is not aligned, since PostgreSQL shortens the length word in tables:
//
//   offset  size
//        0     1  version, 1
//        1     1  flags: kBallWeights
//        2     1  radius, -1 to 64
//        3     1  zero
//        4     8  center
//   with weights, whose signs form the center:
//       12     8  recall
//       20     4  limit of probes
//       24        the weights, packed (core/features/weights_format.hpp)
#pragma once

#include "core/bits/fingerprint.hpp"
#include "core/features/weights.hpp"
#include "pg/server/postgres.hpp"

namespace simhash
{

// A radius outside this range means the same as the nearer end: no fingerprint, or every fingerprint.
inline constexpr int kEmptyRadius = -1;
inline constexpr int kFullRadius = kBits;

inline std::int32_t clamp_radius(std::int64_t radius, std::int32_t full = kFullRadius)
{
    return radius < kEmptyRadius ? kEmptyRadius : radius > full ? full : static_cast<std::int32_t>(radius);
}

// The radius of the near-duplicate operator ~=.
inline constexpr int kNearRadius = 3;

// A recall outside this range means the same as the nearer end. At the upper end a search is exact, unless the number
// of probes is limited.
inline constexpr double kLeastRecall = 0.01;
inline constexpr double kExactRecall = 1;

// A NaN recall means an exact search, since it permits no approximation.
inline double clamp_recall(double recall)
{
    return recall < kLeastRecall ? kLeastRecall : recall < kExactRecall ? recall : kExactRecall;
}

// What every ball has.
struct Ball {
    Fingerprint center;
    std::int32_t radius;
    bool weights;
};

struct GuidedBall {
    Weights weights;
    Fingerprint center; // the fingerprint of the weights' signs
    double recall;      // kLeastRecall to kExactRecall
    std::int32_t radius;
    std::int32_t most_probes; // 0 for no limit
};

inline bool is_exact(const GuidedBall &ball) { return ball.recall >= kExactRecall && ball.most_probes <= 0; }

// Read a stored ball, which may be toasted. They raise XX001 if no version of the extension could have written it, and
// 0A000 if only a later one could.
Ball datum_ball(Datum datum);
// Returns whether the ball has weights. A ball without any has weights of 0 here, and is exact.
bool read_ball(Datum datum, GuidedBall *out);

// Return a new value in the current memory context.
Datum ball_datum(Fingerprint center, std::int32_t radius);
Datum ball_datum(const GuidedBall &ball);

} // namespace simhash
