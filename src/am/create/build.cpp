#include "am/create/build.hpp"

#include "am/index/kind.hpp"

extern "C" {
#include "commands/progress.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
}

namespace simhash
{

IndexBuildResult *build(Relation heap, Relation index, IndexInfo *info)
{
    if (RelationGetNumberOfBlocks(index) != 0)
        elog(ERROR, "index \"%s\" already contains data", RelationGetRelationName(index));
    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash build", ALLOCSET_DEFAULT_SIZES);
    auto *result = static_cast<IndexBuildResult *>(palloc0(sizeof(IndexBuildResult)));
    MemoryContext caller = MemoryContextSwitchTo(context);
    kind_of(index).build(heap, index, info, result);
    MemoryContextSwitchTo(caller);
    MemoryContextDelete(context);
    return result;
}

void build_empty(Relation index) { kind_of(index).build_empty(index); }

char *build_phase_name(int64 phase)
{
    if (phase == PROGRESS_CREATEIDX_SUBPHASE_INITIALIZE)
        return pstrdup("initializing");
    if (phase == kPhaseScan)
        return pstrdup("scanning table");
    if (phase == kPhaseSample)
        return pstrdup("sampling table");
    if (phase >= kPhaseWriteFirst && phase < kPhaseWriteFirst + kMaxTrees)
        return psprintf("sorting and writing tree %d", static_cast<int>(phase - kPhaseWriteFirst) + 1);
    return nullptr;
}

} // namespace simhash
