// The versions of the stored and binary forms of types.
#pragma once

#include "pg/server/postgres.hpp"

extern "C" {
#include "libpq/pqformat.h"
}

namespace simhash
{

[[noreturn]] inline void report_binary_value(const char *type)
{
    ereport(ERROR, errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
            errmsg("invalid binary value of type %s", type));
    pg_unreachable();
}

// For a value that would have more than 1 GB.
[[noreturn]] inline void report_large_value(const char *type)
{
    ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("value of type %s is too large", type),
            errdetail("It would have more than %zu bytes.", MaxAllocSize));
    pg_unreachable();
}

[[noreturn]] inline void report_binary_version(int version, int known, const char *type)
{
    ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
            errmsg("unsupported version %d of the binary form of type %s", version, type),
            errdetail("This version of the extension reads version %d.", known),
            errhint("Send the value as text, or install the version of the extension that sent it."));
    pg_unreachable();
}

// A stored value, which may be toasted, and its copy in memory. Whoever may be called for many rows releases that.
struct StoredValueCopy {
    struct varlena *given, *value;

    explicit StoredValueCopy(Datum datum)
        : given(reinterpret_cast<struct varlena *>(DatumGetPointer(datum))),
          value(VARATT_IS_EXTENDED(given) ? pg_detoast_datum_packed(given) : given)
    {
    }
    const char *bytes() const { return VARDATA_ANY(value); }
    Size size() const { return VARSIZE_ANY_EXHDR(value); }
    void release()
    {
        if (value != given)
            pfree(value);
    }
};

// The byte with which a stored value begins, if that is its version.
// Not const: PostgreSQL's macros cast that away, of which Clang warns.
inline int stored_version(struct varlena *value)
{
    return VARSIZE_ANY_EXHDR(value) == 0 ? 0 : *reinterpret_cast<const std::uint8_t *>(VARDATA_ANY(value));
}

// For a stored value that is invalid or of a later version.
[[noreturn]] inline void report_stored_value(int version, int known, const char *type)
{
    if (version > known)
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                errmsg("unsupported version %d of a stored value of type %s", version, type),
                errdetail("This version of the extension reads version %d.", known),
                errhint("Install the version of the extension that stored it."));
    ereport(ERROR, errcode(ERRCODE_DATA_CORRUPTED), errmsg("invalid stored value of type %s", type),
            errdetail("Its form or its size is wrong."));
    pg_unreachable();
}

// Raises 0A000 for another version.
inline void receive_version(StringInfo message, int known, const char *type)
{
    const int version = pq_getmsgbyte(message);
    if (version != known)
        report_binary_version(version, known, type);
}

} // namespace simhash
