// TABLESAMPLE reads few blocks of a table, or of partitions, or of shards. It has no effect on foreign tables: all
// their rows would be fetched, and counted as a sample. They get a condition on the ctid, which postgres_fdw sends to
// the other server. That server reads the whole table, but returns only a sample.
#include "pg/report/sample_query.hpp"

#include "pg/server/query_rows.hpp"
#include "pg/server/tables.hpp"

extern "C" {
#include "access/sysattr.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "foreign/foreign.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
}

#include <cmath>

namespace simhash
{

namespace
{

constexpr int kShares = 1 << 16; // a condition on the ctid chooses some of so many shares of the rows
constexpr int kFewShares = 64;
// How many rows are read for each value that is kept. Those of a block resemble each other, so rows from few blocks
// would not be representative.
constexpr double kReadByBlocks = 8;
constexpr double kReadByRows = 0.9; // all that there is room for

enum class Way { all, blocks, rows };

// What is known of a table before it is read.
struct Extent {
    double rows; // if known
    bool known;
    Way way; // in which a sample can be read
};

bool by_postgres_fdw(Oid table)
{
    const ForeignServer *server = GetForeignServer(GetForeignTable(table)->serverid);
    const Oid handler = GetForeignDataWrapper(server->fdwid)->fdwhandler;
    const char *name = OidIsValid(handler) ? get_func_name(handler) : nullptr;
    return name != nullptr && std::strcmp(name, "postgres_fdw_handler") == 0;
}

double counted_rows(Oid table)
{
    HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
    if (!HeapTupleIsValid(tuple))
        return 0;
    const double rows = reinterpret_cast<Form_pg_class>(GETSTRUCT(tuple))->reltuples;
    ReleaseSysCache(tuple);
    return Max(rows, 0);
}

void add_table(Oid table, char kind, Extent *extent)
{
    const double rows = counted_rows(table);
    extent->rows += rows;
    if (is_distributed(table)) {
        extent->known = false;
    } else if (kind == RELKIND_FOREIGN_TABLE) {
        extent->known = extent->known && rows > 0;
        if (!by_postgres_fdw(table))
            extent->way = Way::all;
        else if (extent->way == Way::blocks)
            extent->way = Way::rows;
    } else if (kind == RELKIND_VIEW) {
        extent->way = Way::all;
    }
}

bool may_read_ctid(Oid table)
{
    return pg_class_aclcheck(table, GetUserId(), ACL_SELECT) == ACLCHECK_OK ||
           pg_attribute_aclcheck(table, SelfItemPointerAttributeNumber, GetUserId(), ACL_SELECT) ==
               ACLCHECK_OK;
}

Extent find_extent(Relation relation)
{
    Extent extent = {0, true, Way::blocks};
    const Oid table = RelationGetRelid(relation);
    if (relation->rd_rel->relkind == RELKIND_PARTITIONED_TABLE && !is_distributed(table)) {
        ListCell *cell;
        foreach (cell, find_all_inheritors(table, AccessShareLock, nullptr)) {
            const char kind = get_rel_relkind(lfirst_oid(cell));
            if (kind != RELKIND_PARTITIONED_TABLE)
                add_table(lfirst_oid(cell), kind, &extent);
        }
    } else {
        add_table(table, relation->rd_rel->relkind, &extent);
    }
    if (extent.way == Way::rows && !may_read_ctid(table))
        extent.way = Way::all;
    return extent;
}

// The number in two bytes of a row's ctid.
const char *ctid_number(int byte)
{
    return psprintf("(pg_catalog.get_byte(pg_catalog.tidsend(ctid), %d) OPERATOR(pg_catalog.*) 256"
                    " OPERATOR(pg_catalog.+) pg_catalog.get_byte(pg_catalog.tidsend(ctid), %d))",
                    byte, byte + 1);
}

// A condition that chooses so many of kShares shares of the rows. The factors deal the rows of a page, and the pages,
// evenly to the shares; the sum is less than 2^31.
const char *share_condition(int shares)
{
    constexpr int kBlock = 2, kOffset = 4; // the bytes of the block number's lower half, and of the offset
    return psprintf(
        "((%s OPERATOR(pg_catalog.*) 25033) OPERATOR(pg_catalog.+) (%s OPERATOR(pg_catalog.*) 7639))"
        " OPERATOR(pg_catalog.%%) %d OPERATOR(pg_catalog.<) %d",
        ctid_number(kBlock), ctid_number(kOffset), kShares, shares);
}

// Counts the rows, or estimates their number from a small sample: a count of the rows of foreign partitions would
// fetch them.
double count_rows(Relation relation, Way way)
{
    const bool some = way == Way::rows;
    const char *query = psprintf("SELECT pg_catalog.count(*) FROM %s%s%s", qualified_name(relation),
                                 some ? " WHERE " : "", some ? share_condition(kFewShares) : "");
    double count = 0;
    for_each_query_row(
        query, [](TupleDesc columns) { require_types(columns, {INT8OID}); },
        [&](const QueryRow &row) {
            bool null;
            count = static_cast<double>(DatumGetInt64(row.column(1, &null)));
        });
    return some ? count * kShares / kFewShares : count;
}

} // namespace

const char *qualified_name(Relation relation)
{
    return quote_qualified_identifier(get_namespace_name(RelationGetNamespace(relation)),
                                      RelationGetRelationName(relation));
}

SampleQuery sample_query(Relation relation, const char *expression, Size values)
{
    Extent extent = find_extent(relation);
    if (!extent.known && extent.way != Way::all)
        extent.rows = count_rows(relation, extent.way);
    const char *all = psprintf("SELECT %s FROM %s", expression, qualified_name(relation));
    const double wanted =
        static_cast<double>(values) * (extent.way == Way::blocks ? kReadByBlocks : kReadByRows);
    if (extent.way == Way::all || extent.rows <= 2 * wanted)
        return {all, 1};
    const double share = wanted / extent.rows;
    if (extent.way == Way::blocks)
        return {psprintf("%s TABLESAMPLE SYSTEM (%.17g) REPEATABLE (0)", all, 100 * share), share};
    const int shares = static_cast<int>(std::ceil(share * kShares));
    return {psprintf("%s WHERE %s", all, share_condition(shares)), static_cast<double>(shares) / kShares};
}

} // namespace simhash
