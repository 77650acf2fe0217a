// Distances to weights, and the type simhash_weights_ball. A distance to weights is the distance to the
// fingerprint that is their signs, exactly; it is the index that may use the weights to look in fewer places.
#include "pg/server/compat.hpp"

#include "pg/server/settings.hpp"
#include "pg/types/ball.hpp"
#include "pg/types/guided_ball.hpp"
#include "pg/types/weights.hpp"

namespace simhash
{

namespace
{

Fingerprint argument_signs(Datum argument)
{
    Weights weights;
    read_weights(argument, &weights);
    return weights_fingerprint(weights);
}

[[noreturn]] void refuse_input()
{
    ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
            errmsg("cannot accept a value of type %s", "simhash_weights_ball"),
            errhint("Use simhash_ball(weights, radius)."));
    pg_unreachable();
}

} // namespace

// The operator <@> between a fingerprint and weights, either way round.
SIMHASH_FUNCTION(simhash_distance_to_weights)
{
    PG_RETURN_INT32(hamming_distance(PG_GETARG_FINGERPRINT(0), argument_signs(PG_GETARG_DATUM(1))));
}

SIMHASH_FUNCTION(simhash_distance_from_weights)
{
    PG_RETURN_INT32(hamming_distance(argument_signs(PG_GETARG_DATUM(0)), PG_GETARG_FINGERPRINT(1)));
}

SIMHASH_FUNCTION(simhash_within_of_weights)
{
    PG_RETURN_BOOL(hamming_distance(PG_GETARG_FINGERPRINT(0), argument_signs(PG_GETARG_DATUM(1))) <=
                   PG_GETARG_INT64(2));
}

SIMHASH_FUNCTION(simhash_weights_within)
{
    PG_RETURN_BOOL(hamming_distance(argument_signs(PG_GETARG_DATUM(0)), PG_GETARG_FINGERPRINT(1)) <=
                   PG_GETARG_INT64(2));
}

SIMHASH_FUNCTION(simhash_at_weights)
{
    PG_RETURN_BOOL(hamming_distance(PG_GETARG_FINGERPRINT(0), argument_signs(PG_GETARG_DATUM(1))) ==
                   PG_GETARG_INT64(2));
}

SIMHASH_FUNCTION(simhash_weights_at)
{
    PG_RETURN_BOOL(hamming_distance(argument_signs(PG_GETARG_DATUM(0)), PG_GETARG_FINGERPRINT(1)) ==
                   PG_GETARG_INT64(2));
}

void set_guided_ball(GuidedBall *ball, Datum weights, std::int64_t radius)
{
    std::memset(static_cast<void *>(ball), 0, sizeof(*ball));
    SET_VARSIZE(ball, sizeof(GuidedBall));
    read_weights(weights, &ball->weights);
    ball->radius = clamp_radius(radius);
    ball->center = weights_fingerprint(ball->weights);
}

// simhash_ball(simhash_weights, bigint) -> simhash_weights_ball
SIMHASH_FUNCTION(simhash_weights_to_ball)
{
    auto *ball = static_cast<GuidedBall *>(palloc(sizeof(GuidedBall)));
    set_guided_ball(ball, PG_GETARG_DATUM(0), PG_GETARG_INT64(1));
    PG_RETURN_POINTER(ball);
}

SIMHASH_FUNCTION(simhash_in_weights_ball)
{
    const auto *ball = reinterpret_cast<const GuidedBall *>(PG_DETOAST_DATUM(PG_GETARG_DATUM(1)));
    PG_RETURN_BOOL(in_ball(PG_GETARG_FINGERPRINT(0), *ball));
}

// Shows the center, the radius and the recall that a search by this ball would aim at now: EXPLAIN is where
// it is read.
SIMHASH_FUNCTION(simhash_weights_ball_out)
{
    const auto *ball = reinterpret_cast<const GuidedBall *>(PG_DETOAST_DATUM(PG_GETARG_DATUM(0)));
    char center[kHexDigits + 1] = {};
    format_fingerprint(ball->center, center);
    char *text;
    if (target_recall_setting < 0)
        text = psprintf("<%s,%d,recall of the index>", center, ball->radius);
    else
        text = psprintf("<%s,%d,recall %g>", center, ball->radius, target_recall_setting);
    PG_RETURN_CSTRING(text);
}

SIMHASH_FUNCTION(simhash_weights_ball_in)
{
    refuse_input();
}

} // namespace simhash
