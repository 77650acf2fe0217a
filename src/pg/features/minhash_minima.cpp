// Functions of arrays of minima, which to_minhash_values and to_minhash_as return.
#include "pg/features/minhash_value.hpp"

namespace simhash
{

namespace
{

void check_same_size(Minima a, Minima b)
{
    if (a.size != b.size)
        ereport(ERROR, errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
                errmsg("sketches have different numbers of minima"),
                errdetail("There are %d and %d minima.", a.size, b.size));
}

int positive_argument(FunctionCallInfo fcinfo, int argument, const char *what)
{
    int number = PG_GETARG_INT32(argument);
    if (number < 1)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("number of %s must be positive", what));
    return number;
}

} // namespace

// minhash_bits(bigint[]) -> bit
SIMHASH_FUNCTION(simhash_minhash_bits)
{
    return minhash_bits_datum(minima_argument(fcinfo, 0));
}

// minhash_union(bigint[], bigint[]) -> bigint[]
SIMHASH_FUNCTION(simhash_minhash_union)
{
    Minima a = minima_argument(fcinfo, 0);
    Minima b = minima_argument(fcinfo, 1);
    check_same_size(a, b);
    unite_minima(a.values, b.values, a.size);
    return minima_datum(a);
}

// minhash_similarity(bigint[], bigint[]) -> float8
SIMHASH_FUNCTION(simhash_minhash_values_similarity)
{
    Minima a = minima_argument(fcinfo, 0);
    Minima b = minima_argument(fcinfo, 1);
    check_same_size(a, b);
    int equal = 0;
    for (int i = 0; i < a.size; i++)
        equal += a.values[i] == b.values[i] ? 1 : 0;
    PG_RETURN_FLOAT8(static_cast<double>(equal) / a.size);
}

// minhash_bands(bigint[], rows integer) -> bigint[]
SIMHASH_FUNCTION(simhash_minhash_bands)
{
    Minima minima = minima_argument(fcinfo, 0);
    int rows = positive_argument(fcinfo, 1, "rows");
    if (minima.size % rows != 0)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("number of minima must be a multiple of the number of rows"),
                errdetail("There are %d minima and %d rows.", minima.size, rows),
                errhint("Leave minima out by taking a slice of the array."));
    Minima keys = allocate_minima(minima.size / rows, CurrentMemoryContext);
    for (int band = 0; band < keys.size; band++)
        keys.values[band] = band_key(static_cast<std::uint64_t>(band), minima.values + band * rows, rows);
    return minima_datum(keys);
}

} // namespace simhash
