// Approximate searches of a wide index for the rows within a radius, with a target recall.
//
// Leaves are read in the order of the probability that they hold a near-duplicate. The probability that a row has been
// found follows from them, and what they have cost tells what the rest will cost (core/likely/probe_model.hpp). If an
// exact search is cheaper, the search becomes exact, early enough to cost little more than that.
#pragma once

#include "am/signatures/signature_search.hpp"

#include "core/layout/key_ball.hpp"
#include "core/likely/probe_model.hpp"

namespace simhash
{

// Equal keys that fill leaves of their own. A row with so many copies lies in such leaves in every tree. The ball reaches
// them only if it allows all errors of the key, but a leaf of many keys if it allows those in their common bits. So all
// copies would be missed in all trees, where the model assumes that trees miss a row independently. Once the leaf with the
// first of the keys has been read, the others are, too, if they are candidates there.
struct KeyRun {
    int tree;
    Position next; // to be read, of the run's key
};
inline constexpr int kMostRuns = 4 * kMostAhead; // at once; further ones are left out

// The leaves, the likeliest first: those that reach into a ball around the query's key in any tree, then those of the next
// larger ball; runs beside them come first.
struct ProbeSource : LeafSource {
    int trees;
    const std::uint64_t *keys; // the query's
    std::uint8_t cost[kMaxTrees][kKeyBits];
    int least_step, step; // by which the ball grows
    int budget;           // of the present ball
    int read_to;          // the budget of the ball before, whose leaves have been read
    int most;             // the budget that reaches every leaf
    int tree;             // the next leaf's tree
    bool found;           // a leaf of the present ball had not been read
    bool in_tree;
    Position next;
    struct {
        Position first; // of the page to be read
        int budget;     // of the ball at that time
        bool run;       // read for a run
    } part[kMostAhead]; // by slot of a located leaf
    KeyRun run[kMostRuns];
    int runs;        // that have not been located to their ends
    int run_leaves;  // that have been located but not read
    NumberSet noted; // the runs so far, hashed
};

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
