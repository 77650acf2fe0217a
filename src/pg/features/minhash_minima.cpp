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

} // namespace

// minhash_bits(bigint[]) -> bit
SIMHASH_FUNCTION(minhash_bits)
{
    return minhash_bits_datum(minima_argument(fcinfo, 0));
}

// minhash_union(bigint[], bigint[]) -> bigint[]
SIMHASH_FUNCTION(minhash_union)
{
    Minima a = minima_argument(fcinfo, 0);
    Minima b = minima_argument(fcinfo, 1);
    check_same_size(a, b);
    unite_minima(a.values, b.values, a.size);
    return minima_datum(a);
}

// minhash_similarity(bigint[], bigint[]) -> float8
SIMHASH_FUNCTION(minhash_values_similarity)
{
    Minima a = minima_argument(fcinfo, 0);
    Minima b = minima_argument(fcinfo, 1);
    check_same_size(a, b);
    int equal = 0;
    for (int i = 0; i < a.size; i++)
        equal += a.values[i] == b.values[i] ? 1 : 0;
    PG_RETURN_FLOAT8(static_cast<double>(equal) / a.size);
}

} // namespace simhash
