// CREATE INDEX on signatures. The layout of the keys is chosen from a sample, which is read before the table is
// scanned: so the scan can write the store at once. Then each tree is written from the store.
#include "am/create/build.hpp"
#include "am/create/parallel_work.hpp"
#include "am/index/heap_tid.hpp"
#include "am/signatures/signature_kind.hpp"
#include "am/signatures/store_writer.hpp"

extern "C" {
#include "access/tableam.h"
#include "commands/progress.h"
#include "pgstat.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
}

namespace simhash
{

namespace
{

// The sample consists of all rows of small ranges of blocks, evenly spread over the table.
constexpr BlockNumber kSampleRanges = 128;

struct LayoutSample {
    const SignatureMeta *meta; // only the number of bits is known
    Relation index;
    int rows;
    int wanted; // rows until the end of the present range
    std::uint8_t *row;
};

// The number of bits of the indexed column or expression.
int indexed_bits(Relation index)
{
    const int bits = declared_bits(index);
    if (bits < 0)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("the signatures of index \"%s\" do not have a fixed length",
                       RelationGetRelationName(index)),
                errhint("Change the type of the column to bit(n), or cast the expression to bit(n)."));
    if (bits <= kBits)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("cannot create a simhash index on signatures of %d bits", bits),
                errdetail("Signatures have %d to %d bits.", kFewestSignatureBits, kMostSignatureBits),
                errhint("Cast the column to bit(64) and to simhash, and index that."));
    if (bits > kMostSignatureBits)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("cannot create a simhash index on signatures of %d bits", bits),
                errdetail("Signatures have %d to %d bits.", kFewestSignatureBits, kMostSignatureBits));
    return bits;
}

// Warns of options that are not as wanted. They are no errors, because ALTER INDEX cannot refuse them: later TRUNCATE
// or a restored dump would fail.
void check_options(Relation index, const IndexOptions &options, int bits)
{
    int tables = signature_tables(options, bits);
    if (options.tables > tables)
        ereport(WARNING, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("index \"%s\" is built with %d tables", RelationGetRelationName(index), tables),
                errdetail("With pages of %d bytes, an index on signatures of %d bits can have no more.",
                          BLCKSZ, bits));
    if (distance_given(index))
        ereport(WARNING, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("option \"%s\" does not apply to index \"%s\"", "distance",
                       RelationGetRelationName(index)),
                errdetail("The index is on signatures."),
                errhint("The number of tables decides which distances it suits."));
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
    std::memset(&data, 0, sizeof(data));
    data.magic = kMagic;
    data.version = kSignatureVersion;
    data.fillfactor = static_cast<std::uint8_t>(options.fillfactor);
    auto *columns =
        static_cast<std::uint64_t *>(palloc(sizeof(std::uint64_t) * kColumnWords * static_cast<Size>(bits)));
    choose_layout(bits, signature_tables(options, bits), default_key_words(bits), sample.row,
                  static_cast<Size>(sample.meta->layout.bytes()), sample.rows, columns, &data.layout,
                  pause_layout);
    failpoint(Failpoint::layout_chosen);
    pfree(columns);
    data.map = root_block(data.layout.tables) + 1;
    return data;
}

void sample_row(Relation, ItemPointer, Datum *values, bool *isnull, bool, void *context)
{
    auto *sample = static_cast<LayoutSample *>(context);
    if (isnull[0] || sample->rows >= sample->wanted)
        return;
    Size bytes = static_cast<Size>(sample->meta->layout.bytes());
    std::memcpy(sample->row + bytes * static_cast<Size>(sample->rows++),
                indexed_signature(sample->index, *sample->meta, values[0]), bytes);
}

