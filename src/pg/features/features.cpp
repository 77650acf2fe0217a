// features: values of type feature_vector, from which fingerprints, signatures, sketches and measures are computed.
#include "pg/features/frequencies_argument.hpp"
#include "pg/features/read_features.hpp"
#include "pg/types/weights_type.hpp"

namespace simhash
{

namespace
{

Datum return_counted(FunctionCallInfo fcinfo, CountFeatures count)
{
    CountedFeatures counted;
    count(fcinfo, 0, &counted);
    return counted.vector(false);
}

Datum return_counted(FunctionCallInfo fcinfo, const ElementKind &kind)
{
    CountedFeatures counted;
    count_elements(fcinfo, 0, kind, &counted);
    return counted.vector(false);
}

// The weights of a repeated feature are added.
template <typename Reader> Datum return_weighted(Reader reader)
{
    CountedFeatures weights;
    Feature feature;
    while (reader.next(&feature))
        if (!weights.add_weight(feature.hash, feature.weight))
            report_weights_overflow();
    return weights.vector(true);
}

// Multiplies the weights by the rarity of the features.
Datum return_rare(const FeatureFrequencies &frequencies, const FeatureVector &features)
{
    FeatureCount *weighted = allocate_counts(features.size());
    for (std::size_t i = 0; i < features.size(); i++) {
        if (i % 65536 == 0)
            CHECK_FOR_INTERRUPTS();
        Weight weight;
        if (!rare_weight(features.weight(i), frequencies.rarity_of(features.hash(i)), &weight))
            report_weights_overflow();
        weighted[i] = {features.hash(i), static_cast<std::uint64_t>(weight) + kWeightZero};
    }
    return vector_datum(weighted, features.size(), true);
}

} // namespace

SIMHASH_FUNCTION(features_text)
{
    return return_counted(fcinfo, count_shingles);
}
SIMHASH_FUNCTION(features_tsvector)
{
    return return_counted(fcinfo, count_tsvector);
}

#define FEATURES_OF_ARRAY(name, kind)                                                                        \
    SIMHASH_FUNCTION(features_##name)                                                                        \
    {                                                                                                        \
        return return_counted(fcinfo, kind);                                                                 \
    }                                                                                                        \
    SIMHASH_FUNCTION(features_weighted_##name)                                                               \
    {                                                                                                        \
        return return_weighted(WeightedElements(fcinfo, 0, kind));                                           \
    }

FEATURES_OF_ARRAY(array, kTexts)
FEATURES_OF_ARRAY(numbers, kNumbers)
FEATURES_OF_ARRAY(hashes, kHashes)

// An object of features and weights, or an array of features.
SIMHASH_FUNCTION(features_jsonb)
{
    return is_json_array(fcinfo, 0) ? return_counted(fcinfo, count_json_array)
                                    : return_weighted(WeightedObject(fcinfo, 0));
}

// (frequencies, document text): the frequencies say which shingles of the document are its features.
SIMHASH_FUNCTION(features_rare_text)
{
    const FeatureFrequencies &frequencies = frequencies_argument(fcinfo, 0);
    return return_rare(frequencies, document_vector(fcinfo, 1, counted_shingles(frequencies)));
}
SIMHASH_FUNCTION(features_rare_vector)
{
    return return_rare(frequencies_argument(fcinfo, 0), vector_value(fcinfo, 1));
}

} // namespace simhash
