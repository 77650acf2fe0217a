// simhash_index_memory(): the copies of inner pages that this session holds, for each index. Another role may have used the
// session before: the indexes of tables that the current one may not read are one row, without a name.
#include "am/index/rights.hpp"
#include "am/tree/inner_copies.hpp"

#include "pg/server/result_rows.hpp"

extern "C" {
#include "catalog/index.h"
}

namespace simhash
{

namespace
{

struct CopyCount {
    Oid index;
    int64 copies, bytes;
};

void add_copies(void *context, Oid index, int64 copies, int64 bytes)
{
    auto **all = static_cast<List **>(context);
    auto *count = allocate<CopyCount>();
    *count = {index, copies, bytes};
    *all = lappend(*all, count);
}

bool may_see(Oid index)
{
    const Oid table = IndexGetRelation(index, true);
    return OidIsValid(table) && may_read_any(table);
}

void put_row(const ResultRows &rows, const CopyCount &copies)
{
    Datum values[] = {ObjectIdGetDatum(copies.index), Int64GetDatum(copies.copies),
                      Int64GetDatum(copies.bytes)};
    bool nulls[lengthof(values)] = {!OidIsValid(copies.index)};
    rows.put(values, nulls);
}

} // namespace

} // namespace simhash

SIMHASH_FUNCTION(simhash_index_memory)
{
    using namespace simhash;
    const ResultRows rows = begin_rows(fcinfo);
    List *all = NIL;
    visit_copies(add_copies, &all);
    CopyCount others = {};
    ListCell *cell;
    foreach (cell, all) {
        const auto *count = static_cast<const CopyCount *>(lfirst(cell));
        if (may_see(count->index)) {
            put_row(rows, *count);
            continue;
        }
        others.copies += count->copies;
        others.bytes += count->bytes;
    }
    if (others.copies > 0)
        put_row(rows, others);
    PG_RETURN_VOID();
}
