// CREATE INDEX on fingerprints: collects the rows, chooses the bit order from a sample of them, then divides the rows
// by the keys of each tree and writes it from the leaves up. parallel_build.cpp does the same with several
// processes.
#include "am/create/tree_writer.hpp"
#include "am/fingerprints/fingerprint_kind.hpp"
#include "am/fingerprints/sample.hpp"
#include "am/index/failpoint.hpp"
#include "am/index/heap_tid.hpp"

extern "C" {
#include "access/tableam.h"
#include "commands/progress.h"
#include "miscadmin.h"
#include "pgstat.h"
}

namespace simhash
{

namespace
{

struct BuildState {
    BuildRows<Position> rows;
    BuildRows<Position> nulls;
    Sample *sample;
};

void build_row(Relation index, ItemPointer tid, Datum *values, bool *isnull, bool, void *context)
{
    auto *state = static_cast<BuildState *>(context);
    const StoredValue stored = stored_value(index, values, isnull);
    Position row = {stored.null ? 0 : datum_fingerprint(stored.value), tid_of(tid).packed()};
    if (stored.null) {
        state->nulls.add(row);
    } else {
        add_to_sample(state->sample, row);
        state->rows.add(row);
    }
}

void build_serially(Relation heap, Relation index, IndexInfo *info, const IndexOptions &options,
                    IndexBuildResult *result)
{
    auto *state = allocate_zero<BuildState>();
    state->sample = make_sample();
    state->rows.begin(maintenance_work_mem / 8 * 7);
    state->nulls.begin(maintenance_work_mem / 8);

    pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, kPhaseScan);
    result->heap_tuples = table_index_build_scan(heap, index, info, true, true, build_row, state, nullptr);
    failpoint(Failpoint::build_scanned);
    result->index_tuples = static_cast<double>(state->rows.count + state->nulls.count);

    MetaData data = plan_index(options, static_cast<double>(state->rows.count), *state->sample);
    pfree(state->sample);
    auto *meta = allocate<FingerprintMeta>();
    use_meta_data(data, meta);
    write_first_pages(index, MAIN_FORKNUM, data);

    pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_TOTAL,
                                 static_cast<int64>(state->rows.count) * meta->trees +
                                     static_cast<int64>(state->nulls.count));
    BuildProgress progress;
    pg_atomic_init_u64(&progress.rows, 0);
    auto *writer = begin_tree<Position>(index, *meta, 1, &progress, true);

    for (int tree = 0; tree < meta->trees; tree++) {
        failpoint(Failpoint::build_tree);
        pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, kPhaseWriteFirst + tree);
        write_tree(writer, *meta, tree, &state->rows);
    }
    write_tree(writer, *meta, meta->null_tree(), &state->nulls);
    end_tree(writer);
    state->rows.end();
    state->nulls.end();
}

} // namespace

void build_fingerprints(Relation heap, Relation index, IndexInfo *info, IndexBuildResult *result)
{
    IndexOptions options = index_options(index);
    check_design_options(index, options);
    if (options.lists != kDefaultLists)
        warn_of_option(index, "lists", "fingerprints", "Lists are for indexes on signatures, of type bit.");
    int workers = planned_build_workers(heap, index, info);
    if (workers == 0 || !build_in_parallel(heap, index, info, options, workers, result))
        build_serially(heap, index, info, options, result);
}

void write_first_pages(Relation index, ForkNumber fork, const MetaData &data)
{
    PGAlignedBlock image;
    init_meta_page(image.data, BLCKSZ, data);
    append_page(index, fork, image.data);
    append_roots(index, fork, data.design.trees, 1);
}

void build_no_fingerprints(Relation index)
{
    IndexOptions options = index_options(index);
    TreeDesign design;
    design_from_options(options, &design);
    std::uint8_t bit_order[kBits];
    choose_bit_order(design, nullptr, 0, bit_order);
    write_first_pages(index, INIT_FORKNUM, make_meta_data(options, design, bit_order));
}

} // namespace simhash
