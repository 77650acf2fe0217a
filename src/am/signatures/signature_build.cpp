// CREATE INDEX on signatures. The layout of the keys is chosen from a sample, which is read before the table is
// scanned: so the scan can write the store at once. Then each tree is written from the store. With lists, another sample
// decides on their centers, and the store is written when the rows have been sorted by list.
#include "am/create/parallel_work.hpp"
#include "am/index/heap_tid.hpp"
#include "am/signatures/list_build.hpp"
#include "am/signatures/signature_kind.hpp"

extern "C" {
#include "access/tableam.h"
#include "commands/progress.h"
#include "pgstat.h"
#include "utils/memutils.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

// The sample consists of all rows of small ranges of blocks, evenly spread over the table.
constexpr BlockNumber kSampleRanges = 128;

struct LayoutSample {
    const SignatureMeta *meta; // only the number of bits is known
    Relation index;
    std::uint8_t *row = nullptr;
    int rows = 0;
    int wanted = 0;  // rows until the end of the present range
    double seen = 0; // rows in the blocks that were read
    double blocks = 0;

    // Estimated, of a table with so many blocks.
    double rows_of(BlockNumber all) const { return blocks > 0 ? seen / blocks * all : 0; }
};

int indexed_bits(Relation index)
{
    const int bits = declared_bits(index);
    if (bits < 0)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("the signatures of index \"%s\" do not have a fixed length",
                       RelationGetRelationName(index)),
                errhint("Change the type of the column to bit(n), or cast the expression to bit(n)."));
    if (bits <= kBits || bits > kMostSignatureBits)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("cannot create a simhash index on signatures of %d bits", bits),
                errdetail("Signatures have %d to %d bits.", kFewestSignatureBits, kMostSignatureBits),
                bits > kBits    ? 0
                : bits == kBits ? errhint("Index the column cast to simhash, or change its type to simhash.")
                                : errhint("Index the column cast to bit(64) and then to simhash."));
    return bits;
}

void check_options(Relation index, const IndexOptions &options, int bits)
{
    int trees = signature_trees(options, bits);
    if (options.trees > trees)
        ereport(WARNING, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("index \"%s\" is built with %d trees", RelationGetRelationName(index), trees),
                errdetail("With pages of %d bytes, an index on signatures of %d bits can have no more.",
                          BLCKSZ, bits));
    if (design_radius_given(index))
        warn_of_option(index, "design_radius", "signatures",
                       "The number of trees decides which radii it suits.");
    if (value_column(index) > 0 && lists_given(index))
        warn_of_option(index, "lists", "signatures behind other columns",
                       "Only an index on signatures alone has lists.");
}

void pause_layout()
{
    failpoint(Failpoint::layout_step);
    CHECK_FOR_INTERRUPTS();
}

SignatureMetaData make_signature_meta(Relation index, const LayoutSample &sample)
{
    IndexOptions options = index_options(index);
    int bits = sample.meta->layout.bits;
    SignatureMetaData data;
    std::memset(static_cast<void *>(&data), 0, sizeof(data));
    data.magic = kMagic;
    data.version = kSignatureVersion;
    data.fillfactor = static_cast<std::uint8_t>(options.fillfactor);
    auto *columns = allocate<std::uint64_t>(kColumnWords * static_cast<Size>(bits));
    choose_layout(bits, signature_trees(options, bits), default_key_words(bits), sample.row,
                  static_cast<Size>(sample.meta->layout.bytes()), sample.rows, columns, &data.layout,
                  pause_layout);
    failpoint(Failpoint::layout_chosen);
    pfree(columns);
    data.map = root_block(data.layout.trees) + 1;
    return data;
}

void sample_row(Relation index, ItemPointer, Datum *values, bool *isnull, bool, void *context)
{
    auto *sample = static_cast<LayoutSample *>(context);
    const StoredValue stored = stored_value(index, values, isnull);
    if (stored.null)
        return;
    sample->seen++;
    if (sample->rows >= sample->wanted)
        return;
    Size bytes = static_cast<Size>(sample->meta->layout.bytes());
    std::memcpy(sample->row + bytes * static_cast<Size>(sample->rows++),
                indexed_signature(sample->index, *sample->meta, stored.value), bytes);
}