void read_sample(Relation heap, IndexInfo *info, LayoutSample *sample)
{
    BlockNumber blocks = RelationGetNumberOfBlocks(heap);
    BlockNumber ranges = Min(blocks, kSampleRanges);
    for (BlockNumber i = 0; i < ranges; i++) {
        BlockNumber from = static_cast<BlockNumber>(uint64{blocks} * i / ranges);
        BlockNumber to = static_cast<BlockNumber>(uint64{blocks} * (i + 1) / ranges);
        sample->wanted = static_cast<int>(int64{kLayoutSample} * (i + 1) / ranges);
        while (from < to && sample->rows < sample->wanted) {
            // One block after the other, since rows may be few or wide.
            table_index_build_range_scan(heap, sample->index, info, false, false, false, from, 1, sample_row,
                                         sample, nullptr);
            from++;
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
    Spool<Position> *nulls;
    BufFile *nulls_file; // of a worker, which passes its NULLs to the leader
    uint64 nulls_in_file;
    void *spool; // of the table being written
    int table;
    BuildProgress *progress;
    bool report;
};

void build_row(Relation, ItemPointer tid, Datum *values, bool *isnull, bool, void *context)
{
    auto *build = static_cast<SignatureBuild *>(context);
    if (isnull[0]) {
        Position row = {0, tid_of(tid).packed()};
        if (build->nulls != nullptr) {
            add_to_spool(build->nulls, row);
        } else {
            write_row_file(build->nulls_file, &row, 1);
            build->nulls_in_file++;
        }
        return;
    }
    MemoryContext caller = MemoryContextSwitchTo(build->row_context);
    const std::uint8_t *signature = indexed_signature(build->index, *build->meta, values[0]);
    MemoryContextSwitchTo(caller);
    write_to_store(build->store, signature, tid_of(tid));
    MemoryContextReset(build->row_context);
}

SignatureBuild make_build(Relation index, const SignatureMeta &meta, bool parallel, BuildProgress *progress)
{
    SignatureBuild build = {};
    build.row_context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash build row", ALLOCSET_DEFAULT_SIZES);
    build.index = index;
    build.meta = &meta;
    build.processes = 1;
    build.store = begin_store(index, meta, parallel);
    build.progress = progress;
    return build;
}

Position make_row(const std::uint64_t key[kMostKeyWords], std::uint64_t position, Spool<Position> *)
{
    return {key[0], position};
}
PairRow make_row(const std::uint64_t key[kMostKeyWords], std::uint64_t position, Spool<PairRow> *)
{
    return {{key[0], position}, key[1]};
}

template <typename Row> void spool_row(const std::uint8_t *signature, std::uint64_t position, void *context)
{
    auto *build = static_cast<SignatureBuild *>(context);
    auto *spool = static_cast<Spool<Row> *>(build->spool);
    std::uint64_t key[kMostKeyWords];
    signature_key(build->meta->layout, build->table, signature, key);
    add_to_spool(spool, make_row(key, position, spool));
}

// Writes the trees whose numbers this process takes from `next`.
template <typename Row>
void write_some_trees(SignatureBuild *build, const Segments &segments, pg_atomic_uint32 *next)
{
    auto *writer =
        begin_tree<Row>(build->index, *build->meta, build->processes, build->progress, build->report);
    Spool<Row> spool;
    build->spool = &spool;
    while ((build->table = static_cast<int>(pg_atomic_fetch_add_u32(next, 1))) < build->meta->tables) {
        failpoint(Failpoint::build_table);
        if (build->report)
            pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, kPhaseWriteFirst + build->table);
        begin_spool(&spool, maintenance_work_mem / 8 * 7 / build->processes);
        scan_store(build->index, *build->meta, segments, spool_row<Row>, build);
        write_tree(writer, *build->meta, build->table, &spool);
        end_spool(&spool);
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
    write_tree(writer, *build->meta, build->meta->null_table(), build->nulls);
    end_tree(writer);
    end_spool(build->nulls);
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
    append_roots(index, fork, data.layout.tables, data.layout.words);
    init_map_page(image.data, BLCKSZ);
    append_page(index, fork, image.data);
}

void write_meta(Relation index, const SignatureMetaData &data)
{
    PGAlignedBlock image;
    init_signature_meta_page(image.data, BLCKSZ, data);
    write_meta_page(index, image.data);
}

// Chooses the layout and writes the first pages, except for the metapage.
SignatureMetaData begin_index(Relation heap, Relation index, IndexInfo *info, SignatureMeta *meta)
{
    meta->layout.bits = static_cast<std::uint16_t>(indexed_bits(index));
    check_options(index, index_options(index), meta->layout.bits);
    LayoutSample sample = {meta, index, 0, 0, nullptr};
    sample.row = static_cast<std::uint8_t *>(palloc(static_cast<Size>(meta->layout.bytes()) * kLayoutSample));
    pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, kPhaseSample);
    read_sample(heap, info, &sample);
    SignatureMetaData data = make_signature_meta(index, sample);
    pfree(sample.row);
    use_meta_data(data, meta);
    write_first_pages(index, MAIN_FORKNUM, data);
    return data;
}

void report_total(const SignatureMeta &meta, uint64 rows, uint64 nulls)
{
    pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_TOTAL,
                                 static_cast<int64>(rows) * meta.tables + static_cast<int64>(nulls));
}

