// simhash_project, simhash_project_weights, signature_project and signature_projections: fingerprints and signatures
// of vectors.
#include "core/fingerprint/random_projection.hpp"
#include "pg/features/signature_value.hpp"
#include "pg/server/compat.hpp"
#include "pg/types/weights.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/array.h"
}

namespace simhash
{

namespace
{

struct Vector {
    const float *values;
    std::size_t count;
};

Vector vector_argument(FunctionCallInfo fcinfo)
{
    ArrayType *array = PG_GETARG_ARRAYTYPE_P(0);
    if (ARR_NDIM(array) > 1)
        ereport(ERROR, errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR), errmsg("a vector must have one dimension"),
                errdetail("It has %d.", ARR_NDIM(array)));
    if (array_contains_nulls(array))
        ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                errmsg("a vector must not contain null values"));
    auto count = static_cast<std::size_t>(ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)));
    if (count > kDimensionsMax)
        ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("the vector has too many elements"),
                errdetail("It has %zu, and may have %zu.", count, kDimensionsMax));
    const auto *values = reinterpret_cast<const float *>(ARR_DATA_PTR(array));
    for (std::size_t i = 0; i < count; i++)
        if (!std::isfinite(values[i]))
            ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("elements of a vector must be finite numbers"),
                    errdetail("Element %zu is %s.", i + 1,
                              std::isnan(values[i]) ? "NaN"
                              : values[i] > 0       ? "Infinity"
                                                    : "-Infinity"));
    return {values, count};
}

// The sums of 64 bits. Returns false if the vector has no direction.
bool project_block(Vector vector, std::uint64_t seed, std::size_t block, Weights *out)
{
    constexpr std::size_t kChunk = 1024;
    RandomProjection projection(seed, block);
    for (std::size_t from = 0; from < vector.count; from += kChunk) {
        CHECK_FOR_INTERRUPTS();
        projection.add(vector.values + from, std::min(kChunk, vector.count - from));
    }
    return projection.finish(out);
}

// (embedding real[], …, seed bigint). Returns false if the vector has no direction.
bool project(FunctionCallInfo fcinfo, SignatureSums out)
{
    Vector vector = vector_argument(fcinfo);
    auto seed = static_cast<std::uint64_t>(PG_GETARG_INT64(PG_NARGS() - 1));
    for (std::size_t block = 0; block < out.words; block++)
        if (!project_block(vector, seed, block, &out.word[block]))
            return false;
    return true;
}

} // namespace

SIMHASH_FUNCTION(simhash_project)
{
    Weights weights;
    if (!project(fcinfo, {&weights, 1}))
        PG_RETURN_NULL();
    PG_RETURN_FINGERPRINT(weights_fingerprint(weights));
}

SIMHASH_FUNCTION(simhash_project_weights)
{
    Weights weights;
    if (!project(fcinfo, {&weights, 1}))
        PG_RETURN_NULL();
    return weights_datum(weights);
}

SIMHASH_FUNCTION(signature_project)
{
    int bits = checked_signature_bits(PG_GETARG_INT32(1));
    SignatureSums sums = allocate_sums(bits, CurrentMemoryContext);
    if (!project(fcinfo, sums))
        PG_RETURN_NULL();
    return signature_datum(sums, bits);
}

SIMHASH_FUNCTION(signature_projections)
{
    int bits = checked_signature_bits(PG_GETARG_INT32(1));
    SignatureSums sums = allocate_sums(bits, CurrentMemoryContext);
    if (!project(fcinfo, sums))
        PG_RETURN_NULL();
    return sums_datum(sums, bits);
}

} // namespace simhash