void read_sample(Relation heap, IndexInfo *info, int most, LayoutSample *sample)
{
    sample->row = allocate_huge<std::uint8_t>(static_cast<Size>(sample->meta->layout.bytes()) *
                                              static_cast<Size>(most));
    BlockNumber blocks = RelationGetNumberOfBlocks(heap);
    BlockNumber ranges = Min(blocks, kSampleRanges);
    for (BlockNumber i = 0; i < ranges; i++) {
        BlockNumber from = static_cast<BlockNumber>(uint64{blocks} * i / ranges);
        BlockNumber to = static_cast<BlockNumber>(uint64{blocks} * (i + 1) / ranges);
        sample->wanted = static_cast<int>(int64{most} * (i + 1) / ranges);
        while (from < to && sample->rows < sample->wanted) {
            // One block after the other, since rows may be few or wide.
            table_index_build_range_scan(heap, sample->index, info, false, false, false, from, 1, sample_row,
                                         sample, nullptr);
            from++;
            sample->blocks++;
            CHECK_FOR_INTERRUPTS();
        }
    }
}

// What one process of a build does.
struct SignatureBuild {
    MemoryContext row_context; // for values that have to be detoasted
    Relation index;
    const SignatureMeta *meta;
    int processes;
    StoreWriter *store;
    ListBuild *lists;           // null without lists
    BuildRows<Position> *nulls; // null in a worker, which passes its NULLs to the leader in a file
    BufFile *nulls_file;
    uint64 nulls_in_file;
    uint64 rows; // of this process's part of the table, with a value
    BuildProgress *progress;
};

void build_row(Relation index, ItemPointer tid, Datum *values, bool *isnull, bool, void *context)
{
    auto *build = static_cast<SignatureBuild *>(context);
    const StoredValue stored = stored_value(index, values, isnull);
    if (stored.null) {
        Position row = {0, tid_of(tid).packed()};
        if (build->nulls != nullptr) {
            build->nulls->add(row);
        } else {
            write_row_file(build->nulls_file, &row, 1);
            build->nulls_in_file++;
        }
        return;
    }
    MemoryContext caller = MemoryContextSwitchTo(build->row_context);
    const std::uint8_t *signature = indexed_signature(build->index, *build->meta, stored.value);
    MemoryContextSwitchTo(caller);
    if (build->lists != nullptr)
        add_list_row(build->lists, signature, tid_of(tid));
    else
        write_to_store(build->store, signature, tid_of(tid));
    build->rows++;
    MemoryContextReset(build->row_context);
}

// Without `nulls`, it is that of a worker.
SignatureBuild make_build(Relation index, const SignatureMeta &meta, ListBuild *lists, bool parallel,
                          BuildProgress *progress, BuildRows<Position> *nulls)
{
    SignatureBuild build = {};
    build.row_context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash build row", ALLOCSET_DEFAULT_SIZES);
    build.index = index;
    build.meta = &meta;
    build.processes = 1;
    build.store = begin_store(index, meta, parallel);
    build.lists = lists;
    build.progress = progress;
    build.nulls = nulls;
    if (nulls == nullptr)
        return build;
    nulls->begin(maintenance_work_mem / 8);
    if (lists != nullptr)
        begin_list_sort(lists, maintenance_work_mem / 2);
    pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, kPhaseScan);
    return build;
}

// Writes the trees whose numbers this process takes from `next`.
template <typename Row>
void write_some_trees(SignatureBuild *build, const Segments &segments, pg_atomic_uint32 *next)
{
    auto *writer = begin_tree<Row>(build->index, *build->meta, build->processes, build->progress,
                                   build->nulls != nullptr);
    BuildRows<Row> rows;
    for (int tree; (tree = static_cast<int>(pg_atomic_fetch_add_u32(next, 1))) < build->meta->trees;) {
        failpoint(Failpoint::build_tree);
        if (build->nulls != nullptr)
            pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, kPhaseWriteFirst + tree);
        rows.begin(maintenance_work_mem / 8 * 7 / build->processes);
        visit_rows(build->index, build->meta->shape(), segments, nullptr,
                   [&](std::uint64_t position, std::uint64_t, const std::uint8_t *signature) {
                       std::uint64_t key[kMostKeyWords];
                       signature_key(build->meta->layout, tree, signature, key);
                       if constexpr (std::is_same_v<Row, Position>)
                           rows.add({key[0], position});
                       else
                           rows.add({{key[0], position}, key[1]});
                   });
        write_tree(writer, *build->meta, tree, &rows);
        rows.end();
    }
    end_tree(writer);
}