void build_serially(Relation heap, Relation index, IndexInfo *info, const SignatureMeta &meta,
                    const SignatureMetaData &data, IndexBuildResult *result)
{
    BuildProgress progress;
    pg_atomic_init_u64(&progress.rows, 0);
    Spool<Position> nulls;
    begin_spool(&nulls, maintenance_work_mem / 8);
    SignatureBuild build = make_build(index, meta, false, &progress);
    build.nulls = &nulls;
    build.report = true;
    pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, kPhaseScan);
    result->heap_tuples = table_index_build_scan(heap, index, info, true, true, build_row, &build, nullptr);
    failpoint(Failpoint::build_scanned);
    write_meta(index, data);
    end_store(build.store);
    write_map(index, meta, build.store->segment, build.store->segments);
    result->index_tuples = static_cast<double>(build.store->rows + nulls.rows);
    report_total(meta, build.store->rows, nulls.rows);
    pg_atomic_uint32 next;
    pg_atomic_init_u32(&next, 0);
    write_trees(&build, &next);
    write_nulls(&build);
}

// In parallel: each process scans a part of the table and writes its own segments. The leader writes the map of all
// segments, and then each process takes trees from a common list and writes them from the store.

enum Key : uint64 { kKeyParts = kKeyOwn };

struct SharedSignatureBuild : SharedWork {
    SignatureMetaData data;
};

// What a process has written in the scan. Its segments are in the file "segments", its NULLs in the file "nulls".
struct ScanPart {
    uint64 rows;
    uint64 nulls;
    uint64 segments;
};

// Scans this process's part of the table.
void scan_part(SharedSignatureBuild *shared, shm_toc *toc, int process, Relation heap, IndexInfo *info,
               SignatureBuild *build)
{
    auto *scan = static_cast<ParallelTableScanDesc>(find_part(toc, kKeyTableScan));
    if (process > 0)
        build->nulls_file = create_work_file(shared, "nulls", process);
    double heap_rows = table_index_build_scan(heap, build->index, info, true, process == 0, build_row, build,
                                              begin_parallel_scan(heap, scan));
    end_store(build->store);
    ScanPart *part = &static_cast<ScanPart *>(find_part(toc, kKeyParts))[process];
    *part = {build->store->rows, build->nulls_in_file, build->store->segments};
    if (process > 0) {
        close_work_file(build->nulls_file);
        BufFile *file = create_work_file(shared, "segments", process);
        write_row_file(file, build->store->segment, build->store->segments);
        close_work_file(file);
    }
    finish_scan(shared, heap_rows, info->ii_BrokenHotChain);
}

