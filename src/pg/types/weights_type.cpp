// The type simhash_weights: its text and binary forms, its casts, and addition.
#include "pg/types/weights_type.hpp"

#include "core/features/weights_format.hpp"
#include "pg/server/compat.hpp"
#include "pg/types/binary_form.hpp"
#include "pg/types/text_reader.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
}

#include <algorithm>
#include <cmath>

namespace simhash
{

namespace
{

constexpr const char *kTypeName = "simhash_weights";
constexpr const char *kFiniteWeights = "Weights must be finite.";

// A real has 24 significant bits.
constexpr int kRealSize = sizeof(float4);

// Returns the nearest weight of the same sign, since the sign decides the bit: a negative number that would
// be rounded to 0 becomes -2^-24.
Weight weight_from_real(float4 number)
{
    Weight weight;
    if (!weight_from_double(static_cast<double>(number), &weight))
        ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                errmsg("\"%s\" is out of range for type %s",
                       DatumGetCString(DirectFunctionCall1(float4out, Float4GetDatum(number))), kTypeName),
                errdetail("%s", std::isfinite(number) ? kWeightRange : kFiniteWeights));
    return weight == 0 && number < 0 ? -1 : weight;
}

} // namespace

Weights read_weights(Datum datum)
{
    StoredValueCopy value(datum);
    Weights weights;
    if (!unpack_weights(value.bytes(), value.size(), &weights))
        report_stored_value(stored_version(value.value), kWeightsVersion, kTypeName);
    value.release();
    return weights;
}

Fingerprint weights_signs(Datum datum) { return weights_fingerprint(read_weights(datum)); }

void receive_weights(StringInfo message, Weights *out)
{
    const auto *bytes = reinterpret_cast<const std::uint8_t *>(pq_getmsgbytes(message, kExternalWeightsSize));
    if (!read_external_weights(bytes, out))
        report_binary_version(*bytes, kWeightsVersion, kTypeName);
}

Datum weights_datum(const Weights &weights)
{
    auto *value = static_cast<struct varlena *>(palloc(VARHDRSZ + kStoredWeightsMax));
    std::size_t size = pack_weights(weights, VARDATA(value));
    SET_VARSIZE(value, VARHDRSZ + size);
    return PointerGetDatum(value);
}

Weight checked_weight(double number)
{
    Weight weight;
    if (!weight_from_double(number, &weight) || weight == INT64_MIN) {
        if (!std::isfinite(number))
            ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("a feature's weight must be a finite number"),
                    errdetail("It is %s.", std::isnan(number) ? "NaN"
                                           : number > 0       ? "Infinity"
                                                              : "-Infinity"));
        ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                errmsg("weight %g is out of range", number), errdetail("%s", kWeightRange));
    }
    return weight;
}

Weight feature_weight(double number)
{
    Weight weight = checked_weight(number);
    if (weight == 0 && number != 0)
        report_small_weight();
    return weight;
}

void report_small_weight()
{
    ereport(
        ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("weight is too small"),
        errdetail("Weights are rounded to multiples of 2^-24, and this one to 0."),
        errhint("Multiply all weights by the same number, which does not change a fingerprint or a cosine."));
    pg_unreachable();
}

void report_weights_overflow()
{
    ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("sum of weights is out of range"),
            errdetail("Sums lie between -2^39 and 2^39, about 549 billion."));
    pg_unreachable();
}

