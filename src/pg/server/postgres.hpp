// PostgreSQL's headers, made usable in C++. Every file of src/pg and src/am includes this first.
//
// Differences between PostgreSQL 13 and 19 are handled only in pg/server/compat.hpp.
#pragma once

// <cstdio> comes before postgres.h, which redefines printf and similar functions. <algorithm> and <cmath> are large: files
// that use them include them.
#include <cstdint>
#include <cstdio>
#include <cstring>
#if defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE < 12
#include <string> // <algorithm> includes it there
#endif

extern "C" {
#include "postgres.h"

#include "fmgr.h"
}

static_assert(SIZEOF_DATUM == 8, "simhash is passed by value: it needs 64-bit datums");

// Defines a function that SQL can call: SIMHASH_FUNCTION(simhash_in) { … PG_RETURN_… }
//
// PG_FUNCTION_INFO_V1 gives its symbols the translation unit's visibility, which is hidden here.
#define SIMHASH_FUNCTION(name)                                                                               \
    extern "C" {                                                                                             \
    __attribute__((visibility("default"))) Datum name(PG_FUNCTION_ARGS);                                     \
    __attribute__((visibility("default"))) const Pg_finfo_record *pg_finfo_##name(void);                     \
    const Pg_finfo_record *pg_finfo_##name(void)                                                             \
    {                                                                                                        \
        static const Pg_finfo_record info = {1};                                                             \
        return &info;                                                                                        \
    }                                                                                                        \
    }                                                                                                        \
    Datum name([[maybe_unused]] PG_FUNCTION_ARGS)

namespace simhash
{

// Memory for items in the current memory context; allocate_huge may be for more than a gigabyte, and in another context.
template <typename Item, typename Count = int> Item *allocate(Count count = 1)
{
    return static_cast<Item *>(palloc(sizeof(Item) * static_cast<Size>(count)));
}
template <typename Item, typename Count = int> Item *allocate_zero(Count count = 1)
{
    return static_cast<Item *>(palloc0(sizeof(Item) * static_cast<Size>(count)));
}
template <typename Item>
Item *allocate_huge(Size count, MemoryContext context = CurrentMemoryContext, int flags = 0)
{
    return static_cast<Item *>(
        MemoryContextAllocExtended(context, sizeof(Item) * count, MCXT_ALLOC_HUGE | flags));
}

// simhash as a Datum, and as an argument of a function.
inline Datum fingerprint_datum(std::uint64_t value) { return UInt64GetDatum(value); }
inline std::uint64_t datum_fingerprint(Datum value) { return DatumGetUInt64(value); }

} // namespace simhash

#define PG_GETARG_FINGERPRINT(n) simhash::datum_fingerprint(PG_GETARG_DATUM(n))
#define PG_RETURN_FINGERPRINT(x) return simhash::fingerprint_datum(x)
