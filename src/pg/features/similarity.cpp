// jaccard, containment and cosine: how alike two sets or vectors of features are, exactly.
#include "core/features/feature_measures.hpp"
#include "pg/input/frequencies_argument.hpp"
#include "pg/input/read_features.hpp"
#include "pg/types/weights_type.hpp"

namespace simhash
{

namespace
{

// Reads the two sets or vectors of a function.
using ReadPair = void (*)(FunctionCallInfo, CountedFeatures *a, CountedFeatures *b);

template <CountFeatures count, int first = 0>
void read_pair(FunctionCallInfo fcinfo, CountedFeatures *a, CountedFeatures *b)
{
    count(fcinfo, first, a);
    count(fcinfo, first + 1, b);
}

// (document text, document text, unit text, size integer)
void read_documents(FunctionCallInfo fcinfo, CountedFeatures *a, CountedFeatures *b)
{
    Shingles shingles = shingle_arguments(fcinfo, 2);
    count_text(fcinfo, 0, shingles, a);
    count_text(fcinfo, 1, shingles, b);
}

// (frequencies, document text, document text): the frequencies say what the features are
void read_rare_documents(FunctionCallInfo fcinfo, CountedFeatures *a, CountedFeatures *b)
{
    Shingles shingles = counted_shingles(frequencies_argument(fcinfo, 0));
    count_text(fcinfo, 1, shingles, a);
    count_text(fcinfo, 2, shingles, b);
}

// The weights of a repeated feature are added.
template <typename Reader> void add_weights(FunctionCallInfo fcinfo, int argument, CountedFeatures *out)
{
    Reader reader(fcinfo, argument);
    Feature feature;
    while (reader.next(&feature))
        if (!out->add_weight(feature.hash, feature.weight))
            report_weights_overflow();
}

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

Overlap overlap(FunctionCallInfo fcinfo, ReadPair read)
{
    CountedFeatures a;
    CountedFeatures b(&a);
    read(fcinfo, &a, &b);
    Overlap sizes = {a.counts().size(), b.counts().size(), count_common(a, b)};
    a.release();
    b.release();
    return sizes;
}

// A part of a set. That of the empty set is NULL.
Datum return_fraction(FunctionCallInfo fcinfo, std::size_t part, std::size_t all)
{
    if (all == 0)
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(static_cast<double>(part) / static_cast<double>(all));
}

Datum return_jaccard(FunctionCallInfo fcinfo, ReadPair read)
{
    Overlap sets = overlap(fcinfo, read);
    return return_fraction(fcinfo, sets.common, sets.first + sets.second - sets.common);
}

Datum return_containment(FunctionCallInfo fcinfo, ReadPair read)
{
    Overlap sets = overlap(fcinfo, read);
    return return_fraction(fcinfo, sets.common, sets.first);
}

ProductSum sum_products(const CountedFeatures &a, const CountedFeatures &b)
{
    ProductSum sum;
    a.in_pieces(
        [&](std::size_t from, std::size_t to) { add_products(a.counts(), from, to, b.counts(), &sum); });
    return sum;
}

// The cosine of two tables of weights, which are freed.
Datum return_cosine(FunctionCallInfo fcinfo, CountedFeatures *a, CountedFeatures *b)
{
    double value = 0;
    bool defined = cosine(sum_products(*a, *b), sum_products(*a, *a), sum_products(*b, *b), &value);
    a->release();
    b->release();
    if (!defined)
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(value);
}

Datum return_counted_cosine(FunctionCallInfo fcinfo, ReadPair read)
{
    CountedFeatures a;
    CountedFeatures b(&a);
    read(fcinfo, &a, &b);
    a.make_logarithmic();
    b.make_logarithmic();
    return return_cosine(fcinfo, &a, &b);
}

// The weights are multiplied by the rarity of each feature: argument 0 is the frequencies.
Datum return_rare_cosine(FunctionCallInfo fcinfo, ReadPair read)
{
    const FeatureFrequencies &frequencies = frequencies_argument(fcinfo, 0);
    CountedFeatures a;
    CountedFeatures b(&a);
    read(fcinfo, &a, &b);
    a.make_rare(frequencies);
    b.make_rare(frequencies);
    return return_cosine(fcinfo, &a, &b);
}

// The first vector is argument 0.
template <typename Reader> Datum return_weighted_cosine(FunctionCallInfo fcinfo, int second)
{
    CountedFeatures a;
    CountedFeatures b(&a);
    add_weights<Reader>(fcinfo, 0, &a);
    add_weights<Reader>(fcinfo, second, &b);
    return return_cosine(fcinfo, &a, &b);
}

} // namespace

// For each kind of argument, one function for each measure.
#define SET_MEASURES(kind, read)                                                                             \
    SIMHASH_FUNCTION(jaccard_##kind)                                                                         \
    {                                                                                                        \
        return return_jaccard(fcinfo, read);                                                                 \
    }                                                                                                        \
    SIMHASH_FUNCTION(containment_##kind)                                                                     \
    {                                                                                                        \
        return return_containment(fcinfo, read);                                                             \
    }
#define COSINE(kind, read)                                                                                   \
    SIMHASH_FUNCTION(cosine_##kind)                                                                          \
    {                                                                                                        \
        return return_counted_cosine(fcinfo, read);                                                          \
    }

SET_MEASURES(documents, read_documents)
SET_MEASURES(text_array, read_pair<count_text_array>)
// Equal numbers have equal hashes of any kind; as hashes of their own they cannot collide.
SET_MEASURES(bigint_array, read_pair<count_hashes>)
SET_MEASURES(tsvector, read_pair<count_tsvector>)

COSINE(documents, read_documents)
COSINE(text_array, read_pair<count_text_array>)
COSINE(tsvector, read_pair<count_tsvector>)

SIMHASH_FUNCTION(cosine_rare_documents)
{
    return return_rare_cosine(fcinfo, read_rare_documents);
}
SIMHASH_FUNCTION(cosine_rare_text_array)
{
    return return_rare_cosine(fcinfo, read_pair<count_text_array, 1>);
}
SIMHASH_FUNCTION(cosine_rare_tsvector)
{
    return return_rare_cosine(fcinfo, read_pair<count_tsvector, 1>);
}

SIMHASH_FUNCTION(cosine_weighted_arrays)
{
    return return_weighted_cosine<WeightedArray>(fcinfo, 2);
}
SIMHASH_FUNCTION(cosine_jsonb)
{
    return return_weighted_cosine<WeightedObject>(fcinfo, 1);
}

} // namespace simhash
