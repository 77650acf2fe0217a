// The order of fingerprints as unsigned integers, and their hash: the functions of the btree and hash
// operator classes.
#include "pg/server/postgres.hpp"

#include "core/bits/fingerprint.hpp"
#include "core/bits/split_mix.hpp"
#include "pg/server/compat.hpp"

namespace simhash
{

#define SIMHASH_COMPARISON(name, op)                                                                         \
    SIMHASH_FUNCTION(name)                                                                                   \
    {                                                                                                        \
        PG_RETURN_BOOL(PG_GETARG_FINGERPRINT(0) op PG_GETARG_FINGERPRINT(1));                                \
    }

SIMHASH_COMPARISON(simhash_eq, ==)
SIMHASH_COMPARISON(simhash_ne, !=)
SIMHASH_COMPARISON(simhash_lt, <)
SIMHASH_COMPARISON(simhash_le, <=)
SIMHASH_COMPARISON(simhash_gt, >)
SIMHASH_COMPARISON(simhash_ge, >=)

#undef SIMHASH_COMPARISON

SIMHASH_FUNCTION(simhash_cmp)
{
    const Fingerprint a = PG_GETARG_FINGERPRINT(0), b = PG_GETARG_FINGERPRINT(1);

    PG_RETURN_INT32(a < b ? -1 : a > b);
}

SIMHASH_FUNCTION(simhash_sortsupport)
{
    SortSupport ssup = reinterpret_cast<SortSupport>(PG_GETARG_POINTER(0));

    ssup->comparator = unsigned_datum_comparator;
    PG_RETURN_VOID();
}

// The hash is stored in hash indexes and determines hash partitions, so it must never change. It does not depend on the byte
// order: partitions of a dump are restored on other machines.
SIMHASH_FUNCTION(simhash_hash)
{
    PG_RETURN_INT32(static_cast<std::int32_t>(hash_next(0, PG_GETARG_FINGERPRINT(0))));
}

SIMHASH_FUNCTION(simhash_hash_extended)
{
    PG_RETURN_INT64(static_cast<std::int64_t>(
        hash_next(static_cast<std::uint64_t>(PG_GETARG_INT64(1)), PG_GETARG_FINGERPRINT(0))));
}

} // namespace simhash
