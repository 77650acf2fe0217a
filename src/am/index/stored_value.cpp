#include "am/index/stored_value.hpp"

extern "C" {
#include "access/genam.h"
#include "utils/memutils.h"
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

AttrNumber value_attribute(Relation index) { return static_cast<AttrNumber>(value_column(index) + 1); }

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
    if (!extracts(index))
        return {value, false};
    LOCAL_FCINFO(call, 1);
    MemoryContext caller = MemoryContextSwitchTo(empty_memory());
    InitFunctionCallInfoData(*call, index_getprocinfo(index, value_attribute(index), kExtractProc), 1,
                             index->rd_indcollation[value_column(index)], nullptr, nullptr);
    call->args[0].value = value;
    call->args[0].isnull = false;
    StoredValue stored = {};
    stored.value = FunctionCallInvoke(call);
    stored.null = call->isnull;
    MemoryContextSwitchTo(caller);
    return stored;
}

StoredValue stored_value(Relation index, const Datum *values, const bool *isnull)
{
    const int column = value_column(index);
    return isnull[column] ? StoredValue{0, true} : extract_value(index, values[column]);
}

} // namespace simhash
