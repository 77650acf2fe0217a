// features: values of type feature_vector, from which fingerprints, signatures, sketches and measures are computed.
#include "pg/features/read_features.hpp"
#include "pg/types/frequencies_type.hpp"
#include "pg/types/weights_type.hpp"

extern "C" {
#include "access/xact.h"
}

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

// What a call site keeps from row to row. The key is the stored datum, byte for byte: the compressed value, or the
// pointer to it. A pointer's number is not given to another value within a statement.
struct Kept {
    FeatureFrequencies frequencies;
    varlena *key;
    varlena *value;
    TimestampTz statement;
};

bool has_key(const Kept &kept, varlena *given)
{
    return kept.key != nullptr && kept.statement == GetCurrentStatementStartTimestamp() &&
           VARSIZE_ANY(kept.key) == VARSIZE_ANY(given) &&
           std::memcmp(kept.key, given, VARSIZE_ANY(given)) == 0;
}

// Without a statement until the value has been opened: an error of that may be caught, and the call site used again.
void keep(Kept *kept, varlena *given, MemoryContext context)
{
    kept->statement = 0;
    if (kept->key != nullptr) {
        pfree(kept->key);
        pfree(kept->value);
        kept->key = nullptr;
    }
    MemoryContext before = MemoryContextSwitchTo(context);
    varlena *value = pg_detoast_datum(given);
    auto *key = static_cast<varlena *>(palloc(VARSIZE_ANY(given)));
    std::memcpy(key, given, VARSIZE_ANY(given));
    MemoryContextSwitchTo(before);
    kept->key = key;
    kept->value = value;
}

// Frequencies as an argument of functions that are called for many documents. A value that is stored out of line or
// compressed is read once in a statement. The result is valid until the next call.
const FeatureFrequencies &frequencies_argument(FunctionCallInfo fcinfo, int argument)
{
    auto *kept = static_cast<Kept *>(fcinfo->flinfo->fn_extra);
    if (kept == nullptr) {
        kept = static_cast<Kept *>(MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(Kept)));
        fcinfo->flinfo->fn_extra = kept;
    }
    auto *given = reinterpret_cast<varlena *>(PG_GETARG_POINTER(argument));
    if (!VARATT_IS_EXTERNAL_ONDISK(given) && !VARATT_IS_COMPRESSED(given)) {
        kept->frequencies = open_frequencies(pg_detoast_datum_packed(given));
        if (kept->key != nullptr)
            kept->statement = 0; // the view is of another value now
        return kept->frequencies;
    }
    if (!has_key(*kept, given)) {
        keep(kept, given, fcinfo->flinfo->fn_mcxt);
        kept->frequencies = open_frequencies(kept->value);
        kept->statement = GetCurrentStatementStartTimestamp();
    }
    return kept->frequencies;
}

// The shingles that were counted. Raises 22023 if given features were.
Shingles counted_shingles(const FeatureFrequencies &frequencies)
{
    const FrequenciesHeader &header = frequencies.header();
    if (header.unit == FrequencyUnit::kGiven)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("frequencies of given features do not say how to divide a document"),
                errhint("Give features, or frequencies that were made from documents."));
    return {header.unit == FrequencyUnit::kWord ? TextUnit::kWord : TextUnit::kCharacter, header.size};
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
        if (weight == 0 && features.weight(i) != 0)
            report_small_weight();
        weighted[i] = {features.hash(i), static_cast<std::uint64_t>(weight) + kWeightZero};
    }
    return vector_datum(weighted, features.size(), true);
}

} // namespace

SIMHASH_FUNCTION(simhash_features_text)
{
    return return_counted(fcinfo, count_shingles);
}
SIMHASH_FUNCTION(simhash_features_tsvector)
{
    return return_counted(fcinfo, count_tsvector);
}

#define FEATURES_OF_ARRAY(name, kind)                                                                        \
    SIMHASH_FUNCTION(simhash_features_##name)                                                                \
    {                                                                                                        \
        return return_counted(fcinfo, kind);                                                                 \
    }                                                                                                        \
    SIMHASH_FUNCTION(simhash_features_weighted_##name)                                                       \
    {                                                                                                        \
        return return_weighted(WeightedElements(fcinfo, 0, kind));                                           \
    }

FEATURES_OF_ARRAY(array, kTexts)
FEATURES_OF_ARRAY(numbers, kNumbers)
FEATURES_OF_ARRAY(hashes, kHashes)

// An object of features and weights, or an array of features.
SIMHASH_FUNCTION(simhash_features_jsonb)
{
    return is_json_array(fcinfo, 0) ? return_counted(fcinfo, count_json_array)
                                    : return_weighted(WeightedObject(fcinfo, 0));
}

// (frequencies, document text): the frequencies say which shingles of the document are its features.
SIMHASH_FUNCTION(simhash_features_rare_text)
{
    const FeatureFrequencies &frequencies = frequencies_argument(fcinfo, 0);
    return return_rare(frequencies, document_vector(fcinfo, 1, counted_shingles(frequencies)));
}
SIMHASH_FUNCTION(simhash_features_rare_vector)
{
    return return_rare(frequencies_argument(fcinfo, 0), vector_value(fcinfo, 1));
}

} // namespace simhash