// simhash_weights_in(cstring) -> simhash_weights: [w0,w1,...,w63]. Invalid syntax or a wrong number of
// elements raises 22P02. NaN, infinities and elements out of range raise 22003.
SIMHASH_FUNCTION(simhash_weights_in)
{
    const char *text = PG_GETARG_CSTRING(0);
    Weights weights;
    WeightsTextFault fault;
    WeightsTextError error = parse_weights(text, std::strlen(text), &weights, &fault);
    if (error == WeightsTextError::kNone)
        return weights_datum(weights);

    const char *part = text + fault.at;
    const int length = quoted_length(part, fault.length);
    if (error == WeightsTextError::kSyntax || error == WeightsTextError::kCount)
        SIMHASH_INPUT_ERROR(fcinfo, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                            errmsg("invalid input syntax for type %s: \"%.*s\"", kTypeName, length, part),
                            error == WeightsTextError::kSyntax
                                ? errdetail("Weights are written as 64 decimal numbers, [w0,w1,...,w63].")
                                : errdetail("There must be 64 elements, not %zu.", fault.count));
    SIMHASH_INPUT_ERROR(
        fcinfo, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
        errmsg("\"%.*s\" is out of range for type %s", length, part, kTypeName),
        errdetail("%s", error == WeightsTextError::kOutOfRange ? kWeightRange : kFiniteWeights));
}

SIMHASH_FUNCTION(simhash_weights_out)
{
    const Weights weights = read_weights(PG_GETARG_DATUM(0));
    char *text = static_cast<char *>(palloc(kWeightsTextMax + 1));
    text[format_weights(weights, text)] = '\0';
    PG_RETURN_CSTRING(text);
}

// simhash_weights_recv(internal) -> simhash_weights: see core/features/weights_format.hpp. A short message
// raises 08P01, an unknown version raises 0A000.
SIMHASH_FUNCTION(simhash_weights_recv)
{
    Weights weights;
    receive_weights(reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0)), &weights);
    return weights_datum(weights);
}

SIMHASH_FUNCTION(simhash_weights_send)
{
    const Weights weights = read_weights(PG_GETARG_DATUM(0));
    bytea *bytes = static_cast<bytea *>(palloc(VARHDRSZ + kExternalWeightsSize));
    SET_VARSIZE(bytes, VARHDRSZ + kExternalWeightsSize);
    write_external_weights(weights, reinterpret_cast<std::uint8_t *>(VARDATA(bytes)));
    PG_RETURN_BYTEA_P(bytes);
}

// simhash_weights_from_real(real[]) -> simhash_weights: the nearest multiples of 2^-24 with the same signs.
SIMHASH_FUNCTION(simhash_weights_from_real)
{
    ArrayType *array = PG_GETARG_ARRAYTYPE_P(0);
    if (ARR_NDIM(array) != 1 || ARR_DIMS(array)[0] != kBits)
        ereport(
            ERROR, errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR), errmsg("cannot cast array to type %s", kTypeName),
            errdetail("It has %d dimensions and %d elements.", ARR_NDIM(array),
                      ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array))),
            errhint("Give an array of one dimension and 64 elements; element j + 1 is the weight of bit j."));
    if (array_contains_nulls(array))
        ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                errmsg("cannot cast an array with NULL elements to %s", kTypeName));
    float4 numbers[kBits];
    std::memcpy(numbers, ARR_DATA_PTR(array), sizeof(numbers));
    Weights weights;
    for (int j = 0; j < kBits; j++)
        weights.sum[j] = weight_from_real(numbers[j]);
    return weights_datum(weights);
}

// simhash_weights_to_real(simhash_weights) -> real[]: the nearest single-precision numbers.
SIMHASH_FUNCTION(simhash_weights_to_real)
{
    const Weights weights = read_weights(PG_GETARG_DATUM(0));
    Datum numbers[kBits];
    for (int j = 0; j < kBits; j++)
        numbers[j] = weight_real(weights.sum[j]);
    PG_RETURN_ARRAYTYPE_P(construct_array(numbers, kBits, FLOAT4OID, kRealSize, true, TYPALIGN_INT));
}

// simhash_from_weights(simhash_weights) -> simhash: bit j is 1 if W_j >= 0.
SIMHASH_FUNCTION(simhash_from_weights)
{
    PG_RETURN_FINGERPRINT(weights_signs(PG_GETARG_DATUM(0)));
}

SIMHASH_FUNCTION(simhash_weights_add)
{
    Weights sum = read_weights(PG_GETARG_DATUM(0));
    if (!add_weights(&sum, read_weights(PG_GETARG_DATUM(1))))
        report_weights_overflow();
    return weights_datum(sum);
}

} // namespace simhash
