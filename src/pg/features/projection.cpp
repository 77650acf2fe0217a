// simhash_project, simhash_project_weights, signature_project and signature_project_weights: fingerprints and
// signatures of vectors.
#include "core/features/random_projection.hpp"
#include "pg/features/signature_value.hpp"
#include "pg/features/vector_argument.hpp"
#include "pg/server/compat.hpp"
#include "pg/types/weights_type.hpp"

extern "C" {
#include "miscadmin.h"
}

#include <algorithm>
#include <cmath>

namespace simhash
{

namespace
{

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

// Each element is rounded to the nearest float.
Vector<float> rounded(Vector<double> vector)
{
    auto *values = static_cast<float *>(palloc(vector.count * sizeof(float)));
    for (std::size_t i = 0; i < vector.count; i++) {
        values[i] = static_cast<float>(vector.values[i]);
        if (std::isinf(values[i]))
            ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                    errmsg("elements of a vector must be in the range of type real"),
                    errdetail("Element %zu is %g.", i + 1, vector.values[i]));
    }
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

SIMHASH_FUNCTION(signature_project_weights)
{
    int bits = checked_signature_bits(PG_GETARG_INT32(1));
    SignatureSums sums = allocate_sums(bits, CurrentMemoryContext);
    if (!project(fcinfo, sums))
        PG_RETURN_NULL();
    return sums_datum(sums, bits);
}

} // namespace simhash
