// to_simhash, to_simhash_weights, to_signature and to_signature_weights: the fingerprint or the signature of a
// document's features, and the sums whose signs it consists of.
#include "pg/fingerprint/signature_value.hpp"
#include "pg/input/read_features.hpp"
#include "pg/types/weights_type.hpp"

namespace simhash
{

namespace
{

// Sums the votes of counted features, each with the weight 1 + ln tf.
template <CountFeatures count> bool sum_counted(FunctionCallInfo fcinfo, SignatureSums out)
{
    CountedFeatures counted;
    count(fcinfo, 0, &counted);
    return counted.finish(out);
}

// Sums the votes of weighted features. The weights of a repeated feature are added.
template <typename Reader> bool sum_weighted(FunctionCallInfo fcinfo, SignatureSums out)
{
    Reader reader(fcinfo, 0);
    clear_sums(out);
    bool any = false;
    Feature feature;
    while (reader.next(&feature)) {
        if (!add_feature(out, feature.hash, feature.weight))
            report_weights_overflow();
        any = true;
    }
    return any;
}

constexpr auto sum_default = sum_counted<count_default>;
constexpr auto sum_shingles = sum_counted<count_shingles>;
constexpr auto sum_array = sum_counted<count_text_array>;
constexpr auto sum_hashes = sum_counted<count_bigint_array>;
constexpr auto sum_tsvector = sum_counted<count_tsvector>;
constexpr auto sum_weighted_array = sum_weighted<WeightedArray>;
constexpr auto sum_weighted_hashes = sum_weighted<WeightedHashes>;
constexpr auto sum_jsonb = sum_weighted<WeightedObject>;

using SumFeatures = bool (*)(FunctionCallInfo, SignatureSums);

// A document without features has no fingerprint: otherwise all empty documents would be duplicates of each
// other.
Datum return_fingerprint(FunctionCallInfo fcinfo, SumFeatures sum)
{
    Weights weights;
    if (!sum(fcinfo, {&weights, 1}))
        PG_RETURN_NULL();
    PG_RETURN_FINGERPRINT(weights_fingerprint(weights));
}

Datum return_weights(FunctionCallInfo fcinfo, SumFeatures sum)
{
    Weights weights;
    if (!sum(fcinfo, {&weights, 1}))
        PG_RETURN_NULL();
    return weights_datum(weights);
}

// The last argument is the number of bits.
Datum return_signature(FunctionCallInfo fcinfo, SumFeatures sum)
{
    int bits = checked_signature_bits(PG_GETARG_INT32(PG_NARGS() - 1));
    SignatureSums sums = allocate_sums(bits, CurrentMemoryContext);
    if (!sum(fcinfo, sums))
        PG_RETURN_NULL();
    return signature_datum(sums, bits);
}

Datum return_signature_weights(FunctionCallInfo fcinfo, SumFeatures sum)
{
    int bits = checked_signature_bits(PG_GETARG_INT32(PG_NARGS() - 1));
    SignatureSums sums = allocate_sums(bits, CurrentMemoryContext);
    if (!sum(fcinfo, sums))
        PG_RETURN_NULL();
    return sums_datum(sums, bits);
}

} // namespace

// For each kind of argument, one function returns the fingerprint and another the weights whose signs it consists
// of, and two more do the same for signatures.

SIMHASH_FUNCTION(to_simhash_text)
{
    return return_fingerprint(fcinfo, sum_default);
}
SIMHASH_FUNCTION(to_simhash_shingles)
{
    return return_fingerprint(fcinfo, sum_shingles);
}
SIMHASH_FUNCTION(to_simhash_array)
{
    return return_fingerprint(fcinfo, sum_array);
}
SIMHASH_FUNCTION(to_simhash_weighted_array)
{
    return return_fingerprint(fcinfo, sum_weighted_array);
}
SIMHASH_FUNCTION(to_simhash_hashes)
{
    return return_fingerprint(fcinfo, sum_hashes);
}
SIMHASH_FUNCTION(to_simhash_weighted_hashes)
{
    return return_fingerprint(fcinfo, sum_weighted_hashes);
}
SIMHASH_FUNCTION(to_simhash_tsvector)
{
    return return_fingerprint(fcinfo, sum_tsvector);
}
SIMHASH_FUNCTION(to_simhash_jsonb)
{
    return return_fingerprint(fcinfo, sum_jsonb);
}

SIMHASH_FUNCTION(to_simhash_weights_text)
{
    return return_weights(fcinfo, sum_default);
}
SIMHASH_FUNCTION(to_simhash_weights_shingles)
{
    return return_weights(fcinfo, sum_shingles);
}
SIMHASH_FUNCTION(to_simhash_weights_array)
{
    return return_weights(fcinfo, sum_array);
}
SIMHASH_FUNCTION(to_simhash_weights_weighted_array)
{
    return return_weights(fcinfo, sum_weighted_array);
}
SIMHASH_FUNCTION(to_simhash_weights_hashes)
{
    return return_weights(fcinfo, sum_hashes);
}
SIMHASH_FUNCTION(to_simhash_weights_weighted_hashes)
{
    return return_weights(fcinfo, sum_weighted_hashes);
}
SIMHASH_FUNCTION(to_simhash_weights_tsvector)
{
    return return_weights(fcinfo, sum_tsvector);
}
SIMHASH_FUNCTION(to_simhash_weights_jsonb)
{
    return return_weights(fcinfo, sum_jsonb);
}

SIMHASH_FUNCTION(to_signature_text)
{
    return return_signature(fcinfo, sum_default);
}
SIMHASH_FUNCTION(to_signature_shingles)
{
    return return_signature(fcinfo, sum_shingles);
}
SIMHASH_FUNCTION(to_signature_array)
{
    return return_signature(fcinfo, sum_array);
}
SIMHASH_FUNCTION(to_signature_weighted_array)
{
    return return_signature(fcinfo, sum_weighted_array);
}
SIMHASH_FUNCTION(to_signature_tsvector)
{
    return return_signature(fcinfo, sum_tsvector);
}
SIMHASH_FUNCTION(to_signature_jsonb)
{
    return return_signature(fcinfo, sum_jsonb);
}

SIMHASH_FUNCTION(to_signature_weights_text)
{
    return return_signature_weights(fcinfo, sum_default);
}
SIMHASH_FUNCTION(to_signature_weights_shingles)
{
    return return_signature_weights(fcinfo, sum_shingles);
}
SIMHASH_FUNCTION(to_signature_weights_array)
{
    return return_signature_weights(fcinfo, sum_array);
}
SIMHASH_FUNCTION(to_signature_weights_weighted_array)
{
    return return_signature_weights(fcinfo, sum_weighted_array);
}
SIMHASH_FUNCTION(to_signature_weights_tsvector)
{
    return return_signature_weights(fcinfo, sum_tsvector);
}
SIMHASH_FUNCTION(to_signature_weights_jsonb)
{
    return return_signature_weights(fcinfo, sum_jsonb);
}

} // namespace simhash
