#include "pg/types/signature_type.hpp"

#include "pg/server/compat.hpp"

extern "C" {
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

void check_lengths(int bits, int other_bits)
{
    if (bits != other_bits)
        ereport(ERROR, errcode(ERRCODE_STRING_DATA_LENGTH_MISMATCH),
                errmsg("cannot compute the distance of bit strings of different sizes"),
                errdetail("One has %d bits, the other %d.", bits, other_bits));
}

} // namespace simhash
