// Reads the rows of a query that runs with the caller's privileges.
#pragma once

#include "pg/server/postgres.hpp"

#include <initializer_list>

extern "C" {
#include "executor/spi.h"
#include "miscadmin.h"
}

namespace simhash
{

struct QueryRow {
    HeapTuple tuple;
    TupleDesc descriptor;

    // The first column has number 1.
    Datum column(int number, bool *null) const { return SPI_getbinval(tuple, descriptor, number, null); }
};

// Opens a cursor of a query. Raises an error unless it is a single statement that returns rows. Requires: SPI is
// connected.
Portal open_query(const char *query);

// For queries into which the caller's text is pasted in parentheses: raises an error unless it is one expression.
void require_expression(const char *text);
// Raises an error unless a query returns columns of these types.
void require_row_type(TupleDesc found, TupleDesc wanted);
// Raises an error unless a query returns columns of these types, or of domains over them. For what was found when the
// same names, or the same expression, were looked up before: that may have changed since, even by running it.
void require_types(TupleDesc found, std::initializer_list<Oid> wanted);

// Returns smallint, integer or bigint for a column that is of one of these types or of a domain over it, otherwise
// InvalidOid. The first column has number 1.
Oid integer_type(TupleDesc columns, int number);
// Returns an integer column's value. Raises an error if it is NULL; `what` names the value in the message, and
// `type` is the integer_type() of the column.
int64 integer_column(const QueryRow &row, int number, Oid type, const char *what);

// Calls check(columns) with the query's row type, and then what(row) for each row, in a memory context that is deleted
// afterwards. Rows are fetched in batches.
template <typename Check, typename What> void for_each_query_row(const char *query, Check check, What what)
{
    MemoryContext caller = CurrentMemoryContext;
    if (SPI_connect() != SPI_OK_CONNECT)
        elog(ERROR, "SPI_connect failed");
    Portal portal = open_query(query);
    check(portal->tupDesc);
    for (;;) {
        CHECK_FOR_INTERRUPTS();
        SPI_cursor_fetch(portal, true, 1000);
        if (SPI_processed == 0)
            break;
        for (uint64 i = 0; i < SPI_processed; i++)
            what(QueryRow{SPI_tuptable->vals[i], SPI_tuptable->tupdesc});
        SPI_freetuptable(SPI_tuptable);
    }
    SPI_cursor_close(portal);
    SPI_finish();
    MemoryContextSwitchTo(caller);
}

} // namespace simhash
