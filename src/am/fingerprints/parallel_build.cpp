// CREATE INDEX with parallel workers.
//
// Each process scans a part of the table and writes the rows that it finds to a shared temporary file. After
// the scan the leader chooses the order of the bits and defines the tasks. A task is a range of positions of
// one of the index's trees: a process selects the rows of that range from all files, divides them into
// leaves and writes these. Trees are divided into several ranges only if whole trees cannot be distributed
// evenly. At the end the leader links the ranges and writes the levels above the leaves.
//
// Every process extends the index itself, so pages of different trees alternate. The index is invisible to
// others until CREATE INDEX commits. An error in any process ends all of them, and the file is removed.
#include "am/create/parallel_work.hpp"
#include "am/create/tree_writer.hpp"
#include "am/fingerprints/fingerprint_kind.hpp"
#include "am/fingerprints/sample.hpp"
#include "am/index/failpoint.hpp"
#include "am/index/heap_tid.hpp"
#include "am/index/stored_value.hpp"

extern "C" {
#include "catalog/index.h"
#include "miscadmin.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

constexpr int kMaxRanges = 16;
constexpr uint64 kMinRangeRows = kFailpoints ? 2000 : 65536;

enum Key : uint64 { kKeyScans = kKeyOfBuild, kKeyTasks, kKeySplits };

// What a process has found in the table and written to its files.
struct ScanResult {
    uint64 rows;
    uint64 nulls;
    RowBits row_bits;
    RowBits null_bits;
    int sample_level;
    int sample_rows;
};

// The leaves that a task has written. Their bounds and blocks are in a file. There are none if the task wrote
// the root.
struct TaskResult {
    uint64 leaves;
    BlockNumber first;
    BlockNumber last;
};

struct SharedBuild : SharedWork {
    // Set once it is `planned`, like `processes`.
    int whole;  // the number of trees that are not divided; they come first
    int ranges; // ranges of each of the other trees
    MetaData meta;
};

// One process's view of the shared memory.
struct Shared {
    SharedBuild *build;
    ParallelTableScanDesc table_scan;
    ScanResult *scan; // one for each process; the leader is number 0
    TaskResult *task; // number 0 is for the NULLs; then come the trees, range by range
    Position *split;  // kMaxRanges for each tree: the ends of its ranges
    int process;
};

Shared find_shared(shm_toc *toc, int process)
{
    return {static_cast<SharedBuild *>(find_piece(toc, kKeyWork)),
            static_cast<ParallelTableScanDesc>(find_piece(toc, kKeyTableScan)),
            static_cast<ScanResult *>(find_piece(toc, kKeyScans)),
            static_cast<TaskResult *>(find_piece(toc, kKeyTasks)),
            static_cast<Position *>(find_piece(toc, kKeySplits)),
            process};
}

struct Task {
    int tree;
    int range;
    int ranges; // number of ranges of the tree
};

Task task_of(const SharedBuild &build, int number)
{
    if (number == 0)
        return {build.meta.design.trees, 0, 1}; // the NULLs
    int at = number - 1;
    if (at < build.whole)
        return {at, 0, 1};
    at -= build.whole;
    return {build.whole + at / build.ranges, at % build.ranges, build.ranges};
}

int count_tasks(const SharedBuild &build)
{
    return 1 + build.whole + (build.meta.design.trees - build.whole) * build.ranges;
}

// A file of rows that one process writes and all may read.
struct Output {
    BufFile *file;
    uint64 rows;
    RowBits bits;
    int waiting;
    Position wait[1024];
};

struct Scan {
    Shared *shared;
    Sample *sample;
    Output rows;
    Output nulls;
};

void write_waiting(Output *output)
{
    write_row_file(output->file, output->wait, static_cast<Size>(output->waiting));
    output->rows += static_cast<uint64>(output->waiting);
    output->waiting = 0;
}

void add_row(Output *output, const Shared &shared, const char *kind, Position row)
{
    if (output->file == nullptr)
        output->file = create_work_file(shared.build, kind, shared.process);
    output->wait[output->waiting++] = row;
    output->bits.add(row);
    if (output->waiting == lengthof(output->wait))
        write_waiting(output);
}

void end_output(Output *output)
{
    if (output->file == nullptr)
        return;
    write_waiting(output);
    close_work_file(output->file);
}

void scan_row(Relation index, ItemPointer tid, Datum *values, bool *isnull, bool, void *context)
{
    auto *scan = static_cast<Scan *>(context);
    const StoredValue stored = stored_value(index, values, isnull);
    Position row = {stored.null ? 0 : datum_fingerprint(stored.value), tid_of(tid).packed()};
    if (stored.null) {
        add_row(&scan->nulls, *scan->shared, "nulls", row);
    } else {
        add_to_sample(scan->sample, row);
        add_row(&scan->rows, *scan->shared, "rows", row);
    }
}

// Does this process's part of the scan. Returns its part of the sample.
Sample *scan_table(Shared *shared, Relation heap, Relation index, IndexInfo *info)
{
    bool leader = shared->process == 0;
    auto *scan = allocate_zero<Scan>();
    scan->shared = shared;
    scan->sample = make_sample();
    scan->rows.bits = scan->nulls.bits = kNoRowBits;
    TableScanDesc table_scan = begin_parallel_scan(heap, shared->table_scan);
    double heap_rows = table_index_build_scan(heap, index, info, true, leader, scan_row, scan, table_scan);
    end_output(&scan->rows);
    end_output(&scan->nulls);
    Sample *sample = scan->sample;
    if (!leader && sample->count > 0) {
        BufFile *file = create_work_file(shared->build, "sample", shared->process);
        write_row_file(file, sample->row, static_cast<Size>(sample->count));
        close_work_file(file);
    }
    shared->scan[shared->process] = {scan->rows.rows,  scan->nulls.rows, scan->rows.bits,
                                     scan->nulls.bits, sample->level,    sample->count};
    pfree(scan);

    finish_scan(shared->build, heap_rows, info->ii_BrokenHotChain);
    return sample;
}

// Opens the files with the rows, or the NULLs, that all processes have found.
RowFiles open_rows(const Shared &shared, bool nulls)
{
    RowFiles files = {};
    files.file =
        static_cast<BufFile **>(palloc(sizeof(BufFile *) * static_cast<Size>(shared.build->processes)));
    files.bits = kNoRowBits;
    for (int i = 0; i < shared.build->processes; i++) {
        const ScanResult &scan = shared.scan[i];
        uint64 rows = nulls ? scan.nulls : scan.rows;
        if (rows == 0)
            continue;
        files.file[files.files++] = open_work_file(shared.build, nulls ? "nulls" : "rows", i);
        files.rows += rows;
        files.bits.add(nulls ? scan.null_bits : scan.row_bits);
    }
    return files;
}

void close_rows(const RowFiles &files)
{
    for (int i = 0; i < files.files; i++)
        BufFileClose(files.file[i]);
}

// Adds the samples of the other processes to the leader's.
void merge_samples(const Shared &shared, Sample *sample)
{
    for (int i = 1; i < shared.build->processes; i++) {
        if (shared.scan[i].sample_level > sample->level)
            raise_sample_level(sample, shared.scan[i].sample_level);
    }
    auto *rows = allocate<Position>(Sample::kSize);
    for (int i = 1; i < shared.build->processes; i++) {
        int count = shared.scan[i].sample_rows;
        if (count == 0)
            continue;
        BufFile *file = open_work_file(shared.build, "sample", i);
        read_row_file(file, rows, static_cast<Size>(count));
        BufFileClose(file);
        for (int j = 0; j < count; j++)
            add_to_sample(sample, rows[j]);
    }
    pfree(rows);
}

// The rows of the sample for each range from which on there is a place to divide it. A table has fewer only if the tids
// that the sample keeps were deleted on purpose.
constexpr int kFewestOfRange = 32;

// Divides trees into ranges that are equal according to the sample, at positions where leading bits change.
void choose_splits(const Shared &shared, const IndexMeta &meta, const Sample &sample)
{
    int ranges = shared.build->ranges, window = sample.count / ranges / 16;
    auto *sorted = allocate<Position>(Sample::kSize);
    for (int tree = shared.build->whole; tree < meta.trees; tree++) {
        CHECK_FOR_INTERRUPTS();
        for (int i = 0; i < sample.count; i++)
            sorted[i] = {meta.key(tree, sample.row[i].key), sample.row[i].tid};
        std::sort(sorted, sorted + sample.count);
        for (int range = 1; range < ranges; range++) {
            int middle = static_cast<int>(static_cast<int64>(sample.count) * range / ranges);
            choose_cut(sorted, middle - window, middle + window,
                       &shared.split[tree * kMaxRanges + range - 1]);
        }
    }
    pfree(sorted);
}

// The leader's work between the scan and the tasks.
void plan_tasks(Shared *shared, Relation index, const IndexOptions &options, Sample *sample,
                FingerprintMeta *meta)
{
    SharedBuild *build = shared->build;
    uint64 rows = 0, nulls = 0;
    for (int i = 0; i < build->processes; i++) {
        rows += shared->scan[i].rows;
        nulls += shared->scan[i].nulls;
    }
    merge_samples(*shared, sample);
    build->meta = plan_index(options, static_cast<double>(rows), *sample);
    use_meta_data(build->meta, meta);

    // Each process gets the same number of whole trees. The remaining trees are divided into ranges, so
    // that they can be distributed evenly, too.
    int rest = meta->trees % build->processes, ranges = 1;
    while (rest * ranges % build->processes != 0 && ranges < kMaxRanges)
        ranges++;
    bool cut =
        rows / static_cast<uint64>(ranges) >= kMinRangeRows && sample->count / ranges >= kFewestOfRange;
    build->whole = cut ? meta->trees - rest : meta->trees;
    build->ranges = ranges;
    if (cut && rest > 0)
        choose_splits(*shared, *meta, *sample);
    pfree(sample);

    write_first_pages(index, MAIN_FORKNUM, build->meta);
    pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_TOTAL,
                                 static_cast<int64>(rows) * meta->trees + static_cast<int64>(nulls));
    SpinLockAcquire(&build->mutex);
    build->planned = true;
    SpinLockRelease(&build->mutex);
    ConditionVariableBroadcast(&build->changed);
}

