// The input of aggregates over features: one feature a row.
#pragma once

#include "pg/input/feature.hpp"
#include "pg/input/text_feature_hash.hpp"
#include "pg/server/compat.hpp"
#include "pg/types/weights_type.hpp"

namespace simhash
{

inline MemoryContext aggregate_context(FunctionCallInfo fcinfo)
{
    MemoryContext context;
    if (!AggCheckCallContext(fcinfo, &context))
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                errmsg("this function can only be called as part of an aggregate"));
    return context;
}

// Reads argument 1, the feature, and if it is weighted, argument 2. Returns false if the row is to be skipped: the
// feature is NULL or its weight is NULL or 0.
inline bool get_feature(FunctionCallInfo fcinfo, bool weighted, Feature *feature)
{
    if (PG_ARGISNULL(1))
        return false;
    feature->weight = kWeightOne;
    if (weighted) {
        if (PG_ARGISNULL(2))
            return false;
        feature->weight = checked_weight(PG_GETARG_FLOAT8(2));
        if (feature->weight == 0)
            return false;
    }
    text *value = PG_GETARG_TEXT_PP(1);
    feature->hash = text_feature_hash(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
    return true;
}

} // namespace simhash
