// lsh_keys_l1, lsh_keys_l2 and lsh_keys_bits: bucket keys for locality-sensitive hashing. lsh_probability_l1,
// lsh_probability_l2 and lsh_parameters: how many of them a search needs.
#include "core/vectors/bucket_keys.hpp"
#include "core/vectors/collisions.hpp"
#include "pg/input/array_elements.hpp"
#include "pg/server/compat.hpp"
#include "pg/server/result_rows.hpp"
#include "pg/types/signature_type.hpp"
#include "pg/vectors/vector_argument.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
}

#include <cmath>

namespace simhash
{

namespace
{

// The last arguments of each function of keys: (…, keys integer, hashes_per_key integer, seed bigint).
struct KeyArguments {
    int keys, hashes;
    std::uint64_t seed;
};

KeyArguments key_arguments(FunctionCallInfo fcinfo)
{
    const int last = PG_NARGS() - 1;
    const int keys = PG_GETARG_INT32(last - 2), hashes = PG_GETARG_INT32(last - 1);

    if (keys < 1 || keys > kBucketKeysMax)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("number of keys %d is out of range", keys),
                errdetail("There may be 1 to %d.", kBucketKeysMax));
    if (hashes < 1 || hashes > kHashesPerKeyMax)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("number of hash values per key %d is out of range", hashes),
                errdetail("There may be 1 to %d.", kHashesPerKeyMax));
    return {keys, hashes, static_cast<std::uint64_t>(PG_GETARG_INT64(last))};
}

// A bigint[] of key(table) for each table.
template <typename Key> Datum keys_datum(const KeyArguments &arguments, Key key)
{
    auto *keys =
        static_cast<std::uint64_t *>(palloc(static_cast<Size>(arguments.keys) * sizeof(std::uint64_t)));
    for (int number = 0; number < arguments.keys; number++) {
        CHECK_FOR_INTERRUPTS();
        keys[number] = key(BucketTable{arguments.seed, number, arguments.hashes});
    }
    return bigint_array_datum(keys, arguments.keys);
}

double checked_width(double width)
{
    if (!(width > 0) || std::isinf(width))
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("width of buckets must be a positive finite number"));
    return width;
}

// The vector's elements divided by the width.
Weight *divided(Vector<double> vector, double width)
{
    auto *out = static_cast<Weight *>(palloc(vector.count * sizeof(Weight)));
    for (std::size_t i = 0; i < vector.count; i++)
        if (!weight_from_double(vector.values[i] / width, &out[i]))
            ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                    errmsg("the width of buckets is too small for the vector"),
                    errdetail("Element %zu lies 2^39 or more buckets from zero.", i + 1));
    return out;
}

// (vector double precision[], width double precision, …)
Datum stable_keys(Norm norm, FunctionCallInfo fcinfo)
{
    const auto vector = checked_vector(PG_GETARG_ARRAYTYPE_P(0));
    const double width = checked_width(PG_GETARG_FLOAT8(1));
    const KeyArguments arguments = key_arguments(fcinfo);

    if (vector.count == 0)
        PG_RETURN_NULL();
    const Weight *numbers = divided(vector, width);
    return keys_datum(
        arguments, [&](const BucketTable &table) { return stable_key(norm, numbers, vector.count, table); });
}

// (distance double precision, width double precision)
Datum probability(Norm norm, FunctionCallInfo fcinfo)
{
    const double distance = PG_GETARG_FLOAT8(0), width = checked_width(PG_GETARG_FLOAT8(1));

    if (!(distance >= 0))
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("distance must not be negative or NaN"), errdetail("It is %g.", distance));
    PG_RETURN_FLOAT8(collision_probability(norm, distance, width));
}

void check_plan_arguments(double rows, double p1, double p2, double recall)
{
    if (rows < 1)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("number of rows must be at least 1"));
    if (!(p1 <= 1 && p2 >= 0 && p2 < p1))
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("probabilities of collision must be from 0 to 1, and p1 greater than p2"),
                errdetail("p1 is %g and p2 is %g.", p1, p2));
    if (!(recall > 0 && recall < 1))
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("recall must be greater than 0 and less than 1"), errdetail("It is %g.", recall));
}

// A number of keys or hash values; NaN and infinity are too large.
Datum count_datum(double count)
{
    if (!(count <= PG_INT32_MAX))
        ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                errmsg("the search would need too many keys or hash values"),
                errhint("Choose probabilities that are farther apart."));
    return Int32GetDatum(static_cast<std::int32_t>(count));
}

} // namespace

SIMHASH_FUNCTION(lsh_keys_l1)
{
    return stable_keys(Norm::kL1, fcinfo);
}

SIMHASH_FUNCTION(lsh_keys_l2)
{
    return stable_keys(Norm::kL2, fcinfo);
}

// lsh_keys_bits(bit, keys, bits_per_key, seed) -> bigint[]. Null for a string without bits.
SIMHASH_FUNCTION(lsh_keys_bits)
{
    const SignatureView signature = datum_signature(PG_GETARG_DATUM(0));
    const KeyArguments arguments = key_arguments(fcinfo);

    if (signature.bits == 0)
        PG_RETURN_NULL();
    return keys_datum(arguments,
                      [&](const BucketTable &table) { return sampled_bits_key(signature, table); });
}

SIMHASH_FUNCTION(lsh_probability_l1)
{
    return probability(Norm::kL1, fcinfo);
}

SIMHASH_FUNCTION(lsh_probability_l2)
{
    return probability(Norm::kL2, fcinfo);
}

// lsh_parameters(n bigint, p1, p2, recall) -> (rho, keys, hashes_per_key, recall, candidates)
SIMHASH_FUNCTION(lsh_parameters)
{
    const auto rows = static_cast<double>(PG_GETARG_INT64(0));
    const double p1 = PG_GETARG_FLOAT8(1), p2 = PG_GETARG_FLOAT8(2), recall = PG_GETARG_FLOAT8(3);

    check_plan_arguments(rows, p1, p2, recall);
    const BucketPlan plan = plan_buckets(rows, p1, p2, recall);
    Datum values[] = {Float8GetDatum(plan.rho), count_datum(plan.keys), count_datum(plan.hashes),
                      Float8GetDatum(plan.recall), Float8GetDatum(plan.candidates)};
    bool nulls[lengthof(values)] = {};
    PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(result_row(fcinfo), values, nulls)));
}

} // namespace simhash
