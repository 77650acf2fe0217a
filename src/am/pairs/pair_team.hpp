// The leader and the parallel workers of a join or a match. All follow the plan that the leader has made, and take its tasks from a
// common counter. Each reads the leaves for its tasks and looks up the rows of its pairs. The leader passes on the
// pairs of all.
#pragma once

#include "am/pairs/pair_output.hpp"

extern "C" {
#include "port/atomics.h"
#include "storage/dsm.h"
#include "storage/shm_toc.h"
}

namespace simhash
{

// The most workers that a task of so many nanoseconds is worth, within the settings.
int planned_pair_workers(const PairOutput &output, double nanoseconds);
// Starts workers that run a function of this library, and sets output->team. Returns the copy of the plan that all
// share, or null if no worker could be started.
void *begin_pair_team(PairOutput *output, const char *function, int workers, const void *plan,
                      Size plan_bytes);
// In the leader: passes on what the workers still send, and waits for their end.
void end_pair_team(PairOutput *output);

// A worker's output, which sends what it finds to the leader. Sets *plan.
PairOutput *join_pair_team(dsm_segment *segment, shm_toc *toc, void **plan);
void leave_pair_team(PairOutput *output, shm_toc *toc);

// Shares the tasks with processes that each return their own pairs. The counter, in shared memory, begins at 0.
void share_tasks(PairOutput *output, pg_atomic_uint32 *next_task);

// Whether this process does the next task. All processes ask for the same tasks, in the same order.
bool takes_task(PairOutput *output);
// In the leader: passes on what the workers have sent so far. To be called often, so that they need not wait.
void receive_pairs(PairOutput *output);

} // namespace simhash
