// The elements of an array argument.
#pragma once

#include "pg/server/postgres.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/array.h"
}

namespace simhash
{

struct Elements {
    Datum *values;
    bool *nulls;
    int count;
};

// Requires: the element type is text, or `type` is a type of 8 bytes that is passed by value.
inline Elements array_elements(ArrayType *array, Oid type)
{
    Elements out;
    if (type == TEXTOID)
        deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &out.values, &out.nulls, &out.count);
    else
        deconstruct_array(array, type, 8, true, TYPALIGN_DOUBLE, &out.values, &out.nulls, &out.count);
    return out;
}

// The same for a function argument, which must have at most one dimension. `which` names the elements in the
// error message.
inline Elements list_argument(FunctionCallInfo fcinfo, int argument, Oid type, const char *which)
{
    ArrayType *array = PG_GETARG_ARRAYTYPE_P(argument);
    if (ARR_NDIM(array) > 1)
        ereport(ERROR, errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
                errmsg("the array of %s must have one dimension", which),
                errdetail("It has %d.", ARR_NDIM(array)));
    return array_elements(array, type);
}

inline void free_elements(const Elements &elements)
{
    pfree(elements.values);
    pfree(elements.nulls);
}

} // namespace simhash
