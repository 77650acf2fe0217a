// All pairs of near-duplicates: the search that joins pull and simhash_pair_sample finishes.
//
// The kind of the indexes joins them (IndexKind::join). The memory of a join is freed as a whole, also after an error.
#include "am/index/kind.hpp"
#include "am/pairs/pair_output.hpp"

extern "C" {
#include "pgstat.h"
#include "storage/predicate.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
}

namespace simhash
{

PairWork *begin_pairs(PairOutput *output, int distance, const void *plan)
{
    const IndexMeta &meta = output->side[0].meta();
    for (int i = 0; i < output->sides; i++) {
        for (int j = 0; j < output->side[i].parts; j++) {
            const OpenIndex &index = output->side[i].part[j].index;
            if (index.meta->kind != meta.kind || index.meta->bits != meta.bits)
                elog(ERROR, "cannot join indexes of different values");
            // A lock on the whole index, as scans take: every leaf is read anyway.
            PredicateLockRelation(index, output->snapshot);
            pgstat_count_index_scan(index);
        }
    }
    return plan != nullptr ? meta.kind->begin_join(output, plan)
                           : meta.kind->join(output, Min(distance, meta.bits));
}

PairOutput *open_pairs(Oid index)
{
    auto *output = static_cast<PairOutput *>(palloc0(sizeof(PairOutput)));
    output->snapshot = GetActiveSnapshot();
    output->sides = 1;
    open_side(index, &output->side[0]);
    return output;
}

void find_open_pairs(PairOutput *output, int distance, PairSink sink)
{
    PairOutput again = {};
    again.snapshot = output->snapshot;
    again.sides = output->sides;
    again.side[0] = output->side[0];
    again.links = true;
    again.sink = sink;
    *output = again;
    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash join", ALLOCSET_DEFAULT_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(context);
    finish_work(begin_pairs(output, distance));
    MemoryContextSwitchTo(caller);
    MemoryContextDelete(context);
}

void close_pairs(PairOutput *output)
{
    close_side(output->side[0]);
    pfree(output);
}

} // namespace simhash
