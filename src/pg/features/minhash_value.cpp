#include "pg/features/minhash_value.hpp"

#include "pg/features/array_elements.hpp"
#include "pg/server/compat.hpp"
#include "pg/types/signature_type.hpp"

namespace simhash
{

int checked_minhash_size(int size)
{
    if (size < 1 || size > kMinhashSizeMax)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("number of minima %d is out of range", size),
                errdetail("A min-hash sketch has 1 to %d minima.", kMinhashSizeMax));
    return size;
}

Minima allocate_minima(int size, MemoryContext context)
{
    std::size_t bytes = static_cast<std::size_t>(size) * sizeof(std::uint64_t);
    return {static_cast<std::uint64_t *>(MemoryContextAlloc(context, bytes)), size};
}

Minima minima_argument(FunctionCallInfo fcinfo, int argument)
{
    Elements elements = list_argument(fcinfo, argument, INT8OID, "minima");
    Minima minima = allocate_minima(checked_minhash_size(elements.count), CurrentMemoryContext);
    for (int i = 0; i < elements.count; i++) {
        if (elements.nulls[i])
            ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("minima must not be null"));
        minima.values[i] = static_cast<std::uint64_t>(DatumGetInt64(elements.values[i]));
    }
    return minima;
}

Datum minima_datum(Minima minima) { return bigint_array_datum(minima.values, minima.size); }

Datum minhash_bits_datum(Minima minima)
{
    std::uint8_t *data;
    Datum value = make_signature(minima.size, &data);
    write_minhash_bits(minima.values, minima.size, data);
    return value;
}

} // namespace simhash
