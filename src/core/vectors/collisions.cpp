#include "core/vectors/collisions.hpp"

#include <algorithm>
#include <cmath>

#include "core/contract/contract.hpp"

namespace simhash
{

namespace
{

constexpr double kPi = 3.14159265358979323846;

// Both are 1 minus the mean distance of the projections in buckets, up to 1 (Datar et al. 2004, section 3.2), with
// r = width / distance.
double gaussian_collision(double r)
{
    return std::erf(r / std::sqrt(2.0)) + 2 * std::expm1(-r * r / 2) / (std::sqrt(2 * kPi) * r);
}

double cauchy_collision(double r)
{
    // Without r^2 where that would be infinite.
    double log = r < 1 ? std::log1p(r * r) : 2 * std::log(std::hypot(1.0, r));
    return (2 * std::atan(r) - log / r) / kPi;
}

// The least integer >= x >= 0, in which an error of rounding does not count, and at least 1.
double ceiling(double x) { return std::max(1.0, std::ceil(x * (1 - 1e-9))); }

} // namespace

double collision_probability(Norm norm, double distance, double width)
{
    SIMHASH_ASSERT(distance >= 0 && width > 0);
    double r = width / distance;
    if (r == 0)
        return 0;
    if (std::isinf(r))
        return 1;
    return std::clamp(norm == Norm::kL1 ? cauchy_collision(r) : gaussian_collision(r), 0.0, 1.0);
}

BucketPlan plan_buckets(double rows, double p1, double p2, double recall)
{
    SIMHASH_ASSERT(rows >= 1 && 0 <= p2 && p2 < p1 && p1 <= 1);
    SIMHASH_ASSERT(0 < recall && recall < 1);
    BucketPlan plan;
    plan.rho = std::fabs(std::log(p1) / std::log(p2));
    plan.hashes = ceiling(-std::log(rows) / std::log(p2));
    const double missed = std::log1p(-std::pow(p1, plan.hashes)); // the logarithm, for one key
    plan.keys = ceiling(std::log1p(-recall) / missed);
    plan.recall = -std::expm1(plan.keys * missed);
    plan.candidates = plan.keys * rows * std::pow(p2, plan.hashes);
    return plan;
}

} // namespace simhash
