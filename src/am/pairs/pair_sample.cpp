// simhash_pair_sample(index, document, distance, pairs): some pairs of rows at each distance, with their exact
// similarity. So the owner of a table sees at which distance pairs stop being near-duplicates.
#include "pg/server/query_rows.hpp"
#include "pg/server/result_rows.hpp"

extern "C" {
#include "catalog/index.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

namespace simhash
{

namespace
{

// The query runs with the caller's privileges and search_path: only the caller's expression depends on that.
const char *pair_query(Oid index, const char *table, const char *schema, const char *document, int distance,
                       int pairs)
{
    return psprintf(
        "WITH pair AS (SELECT p.*, pg_catalog.count(*) OVER (PARTITION BY p.distance) AS pairs,"
        " pg_catalog.row_number() OVER (PARTITION BY p.distance ORDER BY pg_catalog.random()) AS place"
        " FROM %s.simhash_pairs(%u::pg_catalog.oid::pg_catalog.regclass, %d) AS p)"
        " SELECT pair.distance, pair.pairs, pair.a, pair.b, pair.a_table, pair.b_table,"
        " %s.feature_cosine(x.document, y.document), %s.feature_jaccard(x.document, y.document, 'word', 3)"
        " FROM pair, LATERAL (SELECT (%s\n)::pg_catalog.text AS document FROM %s"
        " WHERE tableoid OPERATOR(pg_catalog.=) pair.a_table AND ctid OPERATOR(pg_catalog.=) pair.a) AS x,"
        " LATERAL (SELECT (%s\n)::pg_catalog.text AS document FROM %s"
        " WHERE tableoid OPERATOR(pg_catalog.=) pair.b_table AND ctid OPERATOR(pg_catalog.=) pair.b) AS y"
        " WHERE pair.place OPERATOR(pg_catalog.<=) %d ORDER BY pair.distance, pair.place",
        schema, index, distance, schema, schema, document, table, document, table, pairs);
}

} // namespace

} // namespace simhash

SIMHASH_FUNCTION(simhash_pair_sample)
{
    using namespace simhash;
    const Oid index = PG_GETARG_OID(0);
    const int distance = PG_GETARG_INT32(2);
    const int pairs = PG_GETARG_INT32(3);
    const char *index_name = get_rel_name(index);
    const Oid table = IndexGetRelation(index, true);
    if (!OidIsValid(table) || index_name == nullptr)
        ereport(ERROR, errcode(ERRCODE_WRONG_OBJECT_TYPE),
                errmsg("\"%s\" is not an index", index_name == nullptr ? psprintf("%u", index) : index_name));
    if (pairs < 1)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("number of pairs %d is out of range", pairs),
                errhint("Give the most pairs at each distance, at least 1."));
    const char *name = get_rel_name(table);
    const char *schema = get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid));
    if (name == nullptr || schema == nullptr)
        ereport(ERROR, errcode(ERRCODE_UNDEFINED_TABLE),
                errmsg("the table of index %u does not exist", index));
    const char *query =
        pair_query(index, quote_qualified_identifier(get_namespace_name(get_rel_namespace(table)), name),
                   quote_identifier(schema), text_to_cstring(PG_GETARG_TEXT_PP(1)), distance, pairs);
    TupleDesc row;
    Tuplestorestate *store = begin_rows(fcinfo, &row);
    for_each_query_row(query, [&](const QueryRow &found) { tuplestore_puttuple(store, found.tuple); });
    PG_RETURN_NULL();
}
