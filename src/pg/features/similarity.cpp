// feature_jaccard, feature_containment and feature_cosine: how alike two sets or vectors of features are, exactly; and
// simhash_cosine: how alike the sums behind two fingerprints are.
#include "pg/features/read_features.hpp"
#include "pg/types/weights_type.hpp"

namespace simhash
{

namespace
{

using Measure = Datum (*)(FunctionCallInfo, const FeatureVector &, const FeatureVector &);

// (document text, document text, unit text, size integer)
Datum compare_documents(FunctionCallInfo fcinfo, Measure measure)
{
    const Shingles shingles = shingle_arguments(fcinfo, 2);
    const FeatureVector a = document_vector(fcinfo, 0, shingles);
    return measure(fcinfo, a, document_vector(fcinfo, 1, shingles));
}

// (feature_vector, feature_vector)
Datum compare_vectors(FunctionCallInfo fcinfo, Measure measure)
{
    const FeatureVector a = vector_value(fcinfo, 0);
    return measure(fcinfo, a, vector_value(fcinfo, 1));
}

// A part of a set. That of the empty set is NULL.
Datum return_fraction(FunctionCallInfo fcinfo, std::size_t part, std::size_t all)
{
    if (all == 0)
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(static_cast<double>(part) / static_cast<double>(all));
}

Datum return_jaccard(FunctionCallInfo fcinfo, const FeatureVector &a, const FeatureVector &b)
{
    const std::size_t common = count_common(a, b);
    return return_fraction(fcinfo, common, a.size() + b.size() - common);
}

Datum return_containment(FunctionCallInfo fcinfo, const FeatureVector &a, const FeatureVector &b)
{
    return return_fraction(fcinfo, count_common(a, b), a.size());
}

Datum return_cosine(FunctionCallInfo fcinfo, const FeatureVector &a, const FeatureVector &b)
{
    double value = 0;
    if (!cosine(sum_products(a, b), sum_products(a, a), sum_products(b, b), &value))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(value);
}

} // namespace

#define MEASURE(name)                                                                                        \
    SIMHASH_FUNCTION(simhash_##name##_documents)                                                             \
    {                                                                                                        \
        return compare_documents(fcinfo, return_##name);                                                     \
    }                                                                                                        \
    SIMHASH_FUNCTION(simhash_##name##_vectors)                                                               \
    {                                                                                                        \
        return compare_vectors(fcinfo, return_##name);                                                       \
    }

MEASURE(jaccard)
MEASURE(containment)
MEASURE(cosine)

// simhash_cosine(simhash_weights, simhash_weights) -> float8, simhash_cosine(simhash_weights, simhash) -> float8. NULL if
// all sums are 0.
SIMHASH_FUNCTION(simhash_cosine_weights)
{
    double value = 0;
    if (!weights_cosine(read_weights(PG_GETARG_DATUM(0)), read_weights(PG_GETARG_DATUM(1)), &value))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(value);
}
SIMHASH_FUNCTION(simhash_cosine_weights_bits)
{
    double value = 0;
    if (!weights_cosine(read_weights(PG_GETARG_DATUM(0)), PG_GETARG_FINGERPRINT(1), &value))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(value);
}

} // namespace simhash
