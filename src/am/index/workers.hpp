// Parallel workers of a build or of a search of a whole index: their shared memory, their start and their end.
//
// The leader begins the work and takes part in it. An error in any process ends all of them, and files that they share
// go with the shared memory.
#pragma once

#include "pg/server/compat.hpp"

extern "C" {
#include "access/parallel.h"
#include "utils/rel.h"
}

namespace simhash
{

enum SharedKey : uint64 {
    kKeyWork = UINT64CONST(0x5348000000000001), // what the work is
    kKeyQuery,
    kKeyBufferUsage,
    kKeyWalUsage,
    kKeyOwn // and further numbers: the work's own parts
};

// A piece of the shared memory.
struct SharedPiece {
    uint64 key;
    Size size;
};

inline void *find_piece(shm_toc *toc, uint64 key) { return shm_toc_lookup(toc, key, false); }

// Enters parallel mode and starts up to `workers` workers that run `function` of this library. The parts, of which
// kKeyWork must be one, are zeros until `prepare` sets them, before a worker starts. Returns null, and has left
// parallel mode, if no worker could be started.
ParallelContext *begin_workers(Relation index, const char *function, int workers, const SharedPiece *piece,
                               int pieces, void (*prepare)(ParallelContext *context, const void *argument),
                               const void *argument);
// Waits for the workers and leaves parallel mode.
void end_workers(ParallelContext *context);

// A worker begins and ends its work.
void begin_work(shm_toc *toc);
void end_work(shm_toc *toc);

} // namespace simhash
