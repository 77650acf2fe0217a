// The SQL functions of the Hamming distance of bit strings. They raise an error if the lengths differ, which
// reveals a length, so they are not LEAKPROOF. simhash_internal_within is the exception.
#include "pg/types/signature_ball.hpp"

#include "pg/types/signature_type.hpp"

namespace simhash
{

namespace
{

int argument_distance(FunctionCallInfo fcinfo)
{
    return checked_distance(datum_signature(PG_GETARG_DATUM(0)), datum_signature(PG_GETARG_DATUM(1)));
}

} // namespace

// signature_distance(bit, bit) -> hamming_distance: 0 to the length. The function of the operator <@>.
SIMHASH_FUNCTION(simhash_signature_distance_of_bits)
{
    PG_RETURN_INT32(argument_distance(fcinfo));
}

// hamming_within(bit, bit, bigint) -> boolean: the planner rewrites s <@> q <= r as this.
SIMHASH_FUNCTION(simhash_signature_within)
{
    PG_RETURN_BOOL(argument_distance(fcinfo) <= PG_GETARG_INT64(2));
}

// simhash_internal_within(bit, bit, bigint) -> boolean: the same for values that are declared with one length. It is
// LEAKPROOF, so it must not raise an error, whatever the values are.
SIMHASH_FUNCTION(simhash_signature_within_if_equally_long)
{
    const SignatureView a = datum_signature(PG_GETARG_DATUM(0)), b = datum_signature(PG_GETARG_DATUM(1));

    PG_RETURN_BOOL(a.bits == b.bits && signature_distance(a.data, b.data, a.bytes) <= PG_GETARG_INT64(2));
}

// simhash_internal_at(bit, bit, bigint) -> boolean: the planner rewrites s <@> q = r as this.
SIMHASH_FUNCTION(simhash_signature_at)
{
    PG_RETURN_BOOL(argument_distance(fcinfo) == PG_GETARG_INT64(2));
}

// simhash_internal_distance_to_center(bit, signature_ball) -> hamming_distance: the distance to the center.
SIMHASH_FUNCTION(simhash_signature_distance_to_center)
{
    PG_RETURN_INT32(checked_distance(datum_signature(PG_GETARG_DATUM(0)),
                                     ball_signature(datum_signature_ball(PG_GETARG_DATUM(1)))));
}

// simhash_internal_in_ball(bit, signature_ball) -> boolean. The function of the operator <@|. The recall has no effect
// here.
SIMHASH_FUNCTION(simhash_signature_in_ball)
{
    const SignatureBall &ball = datum_signature_ball(PG_GETARG_DATUM(1));

    PG_RETURN_BOOL(checked_distance(datum_signature(PG_GETARG_DATUM(0)), ball_signature(ball)) <=
                   ball.radius);
}

// Balls of different lengths do not meet.
SIMHASH_FUNCTION(simhash_internal_signature_balls_meet)
{
    const SignatureBall &a = datum_signature_ball(PG_GETARG_DATUM(0));
    const SignatureBall &b = datum_signature_ball(PG_GETARG_DATUM(1));
    PG_RETURN_BOOL(a.bits == b.bits &&
                   signature_distance(a.signature, b.signature, signature_bytes(a.bits)) <=
                       Min(a.radius, b.radius));
}

SIMHASH_FUNCTION(simhash_internal_signature_ball_center)
{
    return signature_value(ball_signature(datum_signature_ball(PG_GETARG_DATUM(0))));
}

} // namespace simhash
