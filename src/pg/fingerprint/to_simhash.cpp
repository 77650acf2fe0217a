// to_simhash, to_simhash_weights, to_signature and to_signature_weights: the fingerprint or the signature of a
// document's features, and the sums whose signs it consists of.
#include "pg/fingerprint/signature_value.hpp"
#include "pg/input/frequencies_argument.hpp"
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
    return counted.finish(nullptr, out);
}

// The same, times the rarity of each: argument 0 is the frequencies.
template <CountFeatures count> bool sum_rare(FunctionCallInfo fcinfo, SignatureSums out)
{
    CountedFeatures counted;
    count(fcinfo, 1, &counted);
    return counted.finish(&frequencies_argument(fcinfo, 0), out);
}

// The frequencies say which shingles of the document are its features.
bool sum_rare_text(FunctionCallInfo fcinfo, SignatureSums out)
{
    const FeatureFrequencies &frequencies = frequencies_argument(fcinfo, 0);
    CountedFeatures counted;
    count_text(fcinfo, 1, counted_shingles(frequencies), &counted);
    return counted.finish(&frequencies, out);
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
#define TO_SIMHASH(kind, sum)                                                                                \
    SIMHASH_FUNCTION(to_simhash_##kind)                                                                      \
    {                                                                                                        \
        return return_fingerprint(fcinfo, sum);                                                              \
    }                                                                                                        \
    SIMHASH_FUNCTION(to_simhash_weights_##kind)                                                              \
    {                                                                                                        \
        return return_weights(fcinfo, sum);                                                                  \
    }
#define TO_SIGNATURE(kind, sum)                                                                              \
    SIMHASH_FUNCTION(to_signature_##kind)                                                                    \
    {                                                                                                        \
        return return_signature(fcinfo, sum);                                                                \
    }                                                                                                        \
    SIMHASH_FUNCTION(to_signature_weights_##kind)                                                            \
    {                                                                                                        \
        return return_signature_weights(fcinfo, sum);                                                        \
    }

TO_SIMHASH(text, sum_counted<count_default>)
TO_SIMHASH(shingles, sum_counted<count_shingles>)
TO_SIMHASH(array, sum_counted<count_text_array>)
TO_SIMHASH(weighted_array, sum_weighted<WeightedArray>)
TO_SIMHASH(numbers, sum_counted<count_numbers>)
TO_SIMHASH(weighted_numbers, sum_weighted<WeightedNumbers>)
TO_SIMHASH(hashes, sum_counted<count_hashes>)
TO_SIMHASH(weighted_hashes, sum_weighted<WeightedHashes>)
TO_SIMHASH(tsvector, sum_counted<count_tsvector>)
TO_SIMHASH(jsonb, sum_weighted<WeightedObject>)
TO_SIMHASH(rare_text, sum_rare_text)
TO_SIMHASH(rare_array, sum_rare<count_text_array>)
TO_SIMHASH(rare_tsvector, sum_rare<count_tsvector>)

TO_SIGNATURE(text, sum_counted<count_default>)
TO_SIGNATURE(shingles, sum_counted<count_shingles>)
TO_SIGNATURE(array, sum_counted<count_text_array>)
TO_SIGNATURE(weighted_array, sum_weighted<WeightedArray>)
TO_SIGNATURE(tsvector, sum_counted<count_tsvector>)
TO_SIGNATURE(jsonb, sum_weighted<WeightedObject>)
TO_SIGNATURE(rare_text, sum_rare_text)
TO_SIGNATURE(rare_array, sum_rare<count_text_array>)
TO_SIGNATURE(rare_tsvector, sum_rare<count_tsvector>)

} // namespace simhash
