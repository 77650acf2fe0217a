// Readers of the features that function arguments consist of. The caller says which argument to read.
#pragma once

#include "pg/features/array_elements.hpp"
#include "pg/features/counted_features.hpp"
#include "pg/features/document_arguments.hpp"
#include "pg/features/utf8_text.hpp"
#include "pg/types/weights_type.hpp"

struct JsonbIterator;

namespace simhash
{

// Features that are counted. Each function adds those of an argument that is not NULL to `out`, which must be empty.

using CountFeatures = void (*)(FunctionCallInfo, int argument, CountedFeatures *out);

// The default features, which were chosen by measurement, see doc/features.md.
inline constexpr Shingles kDefaultShingles = {TextUnit::kWord, 1};

// text: the shingles of a document, converted to UTF-8.
void count_text(FunctionCallInfo fcinfo, int argument, Shingles shingles, CountedFeatures *out);

// The same as a value of type feature_vector.
FeatureVector document_vector(FunctionCallInfo fcinfo, int argument, Shingles shingles);

// text: the default features.
void count_default(FunctionCallInfo fcinfo, int argument, CountedFeatures *out);

// text: the shingles that the arguments after it, a unit and a size, select.
void count_shingles(FunctionCallInfo fcinfo, int argument, CountedFeatures *out);

// The elements of an array: features as text, features as numbers, or the hashes of features.
struct ElementKind {
    Oid type;
    const char *name; // of the elements, in messages
    std::uint64_t (*hash)(Datum);
};
extern const ElementKind kTexts, kNumbers, kHashes;

// An array of any number of dimensions. NULL elements are skipped.
void count_elements(FunctionCallInfo fcinfo, int argument, const ElementKind &kind, CountedFeatures *out);

// tsvector: lexemes. Each position counts 1, 2, 4 or 10 times if its label is D, C, B or A. A lexeme without
// positions counts once.
void count_tsvector(FunctionCallInfo fcinfo, int argument, CountedFeatures *out);

// jsonb: an array of strings and numbers, whose digits are the feature. Nulls are skipped.
bool is_json_array(FunctionCallInfo fcinfo, int argument);
void count_json_array(FunctionCallInfo fcinfo, int argument, CountedFeatures *out);

// Features with given weights. A reader returns them one by one, a repeated feature repeatedly:
//
//   WeightedElements reader(fcinfo, argument, kind);
//   while (reader.next(&feature)) …

// An array and, in the argument after it, float8[]. A feature is skipped if it is NULL or its weight is NULL or 0.
class WeightedElements
{
public:
    WeightedElements(FunctionCallInfo fcinfo, int argument, const ElementKind &kind);
    bool next(Feature *feature);

private:
    const ElementKind *kind_;
    WeightedLists lists_;
    int next_ = 0;
};

// jsonb: {"feature": weight, ...}. Features with a weight of null or 0 are skipped.
class WeightedObject
{
public:
    WeightedObject(FunctionCallInfo fcinfo, int argument);
    bool next(Feature *feature);

private:
    JsonbIterator *iterator_;
};

} // namespace simhash