// The leader collects the segments and the NULLs of the other processes, and writes the map.
void collect_parts(SharedSignatureBuild *shared, shm_toc *toc, SignatureBuild *build,
                   IndexBuildResult *result)
{
    auto *part = static_cast<ScanPart *>(find_part(toc, kKeyParts));
    uint64 segments = 0, rows = 0;
    for (int i = 0; i < shared->processes; i++) {
        segments += part[i].segments;
        rows += part[i].rows;
    }
    auto *segment = static_cast<SegmentEntry *>(
        MemoryContextAllocHuge(CurrentMemoryContext, sizeof(SegmentEntry) * Max(1, segments)));
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
            add_to_spool(build->nulls, row);
        }
        BufFileClose(file);
    }
    write_map(build->index, *build->meta, segment, segments);
    pfree(segment);
    result->index_tuples = static_cast<double>(rows + build->nulls->rows);
    report_total(*build->meta, rows, build->nulls->rows);
}

void set_meta_data(shm_toc *toc, const void *data)
{
    static_cast<SharedSignatureBuild *>(find_part(toc, kKeyBuild))->data =
        *static_cast<const SignatureMetaData *>(data);
}

// Returns false, and has done nothing, if no worker could be started.
bool build_with_workers(Relation heap, Relation index, IndexInfo *info, const SignatureMeta &meta,
                        const SignatureMetaData &data, int workers, IndexBuildResult *result)
{
    const SharedPart part[] = {{kKeyBuild, sizeof(SharedSignatureBuild)},
                               {kKeyParts, sizeof(ScanPart) * (static_cast<Size>(workers) + 1)}};
    ParallelBuild *parallel = begin_parallel_build(heap, index, info, "simhash_signature_build_worker",
                                                   workers, part, lengthof(part), set_meta_data, &data);
    if (parallel == nullptr)
        return false;
    shm_toc *toc = parallel->context->toc;
    auto *shared = static_cast<SharedSignatureBuild *>(find_part(toc, kKeyBuild));
    Spool<Position> nulls;
    begin_spool(&nulls, maintenance_work_mem / 8);
    SignatureBuild build = make_build(index, meta, true, &shared->progress);
    build.processes = shared->processes;
    build.nulls = &nulls;
    build.report = true;
    pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, kPhaseScan);
    scan_part(shared, toc, 0, heap, info, &build);
    // An error if one did not start: it would be awaited forever.
    WaitForParallelWorkersToAttach(parallel->context);
    wait_until(shared, false, [](const SharedWork &work) { return work.scanned == work.processes; });
    failpoint(Failpoint::build_scanned);
    write_meta(index, data);
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
    auto *meta = static_cast<SignatureMeta *>(palloc0(sizeof(SignatureMeta)));
    SignatureMetaData data = begin_index(heap, index, info, meta);
    int workers = planned_build_workers(heap, index, info);
    if (workers == 0 || !build_with_workers(heap, index, info, *meta, data, workers, result))
        build_serially(heap, index, info, *meta, data, result);
}

void build_no_signatures(Relation index)
{
    auto *meta = static_cast<SignatureMeta *>(palloc0(sizeof(SignatureMeta)));
    meta->layout.bits = static_cast<std::uint16_t>(indexed_bits(index));
    LayoutSample sample = {meta, index, 0, 0, nullptr};
    write_first_pages(index, INIT_FORKNUM, make_signature_meta(index, sample));
    pfree(meta);
}

} // namespace simhash

// Parallel workers find this function by its name.
extern "C" __attribute__((visibility("default"))) void simhash_signature_build_worker(dsm_segment *segment,
                                                                                      shm_toc *toc);

void simhash_signature_build_worker(dsm_segment *segment, shm_toc *toc)
{
    using namespace simhash;
    auto *shared = static_cast<SharedSignatureBuild *>(find_part(toc, kKeyBuild));
    WorkerRelations relations = begin_worker(shared, segment, toc);
    auto *meta = static_cast<SignatureMeta *>(palloc0(sizeof(SignatureMeta)));
    use_meta_data(shared->data, meta);
    SignatureBuild build = make_build(relations.index, *meta, true, &shared->progress);
    scan_part(shared, toc, ParallelWorkerNumber + 1, relations.heap, relations.info, &build);
    wait_until(shared, false, [](const SharedWork &work) { return work.planned; });
    build.processes = shared->processes; // known since then
    write_trees(&build, &shared->next_task);
    finish_tasks(shared);
    end_worker(*shared, relations, toc);
}
