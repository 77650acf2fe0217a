#include "am/index/workers.hpp"

extern "C" {
#include "access/xact.h"
#include "catalog/pg_proc.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
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

// Returns a parallel context with the shared data, or null if there is no shared memory for it.
ParallelContext *make_context(Relation index, const char *function, int workers, const SharedPiece *own,
                              int count)
{
    ParallelContext *context = CreateParallelContext(library_name(index), function, workers);
    Size processes = static_cast<Size>(workers) + 1;
    Size query = debug_query_string == nullptr ? 1 : strlen(debug_query_string) + 1;
    const SharedPiece common[] = {{kKeyBufferUsage, sizeof(BufferUsage) * processes},
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
        DestroyParallelContext(context);
        return nullptr;
    }
    for (int i = 0; i < pieces; i++) {
        void *address = shm_toc_allocate(context->toc, piece(i).size);
        std::memset(address, 0, piece(i).size);
        shm_toc_insert(context->toc, piece(i).key, address);
    }
    if (debug_query_string != nullptr)
        std::memcpy(find_piece(context->toc, kKeyQuery), debug_query_string, query);
    return context;
}

} // namespace

ParallelContext *begin_workers(Relation index, const char *function, int workers, const SharedPiece *piece,
                               int pieces, void (*prepare)(ParallelContext *context, const void *argument),
                               const void *argument)
{
    EnterParallelMode();
    ParallelContext *context = make_context(index, function, workers, piece, pieces);
    if (context != nullptr) {
        prepare(context, argument);
        LaunchParallelWorkers(context);
        if (context->nworkers_launched > 0)
            return context;
        DestroyParallelContext(context);
    }
    ExitParallelMode();
    return nullptr;
}

void end_workers(ParallelContext *context)
{
    WaitForParallelWorkersToFinish(context);
    auto *buffers = static_cast<BufferUsage *>(find_piece(context->toc, kKeyBufferUsage));
    auto *wal = static_cast<WalUsage *>(find_piece(context->toc, kKeyWalUsage));
    for (int i = 0; i < context->nworkers_launched; i++)
        InstrAccumParallelQuery(&buffers[i], &wal[i]);
    DestroyParallelContext(context);
    ExitParallelMode();
}

void begin_work(shm_toc *toc)
{
    auto *query = static_cast<const char *>(find_piece(toc, kKeyQuery));
    debug_query_string = *query == '\0' ? nullptr : query;
    pgstat_report_activity(STATE_RUNNING, debug_query_string);
    InstrStartParallelQuery();
}

void end_work(shm_toc *toc)
{
    InstrEndParallelQuery(&static_cast<BufferUsage *>(find_piece(toc, kKeyBufferUsage))[ParallelWorkerNumber],
                          &static_cast<WalUsage *>(find_piece(toc, kKeyWalUsage))[ParallelWorkerNumber]);
}

} // namespace simhash
