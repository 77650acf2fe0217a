// Parallel workers of joins. Workers send pairs of visible rows by a queue for each, as the numbers of the rows.
#include "am/pairs/pair_team.hpp"
#include "am/index/workers.hpp"

#include "am/index/failpoint.hpp"

extern "C" {
#include "access/relation.h"
#include "catalog/index.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "pgstat.h"
#include "port/atomics.h"
#include "storage/latch.h"
#include "storage/lmgr.h"
#include "storage/proc.h"
#include "storage/shm_mq.h"
#include "utils/snapmgr.h"
}

namespace simhash
{

namespace
{

constexpr Size kQueueBytes = Size{1} << 20;
constexpr Size kMessagePairs = 512;

enum Key : uint64 { kKeySides = kKeyOwn, kKeyPlan, kKeyQueues };

struct SharedJoin {
    pg_atomic_uint32 next_task;
    PairsWanted wanted;
    bool queries;
    int sides;
    struct {
        int parts;
        double rows;
    } side[2];
};

// A part of a side, and the numbers of its first blocks. After the last one of a side, those of the blocks after it.
struct SharedSide {
    Oid index;
    BlockNumber heap_block, index_block;
};

} // namespace

struct PairTeam {
    ParallelContext *context; // null in a worker, and where a plan's Gather has started the processes
    pg_atomic_uint32 *next_task;
    uint32 asked; // tasks
    uint32 taken; // the next one for this process, kNoTask if it is not known
    int queues;
    shm_mq_handle **queue; // null for a worker that has ended; a worker has its own alone
    FoundPair *waiting;    // a worker's
    Size waits;
};

namespace
{

constexpr uint32 kNoTask = ~uint32{0};

// What the leader shares with its workers.
struct TeamArguments {
    const PairOutput *output;
    const void *plan;
    Size plan_bytes;
    int workers;
};

void share_side(const PairSide &side, SharedSide *part)
{
    for (int i = 0; i <= side.parts; i++)
        part[i] = {i < side.parts ? RelationGetRelid(side.part[i].index) : InvalidOid,
                   side.tids.blocks.first[i], side.positions.first[i]};
}

void prepare_team(ParallelContext *context, const void *argument)
{
    const auto &preparation = *static_cast<const TeamArguments *>(argument);
    const PairOutput &output = *preparation.output;
    auto *shared = static_cast<SharedJoin *>(find_part(context->toc, kKeyWork));
    auto *part = static_cast<SharedSide *>(find_part(context->toc, kKeySides));
    pg_atomic_init_u32(&shared->next_task, 0);
    shared->wanted = output.wanted;
    shared->queries = output.queries;
    shared->sides = output.sides;
    for (int i = 0; i < output.sides; i++) {
        shared->side[i] = {output.side[i].parts, output.side[i].rows};
        share_side(output.side[i], part);
        part += output.side[i].parts + 1;
    }
    std::memcpy(find_part(context->toc, kKeyPlan), preparation.plan, preparation.plan_bytes);
    auto *queues = static_cast<char *>(find_part(context->toc, kKeyQueues));
    for (int i = 0; i < preparation.workers; i++)
        shm_mq_set_receiver(shm_mq_create(queues + static_cast<Size>(i) * kQueueBytes, kQueueBytes), MyProc);
}

PairTeam *make_team(shm_toc *toc, int queues)
{
    auto *team = static_cast<PairTeam *>(palloc0(sizeof(PairTeam)));
    team->next_task = &static_cast<SharedJoin *>(find_part(toc, kKeyWork))->next_task;
    team->taken = kNoTask;
    team->queues = queues;
    team->queue = static_cast<shm_mq_handle **>(palloc(sizeof(shm_mq_handle *) * static_cast<Size>(queues)));
    return team;
}

shm_mq *queue_of(shm_toc *toc, int worker)
{
    return reinterpret_cast<shm_mq *>(static_cast<char *>(find_part(toc, kKeyQueues)) +
                                      static_cast<Size>(worker) * kQueueBytes);
}

// Whether no parallel worker can read the relation.
bool is_private(Relation relation) { return relation->rd_rel->relpersistence == RELPERSISTENCE_TEMP; }

void send_waiting(PairTeam *team)
{
    // A leader that has gone is about to end this worker.
    if (team->waits > 0)
        send_to_queue(team->queue[0], sizeof(FoundPair) * team->waits, team->waiting);
    team->waits = 0;
}

void send_pair(void *context, uint64 a, uint64 b, uint64 distance)
{
    auto *team = static_cast<PairTeam *>(context);
    team->waiting[team->waits++] = {{a | distance << kDistanceShift, b}};
    if (team->waits == kMessagePairs)
        send_waiting(team);
}

// Passes on the messages of a worker that have come. Returns whether there were any.
bool receive_from(PairOutput *output, shm_mq_handle **queue)
{
    for (bool any = false;; any = true) {
        Size bytes;
        void *data;
        shm_mq_result result = shm_mq_receive(*queue, &bytes, &data, true);
        if (result == SHM_MQ_DETACHED) {
            shm_mq_detach(*queue);
            *queue = nullptr;
            return true;
        }
        if (result != SHM_MQ_SUCCESS)
            return any;
        CHECK_FOR_INTERRUPTS();
        const auto *pair = static_cast<const FoundPair *>(data);
        for (Size i = 0; i < bytes / sizeof(FoundPair); i++)
            output->sink.put(output->sink.context, pair[i].tag[0] & kTidMask, pair[i].tag[1],
                             pair[i].tag[0] >> kDistanceShift);
    }
}

// Passes on what has come from the workers. Returns whether there was anything; sets *open to whether more may come.
bool receive_from_all(PairOutput *output, bool *open)
{
    const PairTeam *team = output->team;
    bool any = false;
    *open = false;
    for (int i = 0; i < team->queues; i++) {
        if (team->queue[i] != nullptr)
            any |= receive_from(output, &team->queue[i]);
        *open |= team->queue[i] != nullptr;
    }
    return any;
}

// Opens the parts of a side that the leader has opened, with the leader's numbers.
void open_shared_side(const SharedSide *part, int parts, PairSide *side)
{
    begin_side(parts, side);
    for (int i = 0; i <= parts; i++) {
        side->tids.blocks.first[i] = part[i].heap_block;
        side->positions.first[i] = part[i].index_block;
        if (i == parts)
            break;
        LockRelationOid(IndexGetRelation(part[i].index, false), AccessShareLock);
        open_part(relation_open(part[i].index, AccessShareLock), side, i);
    }
}

} // namespace

int planned_pair_workers(const PairOutput &output, double nanoseconds)
{
    // parallel_setup_cost is 1000 by default: about 10 milliseconds.
    constexpr double kSetupUnit = 1e4;
    if (output.alone || !IsUnderPostmaster || IsParallelWorker() ||
        nanoseconds < parallel_setup_cost * kSetupUnit)
        return 0;
    for (int i = 0; i < output.sides; i++) {
        for (int j = 0; j < output.side[i].parts; j++) {
            if (is_private(output.side[i].part[j].index))
                return 0;
        }
    }
    return Min(max_parallel_workers_per_gather, max_parallel_workers);
}

void *begin_pair_team(PairOutput *output, const char *function, int workers, const void *plan,
                      Size plan_bytes)
{
    int ends = 0;
    for (int i = 0; i < output->sides; i++)
        ends += output->side[i].parts + 1;
    const SharedPart part[] = {{kKeyWork, sizeof(SharedJoin)},
                               {kKeySides, sizeof(SharedSide) * static_cast<Size>(ends)},
                               {kKeyPlan, plan_bytes},
                               {kKeyQueues, kQueueBytes * static_cast<Size>(workers)}};
    const TeamArguments preparation = {output, plan, plan_bytes, workers};
    ParallelContext *context = begin_workers(output->side[0].part[0].index, function, workers, part,
                                             lengthof(part), prepare_team, &preparation);
    if (context == nullptr)
        return nullptr;
    ereport(DEBUG1, errmsg_internal("simhash works with %d parallel workers", context->nworkers_launched));
    PairTeam *team = make_team(context->toc, context->nworkers_launched);
    team->context = context;
    for (int i = 0; i < team->queues; i++)
        team->queue[i] = shm_mq_attach(queue_of(context->toc, i), context->seg, context->worker[i].bgwhandle);
    output->team = team;
    return find_part(context->toc, kKeyPlan);
}

void end_pair_team(PairOutput *output)
{
    if (output->team == nullptr || output->team->context == nullptr)
        return;
    for (bool open = true; open;) {
        CHECK_FOR_INTERRUPTS();
        if (!receive_from_all(output, &open)) {
            WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH, 0, WAIT_EVENT_EXECUTE_GATHER);
            ResetLatch(MyLatch);
        }
    }
    end_workers(output->team->context);
    output->team = nullptr;
}

