// simhash_project, simhash_project_weights, signature_project and signature_project_weights: fingerprints and
// signatures of vectors.
#include "core/features/random_projection.hpp"
#include "pg/features/signature_value.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
}

#include <algorithm>
#include <cmath>

namespace simhash
{

namespace
{

template <typename Number> struct Vector {
    const Number *values;
    std::size_t count;
};

// The vector in a double precision[], of finite numbers.
Vector<double> checked_vector(ArrayType *array)
{
    Assert(ARR_ELEMTYPE(array) == FLOAT8OID);
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
    const auto *values = reinterpret_cast<const double *>(ARR_DATA_PTR(array));
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
bool project_block(Vector<float> vector, std::uint64_t seed, std::size_t block, Weights *out)
{
    constexpr std::size_t kChunk = 1024;
    RandomProjection projection(seed, block);
    for (std::size_t from = 0; from < vector.count; from += kChunk) {
        CHECK_FOR_INTERRUPTS();
        projection.add(vector.values + from, std::min(kChunk, vector.count - from));
    }
    return projection.finish(out);
}

// Each element is rounded to the nearest float. Not all may be rounded to zero: that vector would have no direction.
Vector<float> rounded(Vector<double> vector)
{
    auto *values = static_cast<float *>(palloc(vector.count * sizeof(float)));
    bool zero = true, rounded_to_zero = true;
    for (std::size_t i = 0; i < vector.count; i++) {
        values[i] = static_cast<float>(vector.values[i]);
        if (std::isinf(values[i]))
            ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                    errmsg("elements of a vector must be in the range of type real"),
                    errdetail("Element %zu is %g.", i + 1, vector.values[i]));
        zero = zero && vector.values[i] == 0;
        rounded_to_zero = rounded_to_zero && values[i] == 0;
    }
    if (rounded_to_zero && !zero)
        ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                errmsg("elements of a vector are too small"),
                errdetail("All of them are zero as values of type real."),
                errhint("Multiply all elements by the same number, which does not change a fingerprint."));
    return {values, vector.count};
}

// (embedding double precision[], …, seed bigint). Returns false if the vector has no direction.
bool project(FunctionCallInfo fcinfo, SignatureSums out)
{
    auto vector = rounded(checked_vector(PG_GETARG_ARRAYTYPE_P(0)));
    auto seed = static_cast<std::uint64_t>(PG_GETARG_INT64(PG_NARGS() - 1));
    for (std::size_t block = 0; block < out.words; block++)
        if (!project_block(vector, seed, block, &out.word[block]))
            return false;
    return true;
}

} // namespace

SIMHASH_FUNCTION(simhash_project)
{
    return return_fingerprint(fcinfo, project);
}
SIMHASH_FUNCTION(simhash_project_weights)
{
    return return_weights(fcinfo, project);
}

// (embedding, bits integer, seed)
SIMHASH_FUNCTION(simhash_signature_project)
{
    return return_sums(fcinfo, project, PG_GETARG_INT32(1), signature_datum);
}
SIMHASH_FUNCTION(simhash_signature_project_weights)
{
    return return_sums(fcinfo, project, PG_GETARG_INT32(1), sums_datum);
}

} // namespace simhash