// Performs a task: writes the leaves of a range of positions of a tree.
void write_range(const Shared &shared, const IndexMeta &meta, int number, Divider<Position> *divider,
                 TreeWriter<Position> *writer, const RowFiles &rows, BytePermutation *to_key)
{
    Task task = task_of(*shared.build, number);
    const Position *split = shared.split + task.tree * kMaxRanges;
    PositionRange positions = {{0, 0}, {0, 0}, task.range == task.ranges - 1};
    if (task.range > 0)
        positions.low = split[task.range - 1];
    if (!positions.to_end)
        positions.high = split[task.range];
    // The sample predicts the size of a range within a few percent.
    uint64 expected = task.ranges == 1 ? rows.rows : rows.rows / static_cast<uint64>(task.ranges) / 8 * 9;

    set_tree_permutation(meta, task.tree, true, to_key);
    begin_leaves(writer, task.tree, positions.low);
    divide_files(divider, rows, expected, *to_key, positions, write_run<Position>, writer);
    TaskResult *result = &shared.task[number];
    if (end_leaves(writer, positions.to_end ? nullptr : &positions.high)) {
        result->leaves = 0;
    } else {
        const Children &leaves = writer->leaves;
        *result = {leaves.count, leaves.child[0].block, leaves.child[leaves.count - 1].block};
        BufFile *file = create_work_file(shared.build, "leaves", number);
        BufFileWrite(file, leaves.child, leaves.count * sizeof(ChildPage));
        close_work_file(file);
    }
    pfree(writer->leaves.child);
}

