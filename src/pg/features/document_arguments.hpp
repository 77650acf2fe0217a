// A document as an argument of functions, and the arguments `unit` and `size`, which select its shingles.
#pragma once

#include "core/text/text_features.hpp"
#include "pg/server/postgres.hpp"
#include "pg/types/text_reader.hpp"

extern "C" {
#include "utils/builtins.h"
}

namespace simhash
{

// The argument, which must not be NULL. Warns if it is a list of features that a client sent as text of no known type,
// which PostgreSQL takes for a document.
text *document_argument(FunctionCallInfo fcinfo, int argument);

struct Shingles {
    TextUnit unit;
    int size;
};

inline TextUnit text_unit(text *argument)
{
    const char *name = text_to_cstring(argument);
    if (std::strcmp(name, "word") == 0)
        return TextUnit::kWord;
    if (std::strcmp(name, "character") == 0)
        return TextUnit::kCharacter;
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
            errmsg("unrecognized unit of text features: \"%s\"", quoted(name)),
            *name == '{' || *name == '['
                ? errhint("Cast features and weights to their types, as in $1::text[], $2::float8[].")
                : errhint("Units are \"word\" and \"character\"."));
    pg_unreachable();
}

inline int checked_shingle_size(int size, int most)
{
    if (size < 1 || size > most)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("shingle size %d is out of range", size),
                errdetail("It must lie between 1 and %d.", most));
    return size;
}

// Reads `unit` from an argument and `size` from the next.
inline Shingles shingle_arguments(FunctionCallInfo fcinfo, int argument)
{
    TextUnit unit = text_unit(PG_GETARG_TEXT_PP(argument));
    return {unit, checked_shingle_size(PG_GETARG_INT32(argument + 1), kShingleSizeMax)};
}

} // namespace simhash
