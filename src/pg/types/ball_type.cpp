// The type simhash_ball: its text form, <0123456789abcdef,3>, and its binary form.
#include "pg/server/postgres.hpp"

#include "pg/server/compat.hpp"
#include "pg/types/ball.hpp"
#include "pg/types/ball_text.hpp"

extern "C" {
#include "libpq/pqformat.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

// Reads the text form, with optional white space around each part. Returns false if it is malformed. A radius
// of any size is accepted and saturated to int32.
bool parse_ball(const char *text, Fingerprint *center, std::int32_t *radius)
{
    text = skip_spaces(text);
    const char *comma = std::strchr(text, ',');
    if (*text != '<' || comma == nullptr ||
        !parse_fingerprint(text + 1, static_cast<std::size_t>(comma - text - 1), center))
        return false;

    text = skip_spaces(comma + 1);
    const bool negative = *text == '-';
    if (negative)
        text++;
    if (*text < '0' || *text > '9')
        return false;
    std::int64_t value = 0;
    for (; *text >= '0' && *text <= '9'; text++)
        value = std::min<std::int64_t>(value * 10 + (*text - '0'), PG_INT32_MAX);
    *radius = static_cast<std::int32_t>(negative ? -value : value);

    text = skip_spaces(text);
    return *text == '>' && *skip_spaces(text + 1) == '\0';
}

Ball *make_ball(Fingerprint center, std::int32_t radius)
{
    Ball *ball = static_cast<Ball *>(palloc(sizeof(Ball)));
    *ball = Ball{center, radius, 0};
    return ball;
}

bool valid_radius(std::int32_t radius) { return radius >= kEmptyRadius && radius <= kFullRadius; }

} // namespace

// simhash_ball_in(cstring) -> simhash_ball. Malformed text raises 22P02, a radius outside -1 to 64 raises
// 22003.
SIMHASH_FUNCTION(simhash_ball_in)
{
    const char *text = PG_GETARG_CSTRING(0);
    Fingerprint center;
    std::int32_t radius;

    if (!parse_ball(text, &center, &radius))
        SIMHASH_INPUT_ERROR(fcinfo, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                            errmsg("invalid input syntax for type %s: \"%s\"", "simhash_ball", text),
                            errdetail("A ball is written as <center,radius>: 16 hexadecimal digits and a "
                                      "number of bits."));
    if (!valid_radius(radius))
        SIMHASH_INPUT_ERROR(fcinfo, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                            errmsg("radius is out of range for type %s: \"%s\"", "simhash_ball", text),
                            errdetail("A radius is from %d, which holds nothing, to %d, which holds every "
                                      "fingerprint.",
                                      kEmptyRadius, kFullRadius));
    PG_RETURN_POINTER(make_ball(center, radius));
}

SIMHASH_FUNCTION(simhash_ball_out)
{
    const Ball *ball = reinterpret_cast<const Ball *>(PG_GETARG_POINTER(0));
    char center[kHexDigits + 1];

    format_fingerprint(ball->center, center);
    center[kHexDigits] = '\0';
    PG_RETURN_CSTRING(psprintf("<%s,%d>", center, ball->radius));
}

// simhash_ball_recv(internal) -> simhash_ball: the center in 8 bytes and the radius in 4, big-endian. A
// radius outside -1 to 64 raises 22P03.
SIMHASH_FUNCTION(simhash_ball_recv)
{
    StringInfo buf = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
    const Fingerprint center = static_cast<Fingerprint>(pq_getmsgint64(buf));
    const std::int32_t radius = static_cast<std::int32_t>(pq_getmsgint(buf, 4));

    if (!valid_radius(radius))
        ereport(ERROR, errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
                errmsg("radius %d is out of range for type simhash_ball", radius),
                errdetail("A radius is from %d to %d.", kEmptyRadius, kFullRadius));
    PG_RETURN_POINTER(make_ball(center, radius));
}

SIMHASH_FUNCTION(simhash_ball_send)
{
    const Ball *ball = reinterpret_cast<const Ball *>(PG_GETARG_POINTER(0));
    StringInfoData buf;

    pq_begintypsend(&buf);
    pq_sendint64(&buf, ball->center);
    pq_sendint32(&buf, static_cast<uint32>(ball->radius));
    PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}

// simhash_ball(simhash, bigint) -> simhash_ball. Every radius has a meaning, so none raises an error: this
// function runs in index conditions, in place of a distance comparison that would not raise one.
SIMHASH_FUNCTION(simhash_ball)
{
    PG_RETURN_POINTER(make_ball(PG_GETARG_FINGERPRINT(0), clamp_radius(PG_GETARG_INT64(1))));
}

} // namespace simhash
