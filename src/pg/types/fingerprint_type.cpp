// The type simhash: its text and binary forms and its casts.
#include "pg/server/postgres.hpp"

#include "core/bits/fingerprint.hpp"
#include "pg/server/compat.hpp"
#include "pg/types/text_reader.hpp"

extern "C" {
#include "libpq/pqformat.h"
#include "port/pg_bswap.h"
#include "utils/builtins.h"
#include "utils/numeric.h"
#include "utils/varbit.h"
}

#include <cerrno>
#include <cstdlib>

namespace simhash
{

namespace
{

constexpr int kBytes = kBits / BITS_PER_BYTE;

// Big-endian, so that the bytes sort like the fingerprints.
void store_bytes(Fingerprint value, void *out)
{
    value = pg_hton64(value);
    std::memcpy(out, &value, kBytes);
}

Fingerprint load_bytes(const void *in)
{
    Fingerprint value;
    std::memcpy(&value, in, kBytes);
    return pg_ntoh64(value);
}

// Reads an unsigned decimal number in the form that numeric's output function writes: "12", "12.00". Returns
// false if it is negative, fractional, not finite or too large.
bool parse_decimal(const char *text, Fingerprint *out)
{
    Fingerprint value = 0;
    if (*text < '0' || *text > '9')
        return false;
    for (; *text >= '0' && *text <= '9'; text++) {
        if (__builtin_mul_overflow(value, Fingerprint{10}, &value) ||
            __builtin_add_overflow(value, static_cast<Fingerprint>(*text - '0'), &value))
            return false;
    }
    if (*text == '.')
        text += 1 + std::strspn(text + 1, "0");
    *out = value;
    return *text == '\0';
}

constexpr const char *kHexadecimal = "0123456789abcdefABCDEF";

// Whether all of the text, of which there is some, is of these characters.
bool consists_of(const char *text, std::size_t length, const char *characters)
{
    return length > 0 && std::strspn(text, characters) >= length;
}

// What to write for a text that is no fingerprint: people have bits, bytes, numbers and documents.
const char *input_hint(const char *text)
{
    constexpr const char *kSpace = " \t\n\r\v\f";
    text += std::strspn(text, kSpace);
    std::size_t length = std::strlen(text);
    while (length > 0 && std::strchr(kSpace, text[length - 1]) != nullptr)
        length--;
    const bool is_signed = text[0] == '-' || text[0] == '+', x = text[0] == 'x' || text[0] == 'X';
    const bool binary = text[0] == 'b' || text[0] == 'B';
    const std::size_t prefix = x ? 1 : text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 2 : 0;
    if (length == 0)
        return "Where there is no fingerprint, use NULL.";
    if (text[0] == '\\' && text[1] == 'x')
        return "To convert bytes, cast to bytea first: '\\x...'::bytea::simhash.";
    // No decimal number of 64 bits has more than 20 digits.
    const std::size_t bits = length - binary;
    if (bits > 20 && bits <= kBits && consists_of(text + binary, bits, "01"))
        return "To convert binary digits, cast to bit(64) first: '...'::bit(64)::simhash.";
    if (consists_of(text + is_signed, length - is_signed, "0123456789")) {
        errno = 0;
        const unsigned long long number = std::strtoull(text + is_signed, nullptr, 10);
        if (errno == 0 && number > static_cast<unsigned long long>(PG_INT64_MAX) && text[0] != '-')
            return "To convert a decimal number, cast to numeric first: '...'::numeric::simhash.";
        if (errno == 0)
            return "To convert a decimal number, cast to bigint first: '...'::bigint::simhash.";
    }
    if (consists_of(text + prefix, length - prefix, kHexadecimal)) {
        if (length - prefix > kHexDigits)
            return "Longer bit strings have the type bit(n): 'x...'::bit(256), for example.";
        return length - prefix < kHexDigits ? "Put zeros in front of a shorter hexadecimal number."
                                            : "Write the hexadecimal digits without x, or with 0x.";
    }
    std::size_t digits = 0;
    for (std::size_t i = 0; i < length; i++)
        digits += std::strchr(kHexadecimal, text[i]) != nullptr;
    if (digits == kHexDigits && consists_of(text, length, "0123456789abcdefABCDEF :.-_"))
        return "Write the hexadecimal digits without anything between them.";
    return "To compute the fingerprint of a text, use to_simhash().";
}

} // namespace

// simhash_in(cstring) -> simhash: 16 hexadecimal digits, with or without 0x. Other input raises 22P02.
SIMHASH_FUNCTION(simhash_in)
{
    const char *text = PG_GETARG_CSTRING(0);
    Fingerprint value;

    if (!parse_fingerprint(text, std::strlen(text), &value))
        SIMHASH_INPUT_ERROR(fcinfo, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                            errmsg("invalid input syntax for type %s: \"%s\"", "simhash", quoted(text)),
                            errdetail("A fingerprint is written as 16 hexadecimal digits."),
                            errhint("%s", input_hint(text)));
    PG_RETURN_FINGERPRINT(value);
}

SIMHASH_FUNCTION(simhash_out)
{
    char *text = static_cast<char *>(palloc(kHexDigits + 1));

    format_fingerprint(PG_GETARG_FINGERPRINT(0), text);
    text[kHexDigits] = '\0';
    PG_RETURN_CSTRING(text);
}

// simhash_recv(internal) -> simhash: 8 bytes, big-endian. Fewer bytes raise 08P01 here, more raise 22P03 in
// the caller.
SIMHASH_FUNCTION(simhash_recv)
{
    StringInfo buf = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));

    PG_RETURN_FINGERPRINT(static_cast<Fingerprint>(pq_getmsgint64(buf)));
}

