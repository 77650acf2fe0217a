// CREATE INDEX by several processes.
#pragma once

#include "am/tree/index.hpp"

namespace simhash
{

// Tries to build with up to so many workers. Returns false, and has done nothing, if there are none to be
// had.
bool build_in_parallel(Relation heap, Relation index, IndexInfo *info, const IndexOptions &options,
                       const TableDesign &design, int workers, IndexBuildResult *result);

} // namespace simhash