void write_trees(SignatureBuild *build, pg_atomic_uint32 *next)
{
    Segments segments = read_segments(build->index, *build->meta);
    if (build->meta->layout.words == 2)
        write_some_trees<PairRow>(build, segments, next);
    else
        write_some_trees<Position>(build, segments, next);
    pfree(segments.plane);
}

void write_nulls(SignatureBuild *build)
{
    auto *writer = begin_tree<Position>(build->index, *build->meta, 1, build->progress, true);
    write_tree(writer, *build->meta, build->meta->null_tree(), build->nulls);
    end_tree(writer);
    build->nulls->end();
}

// Writes the first pages, with an empty map of segments. In the main fork the metapage stays blank until write_meta.
void write_first_pages(Relation index, ForkNumber fork, const SignatureMetaData &data)
{
    PGAlignedBlock image;
    if (fork == INIT_FORKNUM) {
        init_signature_meta_page(image.data, BLCKSZ, data);
        append_page(index, fork, image.data);
    } else {
        UnlockReleaseBuffer(extend_index(index));
    }
    append_roots(index, fork, data.layout.trees, data.layout.words);
    init_map_page(image.data, BLCKSZ);
    append_page(index, fork, image.data);
}

void write_meta(Relation index, const SignatureMetaData &data)
{
    PGAlignedBlock image;
    init_signature_meta_page(image.data, BLCKSZ, data);
    write_meta_page(index, image.data);
}

// Chooses the lists of the index, from a sample of their own. Returns null if it has none.
ListBuild *choose_lists(Relation heap, Relation index, IndexInfo *info, const SignatureMeta &meta,
                        double rows)
{
    const std::uint32_t lists = wanted_lists(index_options(index), rows);
    if (lists == 0 || rows < 1)
        return nullptr;
    LayoutSample sample = {&meta, index};
    read_sample(heap, info, list_sample_rows(meta, lists, maintenance_work_mem / 2), &sample);
    ListBuild *build = begin_list_build(meta, lists, sample.row, sample.rows);
    pfree(sample.row);
    return build;
}

// Chooses the layout and the lists, and writes the first pages, except for the metapage.
SignatureMetaData begin_index(Relation heap, Relation index, IndexInfo *info, SignatureMeta *meta,
                              ListBuild **lists)
{
    meta->layout.bits = static_cast<std::uint16_t>(indexed_bits(index));
    check_options(index, index_options(index), meta->layout.bits);
    LayoutSample sample = {meta, index};
    pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, kPhaseSample);
    read_sample(heap, info, kLayoutSample, &sample);
    SignatureMetaData data = make_signature_meta(index, sample);
    pfree(sample.row);
    use_meta_data(data, meta);
    *lists = choose_lists(heap, index, info, *meta, sample.rows_of(RelationGetNumberOfBlocks(heap)));
    write_first_pages(index, MAIN_FORKNUM, data);
    return data;
}

// Writes what the scan of the table has left, and then the metapage.
void end_scan_of_table(SignatureBuild *build, SignatureMetaData data)
{
    failpoint(Failpoint::build_scanned);
    if (build->lists != nullptr)
        data.lists = write_lists(build->lists, build->store);
    else
        end_store(build->store);
    write_meta(build->index, data);
}

void report_total(const SignatureMeta &meta, uint64 rows, uint64 nulls)
{
    pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_TOTAL,
                                 static_cast<int64>(rows) * meta.trees + static_cast<int64>(nulls));
}

