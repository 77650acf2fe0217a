// Approximate searches of a wide index for the rows within a radius, with a target recall.
//
// Leaves are read in the order of the probability that they hold a near-duplicate (probe_source.hpp), and the
// probability that a row has been found follows from the leaves that were read
// (core/likely/probe_model.hpp). What they have cost tells what the rest will cost
// (core/likely/probe_model.hpp). If an exact search is cheaper, the search becomes exact, early enough to
// cost little more than that.
#pragma once

#include "am/signatures/probe_source.hpp"
#include "am/signatures/signature_search.hpp"

#include "core/likely/probe_model.hpp"

namespace simhash
{

struct ProbeSearch {
    ProbeSource source;
    FlipModel flips;
    ProbeModel model;
    double recall;
    double spent;                       // microseconds
    double leaves;                      // read
    double decide;                      // how the search goes on, when it has cost this much
    int candidate_radius[kKeyBits + 1]; // by depth of the leaf; -1 if unknown
    NumberSet seen;                     // the positions of the candidates so far
};

// Starts an approximate search around the center of a ball, for which an exact one has been planned.
void begin_probes(SignatureSearch *search, const SignatureBall &ball);

} // namespace simhash
