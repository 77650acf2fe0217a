// The SQL functions of the Hamming distance. None of them can raise an error. They are declared LEAKPROOF,
// because otherwise row-level security would prevent distance conditions from using an index.
#include "pg/server/postgres.hpp"

#include "pg/types/ball.hpp"
#include "pg/types/weights_type.hpp"

namespace simhash
{

// hamming_distance(simhash, simhash) -> hamming_distance: 0 to 64. The function of the operator <@>.
SIMHASH_FUNCTION(simhash_distance)
{
    PG_RETURN_INT32(hamming_distance(PG_GETARG_FINGERPRINT(0), PG_GETARG_FINGERPRINT(1)));
}

// hamming_within(simhash, simhash, bigint) -> boolean: the planner rewrites h <@> q <= r as this. Every
// radius is valid.
SIMHASH_FUNCTION(simhash_hamming_within)
{
    PG_RETURN_BOOL(hamming_distance(PG_GETARG_FINGERPRINT(0), PG_GETARG_FINGERPRINT(1)) <=
                   PG_GETARG_INT64(2));
}

// simhash_internal_at(simhash, simhash, bigint) -> boolean: the planner rewrites h <@> q = r as this.
SIMHASH_FUNCTION(simhash_hamming_at)
{
    PG_RETURN_BOOL(hamming_distance(PG_GETARG_FINGERPRINT(0), PG_GETARG_FINGERPRINT(1)) ==
                   PG_GETARG_INT64(2));
}

// simhash_internal_near(simhash, simhash) -> boolean: whether the distance is at most 3. The function of the operator
// ~=.
SIMHASH_FUNCTION(simhash_near)
{
    PG_RETURN_BOOL(hamming_distance(PG_GETARG_FINGERPRINT(0), PG_GETARG_FINGERPRINT(1)) <= kNearRadius);
}

// The functions of the operator <@> between a fingerprint and weights, in either order.
SIMHASH_FUNCTION(simhash_distance_to_weights)
{
    PG_RETURN_INT32(hamming_distance(PG_GETARG_FINGERPRINT(0), weights_signs(PG_GETARG_DATUM(1))));
}

SIMHASH_FUNCTION(simhash_distance_from_weights)
{
    PG_RETURN_INT32(hamming_distance(weights_signs(PG_GETARG_DATUM(0)), PG_GETARG_FINGERPRINT(1)));
}

SIMHASH_FUNCTION(simhash_hamming_within_of_weights)
{
    PG_RETURN_BOOL(hamming_distance(PG_GETARG_FINGERPRINT(0), weights_signs(PG_GETARG_DATUM(1))) <=
                   PG_GETARG_INT64(2));
}

SIMHASH_FUNCTION(simhash_hamming_at_weights)
{
    PG_RETURN_BOOL(hamming_distance(PG_GETARG_FINGERPRINT(0), weights_signs(PG_GETARG_DATUM(1))) ==
                   PG_GETARG_INT64(2));
}

// simhash_internal_radius_below(bigint) -> bigint: the radius r for which "<= r" is equivalent to "< argument". The
// smallest bigint is returned unchanged: no distance is below it either way.
SIMHASH_FUNCTION(simhash_hamming_radius_below)
{
    const std::int64_t radius = PG_GETARG_INT64(0);

    PG_RETURN_INT64(radius == PG_INT64_MIN ? radius : radius - 1);
}

} // namespace simhash
