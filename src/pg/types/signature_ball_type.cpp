// The type signature_ball: its text form, <x0f...,31,0.95,10> or <0101...,31,0.95,10,[w0,...]>, its binary
// form, and the functions that make balls. Like a literal of a bit string, a center of hexadecimal digits begins with x;
// so it is printed if its length is a multiple of four.
#include "pg/types/signature_ball.hpp"

#include "pg/server/compat.hpp"
#include "pg/types/ball_text.hpp"
#include "pg/types/binary_form.hpp"
#include "pg/types/signature_type.hpp"
#include "pg/types/text_reader.hpp"

extern "C" {
#include "common/shortest_dec.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
}

#include <algorithm>
#include <cmath>

namespace simhash
{

namespace
{

constexpr char kTypeName[] = "signature_ball";

// The parts of a ball but for its signature and weights.
struct BallTerms {
    int bits;
    std::int32_t radius;
    double recall;
    std::int32_t count;
    bool weights;
};

Size ball_size(int bits, bool weights)
{
    return offsetof(SignatureBall, signature) + 8 * static_cast<Size>(signature_words(bits)) +
           (weights ? sizeof(float) * static_cast<Size>(bits) : 0);
}

// Returns a ball with a signature and weights of zeros.
SignatureBall *allocate_ball(const BallTerms &terms)
{
    const Size size = ball_size(terms.bits, terms.weights);
    if (!AllocSizeIsValid(size))
        report_large_value(kTypeName);
    auto *ball = static_cast<SignatureBall *>(palloc0(size));

    SET_VARSIZE(ball, size);
    ball->version = kSignatureBallVersion;
    ball->bits = terms.bits;
    ball->radius = terms.radius;
    ball->count = terms.count;
    ball->recall = terms.recall;
    ball->weights = terms.weights ? static_cast<std::uint32_t>(terms.bits) : 0;
    return ball;
}

SignatureBall *make_ball(const SignatureView &center, const BallTerms &terms)
{
    SignatureBall *ball = allocate_ball(terms);
    std::memcpy(ball->signature, center.data, static_cast<Size>(center.bytes));
    return ball;
}

// The weights of a ball that has just been made.
float *new_weights(SignatureBall *ball)
{
    return reinterpret_cast<float *>(ball->signature + 8 * signature_words(ball->bits));
}

bool valid_terms(int bits, double radius, double recall, double count)
{
    return radius >= kEmptyRadius && radius <= bits && recall >= kLeastRecall && recall <= kExactRecall &&
           count >= 0 && count <= PG_INT32_MAX;
}

// A ball's text, divided into its parts.
struct BallText {
    const char *digits; // hexadecimal ones behind an x
    bool hexadecimal;
    int bits;
    double radius, recall, count;
    const char *weights; // the list of weights behind its bracket, or null
};

// Reads the text up to the weights, with optional white space around each part. Returns false if it is
// malformed.
bool divide_text(const char *text, BallText *out)
{
    text = skip_spaces(text);
    if (*text != '<')
        return false;
    text = skip_spaces(text + 1);
    out->hexadecimal = *text == 'x' || *text == 'X';
    out->digits = out->hexadecimal ? text + 1 : text;
    const std::size_t digits = std::strspn(out->digits, out->hexadecimal ? "0123456789abcdefABCDEF" : "01");
    const std::size_t bits = out->hexadecimal ? 4 * digits : digits;
    if (bits > PG_INT32_MAX)
        report_large_value(kTypeName);
    out->bits = static_cast<int>(bits);
    text = out->digits + digits;
    for (double *number : {&out->radius, &out->recall, &out->count}) {
        text = read_number(text, number);
        if (text == nullptr)
            return false;
    }
    out->weights = nullptr;
    text = skip_spaces(text);
    if (*text == ',') {
        text = skip_spaces(text + 1);
        if (*text != '[')
            return false;
        out->weights = text + 1;
        text = std::strchr(text, ']');
        if (text == nullptr)
            return false;
        text = skip_spaces(text + 1);
    }
    return *text == '>' && *skip_spaces(text + 1) == '\0' && out->radius == std::trunc(out->radius) &&
           out->count == std::trunc(out->count);
}

// Reads exactly `count` weights and the bracket behind them. Returns false if the list is malformed.
bool read_weights(const char *text, int count, float *weights)
{
    for (int i = 0; i < count; i++) {
        text = skip_spaces(text);
        const std::size_t length = std::strspn(text, "+-.0123456789eE");
        char *end;
        weights[i] = std::strtof(text, &end);
        if (length == 0 || end != text + length)
            return false;
        text = skip_spaces(end);
        if (*text != (i + 1 < count ? ',' : ']'))
            return false;
        text++;
    }
    return count > 0 || *skip_spaces(text) == ']';
}

bool all_finite(const float *weights, int count)
{
    return std::all_of(weights, weights + count, [](float weight) { return std::isfinite(weight); });
}

int hexadecimal_value(char digit) { return digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10; }

void set_bits(std::uint8_t *signature, const BallText &text)
{
    for (int j = 0; j < text.bits; j++) {
        const bool set = text.hexadecimal ? (hexadecimal_value(text.digits[j / 4]) & 8 >> j % 4) != 0
                                          : text.digits[j] == '1';
        if (set)
            signature[j / 8] = static_cast<std::uint8_t>(signature[j / 8] | 0x80 >> j % 8);
    }
}

void append_signature(StringInfo out, const SignatureView &signature)
{
    if (signature.bits > 0 && signature.bits % 4 == 0) {
        appendStringInfoChar(out, 'x');
        for (int i = 0; i < signature.bits / 4; i++)
            appendStringInfoChar(out, "0123456789abcdef"[signature.data[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15]);
        return;
    }
    for (int j = 0; j < signature.bits; j++)
        appendStringInfoChar(out, (signature.data[j / 8] & 0x80 >> j % 8) != 0 ? '1' : '0');
}

void append_weights(StringInfo out, const float *weights, int count)
{
    for (int j = 0; j < count; j++) {
        char number[FLOAT_SHORTEST_DECIMAL_LEN];
        float_to_shortest_decimal_buf(weights[j], number);
        appendStringInfo(out, "%s%s", j == 0 ? ",[" : ",", number);
    }
    appendStringInfoChar(out, ']');
}

// Copies an array of one finite number for each bit.
void copy_weights(ArrayType *array, int bits, float *weights)
{
    const int count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

    if (ARR_NDIM(array) > 1 || count != bits)
        ereport(ERROR, errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
                errmsg("the array of weights must have one element for each bit"),
                errdetail("It has %d dimensions and %d elements, and the bit string has %d bits.",
                          ARR_NDIM(array), count, bits));
    if (array_contains_nulls(array))
        ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("weights must not be null"));
    std::memcpy(weights, ARR_DATA_PTR(array), sizeof(float) * static_cast<Size>(bits));
    if (!all_finite(weights, bits))
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("weights must be finite numbers"));
}

// The length in 4 bytes, then the bytes of the signature, whose unused bits must be zero.
SignatureView receive_signature(StringInfo buf)
{
    const auto bits = static_cast<std::int32_t>(pq_getmsgint(buf, 4));

    if (bits < 0)
        report_binary_value(kTypeName);
    const int bytes = signature_bytes(bits);
    const auto *data = reinterpret_cast<const std::uint8_t *>(pq_getmsgbytes(buf, bytes));
    if (bits % 8 != 0 && (data[bytes - 1] & 0xff >> bits % 8) != 0)
        report_binary_value(kTypeName);
    return {bits, bytes, data};
}

} // namespace

