// Documents as arguments of functions.
#pragma once

#include "pg/server/postgres.hpp"

namespace simhash
{

// The argument, which must not be NULL. Warns if it is a list of features that a client sent as text of no known type,
// which PostgreSQL takes for a document.
text *document_argument(FunctionCallInfo fcinfo, int argument);

} // namespace simhash
