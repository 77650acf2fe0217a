#include "pg/features/signature_value.hpp"

#include "pg/server/compat.hpp"
#include "pg/types/signature_type.hpp"
#include "pg/types/weights_type.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/array.h"
}

namespace simhash
{

int checked_signature_bits(int bits)
{
    if (bits < kSignatureBitsMin || bits > kMostSignatureBits)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("number of bits %d is out of range", bits),
                errdetail("A signature has %d to %d bits.", kSignatureBitsMin, kMostSignatureBits));
    return bits;
}

SignatureSums allocate_sums(int bits, MemoryContext context)
{
    std::size_t words = static_cast<std::size_t>(signature_words(bits));
    return {static_cast<Weights *>(MemoryContextAlloc(context, words * sizeof(Weights))), words};
}

Datum signature_datum(SignatureSums sums, int bits)
{
    std::uint8_t *data;
    Datum value = make_signature(bits, &data);
    write_signature(sums, bits, data);
    return value;
}

Datum sums_datum(SignatureSums sums, int bits)
{
    auto *numbers = static_cast<Datum *>(palloc(static_cast<std::size_t>(bits) * sizeof(Datum)));
    for (int bit = 0; bit < bits; bit++)
        numbers[bit] = weight_real(signature_sum(sums, bit));
    ArrayType *array = construct_array(numbers, bits, FLOAT4OID, sizeof(float4), true, TYPALIGN_INT);
    pfree(numbers);
    return PointerGetDatum(array);
}

Datum return_fingerprint(FunctionCallInfo fcinfo, Sum sum)
{
    Weights weights;
    if (!sum(fcinfo, {&weights, 1}))
        PG_RETURN_NULL();
    PG_RETURN_FINGERPRINT(weights_fingerprint(weights));
}

Datum return_weights(FunctionCallInfo fcinfo, Sum sum)
{
    Weights weights;
    if (!sum(fcinfo, {&weights, 1}))
        PG_RETURN_NULL();
    return weights_datum(weights);
}

Datum return_sums(FunctionCallInfo fcinfo, Sum sum, int bits, Datum (*result)(SignatureSums sums, int bits))
{
    SignatureSums sums = allocate_sums(checked_signature_bits(bits), CurrentMemoryContext);
    if (!sum(fcinfo, sums))
        PG_RETURN_NULL();
    return result(sums, bits);
}

} // namespace simhash
