// What parallel builds of all kinds share: the memory and the processes.
//
// The leader begins the build, takes part in the scan of the table and in the writing, and waits in between. A process
// reads only files that their writer has closed. Workers take the locks of the leader's command again, so that they can
// open the same relations. An error in any process ends all of them, and files that they share go with the shared memory.
#pragma once

#include "am/create/tree_writer.hpp"

extern "C" {
#include "access/parallel.h"
#include "access/tableam.h"
#include "commands/progress.h"
#include "pgstat.h"
#include "storage/condition_variable.h"
#include "storage/sharedfileset.h"
#include "storage/spin.h"
}

namespace simhash
{

enum SharedKey : uint64 {
    kKeyWork = UINT64CONST(0x5348000000000001), // a struct that begins with SharedWork
    kKeyTableScan,
    kKeyQuery,
    kKeyBufferUsage,
    kKeyWalUsage,
    kKeyOfBuild // and further numbers: the build's own parts
};

// A piece of the shared memory.
struct SharedPiece {
    uint64 key;
    Size size;
};

inline void *find_piece(shm_toc *toc, uint64 key) { return shm_toc_lookup(toc, key, false); }

struct SharedWork {
    Oid heap;
    Oid index;
    bool concurrent;
    SharedFileSet files;

    slock_t mutex;
    ConditionVariable changed;
    int scanned; // processes that have finished their part of the scan
    int finished;
    bool planned; // the leader has set what processes need after the scan
    bool broken_hot_chain;
    double heap_rows;

    int processes;
    pg_atomic_uint32 next_task;
    BuildProgress progress;
};

struct ParallelBuild {
    Relation index;
    ParallelContext *context;
    Snapshot snapshot;
};

// Enters parallel mode, and makes the shared memory of up to `workers` workers that run `function` of this library. The
// build's own pieces, `count` of them with kKeyWork among them, are zeros but for SharedWork; the caller sets what workers
// need at once. Returns null, and has left parallel mode, if there is no memory.
ParallelBuild *prepare_parallel_build(Relation heap, Relation index, IndexInfo *info, const char *function,
                                      int workers, const SharedPiece *own, int count);
// Starts the workers. Returns false, and has left parallel mode, if none could be started.
bool start_parallel_build(ParallelBuild *build);
// Waits for the workers and leaves parallel mode.
void end_parallel_build(ParallelBuild *build);

// A worker's relations, with the locks that the leader's command holds.
struct WorkerRelations {
    Relation heap, index;
    IndexInfo *info;
};
WorkerRelations begin_worker(SharedWork *work, dsm_segment *segment, shm_toc *toc);
void end_worker(const SharedWork &work, const WorkerRelations &relations, shm_toc *toc);

// Temporary files that one process writes and all may read. A file is named by its kind and a number.
BufFile *create_work_file(SharedWork *work, const char *kind, int number);
BufFile *open_work_file(SharedWork *work, const char *kind, int number);
// Closes a file that was created, so that others can open it.
void close_work_file(BufFile *file);

// Notes that this process has finished its part of the scan, or its tasks.
void finish_scan(SharedWork *work, double heap_rows, bool broken_hot_chain);
void finish_tasks(SharedWork *work);

// Waits until done(work) is true. With `report` (in the leader), it reports the progress of the build while
// it waits.
template <typename Work, typename Done> void wait_until(Work *work, bool report, Done done)
{
    for (;;) {
        SpinLockAcquire(&work->mutex);
        bool is_done = done(*work);
        SpinLockRelease(&work->mutex);
        if (report)
            pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE,
                                         static_cast<int64>(pg_atomic_read_u64(&work->progress.rows)));
        if (is_done)
            break;
        ConditionVariableTimedSleep(&work->changed, 1000, WAIT_EVENT_PARALLEL_CREATE_INDEX_SCAN);
    }
    ConditionVariableCancelSleep();
}

} // namespace simhash
