// The access method's scans, their cost estimates, and their paths in an order.
#pragma once

#include "pg/server/compat.hpp"

extern "C" {
#include "access/amapi.h"
#include "access/genam.h"
#include "nodes/tidbitmap.h"
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

} // namespace simhash
