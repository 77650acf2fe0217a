// tenant_simhash and tenant_signature: values of different tenants in one index, as if each had an index of its own.
//
// The bits of a value are exchanged where those of its tenant are 1. Distances within a tenant stay the same; values of
// different tenants are as far apart as random ones. A tenant's bits never change: stored values depend on them.
#include "core/bits/feature_hash.hpp"
#include "core/bits/split_mix.hpp"
#include "pg/features/feature.hpp"
#include "pg/server/compat.hpp"
#include "pg/types/signature_type.hpp"

namespace simhash
{

namespace
{

std::uint64_t number_key(FunctionCallInfo fcinfo) { return static_cast<std::uint64_t>(PG_GETARG_INT64(1)); }

std::uint64_t text_key(FunctionCallInfo fcinfo)
{
    text *tenant = PG_GETARG_TEXT_PP(1);
    return text_feature_hash(VARDATA_ANY(tenant), VARSIZE_ANY_EXHDR(tenant));
}

// Word i of a tenant's bits, whose most significant bit is the first.
std::uint64_t tenant_word(std::uint64_t key, std::size_t i)
{
    return split_mix_number(split_mix(key), i + 1);
}

Datum return_fingerprint(FunctionCallInfo fcinfo, std::uint64_t key)
{
    PG_RETURN_FINGERPRINT(PG_GETARG_FINGERPRINT(0) ^ tenant_word(key, 0));
}

Datum return_signature(FunctionCallInfo fcinfo, std::uint64_t key)
{
    SignatureView given = datum_signature(PG_GETARG_DATUM(0));
    std::uint8_t *bytes;
    Datum value = make_signature(given.bits, &bytes);
    for (std::size_t i = 0; i < static_cast<std::size_t>(given.bytes); i++)
        bytes[i] = static_cast<std::uint8_t>(given.data[i] ^ tenant_word(key, i / 8) >> (56 - i % 8 * 8));
    // Zeros follow the last bit.
    if (given.bits % 8 != 0)
        bytes[given.bytes - 1] &= static_cast<std::uint8_t>(0xFF << (8 - given.bits % 8));
    return value;
}

} // namespace

SIMHASH_FUNCTION(tenant_simhash_number)
{
    return return_fingerprint(fcinfo, number_key(fcinfo));
}
SIMHASH_FUNCTION(tenant_simhash_text)
{
    return return_fingerprint(fcinfo, text_key(fcinfo));
}
SIMHASH_FUNCTION(tenant_signature_number)
{
    return return_signature(fcinfo, number_key(fcinfo));
}
SIMHASH_FUNCTION(tenant_signature_text)
{
    return return_signature(fcinfo, text_key(fcinfo));
}

} // namespace simhash
