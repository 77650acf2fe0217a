// An approximate search for the nearest rows. It reads leaves as signature_probes does, until enough neighbors are
// found by its estimate. When it must decide, it goes on with what finds the rest at the lowest cost: more leaves, a
// scan of all planes, or an exact search, in rings.
#pragma once

#include "am/signatures/signature_probes.hpp"

namespace simhash
{

// Sets the results to the next of the nearest rows, sorted. Returns false if the search has become exact: the rows
// at distance `*done` and nearer have been returned, and those at the next distance that were returned are skipped.
bool next_neighbors(SignatureSearch *search, Results *results, int *done);
// The distance within which an approximate search that has become exact knows enough rows, all of which are farther
// than `done`; -1 if it does not.
int known_distance(const SignatureSearch &search, int done);

} // namespace simhash