PairOutput *join_pair_team(dsm_segment *segment, shm_toc *toc, void **plan)
{
    begin_work(toc);
    failpoint(Failpoint::join_worker);
    PairTeam *team = make_team(toc, 1);
    shm_mq *queue = queue_of(toc, ParallelWorkerNumber);
    shm_mq_set_sender(queue, MyProc);
    team->queue[0] = shm_mq_attach(queue, segment, nullptr);
    team->waiting = static_cast<FoundPair *>(palloc(sizeof(FoundPair) * kMessagePairs));

    const auto &shared = *static_cast<const SharedJoin *>(find_part(toc, kKeyWork));
    auto *output = static_cast<PairOutput *>(palloc0(sizeof(PairOutput)));
    output->snapshot = GetActiveSnapshot();
    output->wanted = shared.wanted;
    output->queries = shared.queries;
    output->sides = shared.sides;
    output->sink = {send_pair, team};
    output->team = team;
    const auto *part = static_cast<const SharedSide *>(find_part(toc, kKeySides));
    for (int i = 0; i < shared.sides; i++) {
        open_shared_side(part, shared.side[i].parts, &output->side[i]);
        output->side[i].rows = shared.side[i].rows;
        part += shared.side[i].parts + 1;
    }
    *plan = find_part(toc, kKeyPlan);
    return output;
}

void leave_pair_team(PairOutput *output, shm_toc *toc)
{
    send_waiting(output->team);
    shm_mq_detach(output->team->queue[0]);
    for (int i = 0; i < output->sides; i++)
        close_side(output->side[i]);
    end_work(toc);
}

void share_tasks(PairOutput *output, pg_atomic_uint32 *next_task)
{
    auto *team = static_cast<PairTeam *>(palloc0(sizeof(PairTeam)));
    team->next_task = next_task;
    team->taken = kNoTask;
    output->team = team;
}

bool takes_task(PairOutput *output)
{
    PairTeam *team = output->team;
    if (team == nullptr)
        return true;
    receive_pairs(output);
    if (team->taken == kNoTask)
        team->taken = pg_atomic_fetch_add_u32(team->next_task, 1);
    if (team->asked++ != team->taken)
        return false;
    team->taken = kNoTask;
    return true;
}

void receive_pairs(PairOutput *output)
{
    bool open;
    if (output->team != nullptr && output->team->context != nullptr)
        receive_from_all(output, &open);
}

} // namespace simhash
