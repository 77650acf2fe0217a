// A scan of the store. In each segment it reads the plane of sketches for candidates, or all body pages if the radius
// is so large that the plane would exclude few rows. Exact searches rely on it if it costs less than their trees.
#pragma once

#include "am/signatures/signature_search.hpp"

namespace simhash
{

void begin_scan_of_store(SignatureSearch *search);
// Sets the results to the rows of the next segment that has some. Returns false at the end.
bool next_segment_rows(SignatureSearch *search, Results *results);
// Finds the buffer of a body page that will be read next, or an invalid one.
Buffer find_body(const SignatureSearch &search, BlockNumber block);
// Sets the distances of the rows of a body page, and fetches the lines of the next one meanwhile: if all were asked for
// at once, the processor would wait for them.
void compare_body(const SignatureSearch &search, const char *page, Buffer next);

} // namespace simhash
