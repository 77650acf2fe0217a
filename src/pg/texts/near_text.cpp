// text ~= text, text <@| text_ball, text_ball ~= text_ball, and what an index stores of a text.
#include "core/features/text_sketch.hpp"
#include "pg/features/document_arguments.hpp"
#include "pg/server/compat.hpp"
#include "pg/texts/kept_text.hpp"
#include "pg/types/ball.hpp"
#include "pg/types/ball_text.hpp"
#include "pg/types/binary_form.hpp"
#include "pg/types/text_ball.hpp"
#include "pg/types/text_reader.hpp"

extern "C" {
#include "common/shortest_dec.h"
#include "utils/builtins.h"
}

namespace simhash
{

namespace
{

// How the unit of a ball is written, before the comma.
constexpr char kCharacterSign[] = " character";
constexpr std::size_t kCharacterSignLength = sizeof(kCharacterSign) - 1;

Datum make_ball(TextBytes text, double similarity, TextUnit unit)
{
    TextBall ball = {0, kEmptyRadius, unit, similarity, text.at, text.length};
    if (text_fingerprint(text, unit, &ball.center))
        ball.radius = text_radius(unit, similarity);
    return text_ball_datum(ball);
}

Datum sketch(FunctionCallInfo fcinfo, TextUnit unit)
{
    Fingerprint fingerprint;
    if (!text_fingerprint(PG_GETARG_DATUM(0), unit, &fingerprint))
        PG_RETURN_NULL();
    PG_RETURN_FINGERPRINT(fingerprint);
}

} // namespace

// simhash_internal_text_sketch(text) -> simhash, simhash_internal_title_sketch(text) -> simhash. NULL without words.
SIMHASH_FUNCTION(simhash_internal_text_sketch)
{
    return sketch(fcinfo, TextUnit::kWord);
}
SIMHASH_FUNCTION(simhash_internal_title_sketch)
{
    return sketch(fcinfo, TextUnit::kCharacter);
}

// simhash_internal_text_near(text, text) -> boolean
SIMHASH_FUNCTION(simhash_internal_text_near)
{
    PG_RETURN_BOOL(near_texts(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1),
                              {TextUnit::kWord, kNearSimilarity, kNearTextRadius}));
}

// simhash_internal_text_in_ball(text, text_ball) -> boolean
SIMHASH_FUNCTION(simhash_internal_text_in_ball)
{
    struct varlena *value = PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(1));
    const TextBall ball = open_text_ball(value);
    const bool near = near_kept_text(PG_GETARG_DATUM(0), {ball.text, ball.length},
                                     {ball.unit, ball.similarity, ball.radius});
    PG_FREE_IF_COPY(value, 1);
    PG_RETURN_BOOL(near);
}

// simhash_internal_text_balls_meet(text_ball, text_ball) -> boolean: of one unit, and each has the other's text.
SIMHASH_FUNCTION(simhash_internal_text_balls_meet)
{
    struct varlena *first = PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(0));
    struct varlena *second = PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(1));
    const TextBall a = open_text_ball(first), b = open_text_ball(second);
    const Nearness least = {a.unit, Max(a.similarity, b.similarity), Min(a.radius, b.radius)};
    const bool meet = a.unit == b.unit && hamming_distance(a.center, b.center) <= least.radius &&
                      near_kept_text({a.text, a.length}, {b.text, b.length}, least);
    PG_FREE_IF_COPY(first, 0);
    PG_FREE_IF_COPY(second, 1);
    PG_RETURN_BOOL(meet);
}

// simhash_internal_text_ball_center(text_ball) -> simhash. NULL if no text is in the ball.
SIMHASH_FUNCTION(simhash_internal_text_ball_center)
{
    const TextBall ball = text_ball_terms(PG_GETARG_DATUM(0));
    if (ball.radius == kEmptyRadius)
        PG_RETURN_NULL();
    PG_RETURN_FINGERPRINT(ball.center);
}

// text_ball(text, float8, text) -> text_ball
SIMHASH_FUNCTION(simhash_text_ball)
{
    text *center = PG_GETARG_TEXT_PP(0);
    const double similarity = PG_GETARG_FLOAT8(1);
    if (!valid_similarity(similarity))
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("similarity must lie between 0 and 1"), errdetail("It is %g.", similarity));
    return make_ball({VARDATA_ANY(center), static_cast<Size>(VARSIZE_ANY_EXHDR(center))}, similarity,
                     text_unit(PG_GETARG_TEXT_PP(2)));
}

// text_ball_in(cstring) -> text_ball: <similarity,text> or <similarity character,text>
SIMHASH_FUNCTION(simhash_text_ball_in)
{
    const char *input = PG_GETARG_CSTRING(0);
    const Size length = std::strlen(input);
    double similarity = -1;
    const char *end = input[0] == '<' ? read_decimal(input + 1, &similarity) : nullptr;
    const bool number = end != nullptr;
    const bool characters = number && std::strncmp(end, kCharacterSign, kCharacterSignLength) == 0;
    if (characters)
        end += kCharacterSignLength;
    if (!number || *end != ',' || input[length - 1] != '>')
        SIMHASH_INPUT_ERROR(
            fcinfo, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
            errmsg("invalid input syntax for type %s: \"%s\"", kTextBallName, quoted(input)),
            errdetail("A ball of texts is written as <similarity,text> or <similarity character,text>."),
            errhint("The function text_ball takes a text and a similarity."));
    if (!valid_similarity(similarity))
        SIMHASH_INPUT_ERROR(fcinfo, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                            errmsg("value is out of range for type %s: \"%s\"", kTextBallName, quoted(input)),
                            errdetail("A similarity is from 0 to 1."));
    const char *text = end + 1;
    return make_ball({text, static_cast<Size>(input + length - 1 - text)}, similarity,
                     characters ? TextUnit::kCharacter : TextUnit::kWord);
}

SIMHASH_FUNCTION(simhash_text_ball_out)
{
    const TextBall ball = open_text_ball(PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(0)));
    char similarity[DOUBLE_SHORTEST_DECIMAL_LEN];
    double_to_shortest_decimal_buf(ball.similarity, similarity);
    PG_RETURN_CSTRING(psprintf("<%s%s,%.*s>", similarity,
                               ball.unit == TextUnit::kCharacter ? kCharacterSign : "",
                               static_cast<int>(ball.length), ball.text));
}

// text_ball_recv(internal) -> text_ball: the version 1 and the unit as bytes, the similarity as a float8, and the text.
SIMHASH_FUNCTION(simhash_text_ball_recv)
{
    StringInfo message = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
    receive_version(message, kTextBallVersion, kTextBallName);
    const int unit = pq_getmsgbyte(message);
    const double similarity = pq_getmsgfloat8(message);
    if (!valid_similarity(similarity) || unit > static_cast<int>(TextUnit::kCharacter))
        report_binary_value(kTextBallName);
    int length;
    const char *text = pq_getmsgtext(message, message->len - message->cursor, &length);
    return make_ball({text, static_cast<Size>(length)}, similarity, static_cast<TextUnit>(unit));
}

SIMHASH_FUNCTION(simhash_text_ball_send)
{
    const TextBall ball = open_text_ball(PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(0)));
    StringInfoData message;
    pq_begintypsend(&message);
    pq_sendbyte(&message, kTextBallVersion);
    pq_sendbyte(&message, static_cast<std::uint8_t>(ball.unit));
    pq_sendfloat8(&message, ball.similarity);
    pq_sendtext(&message, ball.text, static_cast<int>(ball.length));
    PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}

} // namespace simhash
