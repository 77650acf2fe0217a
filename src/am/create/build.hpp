// CREATE INDEX. A build has a memory context of its own, so what a kind allocates need not be freed. With CONCURRENTLY,
// rows are inserted meanwhile by other sessions only after the build has finished, and validation adds those that it
// missed.
#pragma once

#include "am/index/meta.hpp"

namespace simhash
{

// Phases for pg_stat_progress_create_index; 1 is PostgreSQL's "initializing".
enum BuildPhase {
    kPhaseScan = 2,
    kPhaseWriteFirst = 3, // then one for each table
    kPhaseSample = kPhaseWriteFirst + kMaxTables
};

IndexBuildResult *build(Relation heap, Relation index, IndexInfo *info);
void build_empty(Relation index);
char *build_phase_name(int64 phase);

} // namespace simhash
