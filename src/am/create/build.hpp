// CREATE INDEX. A build has a memory context of its own, so what a kind allocates need not be freed. With CONCURRENTLY,
// rows are inserted meanwhile by other sessions only after the build has finished, and validation adds those that it
// missed.
//
// Nobody else reads the index before the build is over. Page locks are only for whoever writes buffers to disk. An error
// or a crash leaves a file that the transaction's end, or recovery, removes or that an invalid index keeps.
#pragma once

#include "am/index/meta.hpp"

namespace simhash
{

// Phases for pg_stat_progress_create_index; 1 is PostgreSQL's "initializing".
enum BuildPhase {
    kPhaseScan = 2,
    kPhaseWriteFirst = 3, // then one for each tree
    kPhaseSample = kPhaseWriteFirst + kMaxTrees
};

IndexBuildResult *build(Relation heap, Relation index, IndexInfo *info);
void build_empty(Relation index);
char *build_phase_name(int64 phase);

} // namespace simhash
