// The access method's handler, which returns the table of its functions. PostgreSQL calls all other files through it
// and through the SQL functions. What depends on the indexed values goes on through the kind of the index
// (index/kind.hpp); scans and the clean-up after VACUUM are the same for all.
#include "am/create/tree_writer.hpp"
#include "am/index/kind.hpp"
#include "am/index/options.hpp"
#include "am/index/strategy.hpp"
#include "am/search/search.hpp"
#include "am/tree/vacuum.hpp"
#include "am/validate.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_index.h"
#include "commands/progress.h"
#include "commands/vacuum.h"
#include "nodes/makefuncs.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
}

namespace simhash
{

namespace
{

// CREATE INDEX. A build has a memory context of its own, so what a kind allocates need not be freed. With CONCURRENTLY,
// rows are inserted meanwhile by other sessions only after the build has finished, and validation adds those that it
// missed.
//
// Nobody else reads the index before the build is over. Page locks are only for whoever writes buffers to disk. An error
// or a crash leaves a file that the transaction's end, or recovery, removes or that an invalid index keeps.
IndexBuildResult *build(Relation heap, Relation index, IndexInfo *info)
{
    require_valid_opclass(index, info->ii_ExclusionStrats);
    if (RelationGetNumberOfBlocks(index) != 0)
        elog(ERROR, "index \"%s\" already contains data", RelationGetRelationName(index));
    forget_meta(index); // of the file before a TRUNCATE in place
    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash build", ALLOCSET_DEFAULT_SIZES);
    auto *result = allocate_zero<IndexBuildResult>();
    MemoryContext caller = MemoryContextSwitchTo(context);
    kind_of(index).build(heap, index, info, result);
    MemoryContextSwitchTo(caller);
    MemoryContextDelete(context);
    measure_neighbors(index);
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

// Whether rows can be returned in the order of a column's distances: the last column alone is searched, and not every
// operator class has a distance.
bool property(Oid index, int column, IndexAMProperty asked, const char * /*name*/, bool *answer,
              bool * /*null*/)
{
    if (asked != AMPROP_DISTANCE_ORDERABLE || column == 0)
        return false;
    HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
    if (!HeapTupleIsValid(tuple))
        return false;
    *answer = column == reinterpret_cast<Form_pg_index>(GETSTRUCT(tuple))->indnkeyatts &&
              has_distance(index, column);
    ReleaseSysCache(tuple);
    return true;
}

bool insert(Relation index, Datum *values, bool *isnull, ItemPointer pointer, const InsertedInto &into,
            IndexInfo *info)
{
    const StoredValue stored = stored_value(index, values, isnull);
    return kind_of(index).insert(index, stored, pointer, into, info);
}

// After VACUUM, and by ANALYZE.
IndexBulkDeleteResult *clean_up(IndexVacuumInfo *info, IndexBulkDeleteResult *stats)
{
    if (!info->analyze_only)
        stats = vacuum_cleanup(info, stats);
    measure_neighbors(info->index);
    return stats;
}

IndexBulkDeleteResult *bulk_delete(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
                                   IndexBulkDeleteCallback callback, void *callback_state)
{
    return kind_of(info->index).bulk_delete(info, stats, callback, callback_state);
}

} // namespace

} // namespace simhash

SIMHASH_FUNCTION(simhash_handler)
{
    using namespace simhash;
    IndexAmRoutine *routine = makeNode(IndexAmRoutine);

    routine->amstrategies = kStrategies;
    routine->amsupport = kExtractProc;
    routine->amcanorderbyop = true;
    routine->amcanmulticol = true;
    routine->amoptionalkey = true; // NULLs are indexed, so a scan without keys finds every row
    routine->amsearchnulls = true;
    routine->ampredlocks = true;
    routine->amstorage = true;
    routine->amcanparallel = false;
    set_can_build_parallel(routine);
    routine->amparallelvacuumoptions = VACUUM_OPTION_PARALLEL_BULKDEL | VACUUM_OPTION_PARALLEL_COND_CLEANUP;
    routine->amusemaintenanceworkmem = true; // parallel VACUUM divides it
    routine->amkeytype = InvalidOid;

    routine->ambuild = build;
    routine->ambuildempty = build_empty;
    routine->aminsert = insert_callback<insert>;
    routine->ambulkdelete = bulk_delete;
    routine->amvacuumcleanup = clean_up;
    routine->amcanreturn = nullptr; // no index-only scans: replay on a standby takes no cleanup locks
    routine->amcostestimate = estimate_cost;
    routine->amoptions = parse_index_options;
    routine->ambuildphasename = build_phase_name;
    routine->amproperty = property;
    routine->amvalidate = validate_opclass;
    routine->ambeginscan = begin_scan;
    routine->amrescan = rescan;
    routine->amgettuple = get_tuple;
    routine->amgetbitmap = get_bitmap;
    routine->amendscan = end_scan;

    PG_RETURN_POINTER(routine);
}
