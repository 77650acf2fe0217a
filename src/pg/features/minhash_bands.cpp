// Banding of minima: minhash_bands, minhash_band_probability and minhash_band_rows.
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

// NaN is no fraction.
double fraction_argument(FunctionCallInfo fcinfo, int argument, const char *what)
{
    double fraction = PG_GETARG_FLOAT8(argument);
    if (!(fraction >= 0 && fraction <= 1))
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s must lie between 0 and 1", what));
    return fraction;
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

SIMHASH_FUNCTION(minhash_band_probability)
{
    double similarity = fraction_argument(fcinfo, 0, "similarity");
    int bands = positive_argument(fcinfo, 1, "bands");
    PG_RETURN_FLOAT8(band_probability(similarity, bands, positive_argument(fcinfo, 2, "rows")));
}

SIMHASH_FUNCTION(minhash_band_rows)
{
    double similarity = fraction_argument(fcinfo, 0, "similarity");
    int size = positive_argument(fcinfo, 1, "minima");
    int rows = band_rows(similarity, size, fraction_argument(fcinfo, 2, "recall"));
    if (rows == 0)
        PG_RETURN_NULL();
    PG_RETURN_INT32(rows);
}

} // namespace simhash
