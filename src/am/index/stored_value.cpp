#include "am/index/stored_value.hpp"

#include "core/bits/split_mix.hpp"
#include "pg/server/compat.hpp"
#include "pg/types/signature_type.hpp"

extern "C" {
#include "access/genam.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/typcache.h"
}

namespace simhash
{

namespace
{

MemoryContext row_memory;

// Memory for one value. What an error has left there is freed by the next one.
MemoryContext empty_memory()
{
    if (row_memory == nullptr)
        row_memory = AllocSetContextCreate(TopMemoryContext, "simhash extraction", ALLOCSET_DEFAULT_SIZES);
    MemoryContextReset(row_memory);
    return row_memory;
}

Datum masked_signature(Datum value, std::uint64_t mask)
{
    const SignatureView signature = datum_signature(value);
    std::uint8_t *data;
    const Datum masked = make_signature(signature.bits, &data);
    std::memcpy(data, signature.data, static_cast<Size>(signature.bytes));
    mask_signature(data, signature.bits, mask);
    return masked;
}

AttrNumber value_attribute(Relation index) { return static_cast<AttrNumber>(value_column(index) + 1); }

// Returns a value of char(n) as a text.
Datum without_padding(Datum value)
{
    auto *chars = reinterpret_cast<varlena *>(PG_DETOAST_DATUM_PACKED(value));
    const int length = bpchartruelen(VARDATA_ANY(chars), static_cast<int>(VARSIZE_ANY_EXHDR(chars)));
    const Datum trimmed = PointerGetDatum(cstring_to_text_with_len(VARDATA_ANY(chars), length));
    if (PointerGetDatum(chars) != value)
        pfree(chars);
    return trimmed;
}

} // namespace

bool extracts(Relation index)
{
    return OidIsValid(index_getprocid(index, value_attribute(index), kExtractProc));
}

Oid stored_type(Relation index)
{
    const int column = value_column(index);
    return extracts(index) ? TupleDescAttr(RelationGetDescr(index), column)->atttypid
                           : index->rd_opcintype[column];
}

StoredValue extract_value(Relation index, Datum value)
{
    const int column = value_column(index);
    MemoryContext caller = MemoryContextSwitchTo(empty_memory());
    StoredValue stored = {value, false};
    if (extracts(index)) {
        LOCAL_FCINFO(call, 1);
        InitFunctionCallInfoData(*call, index_getprocinfo(index, value_attribute(index), kExtractProc), 1,
                                 index->rd_indcollation[column], nullptr, nullptr);
        call->args[0].value = value;
        call->args[0].isnull = false;
        stored.value = FunctionCallInvoke(call);
        stored.null = call->isnull;
    } else if (index->rd_opcintype[column] == BITOID) {
        stored.value = PointerGetDatum(PG_DETOAST_DATUM_PACKED(value));
    }
    MemoryContextSwitchTo(caller);
    return stored;
}

std::uint64_t mask_value(Relation index, int column, Oid type, Datum value, bool null, std::uint64_t mask)
{
    if (null)
        return hash_next(mask, 0);
    if (type == NAMEOID || type == BPCHAROID) {
        // A name's hash function ignores the collation, and that of char(n) hashes the padding under some collations. Where
        // neither matters, a text's hash is the same.
        const Datum as_text =
            type == NAMEOID ? CStringGetTextDatum(NameStr(*DatumGetName(value))) : without_padding(value);
        mask = mask_value(index, column, TEXTOID, as_text, false, mask);
        pfree(DatumGetPointer(as_text));
        return mask;
    }
    TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_HASH_EXTENDED_PROC_FINFO);
    if (!OidIsValid(entry->hash_extended_proc))
        elog(ERROR, "type %u has no hash function", type);
    return DatumGetUInt64(FunctionCall2Coll(&entry->hash_extended_proc_finfo, index->rd_indcollation[column],
                                            value, UInt64GetDatum(mask)));
}

StoredValue stored_value(Relation index, const Datum *values, const bool *isnull)
{
    const int column = value_column(index);
    if (isnull[column])
        return {0, true};
    StoredValue stored = extract_value(index, values[column]);
    if (column == 0 || stored.null)
        return stored;
    MemoryContext caller = MemoryContextSwitchTo(row_memory);
    std::uint64_t mask = kNoMask;
    for (int i = 0; i < column; i++)
        mask = mask_value(index, i, index->rd_opcintype[i], values[i], isnull[i], mask);
    stored.value = stored_type(index) == BITOID ? masked_signature(stored.value, mask)
                                                : fingerprint_datum(datum_fingerprint(stored.value) ^ mask);
    MemoryContextSwitchTo(caller);
    return stored;
}

} // namespace simhash
