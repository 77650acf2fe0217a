#include "am/create/parallel_work.hpp"

extern "C" {
#include "access/table.h"
#include "catalog/index.h"
#include "utils/snapmgr.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

struct Preparation {
    Relation heap, index;
    IndexInfo *info;
    Snapshot snapshot;
    void (*prepare)(shm_toc *toc, const void *argument);
    const void *argument;
};

void prepare_work(ParallelContext *context, const void *argument)
{
    const auto *preparation = static_cast<const Preparation *>(argument);
    auto *work = static_cast<SharedWork *>(find_piece(context->toc, kKeyWork));
    work->heap = RelationGetRelid(preparation->heap);
    work->index = RelationGetRelid(preparation->index);
    work->concurrent = preparation->info->ii_Concurrent;
    SharedFileSetInit(&work->files, context->seg);
    SpinLockInit(&work->mutex);
    ConditionVariableInit(&work->changed);
    pg_atomic_init_u32(&work->next_task, 0);
    pg_atomic_init_u64(&work->progress.rows, 0);
    table_parallelscan_initialize(preparation->heap,
                                  static_cast<ParallelTableScanDesc>(find_piece(context->toc, kKeyTableScan)),
                                  preparation->snapshot);
    if (preparation->prepare != nullptr)
        preparation->prepare(context->toc, preparation->argument);
}

void release(Snapshot snapshot)
{
    if (IsMVCCSnapshot(snapshot))
        UnregisterSnapshot(snapshot);
}

} // namespace

ParallelBuild *begin_parallel_build(Relation heap, Relation index, IndexInfo *info, const char *function,
                                    int workers, const SharedPiece *piece, int pieces,
                                    void (*prepare)(shm_toc *toc, const void *argument), const void *argument)
{
    // Like a serial build: a concurrent build reads the rows that a snapshot sees, others all rows that any
    // snapshot may see.
    Snapshot snapshot = info->ii_Concurrent ? RegisterSnapshot(GetTransactionSnapshot()) : SnapshotAny;
    SharedPiece all[8];
    Assert(pieces < static_cast<int>(lengthof(all)));
    std::copy_n(piece, pieces, all);
    all[pieces] = {kKeyTableScan, table_parallelscan_estimate(heap, snapshot)};
    const Preparation preparation = {heap, index, info, snapshot, prepare, argument};
    ParallelContext *context =
        begin_workers(index, function, workers, all, pieces + 1, prepare_work, &preparation);
    if (context == nullptr) {
        release(snapshot);
        return nullptr;
    }
    ereport(DEBUG1, errmsg_internal("index \"%s\" is built using %d parallel workers",
                                    RelationGetRelationName(index), context->nworkers_launched));
    // The workers read it once `planned` is set.
    static_cast<SharedWork *>(find_piece(context->toc, kKeyWork))->processes = context->nworkers_launched + 1;
    auto *build = static_cast<ParallelBuild *>(palloc(sizeof(ParallelBuild)));
    *build = {context, snapshot};
    return build;
}

void end_parallel_build(ParallelBuild *build)
{
    end_workers(build->context);
    release(build->snapshot);
    pfree(build);
}

WorkerRelations begin_worker(SharedWork *work, dsm_segment *segment, shm_toc *toc)
{
    begin_work(toc);
    SharedFileSetAttach(&work->files, segment);

    LOCKMODE heap_lock = work->concurrent ? ShareUpdateExclusiveLock : ShareLock;
    LOCKMODE index_lock = work->concurrent ? RowExclusiveLock : AccessExclusiveLock;
    WorkerRelations relations;
    relations.heap = table_open(work->heap, heap_lock);
    relations.index = index_open(work->index, index_lock);
    relations.info = BuildIndexInfo(relations.index);
    relations.info->ii_Concurrent = work->concurrent;
    return relations;
}

void end_worker(const SharedWork &work, const WorkerRelations &relations, shm_toc *toc)
{
    end_work(toc);
    index_close(relations.index, work.concurrent ? RowExclusiveLock : AccessExclusiveLock);
    table_close(relations.heap, work.concurrent ? ShareUpdateExclusiveLock : ShareLock);
}

BufFile *create_work_file(SharedWork *work, const char *kind, int number)
{
    char name[MAXPGPATH];
    snprintf(name, sizeof(name), "%s%d", kind, number);
    return create_shared_file(&work->files, name);
}

BufFile *open_work_file(SharedWork *work, const char *kind, int number)
{
    char name[MAXPGPATH];
    snprintf(name, sizeof(name), "%s%d", kind, number);
    return open_shared_file(&work->files, name);
}

void close_work_file(BufFile *file)
{
    export_shared_file(file);
    BufFileClose(file);
}

void finish_scan(SharedWork *work, double heap_rows, bool broken_hot_chain)
{
    SpinLockAcquire(&work->mutex);
    work->scanned++;
    work->heap_rows += heap_rows;
    work->broken_hot_chain |= broken_hot_chain;
    SpinLockRelease(&work->mutex);
    ConditionVariableBroadcast(&work->changed);
}

void finish_tasks(SharedWork *work)
{
    SpinLockAcquire(&work->mutex);
    work->finished++;
    SpinLockRelease(&work->mutex);
    ConditionVariableBroadcast(&work->changed);
}

} // namespace simhash
