// A Hamming ball: all fingerprints within a radius of a center. The SQL type simhash_ball has 16 bytes and is
// passed by reference.
#pragma once

#include "core/fingerprint/fingerprint.hpp"

namespace simhash
{

// A radius outside this range means the same as the nearer end: no fingerprint, or every fingerprint.
inline constexpr int kEmptyRadius = -1;
inline constexpr int kFullRadius = kBits;

struct Ball {
    Fingerprint center;
    std::int32_t radius; // -1 to 64
    std::int32_t zero;   // always 0: balls are compared byte by byte
};

static_assert(sizeof(Ball) == 16, "simhash_ball is declared with this length");

inline std::int32_t clamp_radius(std::int64_t radius, std::int32_t full = kFullRadius)
{
    return radius < kEmptyRadius ? kEmptyRadius : radius > full ? full : static_cast<std::int32_t>(radius);
}

inline bool in_ball(Fingerprint value, const Ball &ball)
{
    return hamming_distance(value, ball.center) <= ball.radius;
}

// The radius of the near-duplicate operator ~=.
inline constexpr int kNearRadius = 3;

} // namespace simhash
