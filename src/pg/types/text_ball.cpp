#include "pg/types/text_ball.hpp"

#include "pg/server/compat.hpp"
#include "pg/types/ball.hpp"
#include "pg/types/binary_form.hpp"

namespace simhash
{

namespace
{

struct Stored {
    std::uint8_t version;
    std::uint8_t zero;
    std::int8_t radius;
    std::uint8_t unit;
    std::uint8_t center[sizeof(Fingerprint)];
    std::uint8_t similarity[sizeof(double)];
};
static_assert(sizeof(Stored) == 20 && alignof(Stored) == 1);

} // namespace

TextBall open_text_ball(struct varlena *value)
{
    Stored stored;
    const Size size = VARSIZE_ANY_EXHDR(value);
    if (size < sizeof(stored))
        report_stored_value(0, kTextBallVersion, kTextBallName);
    std::memcpy(&stored, VARDATA_ANY(value), sizeof(stored));
    TextBall ball = {0,
                     stored.radius,
                     static_cast<TextUnit>(stored.unit),
                     0,
                     VARDATA_ANY(value) + sizeof(stored),
                     size - sizeof(stored)};
    std::memcpy(&ball.center, stored.center, sizeof(ball.center));
    std::memcpy(&ball.similarity, stored.similarity, sizeof(ball.similarity));
    if (stored.version != kTextBallVersion || stored.zero != 0 || ball.unit > TextUnit::kCharacter ||
        ball.radius < kEmptyRadius || ball.radius > kFullRadius || !valid_similarity(ball.similarity))
        report_stored_value(stored.version, kTextBallVersion, kTextBallName);
    return ball;
}

TextBall text_ball_terms(Datum datum)
{
    struct varlena *value = PG_DETOAST_DATUM_SLICE(datum, 0, sizeof(Stored));
    TextBall ball = open_text_ball(value);
    ball.text = nullptr;
    ball.length = 0;
    if (value != reinterpret_cast<struct varlena *>(DatumGetPointer(datum)))
        pfree(value);
    return ball;
}

Datum text_ball_datum(const TextBall &ball)
{
    Stored stored = {kTextBallVersion,
                     0,
                     static_cast<std::int8_t>(ball.radius),
                     static_cast<std::uint8_t>(ball.unit),
                     {},
                     {}};
    std::memcpy(stored.center, &ball.center, sizeof(ball.center));
    std::memcpy(stored.similarity, &ball.similarity, sizeof(ball.similarity));
    const Size size = VARHDRSZ + sizeof(stored) + ball.length;
    if (!AllocSizeIsValid(size))
        report_large_value(kTextBallName);
    auto *value = static_cast<struct varlena *>(palloc(size));
    SET_VARSIZE(value, size);
    std::memcpy(VARDATA(value), &stored, sizeof(stored));
    std::memcpy(VARDATA(value) + sizeof(stored), ball.text, ball.length);
    return PointerGetDatum(value);
}

} // namespace simhash
