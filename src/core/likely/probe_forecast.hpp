// What the rest of an approximate search will cost, in leaves.
//
// A row at distance f n differs from the query in i of the bits that lead to a leaf with the probability of a binomial
// distribution, and there are C(depth, i) such leaves. The candidates, and bits that depend on each other, change this
// by a factor, which the recall estimated so far determines.
#pragma once

namespace simhash
{

// An approximate search so far, and what it is to find.
struct ProbeProgress {
    int trees;
    double leaves; // of each tree
    double read;   // leaves, of all trees
    double f;      // the distance of the rows to be found, as a part of the bits
    double found;  // the recall estimated so far
    double target;
};

// The number of leaves that the search has to read in addition. Infinite if it cannot reach its target.
double forecast_leaves(const ProbeProgress &progress);

} // namespace simhash
