// simhash_volatility, simhash_volatility_sets and simhash_volatility_model: what a search by weights assumes about the
// near-duplicates of a query, under the default model or that of an index.
//
// A model is a few shares of near-duplicates, and reveals no row. Nevertheless only those who may search the
// index may see its model, as in simhash_index_probe_plan.
#include "am/fingerprints/bit_numbers.hpp"
#include "am/fingerprints/fingerprint_meta.hpp"
#include "am/index/rights.hpp"

#include "core/tables/key_ball.hpp" // leading_bits
#include "core/volatility/volatility_model.hpp"
#include "core/volatility/vosh.hpp"
#include "pg/server/result_rows.hpp"
#include "pg/types/ball.hpp"
#include "pg/types/weights_type.hpp"

extern "C" {
#include "access/relation.h"
#include "miscadmin.h"
}

namespace simhash
{

namespace
{

constexpr int kMostSets = 1000000;

VolatilityModel index_model(Oid oid)
{
    IndexSet set = open_one_index(oid, AccessShareLock, check_reading_rights, &kFingerprints);
    VolatilityModel model = fingerprint_meta(*index_meta(set.index[0])).model;
    close_indexes(set);
    return model;
}

void list_bits(FunctionCallInfo fcinfo, const VolatilityModel &model, Datum weights_value)
{
    TupleDesc row;
    Tuplestorestate *rows = begin_rows(fcinfo, &row);
    Weights weights;
    read_weights(weights_value, &weights);
    Volatility volatility;
    set_volatility(model, weights, kBits, &volatility);
    for (int bit = 0; bit < kBits; bit++) {
        Datum values[3] = {Int32GetDatum(bit), Float8GetDatum(weight_to_double(weights.sum[bit])),
                           Float8GetDatum(flip_probability(volatility, bit))};
        bool nulls[3] = {};
        tuplestore_putvalues(rows, row, values, nulls);
    }
}

struct FlipSets {
    Volatility volatility;
    FlipCoverage coverage;
    FlipValue value;
    Vosh vosh;
};

int checked_argument(FunctionCallInfo fcinfo, int number, const char *name, int most)
{
    int value = PG_GETARG_INT32(number);
    if (value < 1 || value > most)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s %d is out of range", name, value),
                errdetail("It must be from 1 to %d.", most));
    return value;
}

// Lists sets of flips. The arguments from `first` on are the weights, the number of sets, the distance and the
// number of header bits.
void list_sets(FunctionCallInfo fcinfo, const VolatilityModel &model, int first)
{
    int most = checked_argument(fcinfo, first + 1, "number of flip sets", kMostSets);
    int radius = clamp_radius(PG_GETARG_INT32(first + 2));
    std::uint64_t header = leading_bits(checked_argument(fcinfo, first + 3, "number of header bits", kBits));
    TupleDesc row;
    Tuplestorestate *rows = begin_rows(fcinfo, &row);
    if (radius < 0)
        return;
    Weights weights;
    read_weights(PG_GETARG_DATUM(first), &weights);
    auto *sets = static_cast<FlipSets *>(palloc(sizeof(FlipSets)));
    set_volatility(model, weights, radius, &sets->volatility);
    sets->coverage.begin(&sets->volatility, &header, 1);
    sets->coverage.set_flip_weight(0, &sets->value);
    sets->coverage.set_flip_order(0, &sets->value);
    Size nodes = static_cast<Size>(most) + static_cast<Size>(sets->value.most) + 1;
    sets->vosh.begin(&sets->value, static_cast<VoshNode *>(palloc(sizeof(VoshNode) * nodes)), nodes);

    Fingerprint flips;
    double probability, cumulative = 0;
    for (int number = 1; number <= most && sets->vosh.next(&flips, &probability); number++) {
        CHECK_FOR_INTERRUPTS();
        cumulative += probability;
        Datum values[5] = {Int32GetDatum(number), fingerprint_datum(flips), bit_numbers(flips),
                           Float8GetDatum(probability), Float8GetDatum(Min(cumulative, 1.0))};
        bool nulls[5] = {};
        tuplestore_putvalues(rows, row, values, nulls);
        pfree(DatumGetPointer(values[2]));
    }
}

void list_levels(FunctionCallInfo fcinfo, const VolatilityModel &model)
{
    TupleDesc row;
    Tuplestorestate *rows = begin_rows(fcinfo, &row);
    for (int level = 0; level < kVolatilityLevels; level++) {
        double scale = kVolatilityScale[level];
        Datum values[3] = {Float8GetDatum(scale), Float8GetDatum(scale_cosine(scale)),
                           Float8GetDatum(model.share[level])};
        bool nulls[3] = {};
        tuplestore_putvalues(rows, row, values, nulls);
    }
}

} // namespace

} // namespace simhash

SIMHASH_FUNCTION(simhash_volatility)
{
    using namespace simhash;
    list_bits(fcinfo, kDefaultVolatility, PG_GETARG_DATUM(0));
    PG_RETURN_NULL();
}

SIMHASH_FUNCTION(simhash_volatility_in_index)
{
    using namespace simhash;
    list_bits(fcinfo, index_model(PG_GETARG_OID(0)), PG_GETARG_DATUM(1));
    PG_RETURN_NULL();
}

SIMHASH_FUNCTION(simhash_volatility_sets)
{
    using namespace simhash;
    list_sets(fcinfo, kDefaultVolatility, 0);
    PG_RETURN_NULL();
}

SIMHASH_FUNCTION(simhash_volatility_sets_in_index)
{
    using namespace simhash;
    list_sets(fcinfo, index_model(PG_GETARG_OID(0)), 1);
    PG_RETURN_NULL();
}

SIMHASH_FUNCTION(simhash_volatility_model)
{
    using namespace simhash;
    list_levels(fcinfo, kDefaultVolatility);
    PG_RETURN_NULL();
}

SIMHASH_FUNCTION(simhash_volatility_model_of_index)
{
    using namespace simhash;
    list_levels(fcinfo, index_model(PG_GETARG_OID(0)));
    PG_RETURN_NULL();
}