const SignatureBall &datum_signature_ball(Datum datum)
{
    struct varlena *value = PG_DETOAST_DATUM(datum);
    const auto &ball = *reinterpret_cast<const SignatureBall *>(value);
    const Size size = VARSIZE(value);
    if (size < offsetof(SignatureBall, signature))
        report_stored_value(0, kSignatureBallVersion, kTypeName);
    if (ball.version != kSignatureBallVersion || ball.bits < 0 ||
        (ball.weights != 0 && ball.weights != static_cast<std::uint32_t>(ball.bits)) ||
        size != ball_size(ball.bits, ball.weights != 0))
        report_stored_value(ball.version, kSignatureBallVersion, kTypeName);
    return ball;
}

// signature_ball_in(cstring) -> signature_ball. Malformed text raises 22P02, a number out of range raises
// 22003.
SIMHASH_FUNCTION(simhash_signature_ball_in)
{
    const char *text = PG_GETARG_CSTRING(0);
    BallText parts;
    SignatureBall *ball = nullptr;
    bool valid = divide_text(text, &parts), in_range = false;

    if (valid) {
        in_range = valid_terms(parts.bits, parts.radius, parts.recall, parts.count);
        const BallTerms terms = {parts.bits, in_range ? static_cast<std::int32_t>(parts.radius) : 0,
                                 parts.recall, in_range ? static_cast<std::int32_t>(parts.count) : 0,
                                 parts.weights != nullptr};
        ball = allocate_ball(terms);
        set_bits(ball->signature, parts);
        if (terms.weights) {
            valid = read_weights(parts.weights, parts.bits, new_weights(ball));
            in_range = in_range && all_finite(new_weights(ball), parts.bits);
        }
    }
    if (!valid)
        SIMHASH_INPUT_ERROR(fcinfo, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                            errmsg("invalid input syntax for type %s: \"%s\"", kTypeName, quoted(text)),
                            errdetail("A ball is written as <center,radius,recall,count> or "
                                      "<center,radius,recall,count,[w0,...]>, with one weight for each "
                                      "bit."));
    if (!in_range)
        SIMHASH_INPUT_ERROR(
            fcinfo, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
            errmsg("value is out of range for type %s: \"%s\"", kTypeName, quoted(text)),
            errdetail("A radius is from %d to the number of bits, a recall from %g to %g, and "
                      "a count from 0 to %d. Weights are finite.",
                      kEmptyRadius, kLeastRecall, kExactRecall, PG_INT32_MAX));
    PG_RETURN_POINTER(ball);
}