void build_serially(Relation heap, Relation index, IndexInfo *info, const SignatureMeta &meta,
                    const SignatureMetaData &data, ListBuild *lists, IndexBuildResult *result)
{
    BuildProgress progress;
    pg_atomic_init_u64(&progress.rows, 0);
    BuildRows<Position> nulls;
    SignatureBuild build = make_build(index, meta, lists, false, &progress, &nulls);
    result->heap_tuples = table_index_build_scan(heap, index, info, true, true, build_row, &build, nullptr);
    end_scan_of_table(&build, data);
    write_map(index, meta, build.store->segment, build.store->segments);
    result->index_tuples = static_cast<double>(build.rows + nulls.count);
    report_total(meta, build.rows, nulls.count);
    pg_atomic_uint32 next;
    pg_atomic_init_u32(&next, 0);
    write_trees(&build, &next);
    write_nulls(&build);
}

// In parallel: each process scans a part of the table and writes its own segments, or, with lists, finds the lists of its
// rows, which the leader sorts and writes. The leader writes the map of all segments, and then each process takes trees
// from a common list and writes them from the store.

enum Key : uint64 { kKeyScans = kKeyOfBuild, kKeyLists };

struct SharedSignatureBuild : SharedWork {
    SignatureMetaData data;
    bool lists;
};

// What a process has written in the scan. Its segments are in the file "segments", its rows, if there are lists, in the
// file "rows", and its NULLs in the file "nulls".
struct ScanPart {
    uint64 rows;
    uint64 nulls;
    uint64 segments;
};

void scan_part(SharedSignatureBuild *shared, shm_toc *toc, int process, Relation heap, IndexInfo *info,
               SignatureBuild *build)
{
    auto *scan = static_cast<ParallelTableScanDesc>(find_piece(toc, kKeyTableScan));
    if (process > 0)
        build->nulls_file = create_work_file(shared, "nulls", process);
    if (process > 0 && build->lists != nullptr)
        build->lists->file = create_work_file(shared, "rows", process);
    double heap_rows = table_index_build_scan(heap, build->index, info, true, process == 0, build_row, build,
                                              begin_parallel_scan(heap, scan));
    if (process > 0) {
        end_store(build->store);
        close_work_file(build->nulls_file);
        BufFile *file = create_work_file(shared, "segments", process);
        write_row_file(file, build->store->segment, build->store->segments);
        close_work_file(file);
        if (build->lists != nullptr)
            close_work_file(build->lists->file);
    }
    ScanPart *part = &static_cast<ScanPart *>(find_piece(toc, kKeyScans))[process];
    *part = {build->rows, build->nulls_in_file, build->store->segments};
    finish_scan(shared, heap_rows, info->ii_BrokenHotChain);
}

// The leader collects the rows that the other processes have found the lists of.
void collect_list_rows(SharedSignatureBuild *shared, shm_toc *toc, ListBuild *lists)
{
    const auto *part = static_cast<const ScanPart *>(find_piece(toc, kKeyScans));
    for (int i = 1; i < shared->processes; i++) {
        BufFile *file = open_work_file(shared, "rows", i);
        sort_list_file(lists, file, part[i].rows);
        BufFileClose(file);
    }
}

// The leader collects the segments and the NULLs of the other processes, and writes the map.
void collect_parts(SharedSignatureBuild *shared, shm_toc *toc, SignatureBuild *build,
                   IndexBuildResult *result)
{
    auto *part = static_cast<ScanPart *>(find_piece(toc, kKeyScans));
    part[0].segments = build->store->segments;
    uint64 segments = 0, rows = 0;
    for (int i = 0; i < shared->processes; i++) {
        segments += part[i].segments;
        rows += part[i].rows;
    }
    auto *segment = allocate_huge<SegmentEntry>(segments);
    std::copy(build->store->segment, build->store->segment + part[0].segments, segment);
    SegmentEntry *at = segment + part[0].segments;
    for (int i = 1; i < shared->processes; i++) {
        BufFile *file = open_work_file(shared, "segments", i);
        read_row_file(file, at, part[i].segments);
        at += part[i].segments;
        BufFileClose(file);
        file = open_work_file(shared, "nulls", i);
        for (uint64 j = 0; j < part[i].nulls; j++) {
            Position row;
            read_row_file(file, &row, 1);
            build->nulls->add(row);
        }
        BufFileClose(file);
    }
    write_map(build->index, *build->meta, segment, segments);
    pfree(segment);
    result->index_tuples = static_cast<double>(rows + build->nulls->count);
    report_total(*build->meta, rows, build->nulls->count);
}

