// Frequencies as arguments of functions that are called for many documents.
#pragma once

#include "core/features/feature_frequencies.hpp"
#include "pg/features/shingle_arguments.hpp"

namespace simhash
{

// The argument, which must not be NULL. A value that is stored out of line or compressed is read once in a statement.
// The result is valid until the next call.
const FeatureFrequencies &frequencies_argument(FunctionCallInfo fcinfo, int argument);

// The shingles that were counted. Raises 22023 if given features were.
Shingles counted_shingles(const FeatureFrequencies &frequencies);

} // namespace simhash
