// CREATE INDEX on a column of type bit.
#pragma once

#include "am/tree/index.hpp"

namespace simhash
{

IndexBuildResult *build_signatures(Relation heap, Relation index, IndexInfo *info);
void build_empty_signatures(Relation index);

} // namespace simhash
