// A scan of the store. In each segment it reads the plane of sketches for candidates, or all body pages if the radius
// is so large that the plane would exclude few rows. Exact searches rely on it if it costs less than their trees.
#pragma once

#include "am/signatures/signature_search.hpp"

namespace simhash
{

struct StoreScan {
    Segments segments; // in the context of the search
    Size segment;      // the next one
    std::uint64_t sketch[2];
    int plane_radius; // for which `by_plane` was computed
    bool by_plane;
    std::uint16_t *match; // memory for matches within a plane page
};

// Starts it for the query, without the rows in search->by_trees.
void begin_store_scan(SignatureSearch *search);

} // namespace simhash
