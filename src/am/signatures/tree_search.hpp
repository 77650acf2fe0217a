// An exact search, by whichever costs less: the leaves that its plan lists, or a scan of the store. If what is left
// of the leaves turns out to cost more than a scan, the search changes to one, and skips the rows that it has
// returned. Approximate searches become exact by begin_exact.
#pragma once

#include "am/signatures/signature_search.hpp"

namespace simhash
{

// Starts the exact search that was planned with the query.
void begin_exact(SignatureSearch *search);
// The same if its first row may be enough: it begins with a few of the likeliest leaves, by weights unless they are null,
// even if a scan of the store follows.
void begin_likeliest(SignatureSearch *search, const float *weights);
// Sets the results to more rows, at least one. Returns false at the end.
bool next_exact(SignatureSearch *search, Results *results);

} // namespace simhash
