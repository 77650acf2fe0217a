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

struct AllCopies {
    int count, capacity;
    CopyCount *of;
};

void add_copies(void *context, Oid index, int64 copies, int64 bytes)
{
    auto *all = static_cast<AllCopies *>(context);
    if (all->count == all->capacity)
        all->of = static_cast<CopyCount *>(
            repalloc(all->of, sizeof(CopyCount) * static_cast<Size>(all->capacity *= 2)));
    all->of[all->count++] = {index, copies, bytes};
}

bool may_see(Oid index)
{
    const Oid table = IndexGetRelation(index, true);
    return OidIsValid(table) && may_read_any(table);
}

void put_row(Tuplestorestate *rows, TupleDesc row, const CopyCount &copies)
{
    Datum values[] = {ObjectIdGetDatum(copies.index), Int64GetDatum(copies.copies),
                      Int64GetDatum(copies.bytes)};
    bool nulls[lengthof(values)] = {!OidIsValid(copies.index)};
    tuplestore_putvalues(rows, row, values, nulls);
}

} // namespace

} // namespace simhash

SIMHASH_FUNCTION(simhash_index_memory)
{
    using namespace simhash;
    TupleDesc row;
    Tuplestorestate *rows = begin_rows(fcinfo, &row);
    AllCopies all = {0, 16, static_cast<CopyCount *>(palloc(sizeof(CopyCount) * 16))};
    visit_copies(add_copies, &all);
    CopyCount others = {};
    for (int i = 0; i < all.count; i++) {
        if (may_see(all.of[i].index)) {
            put_row(rows, row, all.of[i]);
            continue;
        }
        others.copies += all.of[i].copies;
        others.bytes += all.of[i].bytes;
    }
    if (others.copies > 0)
        put_row(rows, row, others);
    PG_RETURN_VOID();
}
