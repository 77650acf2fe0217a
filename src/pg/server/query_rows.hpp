// Reads the rows of a query that runs with the caller's privileges.
#pragma once

#include "pg/server/postgres.hpp"

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

// Calls what(row) for each row, in a memory context that is deleted afterwards. Rows are fetched in batches.
template <typename What> void for_each_query_row(const char *query, What what)
{
    MemoryContext caller = CurrentMemoryContext;
    SPI_connect();
    Portal portal =
        SPI_cursor_open_with_args(nullptr, query, 0, nullptr, nullptr, nullptr, true, CURSOR_OPT_NO_SCROLL);
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