SIMHASH_FUNCTION(simhash_send)
{
    StringInfoData buf;

    pq_begintypsend(&buf);
    pq_sendint64(&buf, PG_GETARG_FINGERPRINT(0));
    PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}

// simhash_from_bit(bit) -> simhash: the leftmost bit is the most significant. A length other than 64 raises
// 22026.
SIMHASH_FUNCTION(simhash_from_bit)
{
    VarBit *bits = PG_GETARG_VARBIT_P(0);

    if (VARBITLEN(bits) != kBits)
        ereport(ERROR, errcode(ERRCODE_STRING_DATA_LENGTH_MISMATCH),
                errmsg("bit string length %d does not match type simhash", VARBITLEN(bits)),
                errdetail("A fingerprint has %d bits.", kBits),
                errhint("%s", VARBITLEN(bits) < kBits
                                  ? "To add zeros on the right, cast to bit(64) first: ...::bit(64)::simhash."
                                  : "Longer bit strings are compared and indexed as bit(n)."));
    PG_RETURN_FINGERPRINT(load_bytes(VARBITS(bits)));
}

// simhash_to_bit(simhash, typmod, explicit) -> bit: the type modifier is the length. A length other than 64
// raises 22026.
SIMHASH_FUNCTION(simhash_to_bit)
{
    const int32 length = PG_GETARG_INT32(1);

    if (length >= 0 && length != kBits)
        ereport(ERROR, errcode(ERRCODE_STRING_DATA_LENGTH_MISMATCH),
                errmsg("type simhash does not match type bit(%d)", length),
                errdetail("A fingerprint has %d bits.", kBits), errhint("Cast to bit(%d).", kBits));

    VarBit *bits = static_cast<VarBit *>(palloc0(VARBITTOTALLEN(kBits)));
    SET_VARSIZE(bits, VARBITTOTALLEN(kBits));
    VARBITLEN(bits) = kBits;
    store_bytes(PG_GETARG_FINGERPRINT(0), VARBITS(bits));
    PG_RETURN_VARBIT_P(bits);
}

// simhash_from_bytea(bytea) -> simhash. A length other than 8 raises 22P03.
SIMHASH_FUNCTION(simhash_from_bytea)
{
    bytea *bytes = PG_GETARG_BYTEA_PP(0);

    if (VARSIZE_ANY_EXHDR(bytes) != kBytes)
        ereport(ERROR, errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
                errmsg("bytea of %d bytes does not match type simhash",
                       static_cast<int>(VARSIZE_ANY_EXHDR(bytes))),
                errdetail("A fingerprint has %d bytes.", kBytes),
                VARSIZE_ANY_EXHDR(bytes) > kBytes
                    ? errhint("For longer bit strings use signature_from_bytea().")
                    : 0);
    PG_RETURN_FINGERPRINT(load_bytes(VARDATA_ANY(bytes)));
}

SIMHASH_FUNCTION(simhash_to_bytea)
{
    bytea *bytes = static_cast<bytea *>(palloc(VARHDRSZ + kBytes));

    SET_VARSIZE(bytes, VARHDRSZ + kBytes);
    store_bytes(PG_GETARG_FINGERPRINT(0), VARDATA(bytes));
    PG_RETURN_BYTEA_P(bytes);
}

// simhash_from_numeric(numeric) -> simhash: integers from 0 to 2^64 - 1. Other numbers raise 22003. Fractions
// are rejected too, because rounding would give another fingerprint.
SIMHASH_FUNCTION(simhash_from_numeric)
{
    const char *text = DatumGetCString(DirectFunctionCall1(numeric_out, PG_GETARG_DATUM(0)));
    Fingerprint value;

    if (!parse_decimal(text, &value))
        ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                errmsg("numeric value %s is out of range for type simhash", quoted(text)),
                errdetail("A fingerprint is a whole number from 0 to 18446744073709551615."),
                *text == '-'
                    ? errhint("To convert a signed number, cast to bigint first: (...)::bigint::simhash.")
                    : 0);
    PG_RETURN_FINGERPRINT(value);
}

// simhash_to_numeric(simhash) -> numeric: the unsigned value.
SIMHASH_FUNCTION(simhash_to_numeric)
{
    char text[24];

    snprintf(text, sizeof(text), UINT64_FORMAT, PG_GETARG_FINGERPRINT(0));
    return DirectFunctionCall3(numeric_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid),
                               Int32GetDatum(-1));
}

} // namespace simhash
