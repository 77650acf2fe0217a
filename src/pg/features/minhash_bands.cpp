// Banding of minima.
#include "core/features/bands.hpp"
#include "pg/features/minhash_value.hpp"

namespace simhash
{

namespace
{

int positive_argument(FunctionCallInfo fcinfo, int argument, const char *what)
{
    int number = PG_GETARG_INT32(argument);
    if (number < 1)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("number of %s must be positive", what));
    return number;
}

} // namespace

SIMHASH_FUNCTION(minhash_bands)
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
