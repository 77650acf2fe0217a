// Distances to weights, and the type simhash_weights_ball: weights, a radius, and the recall and the number
// of probes with which an index may search. The distance to weights is the distance to the fingerprint that
// their signs form. The text form is <[w0,...,w63],8,0.95,0>.
#include "pg/server/compat.hpp"

#include "core/weights/weights_format.hpp"
#include "core/weights/weights_text.hpp"
#include "pg/types/ball.hpp"
#include "pg/types/ball_text.hpp"
#include "pg/types/guided_ball.hpp"
#include "pg/types/weights_type.hpp"

extern "C" {
#include "common/shortest_dec.h"
#include "libpq/pqformat.h"
}

#include <cmath>

namespace simhash
{

namespace
{

GuidedBall *new_ball() { return static_cast<GuidedBall *>(palloc(sizeof(GuidedBall))); }

// Completes a ball whose weights are set. It has no padding, so equal balls are equal byte by byte.
Datum ball_datum(GuidedBall *ball, std::int32_t radius, double recall, std::int32_t most_probes)
{
    ball->center = weights_fingerprint(ball->weights);
    ball->recall = recall;
    ball->radius = radius;
    ball->most_probes = most_probes;
    return PointerGetDatum(ball);
}

bool valid_terms(double radius, double recall, double most_probes)
{
    return radius >= kEmptyRadius && radius <= kFullRadius && recall >= kLeastRecall &&
           recall <= kExactRecall && most_probes >= 0 && most_probes <= PG_INT32_MAX;
}

// Reads the text form, with optional white space around each part. Returns false if it is malformed.
bool parse_ball(const char *text, Weights *weights, double *terms)
{
    text = skip_spaces(text);
    const char *end = std::strchr(text, ']');
    WeightsTextFault fault;
    if (*text != '<' || end == nullptr ||
        parse_weights(text + 1, static_cast<std::size_t>(end - text), weights, &fault) !=
            WeightsTextError::kNone)
        return false;
    text = end + 1;
    for (int i = 0; i < 3; i++) {
        text = read_number(text, &terms[i]);
        if (text == nullptr)
            return false;
    }
    text = skip_spaces(text);
    return *text == '>' && *skip_spaces(text + 1) == '\0' && terms[0] == std::trunc(terms[0]) &&
           terms[2] == std::trunc(terms[2]);
}

} // namespace

// The functions of the operator <@> between a fingerprint and weights, in either order.
SIMHASH_FUNCTION(simhash_distance_to_weights)
{
    PG_RETURN_INT32(hamming_distance(PG_GETARG_FINGERPRINT(0), weights_signs(PG_GETARG_DATUM(1))));
}

SIMHASH_FUNCTION(simhash_distance_from_weights)
{
    PG_RETURN_INT32(hamming_distance(weights_signs(PG_GETARG_DATUM(0)), PG_GETARG_FINGERPRINT(1)));
}

SIMHASH_FUNCTION(hamming_within_of_weights)
{
    PG_RETURN_BOOL(hamming_distance(PG_GETARG_FINGERPRINT(0), weights_signs(PG_GETARG_DATUM(1))) <=
                   PG_GETARG_INT64(2));
}

SIMHASH_FUNCTION(hamming_weights_within)
{
    PG_RETURN_BOOL(hamming_distance(weights_signs(PG_GETARG_DATUM(0)), PG_GETARG_FINGERPRINT(1)) <=
                   PG_GETARG_INT64(2));
}

SIMHASH_FUNCTION(hamming_at_weights)
{
    PG_RETURN_BOOL(hamming_distance(PG_GETARG_FINGERPRINT(0), weights_signs(PG_GETARG_DATUM(1))) ==
                   PG_GETARG_INT64(2));
}

SIMHASH_FUNCTION(hamming_weights_at)
{
    PG_RETURN_BOOL(hamming_distance(weights_signs(PG_GETARG_DATUM(0)), PG_GETARG_FINGERPRINT(1)) ==
                   PG_GETARG_INT64(2));
}

// simhash_ball(simhash_weights, bigint) -> simhash_ball: the ball around the weights' signs.
SIMHASH_FUNCTION(simhash_ball_of_weights)
{
    auto *ball = static_cast<Ball *>(palloc(sizeof(Ball)));
    *ball = {weights_signs(PG_GETARG_DATUM(0)), clamp_radius(PG_GETARG_INT64(1)), 0};
    PG_RETURN_POINTER(ball);
}

// simhash_ball(simhash_weights, bigint, float8, integer) -> simhash_weights_ball. No value of the arguments
// raises an error, as for simhash_ball(simhash, bigint).
SIMHASH_FUNCTION(simhash_weights_to_ball)
{
    GuidedBall *ball = new_ball();
    read_weights(PG_GETARG_DATUM(0), &ball->weights);
    return ball_datum(ball, clamp_radius(PG_GETARG_INT64(1)), clamp_recall(PG_GETARG_FLOAT8(2)),
                      Max(0, PG_GETARG_INT32(3)));
}

SIMHASH_FUNCTION(simhash_in_weights_ball)
{
    PG_RETURN_BOOL(in_ball(PG_GETARG_FINGERPRINT(0), datum_guided_ball(PG_GETARG_DATUM(1))));
}

// Malformed text raises 22P02, a number out of range raises 22003.
SIMHASH_FUNCTION(simhash_weights_ball_in)
{
    const char *text = PG_GETARG_CSTRING(0);
    GuidedBall *ball = new_ball();
    double terms[3];

    if (!parse_ball(text, &ball->weights, terms))
        SIMHASH_INPUT_ERROR(fcinfo, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                            errmsg("invalid input syntax for type %s: \"%s\"", "simhash_weights_ball", text),
                            errdetail("A ball around weights is written as "
                                      "<[w0,...,w63],radius,recall,max_probes>."));
    if (!valid_terms(terms[0], terms[1], terms[2]))
        SIMHASH_INPUT_ERROR(fcinfo, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                            errmsg("value is out of range for type %s: \"%s\"", "simhash_weights_ball", text),
                            errdetail("A radius is from %d to %d, a recall from %g to %g, and a number of "
                                      "probes from 0 to %d.",
                                      kEmptyRadius, kFullRadius, kLeastRecall, kExactRecall, PG_INT32_MAX));
    return ball_datum(ball, static_cast<std::int32_t>(terms[0]), terms[1],
                      static_cast<std::int32_t>(terms[2]));
}

SIMHASH_FUNCTION(simhash_weights_ball_out)
{
    const GuidedBall &ball = datum_guided_ball(PG_GETARG_DATUM(0));
    char weights[kWeightsTextMax];
    char recall[DOUBLE_SHORTEST_DECIMAL_LEN];
    const auto length = static_cast<int>(format_weights(ball.weights, weights));
    double_to_shortest_decimal_buf(ball.recall, recall);
    PG_RETURN_CSTRING(psprintf("<%.*s,%d,%s,%d>", length, weights, ball.radius, recall, ball.most_probes));
}

// The weights in their external form, the radius in 4 bytes, the recall as a float8 and the number of probes
// in 4 bytes. Values out of range raise 22P03.
SIMHASH_FUNCTION(simhash_weights_ball_recv)
{
    StringInfo buf = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
    GuidedBall *ball = new_ball();
    const bool known = read_external_weights(
        reinterpret_cast<const std::uint8_t *>(pq_getmsgbytes(buf, kExternalWeightsSize)), &ball->weights);
    const auto radius = static_cast<std::int32_t>(pq_getmsgint(buf, 4));
    const double recall = pq_getmsgfloat8(buf);
    const auto most_probes = static_cast<std::int32_t>(pq_getmsgint(buf, 4));

    if (!known || !valid_terms(radius, recall, most_probes))
        ereport(ERROR, errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
                errmsg("invalid binary value of type %s", "simhash_weights_ball"));
    return ball_datum(ball, radius, recall, most_probes);
}

SIMHASH_FUNCTION(simhash_weights_ball_send)
{
    const GuidedBall &ball = datum_guided_ball(PG_GETARG_DATUM(0));
    std::uint8_t weights[kExternalWeightsSize];
    StringInfoData buf;

    write_external_weights(ball.weights, weights);
    pq_begintypsend(&buf);
    pq_sendbytes(&buf, reinterpret_cast<char *>(weights), kExternalWeightsSize);
    pq_sendint32(&buf, static_cast<uint32>(ball.radius));
    pq_sendfloat8(&buf, ball.recall);
    pq_sendint32(&buf, static_cast<uint32>(ball.most_probes));
    PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}

} // namespace simhash
