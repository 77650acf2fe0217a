#include "am/create/parallel_work.hpp"

extern "C" {
#include "access/table.h"
#include "access/xact.h"
#include "catalog/index.h"
#include "catalog/pg_proc.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
}

namespace simhash
{

namespace
{

// Returns the name of this library, as the catalog has it for the access method's handler. A bare name would
// depend on dynamic_library_path, and a fixed one on how the extension was installed.
char *library_name(Relation index)
{
    HeapTuple handler = SearchSysCache1(PROCOID, ObjectIdGetDatum(index->rd_amhandler));
    if (!HeapTupleIsValid(handler))
        elog(ERROR, "cache lookup failed for function %u", index->rd_amhandler);
    bool null;
    Datum name = SysCacheGetAttr(PROCOID, handler, Anum_pg_proc_probin, &null);
    if (null)
        elog(ERROR, "function %u has no library", index->rd_amhandler);
    char *copy = TextDatumGetCString(name);
    ReleaseSysCache(handler);
    return copy;
}

void leave_parallel_mode(ParallelBuild *build)
{
    DestroyParallelContext(build->context);
    ExitParallelMode();
    if (IsMVCCSnapshot(build->snapshot))
        UnregisterSnapshot(build->snapshot);
    pfree(build);
}

} // namespace

ParallelBuild *prepare_parallel_build(Relation heap, Relation index, IndexInfo *info, const char *function,
                                      int workers, const SharedPiece *own, int count)
{
    // Like a serial build: a concurrent build reads the rows that a snapshot sees, others all rows that any
    // snapshot may see.
    Snapshot snapshot = info->ii_Concurrent ? RegisterSnapshot(GetTransactionSnapshot()) : SnapshotAny;
    EnterParallelMode();
    ParallelContext *context = CreateParallelContext(library_name(index), function, workers);
    auto *build = allocate<ParallelBuild>();
    *build = {index, context, snapshot};
    Size processes = static_cast<Size>(workers) + 1;
    Size query = debug_query_string == nullptr ? 1 : strlen(debug_query_string) + 1;
    const SharedPiece common[] = {{kKeyTableScan, table_parallelscan_estimate(heap, snapshot)},
                                  {kKeyBufferUsage, sizeof(BufferUsage) * processes},
                                  {kKeyWalUsage, sizeof(WalUsage) * processes},
                                  {kKeyQuery, query}};
    int pieces = count + static_cast<int>(lengthof(common));
    auto piece = [&](int i) -> const SharedPiece & { return i < count ? own[i] : common[i - count]; };
    for (int i = 0; i < pieces; i++) {
        shm_toc_estimate_chunk(&context->estimator, piece(i).size);
        shm_toc_estimate_keys(&context->estimator, 1);
    }
    InitializeParallelDSM(context);
    if (context->seg == nullptr) {
        leave_parallel_mode(build);
        return nullptr;
    }
    for (int i = 0; i < pieces; i++) {
        void *address = shm_toc_allocate(context->toc, piece(i).size);
        std::memset(address, 0, piece(i).size);
        shm_toc_insert(context->toc, piece(i).key, address);
    }
    if (debug_query_string != nullptr)
        std::memcpy(find_piece(context->toc, kKeyQuery), debug_query_string, query);

    auto *work = static_cast<SharedWork *>(find_piece(context->toc, kKeyWork));
    work->heap = RelationGetRelid(heap);
    work->index = RelationGetRelid(index);
    work->concurrent = info->ii_Concurrent;
    SharedFileSetInit(&work->files, context->seg);
    SpinLockInit(&work->mutex);
    ConditionVariableInit(&work->changed);
    pg_atomic_init_u32(&work->next_task, 0);
    pg_atomic_init_u64(&work->progress.rows, 0);
    table_parallelscan_initialize(
        heap, static_cast<ParallelTableScanDesc>(find_piece(context->toc, kKeyTableScan)), snapshot);
    return build;
}

bool start_parallel_build(ParallelBuild *build)
{
    ParallelContext *context = build->context;
    LaunchParallelWorkers(context);
    if (context->nworkers_launched == 0) {
        leave_parallel_mode(build);
        return false;
    }
    ereport(DEBUG1, errmsg_internal("index \"%s\" is built using %d parallel workers",
                                    RelationGetRelationName(build->index), context->nworkers_launched));
    // The workers read it once `planned` is set.
    static_cast<SharedWork *>(find_piece(context->toc, kKeyWork))->processes = context->nworkers_launched + 1;
    return true;
}

void end_parallel_build(ParallelBuild *build)
{
    ParallelContext *context = build->context;
    WaitForParallelWorkersToFinish(context);
    auto *buffers = static_cast<BufferUsage *>(find_piece(context->toc, kKeyBufferUsage));
    auto *wal = static_cast<WalUsage *>(find_piece(context->toc, kKeyWalUsage));
    for (int i = 0; i < context->nworkers_launched; i++)
        InstrAccumParallelQuery(&buffers[i], &wal[i]);
    leave_parallel_mode(build);
}

WorkerRelations begin_worker(SharedWork *work, dsm_segment *segment, shm_toc *toc)
{
    auto *query = static_cast<const char *>(find_piece(toc, kKeyQuery));
    debug_query_string = *query == '\0' ? nullptr : query;
    pgstat_report_activity(STATE_RUNNING, debug_query_string);
    InstrStartParallelQuery();
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
    InstrEndParallelQuery(&static_cast<BufferUsage *>(find_piece(toc, kKeyBufferUsage))[ParallelWorkerNumber],
                          &static_cast<WalUsage *>(find_piece(toc, kKeyWalUsage))[ParallelWorkerNumber]);
    index_close(relations.index, work.concurrent ? RowExclusiveLock : AccessExclusiveLock);
    table_close(relations.heap, work.concurrent ? ShareUpdateExclusiveLock : ShareLock);
}

BufFile *create_work_file(SharedWork *work, const char *kind, int number)
{
    return create_shared_file(&work->files, psprintf("%s%d", kind, number));
}

BufFile *open_work_file(SharedWork *work, const char *kind, int number)
{
    return open_shared_file(&work->files, psprintf("%s%d", kind, number));
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
