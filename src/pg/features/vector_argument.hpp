// Vectors as SQL values: arrays of finite numbers.
#pragma once

#include "core/features/random_projection.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/array.h"
}

#include <cmath>

namespace simhash
{

template <typename Number> struct Vector {
    const Number *values;
    std::size_t count;
};

// The vector in a double precision[].
inline Vector<double> checked_vector(ArrayType *array)
{
    Assert(ARR_ELEMTYPE(array) == FLOAT8OID);
    if (ARR_NDIM(array) > 1)
        ereport(ERROR, errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR), errmsg("a vector must have one dimension"),
                errdetail("It has %d.", ARR_NDIM(array)));
    if (array_contains_nulls(array))
        ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                errmsg("a vector must not contain null values"));
    auto count = static_cast<std::size_t>(ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)));
    if (count > kDimensionsMax)
        ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("the vector has too many elements"),
                errdetail("It has %zu, and may have %zu.", count, kDimensionsMax));
    const auto *values = reinterpret_cast<const double *>(ARR_DATA_PTR(array));
    for (std::size_t i = 0; i < count; i++)
        if (!std::isfinite(values[i]))
            ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("elements of a vector must be finite numbers"),
                    errdetail("Element %zu is %s.", i + 1,
                              std::isnan(values[i]) ? "NaN"
                              : values[i] > 0       ? "Infinity"
                                                    : "-Infinity"));
    return {values, count};
}

} // namespace simhash
