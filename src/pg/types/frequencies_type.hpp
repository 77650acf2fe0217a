// Arguments and results of the type feature_frequencies.
#pragma once

#include "core/features/feature_frequencies.hpp"
#include "pg/server/postgres.hpp"

namespace simhash
{

// Opens a value that is not toasted. Raises XX001 if no version of the extension could have written it.
FeatureFrequencies open_frequencies(varlena *value);

// Reads an argument, detoasting it if need be.
FeatureFrequencies frequencies_value(FunctionCallInfo fcinfo, int argument);

// Returns a new value of the most frequent features, at most `most`. Reorders them.
Datum frequencies_datum(FrequenciesHeader header, FeatureFrequency *features, std::size_t count,
                        std::uint32_t most);

// Raises 22023 unless both count features of the same kind.
void check_same_features(const FrequenciesHeader &a, const FrequenciesHeader &b);

// The sum of two numbers of documents. Raises 54000 if it is too large.
std::uint32_t add_documents(std::uint32_t a, std::uint32_t b);

} // namespace simhash
