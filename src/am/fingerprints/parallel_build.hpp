// CREATE INDEX with parallel workers.
#pragma once

#include "am/tree/index.hpp"

namespace simhash
{

// Builds an index with up to `workers` workers. Returns false, and has done nothing, if no worker could be
// started.
bool build_in_parallel(Relation heap, Relation index, IndexInfo *info, const IndexOptions &options,
                       const TableDesign &design, int workers, IndexBuildResult *result);

} // namespace simhash
