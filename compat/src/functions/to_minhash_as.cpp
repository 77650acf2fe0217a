// to_minhash_as and minhash_profiles: minima as other libraries compute them. The table of profiles is in src/profiles.
#include "functions/profile_argument.hpp"
#include "pg/features/array_elements.hpp"
#include "pg/features/minhash_value.hpp"
#include "pg/features/utf8_text.hpp"
#include "pg/server/result_rows.hpp"
#include "profiles/minhash_profiles.hpp"

extern "C" {
#include "miscadmin.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

const MinhashProfile &profile_argument(FunctionCallInfo fcinfo)
{
    return named_profile<MinhashProfile>(
        fcinfo, {"min-hash", kMinhashProfiles, kMinhashProfileCount, find_minhash_profile});
}

std::uint32_t seed_argument(FunctionCallInfo fcinfo, const MinhashProfile &profile)
{
    std::int64_t seed = PG_NARGS() > 3 ? PG_GETARG_INT64(3) : profile.seed;
    if (seed < 0 || seed > UINT32_MAX)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("seed %lld is out of range", static_cast<long long>(seed)),
                errdetail("It must lie between 0 and %u.", UINT32_MAX));
    return static_cast<std::uint32_t>(seed);
}

using HashElement = std::uint64_t (*)(const MinhashProfile &, std::uint32_t, Datum);

std::uint64_t hash_of_feature(const MinhashProfile &profile, std::uint32_t seed, Datum element)
{
    text *feature = DatumGetTextPP(element);
    return hash_utf8(VARDATA_ANY(feature), VARSIZE_ANY_EXHDR(feature),
                     [&](const char *bytes, std::size_t length) {
                         return minhash_feature_hash(profile, seed, bytes, length);
                     });
}

std::uint64_t hash_given(const MinhashProfile &, std::uint32_t, Datum element)
{
    return static_cast<std::uint64_t>(DatumGetInt64(element));
}

Datum minima_of_array(FunctionCallInfo fcinfo, Oid type, const char *which, HashElement hash)
{
    const MinhashProfile &profile = profile_argument(fcinfo);
    int size = PG_NARGS() > 2 ? checked_minhash_size(PG_GETARG_INT32(2)) : profile.size;
    std::uint32_t seed = seed_argument(fcinfo, profile);
    Elements features = list_argument(fcinfo, 1, type, which);
    MinhashPermutations permutations = {allocate_minima(size, CurrentMemoryContext).values,
                                        allocate_minima(size, CurrentMemoryContext).values, size};
    permutations.draw(profile, seed);
    Minima minima = allocate_minima(size, CurrentMemoryContext);
    std::fill_n(minima.values, size, UINT64_MAX);
    bool any = false;
    for (int i = 0; i < features.count; i++) {
        CHECK_FOR_INTERRUPTS();
        if (features.nulls[i])
            continue;
        permutations.lower(profile, hash(profile, seed, features.values[i]), minima.values);
        any = true;
    }
    if (!any)
        PG_RETURN_NULL();
    return minima_datum(minima);
}

} // namespace

SIMHASH_FUNCTION(simhash_to_minhash_as_array)
{
    return minima_of_array(fcinfo, TEXTOID, "features", hash_of_feature);
}

SIMHASH_FUNCTION(simhash_to_minhash_as_hashes)
{
    return minima_of_array(fcinfo, INT8OID, "hashes", hash_given);
}

SIMHASH_FUNCTION(simhash_minhash_profiles)
{
    const ResultRows rows = begin_rows(fcinfo);
    for (std::size_t i = 0; i < kMinhashProfileCount; i++) {
        const MinhashProfile &profile = kMinhashProfiles[i];
        Datum values[5] = {CStringGetTextDatum(profile.name), Int32GetDatum(profile.size),
                           Int64GetDatum(profile.seed), CStringGetTextDatum(profile.hash_text),
                           CStringGetTextDatum(profile.permutation_text)};
        rows.put(values);
    }
    PG_RETURN_NULL();
}

} // namespace simhash
