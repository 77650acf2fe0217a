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

// `type` is text, which any type with the same storage may stand for, or the element type, of 8 bytes and passed by
// value.
inline Elements array_elements(ArrayType *array, Oid type)
{
    Assert(type == TEXTOID || ARR_ELEMTYPE(array) == type);
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

// Features and their weights, element by element.
struct WeightedLists {
    Elements features;
    Elements weights;
};

// Reads features from an argument and their weights, a float8[], from the next. `which` names the features.
inline WeightedLists weighted_lists(FunctionCallInfo fcinfo, int argument, Oid type, const char *which)
{
    WeightedLists lists = {list_argument(fcinfo, argument, type, which),
                           list_argument(fcinfo, argument + 1, FLOAT8OID, "weights")};
    if (lists.features.count != lists.weights.count)
        ereport(
            ERROR, errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
            errmsg("there must be as many weights as %s", which),
            errdetail("There are %d %s and %d weights.", lists.features.count, which, lists.weights.count));
    return lists;
}

// A bigint[] of numbers whose sign is not used.
inline Datum bigint_array_datum(const std::uint64_t *numbers, int count)
{
    auto *values = static_cast<Datum *>(palloc(static_cast<std::size_t>(count) * sizeof(Datum)));
    for (int i = 0; i < count; i++)
        values[i] = Int64GetDatum(static_cast<std::int64_t>(numbers[i]));
    ArrayType *array = construct_array(values, count, INT8OID, sizeof(std::int64_t), true, TYPALIGN_DOUBLE);
    pfree(values);
    return PointerGetDatum(array);
}

} // namespace simhash