SIMHASH_FUNCTION(simhash_signature_ball_out)
{
    const SignatureBall &ball = datum_signature_ball(PG_GETARG_DATUM(0));
    char recall[DOUBLE_SHORTEST_DECIMAL_LEN];
    StringInfoData out;

    initStringInfo(&out);
    appendStringInfoChar(&out, '<');
    append_signature(&out, ball_signature(ball));
    double_to_shortest_decimal_buf(ball.recall, recall);
    appendStringInfo(&out, ",%d,%s,%d", ball.radius, recall, ball.count);
    if (ball_weights(ball) != nullptr)
        append_weights(&out, ball_weights(ball), ball.bits);
    appendStringInfoChar(&out, '>');
    PG_RETURN_CSTRING(out.data);
}

// The version 1 in a byte, the signature, the radius in 4 bytes, the recall as a float8, the count and the number of
// weights in 4 bytes each, and the weights as float4. Another version raises 0A000, values out of range 22P03.
SIMHASH_FUNCTION(simhash_signature_ball_recv)
{
    StringInfo buf = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
    receive_version(buf, kSignatureBallVersion, kTypeName);
    const SignatureView center = receive_signature(buf);
    const auto radius = static_cast<std::int32_t>(pq_getmsgint(buf, 4));
    const double recall = pq_getmsgfloat8(buf);
    const auto count = static_cast<std::int32_t>(pq_getmsgint(buf, 4));
    const auto weights = static_cast<std::int32_t>(pq_getmsgint(buf, 4));

    if (!valid_terms(center.bits, radius, recall, count) || (weights != 0 && weights != center.bits) ||
        weights > (buf->len - buf->cursor) / static_cast<int>(sizeof(float)))
        report_binary_value(kTypeName);
    SignatureBall *ball = make_ball(center, {center.bits, radius, recall, count, weights != 0});
    for (int j = 0; j < weights; j++)
        new_weights(ball)[j] = pq_getmsgfloat4(buf);
    if (!all_finite(new_weights(ball), weights))
        report_binary_value(kTypeName);
    PG_RETURN_POINTER(ball);
}

SIMHASH_FUNCTION(simhash_signature_ball_send)
{
    const SignatureBall &ball = datum_signature_ball(PG_GETARG_DATUM(0));
    const SignatureView center = ball_signature(ball);
    StringInfoData buf;

    pq_begintypsend(&buf);
    pq_sendbyte(&buf, kSignatureBallVersion);
    pq_sendint32(&buf, static_cast<uint32>(ball.bits));
    pq_sendbytes(&buf, reinterpret_cast<const char *>(center.data), center.bytes);
    pq_sendint32(&buf, static_cast<uint32>(ball.radius));
    pq_sendfloat8(&buf, ball.recall);
    pq_sendint32(&buf, static_cast<uint32>(ball.count));
    pq_sendint32(&buf, ball.weights);
    for (std::uint32_t j = 0; j < ball.weights; j++)
        pq_sendfloat4(&buf, ball_weights(ball)[j]);
    PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}

// signature_ball(bit, bigint) -> signature_ball. It replaces a distance comparison in index conditions, so no
// radius raises an error.
SIMHASH_FUNCTION(simhash_signature_ball)
{
    const SignatureView center = datum_signature(PG_GETARG_DATUM(0));

    PG_RETURN_POINTER(make_ball(
        center, {center.bits, clamp_radius(PG_GETARG_INT64(1), center.bits), kExactRecall, 0, false}));
}

// signature_ball(bit, bigint, float8, real[]) -> signature_ball. Null weights mean that there are none.
SIMHASH_FUNCTION(simhash_signature_ball_with_recall)
{
    if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
        PG_RETURN_NULL();
    const SignatureView center = datum_signature(PG_GETARG_DATUM(0));
    const bool weights = !PG_ARGISNULL(3);
    SignatureBall *ball = make_ball(center, {center.bits, clamp_radius(PG_GETARG_INT64(1), center.bits),
                                             clamp_recall(PG_GETARG_FLOAT8(2)), 0, weights});

    if (weights)
        copy_weights(PG_GETARG_ARRAYTYPE_P(3), center.bits, new_weights(ball));
    PG_RETURN_POINTER(ball);
}

// signature_nearest(bit, float8, integer) -> signature_ball, which holds every signature.
SIMHASH_FUNCTION(simhash_signature_nearest)
{
    const SignatureView center = datum_signature(PG_GETARG_DATUM(0));
    const std::int32_t count = PG_GETARG_INT32(2);

    if (count < 1)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("count must be at least 1"),
                errdetail("It is %d.", count));
    PG_RETURN_POINTER(
        make_ball(center, {center.bits, center.bits, clamp_recall(PG_GETARG_FLOAT8(1)), count, false}));
}

} // namespace simhash
