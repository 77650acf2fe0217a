// Approximate searches of a wide index: of the rows within a radius, or of the nearest rows, with a target recall.
//
// Leaves are read in the order of the probability that they hold a near-duplicate (probe_source.hpp), and the
// probability that a row has been found follows from the leaves that were read (core/signature_tables/probe_model.hpp).
// What they have cost tells what the rest will cost (core/signature_tables/probe_forecast.hpp). If a scan of the plane is
// cheaper, it is made instead, and if an exact search is, the search becomes exact, early enough to cost little more than
// that.
#pragma once

#include "am/signatures/probe_source.hpp"
#include "am/signatures/signature_search.hpp"

#include "core/signature_tables/probe_forecast.hpp"
#include "core/signature_tables/probe_model.hpp"

namespace simhash
{

// A set of store positions or tids. PostgreSQL's dynahash takes up to an eighth more time in long searches, see
// bench/wide/README.md.
struct NumberSet {
    uint64 *slot; // 0 if free
    Size capacity;
    Size count;
    MemoryContext context;
};

struct Probes {
    ProbeSource source;
    FlipModel flips;
    ProbeModel model;
    double recall;
    double spent;     // microseconds
    double leaves;    // read
    double decide;    // how the search goes on, when it has cost this much
    double *sketches; // rows by distance of their sketches, estimated; null until it is needed
    int candidate_radius[kKeyBits + 1]; // by depth of the leaf; -1 if unknown

    // The positions of candidates that have been verified. Once a search for neighbors has become exact, the tids of
    // the rows that it has returned at the last distance.
    NumberSet seen;
    bool by_tid;

    // Neighbors found: up to `returned` those returned, in that order.
    Hit *row;
    Size rows, capacity, returned;
    Size wanted; // in addition to those returned
    int last;    // the distance of the last row returned, -1 for none
    Size *count; // rows by distance
};

// Starts an approximate search around the center of a ball, with the radius of the search.
void begin_probes(SignatureSearch *search, const SignatureBall &ball);
// Sets the results to more rows within the radius. Returns false when the target is reached or the search has become
// exact.
bool next_probed(SignatureSearch *search, Results *results);
// Sets the results to the next of the nearest rows, sorted. Returns false if the search has become exact: the rows
// at distance `*done` and nearer have been returned, and those at the next distance that were returned are skipped.
bool next_neighbors(SignatureSearch *search, Results *results, int *done);
// The distance within which an approximate search that has become exact knows enough rows, all of which are farther than
// `done`; -1 if it does not.
int known_distance(const SignatureSearch &search, int done);
// Whether an approximate search that has become exact has returned a row already.
bool was_returned(const SignatureSearch &search, uint64 position, uint64 tid);
void free_probes(SignatureSearch *search);

} // namespace simhash
