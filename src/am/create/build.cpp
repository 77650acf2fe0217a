// CREATE INDEX: collects the rows, chooses the bit order from a sample of them, then divides the rows by the
// keys of each table and writes its tree from the leaves up. parallel_build.cpp does the same with several
// processes.
#include "am/create/build.hpp"
#include "am/create/tree_writer.hpp"
#include "am/fingerprints/parallel_build.hpp"
#include "am/fingerprints/sample.hpp"
#include "am/index/failpoint.hpp"
#include "am/signatures/signature_build.hpp"

extern "C" {
#include "access/tableam.h"
#include "catalog/index.h"
#include "commands/progress.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
}

namespace simhash
{

namespace
{

struct BuildState {
    Spool<Position> rows;
    Spool<Position> nulls;
    Sample *sample;
};

void build_row(Relation, ItemPointer tid, Datum *values, bool *isnull, bool, void *context)
{
    auto *state = static_cast<BuildState *>(context);
    Position row = {isnull[0] ? 0 : datum_fingerprint(values[0]), tid_of(tid).packed()};
    if (isnull[0]) {
        add_to_spool(&state->nulls, row);
    } else {
        add_to_sample(state->sample, row);
        add_to_spool(&state->rows, row);
    }
}

void build_serially(Relation heap, Relation index, IndexInfo *info, const IndexOptions &options,
                    const TableDesign &design, IndexBuildResult *result)
{
    auto *state = static_cast<BuildState *>(palloc0(sizeof(BuildState)));
    state->sample = make_sample();
    begin_spool(&state->rows, maintenance_work_mem / 8 * 7);
    begin_spool(&state->nulls, maintenance_work_mem / 8);

    pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, kPhaseScan);
    result->heap_tuples = table_index_build_scan(heap, index, info, true, true, build_row, state, nullptr);
    failpoint(Failpoint::build_scanned);
    result->index_tuples = static_cast<double>(state->rows.rows + state->nulls.rows);

    MetaData data = plan_index(options, design, *state->sample);
    pfree(state->sample);
    auto *meta = static_cast<IndexMeta *>(palloc(sizeof(IndexMeta)));
    use_meta_data(data, meta);
    write_first_pages(index, MAIN_FORKNUM, data);

    pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_TOTAL,
                                 static_cast<int64>(state->rows.rows) * meta->tables() +
                                     static_cast<int64>(state->nulls.rows));
    BuildProgress progress;
    pg_atomic_init_u64(&progress.rows, 0);
    auto *writer = begin_tree<Position>(index, *meta, 1, &progress, true);

    for (int table = 0; table < meta->tables(); table++) {
        failpoint(Failpoint::build_table);
        pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, kPhaseWriteFirst + table);
        write_tree(writer, *meta, table, &state->rows);
    }
    write_tree(writer, *meta, meta->null_table(), &state->nulls);
    end_tree(writer);
    end_spool(&state->rows);
    end_spool(&state->nulls);
}

} // namespace

IndexBuildResult *build(Relation heap, Relation index, IndexInfo *info)
{
    if (RelationGetNumberOfBlocks(index) != 0)
        elog(ERROR, "index \"%s\" already contains data", RelationGetRelationName(index));
    if (is_wide_index(index))
        return build_signatures(heap, index, info);

    IndexOptions options = index_options(index);
    TableDesign design;
    design_from_options(options, &design);
    auto *result = static_cast<IndexBuildResult *>(palloc0(sizeof(IndexBuildResult)));

    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash build", ALLOCSET_DEFAULT_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(context);
    int workers = planned_build_workers(heap, index, info);
    if (workers == 0 || !build_in_parallel(heap, index, info, options, design, workers, result))
        build_serially(heap, index, info, options, design, result);
    MemoryContextSwitchTo(caller);
    MemoryContextDelete(context);
    return result;
}

void build_empty(Relation index)
{
    if (is_wide_index(index)) {
        build_empty_signatures(index);
        return;
    }
    IndexOptions options = index_options(index);
    TableDesign design;
    design_from_options(options, &design);
    std::uint8_t bit_order[kBits];
    choose_bit_order(design, nullptr, 0, bit_order);
    write_first_pages(index, INIT_FORKNUM, make_meta_data(options, design, bit_order));
}

char *build_phase_name(int64 phase)
{
    if (phase == PROGRESS_CREATEIDX_SUBPHASE_INITIALIZE)
        return pstrdup("initializing");
    if (phase == kPhaseScan)
        return pstrdup("scanning table");
    if (phase == kPhaseSample)
        return pstrdup("sampling table");
    if (phase >= kPhaseWriteFirst && phase < kPhaseWriteFirst + kMaxTables)
        return psprintf("sorting and writing block table %d", static_cast<int>(phase - kPhaseWriteFirst) + 1);
    return nullptr;
}

} // namespace simhash
