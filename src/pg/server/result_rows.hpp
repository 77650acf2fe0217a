// Results of functions that return rows.
#pragma once

#include "pg/server/postgres.hpp"

extern "C" {
#include "access/tupdesc.h"
#include "utils/tuplestore.h"
}

namespace simhash
{

// The row type that the calling SQL function returns.
TupleDesc result_row(FunctionCallInfo fcinfo);

// The rows that the calling function returns.
struct ResultRows {
    Tuplestorestate *store;
    TupleDesc type; // as declared

    template <std::size_t columns> void put(Datum (&values)[columns], bool (&nulls)[columns]) const
    {
        tuplestore_putvalues(store, type, values, nulls);
    }
    // Adds a row without NULL.
    template <std::size_t columns> void put(Datum (&values)[columns]) const
    {
        bool nulls[columns] = {};
        put(values, nulls);
    }
};
ResultRows begin_rows(FunctionCallInfo fcinfo);

} // namespace simhash
