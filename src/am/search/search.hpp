// The access method's scans, their cost estimates, their paths in an order, and what they measure of neighbors.
#pragma once

#include "am/index/meta.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "access/amapi.h"
#include "access/genam.h"
#include "nodes/tidbitmap.h"
#include "storage/buf.h"
}

namespace simhash
{

IndexScanDesc begin_scan(Relation index, int nkeys, int norderbys);
void rescan(IndexScanDesc scan, ScanKey keys, int nkeys, ScanKey orderbys, int norderbys);
bool get_tuple(IndexScanDesc scan, ScanDirection direction);
int64 get_bitmap(IndexScanDesc scan, TIDBitmap *bitmap);
void end_scan(IndexScanDesc scan);
void estimate_cost(struct PlannerInfo *root, struct IndexPath *path, double loop_count, Cost *startup_cost,
                   Cost *total_cost, Selectivity *selectivity, double *correlation, double *pages);
// Adds a hook to the planner (nearest_path.cpp). Call once, when the library is loaded, after other hooks that add paths in
// an order.
void install_order_paths();
// Whether the rows of a table, with the conditions of the query, are in an index of ours that exists.
bool can_search(const struct IndexOptInfo *index);

// neighbors.cpp

// Measures the neighbors, and stores the figures in the metapage, logged. On a million rows in memory it took 5 to 13 ms of
// processor time, and 35 ms if all were near each other; more rows do not take longer. Entries of dead rows that VACUUM has
// not removed count, too.
void measure_neighbors(Relation index);

// Draws a page after the metapage, locked in share mode and checked. Returns an invalid buffer if it is unused.
Buffer draw_page(const OpenIndex &index, std::uint64_t random);

// Makes the figures of indexes known to the planner. Call once, when the library is loaded.
void install_neighbors();

} // namespace simhash
