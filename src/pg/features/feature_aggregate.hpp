// What aggregates over features share: their input, which is one feature a row, and the frame of their states.
#pragma once

#include "pg/features/utf8_text.hpp"
#include "pg/server/compat.hpp"
#include "pg/types/weights_type.hpp"

extern "C" {
#include "lib/stringinfo.h"
}

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
        feature->weight = feature_weight(PG_GETARG_FLOAT8(2));
        if (feature->weight == 0)
            return false;
    }
    feature->hash = text_feature_hash(PG_GETARG_TEXT_PP(1));
    return true;
}

// The state of an aggregate, of type internal, which an argument is.
template <typename State> State *state_argument(FunctionCallInfo fcinfo, int argument)
{
    return reinterpret_cast<State *>(PG_GETARG_POINTER(argument));
}

// The state that a transition changes, argument 0. All of a new one is zero.
template <typename State> State *running_state(FunctionCallInfo fcinfo)
{
    MemoryContext context = aggregate_context(fcinfo);
    if (!PG_ARGISNULL(0))
        return state_argument<State>(fcinfo, 0);
    return static_cast<State *>(MemoryContextAllocZero(context, sizeof(State)));
}

// Sets the size of the result, which is 0 before the first feature and the same for all of them. Returns whether it
// was 0. `message` is the error's if the size differs.
inline bool set_result_size(int *size, int given, const char *message)
{
    if (*size == given)
        return false;
    if (*size != 0)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s", message),
                errdetail("It is %d, and was %d before.", given, *size));
    *size = given;
    return true;
}

// Reads a state from the binary form in which it is passed between processes.
inline StringInfoData state_reader(bytea *bytes)
{
    StringInfoData buffer = {};
    buffer.data = VARDATA_ANY(bytes);
    buffer.len = buffer.maxlen = static_cast<int>(VARSIZE_ANY_EXHDR(bytes));
    return buffer;
}

} // namespace simhash
