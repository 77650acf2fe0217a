// Exact searches. They read the leaves of a plan, or scan the store if that costs less.
//
// A search of the trees changes to a scan if what is left of it costs more: the estimates assume that leaves are
// equally full, which those of skewed signatures are not. One that may end at its first row begins with a few of the
// likeliest leaves, even if a scan follows.
#pragma once

#include "am/search/eager_source.hpp"
#include "am/signatures/signature_search.hpp"

namespace simhash
{

// With the keys of a signature.
struct SignatureSource : EagerSource {
    const std::uint64_t *keys; // in each tree
    const SignatureLayout *layout;
    const float *weights; // for the costs of flips
    float per_weight;     // by which z is computed (core/likely/step_order.hpp)
};

struct TreeSearch {
    static constexpr int kMostLikeliest = 64; // leaves
    SignatureSource source;
    bool by_scan;      // the plan: a scan costs less
    bool likeliest;    // the likeliest leaves are being read
    bool scan_follows; // a scan finds the other rows
    double spent;      // microseconds
    double leaves;     // read
    double scan_cost;  // for the query; infinite if the search can't change to it
    KeyRange range[kMostLikeliest];
};

// A scan of the store. In each segment it reads the plane of sketches for candidates, or all body pages if the radius
// is so large that the plane would exclude few rows.
struct StoreScan {
    Segments segments; // in the context of the search
    Size segment;      // the next one
    std::uint64_t sketch[2];
    int plane_radius; // for which `by_plane` was computed
    bool by_plane;
    std::uint16_t *match; // memory for matches within a plane page
};

// Sets the query, and plans an exact search for it.
void plan_exact(SignatureSearch *search, const std::uint8_t *query, int radius);
// Starts the search that was planned with the query.
void begin_exact(SignatureSearch *search);
// The same if its first row may be enough. Likely leaves are those by weights unless they are null.
void begin_likeliest(SignatureSearch *search, const float *weights);
// Starts a scan for the query, without the rows in search->by_trees (store_scan.cpp).
void begin_store_scan(SignatureSearch *search);

} // namespace simhash