void do_tasks(const Shared &shared, Relation index, const IndexMeta &meta)
{
    SharedBuild *build = shared.build;
    bool leader = shared.process == 0;
    auto *divider = allocate<Divider<Position>>();
    begin_divider(divider, maintenance_work_mem / build->processes);
    auto *writer = begin_tree<Position>(index, meta, build->processes, &build->progress, leader);
    auto *to_key = allocate<BytePermutation>();
    RowFiles rows = open_rows(shared, false);
    int tasks = count_tasks(*build);
    for (;;) {
        int number = static_cast<int>(pg_atomic_fetch_add_u32(&build->next_task, 1));
        if (number >= tasks)
            break;
        if (number == 0) {
            RowFiles nulls = open_rows(shared, true);
            write_range(shared, meta, number, divider, writer, nulls, to_key);
            close_rows(nulls);
            continue;
        }
        if (leader)
            pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE,
                                         kPhaseWriteFirst + task_of(*build, number).tree);
        write_range(shared, meta, number, divider, writer, rows, to_key);
    }
    close_rows(rows);
    end_tree(writer);
    finish_tasks(build);
}

// The leader's work after the tasks: writes the levels above the leaves of each tree.
void finish_trees(const Shared &shared, Relation index, const IndexMeta &meta)
{
    auto *writer = begin_tree<Position>(index, meta, 1, &shared.build->progress, true);
    int tasks = count_tasks(*shared.build);
    for (int number = 0, next; number < tasks; number = next) {
        Task task = task_of(*shared.build, number);
        next = number + task.ranges;
        Children leaves;
        begin_children(&leaves);
        for (int i = number; i < next; i++) {
            const TaskResult &result = shared.task[i];
            if (result.leaves == 0)
                continue;
            if (i > number)
                link_leaves(index, shared.task[i - 1].last, result.first);
            BufFile *file = open_work_file(shared.build, "leaves", i);
            for (uint64 j = 0; j < result.leaves; j++) {
                ChildPage child;
                read_row_file(file, &child, 1);
                add_child(&leaves, child.bound, child.block);
            }
            BufFileClose(file);
        }
        if (leaves.count > 0)
            write_inner_levels(writer, task.tree, &leaves);
        pfree(leaves.child);
    }
    end_tree(writer);
}

} // namespace

