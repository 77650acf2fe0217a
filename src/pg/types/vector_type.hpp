// Arguments and results of the type feature_vector.
#pragma once

#include "core/features/feature_vector.hpp"
#include "pg/server/postgres.hpp"

namespace simhash
{

// Opens a value that is not toasted. Raises XX001, or 0A000 if a later version wrote it.
FeatureVector open_vector(varlena *value);

// Reads an argument, detoasting it if need be.
FeatureVector vector_value(FunctionCallInfo fcinfo, int argument);

inline FeatureCount *allocate_counts(std::size_t count)
{
    return static_cast<FeatureCount *>(
        palloc_extended(Max(count, 1) * sizeof(FeatureCount), MCXT_ALLOC_HUGE));
}

// Returns a new value of features, whose hashes differ, with their counts or, if weighted, with weights as in slot_weight.
// Overwrites the array.
Datum vector_datum(FeatureCount *features, std::size_t count, bool weighted);

} // namespace simhash
