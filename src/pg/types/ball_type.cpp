// The type simhash_ball: its text forms, <0123456789abcdef,3> and <[w0,...,w63],8,0.95,0>, its binary form, and the
// functions that make balls and look into them.
#include "pg/types/ball.hpp"

#include "core/features/weights_format.hpp"
#include "pg/server/compat.hpp"
#include "pg/types/ball_text.hpp"
#include "pg/types/binary_form.hpp"
#include "pg/types/text_reader.hpp"
#include "pg/types/weights_type.hpp"

extern "C" {
#include "common/shortest_dec.h"
}

#include <algorithm>
#include <cmath>

namespace simhash
{

namespace
{

constexpr char kTypeName[] = "simhash_ball";
constexpr int kBallVersion = 1;
constexpr int kBallWeights = 1;

struct StoredBall {
    std::uint8_t version;
    std::uint8_t flags;
    std::int8_t radius;
    std::uint8_t zero;
    std::uint8_t center[sizeof(Fingerprint)];
};
static_assert(sizeof(StoredBall) == 12 && alignof(StoredBall) == 1);

struct StoredGuide {
    std::uint8_t recall[sizeof(double)];
    std::uint8_t most_probes[sizeof(std::int32_t)];
};
static_assert(sizeof(StoredGuide) == 12 && alignof(StoredGuide) == 1);

constexpr Size kGuidedSize = sizeof(StoredBall) + sizeof(StoredGuide);

bool valid_radius(double radius) { return radius >= kEmptyRadius && radius <= kFullRadius; }

bool valid_terms(double radius, double recall, double most_probes)
{
    return valid_radius(radius) && recall >= kLeastRecall && recall <= kExactRecall && most_probes >= 0 &&
           most_probes <= PG_INT32_MAX;
}

// Whether these are the first bytes of a ball without weights.
inline bool is_plain(const StoredBall &stored)
{
    return stored.version == kBallVersion && stored.flags == 0 && stored.zero == 0 &&
           static_cast<unsigned>(stored.radius - kEmptyRadius) <= kFullRadius - kEmptyRadius;
}

Ball open_ball(const StoredValueCopy &value)
{
    StoredBall stored;
    if (value.size() < sizeof(stored))
        report_stored_value(0, kBallVersion, kTypeName);
    std::memcpy(&stored, value.bytes(), sizeof(stored));
    const bool weights = stored.flags == kBallWeights;
    if (weights)
        stored.flags = 0;
    if (!is_plain(stored) || (!weights && value.size() != sizeof(stored)))
        report_stored_value(stored.version, kBallVersion, kTypeName);
    Ball ball = {0, stored.radius, weights};
    std::memcpy(&ball.center, stored.center, sizeof(ball.center));
    return ball;
}

// Writes what every ball has, and sets the size of the value.
void write_ball(struct varlena *value, Size size, Fingerprint center, std::int32_t radius, int flags)
{
    StoredBall stored = {
        kBallVersion, static_cast<std::uint8_t>(flags), static_cast<std::int8_t>(radius), 0, {}};
    std::memcpy(stored.center, &center, sizeof(center));
    std::memcpy(VARDATA(value), &stored, sizeof(stored));
    SET_VARSIZE(value, VARHDRSZ + size);
}

// Reads the text form of an exact ball, with optional white space around each part. Returns false if it is malformed. A
// radius of any size is accepted and saturated to int32.
bool parse_exact(const char *text, Fingerprint *center, double *radius)
{
    const char *comma = std::strchr(text, ',');
    if (comma == nullptr || !parse_fingerprint(text, static_cast<std::size_t>(comma - text), center))
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
    *radius = static_cast<double>(negative ? -value : value);

    text = skip_spaces(text);
    return *text == '>' && *skip_spaces(text + 1) == '\0';
}

// The same of a ball around weights, from the bracket on. The terms are the radius, the recall and the limit of probes.
bool parse_guided(const char *text, Weights *weights, double *terms)
{
    const char *end = std::strchr(text, ']');
    WeightsTextFault fault;
    if (end == nullptr || parse_weights(text, static_cast<std::size_t>(end + 1 - text), weights, &fault) !=
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

// Returns the value of a ball whose weights are set.
Datum guided_datum(GuidedBall *ball, std::int32_t radius, double recall, std::int32_t most_probes)
{
    ball->center = weights_fingerprint(ball->weights);
    ball->recall = recall;
    ball->radius = radius;
    ball->most_probes = most_probes;
    return ball_datum(*ball);
}

} // namespace

Ball datum_ball(Datum datum)
{
    StoredValueCopy value(datum);
    const Ball ball = open_ball(value);
    value.release();
    return ball;
}

bool read_ball(Datum datum, GuidedBall *out)
{
    StoredValueCopy value(datum);
    const Ball ball = open_ball(value);
    if (ball.weights) {
        const Size size = value.size();
        StoredGuide guide;
        if (size < kGuidedSize ||
            !unpack_weights(value.bytes() + kGuidedSize, size - kGuidedSize, &out->weights))
            report_stored_value(kBallVersion, kBallVersion, kTypeName);
        std::memcpy(&guide, value.bytes() + sizeof(StoredBall), sizeof(guide));
        std::memcpy(&out->recall, guide.recall, sizeof(out->recall));
        std::memcpy(&out->most_probes, guide.most_probes, sizeof(out->most_probes));
        if (!valid_terms(ball.radius, out->recall, out->most_probes))
            report_stored_value(kBallVersion, kBallVersion, kTypeName);
    } else {
        *out = {};
        out->recall = kExactRecall;
    }
    out->center = ball.center;
    out->radius = ball.radius;
    value.release();
    return ball.weights;
}

Datum ball_datum(Fingerprint center, std::int32_t radius)
{
    auto *value = static_cast<struct varlena *>(palloc(VARHDRSZ + sizeof(StoredBall)));
    write_ball(value, sizeof(StoredBall), center, radius, 0);
    return PointerGetDatum(value);
}

Datum ball_datum(const GuidedBall &ball)
{
    auto *value = static_cast<struct varlena *>(palloc(VARHDRSZ + kGuidedSize + kStoredWeightsMax));
    StoredGuide guide;
    std::memcpy(guide.recall, &ball.recall, sizeof(guide.recall));
    std::memcpy(guide.most_probes, &ball.most_probes, sizeof(guide.most_probes));
    std::memcpy(VARDATA(value) + sizeof(StoredBall), &guide, sizeof(guide));
    write_ball(value, kGuidedSize + pack_weights(ball.weights, VARDATA(value) + kGuidedSize), ball.center,
               ball.radius, kBallWeights);
    return PointerGetDatum(value);
}

// simhash_ball_in(cstring) -> simhash_ball. Malformed text raises 22P02, a number out of range raises 22003.
SIMHASH_FUNCTION(simhash_ball_in)
{
    const char *text = PG_GETARG_CSTRING(0);
    GuidedBall ball;
    double terms[3] = {0, kExactRecall, 0};
    const char *part = skip_spaces(text);
    const char *center = *part == '<' ? skip_spaces(part + 1) : part;
    const bool weights = *center == '[';

    if (*part != '<' ||
        !(weights ? parse_guided(center, &ball.weights, terms) : parse_exact(part + 1, &ball.center, terms)))
        SIMHASH_INPUT_ERROR(
            fcinfo, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
            errmsg("invalid input syntax for type %s: \"%s\"", kTypeName, quoted(text)),
            errdetail("A ball is written as <center,radius>, 16 hexadecimal digits and a number "
                      "of bits, or as <[w0,...,w63],radius,recall,max_probes>."));
    if (!valid_terms(terms[0], terms[1], terms[2]))
        SIMHASH_INPUT_ERROR(
            fcinfo, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
            errmsg("value is out of range for type %s: \"%s\"", kTypeName, quoted(text)),
            errdetail(
                "A radius is from %d, which holds nothing, to %d, which holds every fingerprint; a recall "
                "from %g to %g; and a number of probes from 0 to %d.",
                kEmptyRadius, kFullRadius, kLeastRecall, kExactRecall, PG_INT32_MAX));
    const auto radius = static_cast<std::int32_t>(terms[0]);
    return weights ? guided_datum(&ball, radius, terms[1], static_cast<std::int32_t>(terms[2]))
                   : ball_datum(ball.center, radius);
}

SIMHASH_FUNCTION(simhash_ball_out)
{
    GuidedBall ball;
    if (!read_ball(PG_GETARG_DATUM(0), &ball)) {
        char center[kHexDigits];
        format_fingerprint(ball.center, center);
        PG_RETURN_CSTRING(psprintf("<%.*s,%d>", static_cast<int>(kHexDigits), center, ball.radius));
    }
    char weights[kWeightsTextMax];
    char recall[DOUBLE_SHORTEST_DECIMAL_LEN];
    const auto length = static_cast<int>(format_weights(ball.weights, weights));
    double_to_shortest_decimal_buf(ball.recall, recall);
    PG_RETURN_CSTRING(psprintf("<%.*s,%d,%s,%d>", length, weights, ball.radius, recall, ball.most_probes));
}

// simhash_ball_recv(internal) -> simhash_ball: the version 1, the flags, and the radius as a byte each; then the center in
// 8 bytes, or the weights in their external form, the recall as a float8 and the number of probes in 4 bytes. Raises
// 08P01, 0A000 or 22P03.
SIMHASH_FUNCTION(simhash_ball_recv)
{
    StringInfo message = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
    receive_version(message, kBallVersion, kTypeName);
    const int flags = pq_getmsgbyte(message);
    const auto radius = static_cast<std::int8_t>(pq_getmsgbyte(message));
    if ((flags & ~kBallWeights) != 0 || !valid_radius(radius))
        report_binary_value(kTypeName);
    if (flags == 0)
        return ball_datum(static_cast<Fingerprint>(pq_getmsgint64(message)), radius);

    GuidedBall ball;
    receive_weights(message, &ball.weights);
    const double recall = pq_getmsgfloat8(message);
    const auto most_probes = static_cast<std::int32_t>(pq_getmsgint(message, 4));
    if (!valid_terms(radius, recall, most_probes))
        report_binary_value(kTypeName);
    return guided_datum(&ball, radius, recall, most_probes);
}

SIMHASH_FUNCTION(simhash_ball_send)
{
    GuidedBall ball;
    const bool weights = read_ball(PG_GETARG_DATUM(0), &ball);
    StringInfoData message;

    pq_begintypsend(&message);
    pq_sendbyte(&message, kBallVersion);
    pq_sendbyte(&message, weights ? kBallWeights : 0);
    pq_sendbyte(&message, static_cast<std::uint8_t>(ball.radius));
    if (weights) {
        std::uint8_t external[kExternalWeightsSize];
        write_external_weights(ball.weights, external);
        pq_sendbytes(&message, reinterpret_cast<char *>(external), kExternalWeightsSize);
        pq_sendfloat8(&message, ball.recall);
        pq_sendint32(&message, static_cast<uint32>(ball.most_probes));
    } else {
        pq_sendint64(&message, ball.center);
    }
    PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}

// simhash_ball(simhash, bigint) -> simhash_ball. Every radius has a meaning, so none raises an error: this
// function runs in index conditions, in place of a distance comparison that would not raise one.
SIMHASH_FUNCTION(simhash_ball)
{
    return ball_datum(PG_GETARG_FINGERPRINT(0), clamp_radius(PG_GETARG_INT64(1)));
}

// Whether each of two balls has the center of the other.
SIMHASH_FUNCTION(simhash_internal_balls_meet)
{
    const Ball a = datum_ball(PG_GETARG_DATUM(0)), b = datum_ball(PG_GETARG_DATUM(1));
    PG_RETURN_BOOL(hamming_distance(a.center, b.center) <= Min(a.radius, b.radius));
}

SIMHASH_FUNCTION(simhash_internal_ball_center)
{
    PG_RETURN_FINGERPRINT(datum_ball(PG_GETARG_DATUM(0)).center);
}

// simhash_ball(simhash_weights, bigint, float8, integer) -> simhash_ball. No value of the arguments raises an error,
// either.
SIMHASH_FUNCTION(simhash_ball_of_weights)
{
    GuidedBall ball;
    ball.weights = read_weights(PG_GETARG_DATUM(0));
    return guided_datum(&ball, clamp_radius(PG_GETARG_INT64(1)), clamp_recall(PG_GETARG_FLOAT8(2)),
                        Max(0, PG_GETARG_INT32(3)));
}

namespace
{

pg_noinline Datum in_any_ball(Fingerprint fingerprint, Datum datum)
{
    const Ball ball = datum_ball(datum);
    PG_RETURN_BOOL(hamming_distance(fingerprint, ball.center) <= ball.radius);
}

} // namespace

// simhash_in_ball(simhash, simhash_ball) -> boolean. The function of the operator <@|, which replaces hamming_within in an
// index condition. A condition without an index comes here for each row, nearly always with a constant of no weights, which
// is neither packed nor toasted.
SIMHASH_FUNCTION(simhash_in_ball)
{
    auto *value = reinterpret_cast<struct varlena *>(PG_GETARG_POINTER(1));
    const Fingerprint fingerprint = PG_GETARG_FINGERPRINT(0);
    if (!VARATT_IS_4B_U(value) || VARSIZE_4B(value) != VARHDRSZ + sizeof(StoredBall))
        return in_any_ball(fingerprint, PG_GETARG_DATUM(1));
    StoredBall stored;
    Fingerprint center;
    std::memcpy(&stored, VARDATA_4B(value), sizeof(stored));
    std::memcpy(&center, stored.center, sizeof(center));
    if (!is_plain(stored))
        return in_any_ball(fingerprint, PG_GETARG_DATUM(1));
    PG_RETURN_BOOL(hamming_distance(fingerprint, center) <= stored.radius);
}

} // namespace simhash
