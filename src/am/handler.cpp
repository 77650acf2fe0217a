// The access method's handler, which returns the table of its functions. PostgreSQL calls all other files through it
// and through the SQL functions. What depends on the indexed values goes on through the kind of the index
// (index/kind.hpp); scans and the clean-up after VACUUM are the same for all.
#include "am/create/build.hpp"
#include "am/index/kind.hpp"
#include "am/index/options.hpp"
#include "am/index/strategy.hpp"
#include "am/search/search.hpp"
#include "am/tree/vacuum.hpp"
#include "am/validate.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_index.h"
#include "commands/vacuum.h"
#include "nodes/makefuncs.h"
#include "utils/syscache.h"
}

namespace simhash
{

namespace
{

IndexBuildResult *build_checked(Relation heap, Relation index, IndexInfo *info)
{
    require_valid_opclass(index);
    IndexBuildResult *result = build(heap, index, info);
    measure_neighbors(index);
    return result;
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

    routine->ambuild = build_checked;
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
