// How many neighbors rows have (core/page/neighbor_figures.hpp): searches for some of the rows of an index, when it has been
// built, and by ANALYZE and VACUUM.
#pragma once

#include "am/index/meta.hpp"

extern "C" {
#include "storage/buf.h"
}

namespace simhash
{

// Measures the neighbors, and stores the figures in the metapage, logged. On a million rows in memory it took 5 to 13 ms of
// processor time, and 35 ms if all were near each other; more rows do not take longer. Entries of dead rows that VACUUM has
// not removed count, too.
void measure_neighbors(Relation index);

// Draws a page after the metapage, locked in share mode and checked. Returns an invalid buffer if it is unused.
Buffer draw_page(const OpenIndex &index, std::uint64_t random);

// Makes the figures of indexes known to the planner. Call once, when the library is loaded.
void install_neighbors();

} // namespace simhash