// Returns false, and has done nothing, if no worker could be started.
bool build_with_workers(Relation heap, Relation index, IndexInfo *info, const SignatureMeta &meta,
                        const SignatureMetaData &data, ListBuild *lists, int workers,
                        IndexBuildResult *result)
{
    const SharedPiece piece[] = {{kKeyWork, sizeof(SharedSignatureBuild)},
                                 {kKeyScans, sizeof(ScanPart) * (static_cast<Size>(workers) + 1)},
                                 {kKeyLists, lists == nullptr ? 1 : shared_lists_size(*lists)}};
    ParallelBuild *parallel = prepare_parallel_build(heap, index, info, "simhash_signature_build_worker",
                                                     workers, piece, lengthof(piece));
    if (parallel == nullptr)
        return false;
    shm_toc *toc = parallel->context->toc;
    auto *shared = static_cast<SharedSignatureBuild *>(find_piece(toc, kKeyWork));
    shared->data = data;
    shared->lists = lists != nullptr;
    if (shared->lists)
        share_lists(*lists, find_piece(toc, kKeyLists));
    if (!start_parallel_build(parallel))
        return false;
    BuildRows<Position> nulls;
    SignatureBuild build = make_build(index, meta, lists, true, &shared->progress, &nulls);
    build.processes = shared->processes;
    scan_part(shared, toc, 0, heap, info, &build);
    // An error if one did not start: it would be awaited forever.
    WaitForParallelWorkersToAttach(parallel->context);
    wait_until(shared, false, [](const SharedWork &work) { return work.scanned == work.processes; });
    if (lists != nullptr)
        collect_list_rows(shared, toc, lists);
    end_scan_of_table(&build, data);
    info->ii_BrokenHotChain |= shared->broken_hot_chain;
    result->heap_tuples = shared->heap_rows;
    collect_parts(shared, toc, &build, result);
    SpinLockAcquire(&shared->mutex);
    shared->planned = true;
    SpinLockRelease(&shared->mutex);
    ConditionVariableBroadcast(&shared->changed);
    write_trees(&build, &shared->next_task);
    finish_tasks(shared);
    wait_until(shared, true, [](const SharedWork &work) { return work.finished == work.processes; });
    write_nulls(&build);
    end_parallel_build(parallel);
    return true;
}

} // namespace

void build_signatures(Relation heap, Relation index, IndexInfo *info, IndexBuildResult *result)
{
    auto *meta = allocate_zero<SignatureMeta>();
    ListBuild *lists;
    SignatureMetaData data = begin_index(heap, index, info, meta, &lists);
    int workers = planned_build_workers(heap, index, info);
    if (workers == 0 || !build_with_workers(heap, index, info, *meta, data, lists, workers, result))
        build_serially(heap, index, info, *meta, data, lists, result);
}

void build_no_signatures(Relation index)
{
    auto *meta = allocate_zero<SignatureMeta>();
    meta->layout.bits = static_cast<std::uint16_t>(indexed_bits(index));
    write_first_pages(index, INIT_FORKNUM, make_signature_meta(index, {meta, index}));
    pfree(meta);
}

} // namespace simhash

// Parallel workers find this function by its name.
extern "C" __attribute__((visibility("default"))) void simhash_signature_build_worker(dsm_segment *segment,
                                                                                      shm_toc *toc);

void simhash_signature_build_worker(dsm_segment *segment, shm_toc *toc)
{
    using namespace simhash;
    auto *shared = static_cast<SharedSignatureBuild *>(find_piece(toc, kKeyWork));
    WorkerRelations relations = begin_worker(shared, segment, toc);
    auto *meta = allocate_zero<SignatureMeta>();
    use_meta_data(shared->data, meta);
    ListBuild *lists = shared->lists ? shared_lists(*meta, find_piece(toc, kKeyLists)) : nullptr;
    SignatureBuild build = make_build(relations.index, *meta, lists, true, &shared->progress, nullptr);
    scan_part(shared, toc, ParallelWorkerNumber + 1, relations.heap, relations.info, &build);
    wait_until(shared, false, [](const SharedWork &work) { return work.planned; });
    build.processes = shared->processes; // known since then
    write_trees(&build, &shared->next_task);
    finish_tasks(shared);
    end_worker(*shared, relations, toc);
}
