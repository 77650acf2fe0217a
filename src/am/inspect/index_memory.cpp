// simhash_index_memory(): the copies of inner pages that this session holds, for each index.
#include "am/tree/inner_copies.hpp"

#include "pg/server/result_rows.hpp"

namespace simhash
{

namespace
{

struct CopyRows {
    Tuplestorestate *rows;
    TupleDesc row;
};

void add_row(void *context, Oid index, int64 copies, int64 bytes)
{
    const auto *result = static_cast<const CopyRows *>(context);
    Datum values[] = {ObjectIdGetDatum(index), Int64GetDatum(copies), Int64GetDatum(bytes)};
    bool nulls[lengthof(values)] = {};
    tuplestore_putvalues(result->rows, result->row, values, nulls);
}

} // namespace

} // namespace simhash

SIMHASH_FUNCTION(simhash_index_memory)
{
    using namespace simhash;
    CopyRows result;
    result.rows = begin_rows(fcinfo, &result.row);
    visit_copies(add_row, &result);
    PG_RETURN_VOID();
}