bool build_in_parallel(Relation heap, Relation index, IndexInfo *info, const IndexOptions &options,
                       int workers, IndexBuildResult *result)
{
    Size processes = static_cast<Size>(workers) + 1, trees = kMaxTrees; // how many is known after the scan
    const SharedPiece piece[] = {{kKeyWork, sizeof(SharedBuild)},
                                 {kKeyScans, sizeof(ScanResult) * processes},
                                 {kKeyTasks, sizeof(TaskResult) * (1 + trees * kMaxRanges)},
                                 {kKeySplits, sizeof(Position) * trees * kMaxRanges}};
    ParallelBuild *parallel =
        prepare_parallel_build(heap, index, info, "simhash_build_worker", workers, piece, lengthof(piece));
    if (parallel == nullptr || !start_parallel_build(parallel))
        return false;
    Shared shared = find_shared(parallel->context->toc, 0);
    SharedBuild *build = shared.build;

    pgstat_progress_update_param(PROGRESS_CREATEIDX_SUBPHASE, kPhaseScan);
    Sample *sample = scan_table(&shared, heap, index, info);
    // An error if one did not start: it would be awaited forever.
    WaitForParallelWorkersToAttach(parallel->context);
    wait_until(build, false, [](const SharedBuild &b) { return b.scanned == b.processes; });
    info->ii_BrokenHotChain |= build->broken_hot_chain;
    result->heap_tuples = build->heap_rows;
    for (int i = 0; i < build->processes; i++)
        result->index_tuples += static_cast<double>(shared.scan[i].rows + shared.scan[i].nulls);

    auto *meta = allocate<FingerprintMeta>();
    plan_tasks(&shared, index, options, sample, meta);
    do_tasks(shared, index, *meta);
    wait_until(build, true, [](const SharedBuild &b) { return b.finished == b.processes; });
    finish_trees(shared, index, *meta);
    end_parallel_build(parallel);
    return true;
}

} // namespace simhash

// Parallel workers find this function by its name.
extern "C" __attribute__((visibility("default"))) void simhash_build_worker(dsm_segment *segment,
                                                                            shm_toc *toc);

void simhash_build_worker(dsm_segment *segment, shm_toc *toc)
{
    using namespace simhash;
    Shared shared = find_shared(toc, ParallelWorkerNumber + 1);
    SharedBuild *build = shared.build;
    WorkerRelations relations = begin_worker(build, segment, toc);
    pfree(scan_table(&shared, relations.heap, relations.index, relations.info));
    wait_until(build, false, [](const SharedBuild &b) { return b.planned; });
    auto *meta = allocate<FingerprintMeta>();
    use_meta_data(build->meta, meta);
    do_tasks(shared, relations.index, *meta);
    end_worker(*build, relations, toc);
}
