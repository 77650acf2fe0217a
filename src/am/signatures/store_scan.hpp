// A scan of the store. In each segment it reads the plane of sketches for candidates, or all body pages if the radius
// is so large that the plane would exclude few rows. Exact searches rely on it if it costs less than their trees, and
// approximate ones read single planes.
#pragma once

#include "am/signatures/signature_query.hpp"

namespace simhash
{

void begin_scan_of_store(SignatureSearch *search);
// Sets the results to the rows of the next segment that has some. Returns false at the end.
bool next_segment_rows(SignatureSearch *search, Results *results);
// Prefetches a body page, of which all will be read. Returns its buffer, or an invalid one.
Buffer prefetch_body(const SignatureSearch &search, BlockNumber block);
// Copies the positions of a plane's rows within `radius` of the query's sketch, and the distances of their sketches.
Size plane_candidates(SignatureSearch *search, BlockNumber block, int radius);

} // namespace simhash
