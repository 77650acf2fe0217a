// FROM a, LATERAL (SELECT ... FROM b ORDER BY b.h <@> a.h LIMIT 1): within the subquery a.h is a parameter that a worker
// of a Gather there does not get. PostgreSQL tests the conditions and the output of a table for such parameters, but not the
// order of an index scan. Of a partitioned table it then runs that scan in a worker, which reads a null pointer.
#include "am/search/parallel_order.hpp"

#include "am/search/search.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "optimizer/clauses.h"
#include "optimizer/paths.h"
}

namespace simhash
{

namespace
{

set_rel_pathlist_hook_type next_hook;

void keep_from_workers(PlannerInfo *root, RelOptInfo *rel, Index number, RangeTblEntry *entry)
{
    if (next_hook != nullptr)
        next_hook(root, rel, number, entry);
    ListCell *cell;
    foreach (cell, rel->pathlist) {
        auto *path = static_cast<Path *>(lfirst(cell));
        if (!IsA(path, IndexPath) || !path->parallel_safe)
            continue;
        const auto *scan = reinterpret_cast<const IndexPath *>(path);
        if (has_cost_estimate(scan->indexinfo, estimate_cost) &&
            !is_parallel_safe(root, reinterpret_cast<Node *>(scan->indexorderbys)))
            path->parallel_safe = false;
    }
}

} // namespace

void install_parallel_orders()
{
    next_hook = set_rel_pathlist_hook;
    set_rel_pathlist_hook = keep_from_workers;
}

} // namespace simhash
