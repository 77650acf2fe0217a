// simhash_volatility: with which probability a near-duplicate flips each bit, by the default model: the mean over its scales.
#include "core/likely/volatility_model.hpp"
#include "pg/server/result_rows.hpp"
#include "pg/types/weights_type.hpp"

namespace simhash
{

SIMHASH_FUNCTION(simhash_volatility)
{
    const ResultRows rows = begin_rows(fcinfo);
    const Weights weights = read_weights(PG_GETARG_DATUM(0));
    Volatility volatility;
    set_volatility(kDefaultVolatility, weights, kBits, &volatility);
    for (int bit = 0; bit < kBits; bit++) {
        Datum values[3] = {Int32GetDatum(bit), Float8GetDatum(weight_to_double(weights.sum[bit])),
                           Float8GetDatum(flip_probability(volatility, bit))};
        rows.put(values);
    }
    PG_RETURN_NULL();
}

} // namespace simhash
