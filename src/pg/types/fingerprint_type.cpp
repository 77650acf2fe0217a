// The type simhash: its text and binary forms and its casts.
#include "pg/server/postgres.hpp"

#include "core/fingerprint/fingerprint.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/numeric.h"
#include "utils/varbit.h"
}

namespace simhash
{

namespace
{

constexpr int kBytes = kBits / BITS_PER_BYTE;

// Big-endian, so that the bytes sort like the fingerprints.
void store_bytes(Fingerprint value, unsigned char out[kBytes])
{
    for (int i = kBytes; i-- > 0; value >>= BITS_PER_BYTE)
        out[i] = static_cast<unsigned char>(value);
}

Fingerprint load_bytes(const unsigned char in[kBytes])
{
    Fingerprint value = 0;
    for (int i = 0; i < kBytes; i++)
        value = value << BITS_PER_BYTE | in[i];
    return value;
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

// Whether it has a letter, so that it cannot be meant as a decimal number.
bool is_short_hexadecimal(const char *text)
{
    bool prefixed = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = text + (prefixed ? 2 : 0);
    std::size_t length = std::strspn(digits, "0123456789abcdefABCDEF");
    return digits[length] == '\0' && length > 0 && length < kHexDigits &&
           (prefixed || std::strpbrk(digits, "abcdefABCDEF") != nullptr);
}

} // namespace

// simhash_in(cstring) -> simhash: 16 hexadecimal digits, with or without 0x. Other input raises 22P02.
SIMHASH_FUNCTION(simhash_in)
{
    const char *text = PG_GETARG_CSTRING(0);
    Fingerprint value;

    if (!parse_fingerprint(text, std::strlen(text), &value))
        SIMHASH_INPUT_ERROR(fcinfo, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                            errmsg("invalid input syntax for type %s: \"%s\"", "simhash", text),
                            errdetail("A fingerprint is written as 16 hexadecimal digits."),
                            errhint("%s", is_short_hexadecimal(text)
                                              ? "Put zeros in front of a shorter hexadecimal number."
                                              : "To convert a decimal number, cast from bigint or numeric."));
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
                errdetail("A fingerprint has %d bits.", kBits));
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
                errdetail("A fingerprint has %d bytes.", kBytes));
    PG_RETURN_FINGERPRINT(load_bytes(reinterpret_cast<const unsigned char *>(VARDATA_ANY(bytes))));
}

SIMHASH_FUNCTION(simhash_to_bytea)
{
    bytea *bytes = static_cast<bytea *>(palloc(VARHDRSZ + kBytes));

    SET_VARSIZE(bytes, VARHDRSZ + kBytes);
    store_bytes(PG_GETARG_FINGERPRINT(0), reinterpret_cast<unsigned char *>(VARDATA(bytes)));
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
                errmsg("numeric value %s is out of range for type simhash", text),
                errdetail("A fingerprint is a whole number from 0 to 18446744073709551615."));
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
