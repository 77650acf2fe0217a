// An exact search, by whichever costs less: the leaves that its plan lists, or a scan of the store. If what is left
// of the leaves turns out to cost more than a scan, the search changes to one, and skips the rows that it has
// returned. Approximate searches become exact by begin_exact.
#pragma once

#include "am/signatures/signature_query.hpp"

namespace simhash
{

// Starts the exact search that was planned with the query.
void begin_exact(SignatureSearch *search);
// Sets the results to more rows, at least one. Returns false at the end.
bool next_exact(SignatureSearch *search, Results *results);

} // namespace simhash
