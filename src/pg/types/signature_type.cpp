// Arguments and results of type bit. And signatures from bytes, as image hashes come from programs, and back: the first
// bit of a byte is its highest, as in the hexadecimal form of a bit string.
#include "pg/types/signature_type.hpp"

#include "pg/server/compat.hpp"

extern "C" {
#include "utils/uuid.h"
#include "utils/varbit.h"
}

namespace simhash
{

// A value stored with a short header is not copied, so its length may be unaligned.
SignatureView datum_signature(Datum datum)
{
    varlena *value = PG_DETOAST_DATUM_PACKED(datum);
    const auto *bytes = reinterpret_cast<const std::uint8_t *>(VARDATA_ANY(value));
    std::int32_t bits;

    std::memcpy(&bits, bytes, sizeof(bits));
    return {bits, signature_bytes(bits), bytes + VARBITHDRSZ};
}

Datum make_signature(int bits, std::uint8_t **data)
{
    auto *value = static_cast<VarBit *>(palloc(VARBITTOTALLEN(bits)));

    SET_VARSIZE(value, VARBITTOTALLEN(bits));
    VARBITLEN(value) = bits;
    *data = VARBITS(value);
    return VarBitPGetDatum(value);
}

Datum signature_value(const SignatureView &signature)
{
    std::uint8_t *data;
    const Datum value = make_signature(signature.bits, &data);
    std::memcpy(data, signature.data, static_cast<Size>(signature.bytes));
    return value;
}

void check_lengths(int bits, int other_bits)
{
    if (bits != other_bits)
        ereport(ERROR, errcode(ERRCODE_STRING_DATA_LENGTH_MISMATCH),
                errmsg("cannot compute the distance of bit strings of different sizes"),
                errdetail("One has %d bits, the other %d.", bits, other_bits));
}

// signature_from_bytea(bytea) -> bit. More bits than a bit string can have raise 54000.
SIMHASH_FUNCTION(simhash_signature_from_bytea)
{
    bytea *bytes = PG_GETARG_BYTEA_PP(0);
    const auto size = static_cast<Size>(VARSIZE_ANY_EXHDR(bytes));
    if (size > VARBITMAXLEN / 8)
        ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                errmsg("%zu bytes are too many for a bit string", size));
    return signature_value({static_cast<int>(size * 8), static_cast<int>(size),
                            reinterpret_cast<const std::uint8_t *>(VARDATA_ANY(bytes))});
}

// signature_from_uuid(uuid) -> bit: the 128 bits in the order in which a uuid is written.
SIMHASH_FUNCTION(simhash_signature_from_uuid)
{
    return signature_value({8 * UUID_LEN, UUID_LEN, DatumGetUUIDP(PG_GETARG_DATUM(0))->data});
}

// signature_to_bytea(bit) -> bytea. The last byte is filled up with zeros.
SIMHASH_FUNCTION(simhash_signature_to_bytea)
{
    const SignatureView signature = datum_signature(PG_GETARG_DATUM(0));
    const auto size = static_cast<Size>(signature.bytes);
    auto *bytes = static_cast<bytea *>(palloc(VARHDRSZ + size));
    SET_VARSIZE(bytes, VARHDRSZ + size);
    std::memcpy(VARDATA(bytes), signature.data, size);
    PG_RETURN_BYTEA_P(bytes);
}

} // namespace simhash
