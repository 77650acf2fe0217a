// feature_jaccard, feature_containment and feature_cosine: how alike two sets or vectors of features are, exactly.
#include "core/features/feature_measures.hpp"
#include "pg/features/read_features.hpp"

namespace simhash
{

namespace
{

std::size_t count_common(const CountedFeatures &a, const CountedFeatures &b)
{
    const CountedFeatures &few = a.counts().size() < b.counts().size() ? a : b;
    const CountedFeatures &many = &few == &a ? b : a;
    std::size_t common = 0;
    few.in_pieces([&](std::size_t from, std::size_t to) {
        common += count_common(few.counts(), from, to, many.counts());
    });
    return common;
}

// The sizes of two sets and of their intersection.
struct Overlap {
    std::size_t first, second, common;
};

// (document text, document text, unit text, size integer)
Overlap document_overlap(FunctionCallInfo fcinfo)
{
    Shingles shingles = shingle_arguments(fcinfo, 2);
    CountedFeatures a;
    CountedFeatures b(&a);
    count_text(fcinfo, 0, shingles, &a);
    count_text(fcinfo, 1, shingles, &b);
    Overlap sizes = {a.counts().size(), b.counts().size(), count_common(a, b)};
    a.release();
    b.release();
    return sizes;
}

// (feature_vector, feature_vector)
Overlap vector_overlap(FunctionCallInfo fcinfo)
{
    FeatureVector a = vector_value(fcinfo, 0);
    FeatureVector b = vector_value(fcinfo, 1);
    return {a.size(), b.size(), count_common(a, b)};
}

// A part of a set. That of the empty set is NULL.
Datum return_fraction(FunctionCallInfo fcinfo, std::size_t part, std::size_t all)
{
    if (all == 0)
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(static_cast<double>(part) / static_cast<double>(all));
}

Datum return_jaccard(FunctionCallInfo fcinfo, Overlap sets)
{
    return return_fraction(fcinfo, sets.common, sets.first + sets.second - sets.common);
}

Datum return_containment(FunctionCallInfo fcinfo, Overlap sets)
{
    return return_fraction(fcinfo, sets.common, sets.first);
}

Datum return_cosine(FunctionCallInfo fcinfo, const FeatureVector &a, const FeatureVector &b)
{
    double value = 0;
    if (!cosine(sum_products(a, b), sum_products(a, a), sum_products(b, b), &value))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(value);
}

FeatureVector document_vector(FunctionCallInfo fcinfo, int argument, Shingles shingles)
{
    CountedFeatures counted;
    count_text(fcinfo, argument, shingles, &counted);
    FeatureVector features;
    open_vector(reinterpret_cast<varlena *>(DatumGetPointer(counted.vector(false))), &features);
    return features;
}

} // namespace

SIMHASH_FUNCTION(jaccard_documents)
{
    return return_jaccard(fcinfo, document_overlap(fcinfo));
}
SIMHASH_FUNCTION(jaccard_vectors)
{
    return return_jaccard(fcinfo, vector_overlap(fcinfo));
}
SIMHASH_FUNCTION(containment_documents)
{
    return return_containment(fcinfo, document_overlap(fcinfo));
}
SIMHASH_FUNCTION(containment_vectors)
{
    return return_containment(fcinfo, vector_overlap(fcinfo));
}
SIMHASH_FUNCTION(cosine_documents)
{
    Shingles shingles = shingle_arguments(fcinfo, 2);
    return return_cosine(fcinfo, document_vector(fcinfo, 0, shingles), document_vector(fcinfo, 1, shingles));
}
SIMHASH_FUNCTION(cosine_vectors)
{
    return return_cosine(fcinfo, vector_value(fcinfo, 0), vector_value(fcinfo, 1));
}

} // namespace simhash
