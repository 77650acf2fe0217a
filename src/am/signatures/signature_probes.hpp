// Approximate searches of a wide index, with a target recall: of the rows within a radius, or of the nearest rows
// (neighbor_search.hpp).
//
// Leaves are read in the order of the probability that they hold a near-duplicate (probe_source.hpp), and the
// probability that a row has been found follows from the leaves that were read
// (core/signature_tables/probe_model.hpp). What they have cost tells what the rest will cost
// (core/signature_tables/probe_forecast.hpp). If a scan of the plane is cheaper, it is made instead, and if an exact
// search is, the search becomes exact, early enough to cost little more than that.
#pragma once

#include "am/signatures/neighbors.hpp"
#include "am/signatures/probe_source.hpp"
#include "am/signatures/signature_query.hpp"

#include "core/signature_tables/probe_forecast.hpp"
#include "core/signature_tables/probe_model.hpp"

namespace simhash
{

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
    Neighbors neighbors;
};

// Starts an approximate search around the center of a ball, with the radius of the search.
void begin_probes(SignatureSearch *search, const SignatureBall &ball);
// Sets the results to more rows within the radius. Returns false when the target is reached or the search has become
// exact.
bool next_probed(SignatureSearch *search, Results *results);
void free_probes(SignatureSearch *search);

// For the search for the nearest rows.

// Reads some leaves, until their candidates are worth fetching together. Returns false at the end.
bool read_probes(SignatureSearch *search, Size *candidates);
// Drops those of the `count` candidates from number `from` on that have been verified before, and notes the others.
// Returns their number.
Size keep_new(SignatureSearch *search, Size from, Size count);
// For a trace: of the neighbors wanted, or of the rows at the radius.
double estimated_recall(const SignatureSearch &search);
// Whether it is time to decide how the search goes on.
bool must_decide(SignatureSearch *search);
// The progress at the rate `f` of errors, where the recall is `found`, and what the leaves that are left will cost.
ProbeProgress progress_of(const SignatureSearch &search, double f, double found);
double leaves_cost(const SignatureSearch &search, const ProbeProgress &progress);

} // namespace simhash
